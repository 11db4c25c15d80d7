/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdbool.h>

#include "rank.h"
#include "uarchprobe/stats.h"

enum { INTERVAL_LEAST = 6 };

/* What equal values take from the variance of the ranks. */
static double ties_of(const float *a, size_t a_count, const float *b, size_t b_count)
{
    const size_t all = a_count + b_count;
    double sum = 0;
    for (size_t i = 0; i < all; i++) {
        const float value = i < a_count ? a[i] : b[i - a_count];
        double same = 0;
        for (size_t j = 0; j < all; j++)
            same += (j < a_count ? a[j] : b[j - a_count]) == value;
        sum += same * same - 1; /* t of them give t^3 - t together */
    }
    return sum;
}

double rank_p(const float *a, size_t a_count, const float *b, size_t b_count)
{
    const double n = (double)a_count, m = (double)b_count, all = n + m;
    double above = 0;
    if (a_count < RANK_LEAST || b_count < RANK_LEAST)
        return 1;
    for (size_t i = 0; i < a_count; i++) {
        for (size_t j = 0; j < b_count; j++)
            above += b[j] > a[i] ? 1 : b[j] == a[i] ? 0.5 : 0;
    }
    const double variance = n * m / 12 * (all + 1 - ties_of(a, a_count, b, b_count) / (all * (all - 1)));
    if (!(variance > 0))
        return 1;
    return erfc((above - n * m / 2 - 0.5) / sqrt(2 * variance)) / 2;
}

bool rank_interval(double *value, size_t count, double *low, double *high)
{
    if (count < INTERVAL_LEAST)
        return false;
    values_sort(value, count);
    const size_t at = (size_t)(((double)count - 2.576 * sqrt((double)count)) / 2);
    *low = value[at];
    *high = value[count - 1 - at];
    return true;
}
