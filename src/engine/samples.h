/* SPDX-License-Identifier: MIT */
/* The sample store. All sweeps and probes are kept until they fill the room that they have; from then on an even part
 * of the whole run: half of the sweeps are forgotten, by chance, and of those to come as many are not kept. */
#pragma once

#include "uarchprobe/engine.h"

/* The first ones are always kept: some points are sampled in the first rounds only. Of fewer than the least, none is
 * forgotten, however large they are. */
enum { KEPT_BYTES_MOST = 32 << 20, KEPT_SWEEPS_FIRST = 16, KEPT_SWEEPS_LEAST = 2048 };

/* Begins a sweep, in data->row; no value of it is there yet. bytes_most 0: the usual. */
void sweep_begin(struct engine_data *data, size_t bytes_most);
/* A sample of `count` points from `first` of the sweep, taken since the last probe. */
void sweep_add(struct engine_data *data, size_t first, size_t count, const double *value);
/* Forgets the samples that were taken since the last probe. */
void samples_drop(struct engine_data *data);
/* Room for a probe, behind the last one that a sample which is kept lies next to. */
struct moment *moment_add(struct engine_data *data);
/* Files the last moment, and all others anew where the witness knows better by now. */
void state_count(struct engine_data *data);
/* Of the samples filed under the state, the share during which it was left and entered again unseen, as far as the
 * changes that were seen tell. */
double state_hidden_share(const struct engine_data *data, enum state state);
