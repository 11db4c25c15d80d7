/* SPDX-License-Identifier: MIT */
#include "uarchprobe/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool samples_add(struct samples *samples, double value)
{
    if (samples->count == samples->capacity) {
        const size_t capacity = samples->capacity ? 2 * samples->capacity : 16;
        double *grown = realloc(samples->value, capacity * sizeof *grown);
        if (!grown)
            return false;
        samples->value = grown;
        samples->capacity = capacity;
    }
    samples->value[samples->count++] = value;
    return true;
}

void samples_free(struct samples *samples)
{
    free(samples->value);
    *samples = (struct samples){0};
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* NaN marks what was thrown away. */
static size_t without_nan(const double *value, size_t count, double *known)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(value[i]))
            known[kept++] = value[i];
    return kept;
}

static double *sorted_copy(const double *value, size_t count)
{
    double *copy = count ? malloc(count * sizeof *copy) : NULL;
    if (copy) {
        memcpy(copy, value, count * sizeof *copy);
        qsort(copy, count, sizeof *copy, ascending);
    }
    return copy;
}

static double quantile_of_sorted(const double *sorted, size_t count, double q)
{
    const double position = q * (double)(count - 1);
    const size_t below = (size_t)position;
    const size_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (position - (double)below) * (sorted[above] - sorted[below]);
}

double quantile_of(const double *value, size_t count, double q)
{
    double *known = count ? malloc(count * sizeof *known) : NULL;
    const size_t kept = known ? without_nan(value, count, known) : 0;
    if (kept)
        qsort(known, kept, sizeof *known, ascending);
    const double result = kept ? quantile_of_sorted(known, kept, q) : NAN;
    free(known);
    return result;
}

double median_of(const double *value, size_t count)
{
    return quantile_of(value, count, 0.5);
}

static double mean_of(const double *value, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += value[i];
    return sum / (double)count;
}

struct summary summary_of(const double *value, size_t count)
{
    struct summary s = {0, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    double *sorted = sorted_copy(value, count);
    if (!sorted)
        return s;
    s = (struct summary){.count = count,
                         .min = sorted[0],
                         .p10 = quantile_of_sorted(sorted, count, 0.1),
                         .median = quantile_of_sorted(sorted, count, 0.5),
                         .p90 = quantile_of_sorted(sorted, count, 0.9),
                         .max = sorted[count - 1],
                         .mean = mean_of(value, count)};
    for (size_t i = 0; i < count; i++)
        sorted[i] = fabs(value[i] - s.median);
    s.mad = median_of(sorted, count);
    free(sorted);
    return s;
}

double spread_of(const double *value, size_t count)
{
    const struct summary s = summary_of(value, count);
    return count < 2 ? NAN : (s.max - s.min) / s.median;
}
