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
    return stood && divisor ? least : divisor;
}

double clock_step_cost(const uint64_t *reading, size_t count, size_t batch)
{
    uint64_t least = UINT64_MAX;

    for (size_t i = 0; i + batch < count; i += batch)
        if (reading[i + batch] >= reading[i] && reading[i + batch] - reading[i] < least)
            least = reading[i + batch] - reading[i];
    return least == UINT64_MAX ? 0 : (double)least / (double)batch;
}
