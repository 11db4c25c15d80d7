/* SPDX-License-Identifier: MIT */
#include "engine/autoscale.h"

uint64_t autoscale(double (*measure)(void *context, uint64_t iterations), void *context, uint64_t start,
                   uint64_t limit, double target_ns)
{
    uint64_t iterations = start;
    measure(context, iterations);
    for (;;) {
        double ns = measure(context, iterations);
        if (ns >= target_ns || iterations > limit / 2)
            return iterations;
        /* Jumps to the last power of two that surely falls short, so that little time goes into short
         * samples. */
        do {
            iterations *= 2;
            ns *= 2;
        } while (ns > 0 && ns < target_ns / 2 && iterations <= limit / 2);
    }
}
