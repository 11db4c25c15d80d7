/* SPDX-License-Identifier: MIT */
/* The experiments of `ram --crossover`. */
#pragma once

#include "uarchprobe/experiment.h"
#include "uarchprobe/memory.h"

enum { COPY_STEP = 64 };

/* Of `bytes` the part that one thread fills in a second, with its pages there; the rest of the memory is not touched. */
uint64_t crossover_fill(struct memory *const *memory, int count, uint64_t bytes);
/* The largest buffer, a power of two: four times this thread's part of the last cache, or what of `buffers` for each of so many threads
 * there is room for. */
uint64_t crossover_bytes(const struct run *run, int threads, int buffers);

extern struct experiment alias_experiment, page_gain_experiment, zero_speed_experiment;
