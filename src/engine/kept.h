/* SPDX-License-Identifier: MIT */
/* What a run keeps of its sweeps and looks. All of them, until they fill the room that they have; from then on an even part
 * of the whole run: half of the sweeps are forgotten, by chance, and of those to come as many are not kept. */
#ifndef UARCHPROBE_ENGINE_KEPT_H
#define UARCHPROBE_ENGINE_KEPT_H

#include "uarchprobe/engine.h"

/* The first ones are always kept: some points are sampled in the first rounds only. Of fewer than the least, none is
 * forgotten, however large they are. */
enum { KEPT_BYTES_MOST = 32 << 20, KEPT_SWEEPS_FIRST = 16, KEPT_SWEEPS_LEAST = 2048 };

/* Begins a sweep, in data->row; no value of it is there yet. bytes_most 0: the usual. False: no memory. */
bool kept_begin_sweep(struct engine_data *data, size_t bytes_most);
/* Forgets the samples that were taken since the last look. */
void kept_drop_since_look(struct engine_data *data);
/* Room for a look, behind the last one that a sample which is kept lies next to. NULL: no memory. */
struct moment *kept_look(struct engine_data *data);
/* A sample of `count` points from `first` of the sweep, taken since the last look. */
void kept_sample(struct engine_data *data, size_t first, size_t count, const double *value);

#endif
