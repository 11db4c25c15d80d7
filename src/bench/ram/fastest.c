/* SPDX-License-Identifier: MIT */
/* Which of a task's kernels is the fastest, by samples of the same rounds: what else happens in a round slows all of them, so
 * their ratio is steadier than either. Pure. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "ram.h"

/* Fewer pairs say nothing. */
enum { PAIRS_LEAST = RAM_SAMPLES_LEAST };

/* Kernels that take no longer than this many times the fastest are named with it, and so is what is not slower in three of four
 * rounds: noise chose between them. */
static const double ALIKE = 1.01, SELDOM = 0.25;

static double quantile_of_ratios(const float *cost, const float *other, size_t rounds, double quantile)
{
    double *ratio = memory_zeroed(rounds + 1, sizeof *ratio);
    size_t pairs = 0;
    for (size_t i = 0; i < rounds; i++)
        if (!isnan(cost[i]) && !isnan(other[i]))
            ratio[pairs++] = (double)cost[i] / (double)other[i];
    const double of_all = pairs < PAIRS_LEAST ? NAN : quantile_reordering(ratio, pairs, quantile);
    free(ratio);
    return of_all;
}

static double slower_at(const struct ram_series *series, const struct ram_series *than, size_t rounds,
                        double quantile)
{
    const double ratio = quantile_of_ratios(series->in_state, than->in_state, rounds, quantile);
    return isnan(ratio) ? quantile_of_ratios(series->cost, than->cost, rounds, quantile) : ratio;
}

double ram_slower(const struct ram_series *series, const struct ram_series *than, size_t rounds)
{
    return slower_at(series, than, rounds, 0.5);
}

bool ram_is_alike(const struct ram_series *series, const struct ram_series *fastest, size_t rounds)
{
    return slower_at(series, fastest, rounds, 0.5) <= ALIKE ||
           slower_at(series, fastest, rounds, SELDOM) <= 1;
}

size_t ram_fastest(const struct ram_series *series, size_t count, size_t rounds)
{
    size_t fastest = 0;
    for (size_t i = 0; i < count; i++) {
        const double slower = ram_slower(&series[i], &series[fastest], rounds);
        if (isnan(slower))
            return count;
        if (slower < 1)
            fastest = i;
    }
    return fastest;
}
