/* SPDX-License-Identifier: MIT */
/* One reading of the core clock, made of the times of three chains. Pure. */
#pragma once

#include "uarchprobe/clock.h"

enum { CHAIN_ROUNDS = 5 };

/* In operations: two chains of additions, one of multiplications (0: none). */
struct chain_lengths {
    uint64_t shorter, longer, multiply;
};

struct chain_ticks {
    double shorter[CHAIN_ROUNDS], longer[CHAIN_ROUNDS], multiply[CHAIN_ROUNDS];
};

/* NaN: the times contradict each other. */
struct chain_fit {
    double ghz;
    double multiply; /* cycles of one multiplication; NaN without that chain, too */
};

/* The two chains of additions differ by `least` operations, or more where the clock's steps are coarse: their
 * difference lasts at least 50 steps. */
struct chain_lengths chain_lengths_for(const struct clock *clock, uint64_t least);
/* multiply: cycles of a multiplication on this CPU; 0: unknown, the reading is not held against it. */
struct chain_fit chain_fit_of(const struct clock *clock, const struct chain_lengths *length,
                              const struct chain_ticks *ticks, double multiply);
/* (p95 - p5) / median of those that are not NaN: how far the clock moved. A single reading says nothing. */
double core_clock_drift(const double *ghz, size_t count);
