/* SPDX-License-Identifier: MIT */
/* Finds where a curve leaves its level. */
#include <math.h>

#include "engine/steps.h"
#include "uarchprobe/stats.h"

size_t edge_find(const double *cycles, size_t count)
{
    enum { SIDE = 4, TAIL = 8 };
    static const double RISE_CYCLES = 1.5, RISEN = 0.05, SOON = 0.1, NOISES = 6;
    double off[STEP_VALUES]; /* the line through both neighbours */
    if (count < SIDE + TAIL || count > STEP_VALUES)
        return 0;
    for (size_t i = 1; i + 1 < count; i++)
        off[i - 1] = fabs(cycles[i] - (cycles[i - 1] + cycles[i + 1]) / 2);
    const double rise = median_of(cycles + count - TAIL, TAIL) - median_of(cycles, SIDE),
                 least = RISEN * rise;
    if (rise < RISE_CYCLES || least < NOISES * quantile_of(off, count - 2, 0.25))
        return 0;
    for (size_t at = SIDE; at + SIDE <= count; at++) {
        const double level = median_of(cycles + at - SIDE, SIDE);
        size_t risen = 0;
        while (risen < SIDE && cycles[at + risen] > level + least)
            risen++;
        const double soon = median_of(cycles + at, count - at < TAIL ? count - at : TAIL) - level;
        if (risen == SIDE && cycles[at - 1] <= level + least && soon >= SOON * rise)
            return at;
    }
    return 0;
}
