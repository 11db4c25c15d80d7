/* SPDX-License-Identifier: MIT */
/* Levels of the time of an access against the size of a set whose places are drawn at random. A level that holds C of S hits
 * min(1, C / S) of them whatever it evicts, caches and TLBs alike, so the time is a base and for each level its step times the
 * share of misses. (A chain in a cycle is another curve: under LRU it misses all beyond C.) Pure. */
#pragma once

#include <stddef.h>

enum { LEVELS_MOST = 7, SIZES_MOST = 192 };
static const double LEVEL_SMEAR = 0.08; /* that is expected */

/* Natural logarithms. The edge varies log-normally around its mean: levels are shared, hashed or coloured. */
struct level {
    double edge, step, smear;
};

struct levels {
    double base;
    size_t count;
    struct level of[LEVELS_MOST]; /* by edge, ascending */
};

/* Times of sizes, ascending, and how well they are known: logarithms but for `size`. */
struct points {
    size_t count;
    double x[SIZES_MOST], size[SIZES_MOST], time[SIZES_MOST], error[SIZES_MOST];
};

double levels_time(const struct levels *levels, double log_x);
/* Finds as many levels as pay. Bounded, whatever the points are. */
void levels_find(struct levels *levels, const struct points *points);
/* Moves levels to the nearest minimum of the cost, which it returns. */
double levels_descend(struct levels *levels, const struct points *points);
