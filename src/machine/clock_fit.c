/* SPDX-License-Identifier: MIT */
#include "machine/clock_fit.h"

#include <math.h>

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

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The least distance between differences that are no neighbours; 1 where three are in a row, as with a step of one tick, or
 * where too few were seen to tell. What takes longer than any reading is left out. */
static uint64_t rounded_step(const uint64_t *reading, size_t count)
{
    enum { LONGEST = 4096, FEWEST = 3 };
    bool seen[LONGEST + 1] = {false};
    uint64_t least = LONGEST, begin = 0;
    int groups = 0;

    for (size_t i = 1; i < count; i++)
        if (reading[i] > reading[i - 1] && reading[i] - reading[i - 1] < LONGEST)
            seen[reading[i] - reading[i - 1]] = true;
    for (uint64_t at = 1; at < LONGEST; at++) {
        if (!seen[at])
            continue;
        if (seen[at - 1] && seen[at + 1])
            return 1;
        if (seen[at - 1])
            continue;
        if (groups++ > 0 && at - begin < least)
            least = at - begin;
        begin = at;
    }
    return groups < FEWEST ? 1 : least;
}

uint64_t clock_granularity(const uint64_t *reading, size_t count)
{
    uint64_t divisor = 0, least = UINT64_MAX;
    bool stood = false;

    for (size_t i = 1; i < count; i++) {
        stood = stood || reading[i] == reading[i - 1];
        if (reading[i] <= reading[i - 1])
            continue;
        const uint64_t step = reading[i] - reading[i - 1];
        divisor = common_divisor(divisor, step);
        least = step < least ? step : least;
    }
    if (stood && divisor)
        return least;
    return divisor == 1 ? rounded_step(reading, count) : divisor;
}

double clock_step_cost(const uint64_t *reading, size_t count, size_t batch)
{
    uint64_t least = UINT64_MAX;

    for (size_t i = 0; i + batch < count; i += batch)
        if (reading[i + batch] >= reading[i] && reading[i + batch] - reading[i] < least)
            least = reading[i + batch] - reading[i];
    return least == UINT64_MAX ? 0 : (double)least / (double)batch;
}
