/* SPDX-License-Identifier: MIT */
#include "machine/clock_fit.h"

#include <math.h>
#include <stdlib.h>

bool clock_fit(const uint64_t *ticks, const uint64_t *ns, size_t count, double tolerance, double *ns_per_tick)
{
    if (count < 2 || ticks[count - 1] <= ticks[0] || ns[count - 1] <= ns[0])
        return false;
    *ns_per_tick = (double)(ns[count - 1] - ns[0]) / (double)(ticks[count - 1] - ticks[0]);
    for (size_t i = 1; i < count; i++) {
        if (ticks[i] <= ticks[i - 1] || ns[i] <= ns[i - 1])
            return false;
        const double rate = (double)(ns[i] - ns[i - 1]) / (double)(ticks[i] - ticks[i - 1]);
        if (fabs(rate / *ns_per_tick - 1) > tolerance)
            return false;
    }
    return true;
}

uint64_t clock_smallest_step(const uint64_t *reading, size_t count)
{
    uint64_t smallest = 0;

    for (size_t i = 1; i < count; i++) {
        const uint64_t step = reading[i] > reading[i - 1] ? reading[i] - reading[i - 1] : 0;
        if (step > 0 && (smallest == 0 || step < smallest))
            smallest = step;
    }
    return smallest;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

uint64_t clock_median_step(uint64_t *reading, size_t count)
{
    if (count < 2)
        return 0;
    for (size_t i = 0; i + 1 < count; i++)
        reading[i] = reading[i + 1] > reading[i] ? reading[i + 1] - reading[i] : 0;
    qsort(reading, count - 1, sizeof(reading[0]), ascending);
    return reading[(count - 1) / 2];
}
