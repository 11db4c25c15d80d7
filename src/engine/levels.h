/* SPDX-License-Identifier: MIT */
/* Levels of the time of an access by the size of a set whose places are drawn at random. A level that
 * holds C of S hits min(1, C / S) of them whatever it evicts, caches and TLBs alike, so the time is a base
 * and for each level its step times the share of misses. (A chain in a cycle is another curve: under LRU it
 * misses all beyond C.) Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { LEVELS_MOST = 7, SIZES_MOST = 192 };
/* SMEAR: that is expected. LARGER: the largest size, that an edge is seen. */
static const double LEVEL_SMEAR = 0.08, LEVEL_LARGER = 2;

/* Natural logarithms. The edge varies log-normally around its mean: levels are shared, hashed or coloured. */
struct levels {
    double base;
    size_t count;
    struct level {
        double edge, step, smear;
    } of[LEVELS_MOST]; /* by edge, ascending */
};

/* Times of sizes, ascending, and how well they are known: logarithms. */
struct points {
    size_t count;
    double x[SIZES_MOST], time[SIZES_MOST], error[SIZES_MOST];
};

double levels_time(const struct levels *levels, double log_x);
/* Finds as many levels as pay. Bounded, whatever the points are. */
void levels_find(struct levels *levels, const struct points *points);
/* Moves levels to the nearest minimum of the cost, which it returns. */
double levels_descend(struct levels *levels, const struct points *points);

/* One size, its samples in the order in which they were taken. */
struct size_samples {
    double x, *value;
    size_t count;
};

/* low and high: the interval of 95 %; of the halves of the run. */
struct level_value {
    double value, low, high, first, second;
};

/* EDGE: size that it holds. TIME of its hits, of its misses, and STEP from one to the other. */
enum level_answer { LEVEL_EDGE, LEVEL_STEP, LEVEL_TIME, LEVEL_BEHIND, LEVEL_ANSWERS };

struct level_fit {
    size_t count;   /* of levels; without any, time of the first is that of all sizes */
    double largest; /* size */
    struct level_found {
        struct level_value of[LEVEL_ANSWERS];
        bool is_there, is_smeared, is_blurred; /* blurred: there only if others share it, else a slope */
        size_t samples;                        /* of the size around it that has fewest */
    } level[LEVELS_MOST];
};

/* Fits the quantile of each size, ascending. Takes from them samples that are no positive number, and
 * sizes with fewer than four. False: fewer than eight sizes are left. */
bool levels_fit(struct size_samples *sizes, size_t *count, double quantile, struct level_fit *fit);
