/* SPDX-License-Identifier: MIT */
/* Shared by the curves of `ram --curve`: sizes, and the memory of which sets are parts. */
#pragma once

#include "engine/claims.h"
#include "ram.h"
#include "uarchprobe/experiment.h"

enum curve_pages { CURVE_HUGE, CURVE_BASE, CURVE_ARENAS };
struct curve_arena {
    struct memory memory;
    uint64_t bytes; /* filled */
};
extern struct curve_arena curve_arenas[CURVE_ARENAS];

/* CORE: sets up to it are sampled in each round, larger ones in one of four. WARM: no more is streamed before a sample. */
enum { CURVE_FIRST = 2048, CURVE_LARGEST = 1 << 30, CURVE_CORE = 2 << 20, CURVE_WARM = 128 << 20 };
#define CURVE_SIZES CURVE_SIZES_BY(2, CURVE_CORE)
#define CURVE_SIZES_BY(points, core)                                                                         \
    .first = CURVE_FIRST, .last = CURVE_LARGEST, .per_octave = points, .round = true, .apart = true,         \
    .every = 4, .always = core

/* Ends a series at the last of its sizes that `bytes` hold, within --size. False: it has none. */
bool curve_fit(struct series *series, const struct size_list *range, uint64_t bytes);
/* Adds the table of a curve; threads 0: of latencies, else of bandwidth. */
void curve_record(const struct lab *lab, const struct series *series, int threads);
/* In the arena of huge pages, or the other, by the threads and kernels that the options name. */
enum status curve_bandwidth(struct run *run, struct experiment *experiment, struct fault *fault);
