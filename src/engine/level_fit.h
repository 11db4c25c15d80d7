/* SPDX-License-Identifier: MIT */
/* Levels of samples: values with intervals, and which edges are surely there. Pure. */
#pragma once

#include <stdbool.h>

#include "engine/levels.h"

/* The samples of one size in the order in which they were taken. */
struct size_samples {
    double x;
    const double *value;
    size_t count;
};

/* low and high: the interval of 95 %. */
struct level_value {
    double value, low, high, first, second; /* of the halves of the run */
};

struct level_fit {
    struct levels at;
    size_t samples[LEVELS_MOST + 1];      /* of level i the fewest of a size, up to four times its edge */
    double largest;                       /* size */
    struct level_value edge[LEVELS_MOST], /* size that level i holds */
        step[LEVELS_MOST],                /* that a miss of it adds */
        time[LEVELS_MOST + 1];            /* of its hits; the last: of what no level holds */
    bool is_there[LEVELS_MOST], is_smeared[LEVELS_MOST]; /* there: all conditions hold */
};

/* Fits the quantile of each size. Samples that are no positive number do not count, nor sizes with fewer than four, or which are
 * not larger than those before. False: fewer than eight sizes are left. */
bool levels_fit(const struct size_samples *sizes, size_t count, double quantile, struct level_fit *fit);
