/* SPDX-License-Identifier: MIT */
/* Shared by the curves of `ram --curve`. */
#pragma once

#include "engine/claims.h"
#include "ram.h"
#include "uarchprobe/experiment.h"

/* CORE: sets up to it are sampled in each round, larger ones in one of EVERY. WARM: more is not streamed before a sample. */
enum {
    CURVE_FIRST = 2048,
    CURVE_LARGEST = 1 << 30,
    CURVE_PER_OCTAVE = 2,
    CURVE_CORE = 2 << 20,
    CURVE_EVERY = 4,
    CURVE_WARM = 128 << 20
};

/* The range of --size as far as memory allows, in so many parts. */
struct range curve_range(const struct run *run, uint64_t parts);
/* Ends a series of sizes within the range, at the last one that `bytes` hold. False: it has none. */
bool curve_fit(struct series *series, const struct range *range, uint64_t bytes);
/* The estimate of point i of a series in ns or in cycles, in the main state within the core; false: none. */
bool curve_estimate(const struct lab *lab, const struct course *course, size_t i, bool cycles,
                    struct estimate *estimate);

/* Adds the table of a curve; threads 0: of latencies, else of bandwidth. */
void curve_record(const struct lab *lab, const struct series *series, int threads);

/* Bandwidth by footprint, on as many threads and by the kernels that the options name. */
enum status curve_bandwidth(struct run *run, struct experiment *experiment, struct fault *fault);
