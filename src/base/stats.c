/* SPDX-License-Identifier: MIT */
#include "uarchprobe/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void samples_add(struct samples *samples, double value)
{
    if (samples->count == samples->capacity) {
        samples->capacity = samples->capacity ? 2 * samples->capacity : 16;
        samples->value = memory_grow(samples->value, samples->capacity * sizeof *samples->value);
    }
    samples->value[samples->count++] = value;
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

void values_sort(double *value, size_t count)
{
    qsort(value, count, sizeof *value, ascending);
}

double quantile_of_sorted(const double *sorted, size_t count, double q)
{
    const double position = q * (double)(count - 1);
    const size_t below = (size_t)position;
    const size_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (position - (double)below) * (sorted[above] - sorted[below]);
}

/* Puts the value of that rank in its place, none that is larger before it and none that is smaller behind it
 * (Hoare's algorithm 65). */
static void select_rank(double *value, size_t count, ptrdiff_t rank)
{
    ptrdiff_t left = 0, right = (ptrdiff_t)count - 1;
    while (left < right) {
        const double pivot = value[rank];
        ptrdiff_t i = left, j = right;
        do {
            while (value[i] < pivot)
                i++;
            while (pivot < value[j])
                j--;
            if (i <= j) {
                const double kept = value[i];
                value[i++] = value[j];
                value[j--] = kept;
            }
        } while (i <= j);
        left = j < rank ? i : left;
        right = rank < i ? j : right;
    }
}

double quantile_reordering(double *value, size_t count, double q)
{
    if (count == 0)
        return NAN;
    const double position = q * (double)(count - 1);
    const size_t below = (size_t)position;
    select_rank(value, count, (ptrdiff_t)below);
    double above = below + 1 < count ? value[below + 1] : value[below];
    for (size_t i = below + 2; i < count; i++)
        above = value[i] < above ? value[i] : above;
    return value[below] + (position - (double)below) * (above - value[below]);
}

double quantile_of(const double *value, size_t count, double q)
{
    double *known = memory_zeroed(count, sizeof *known);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(value[i]))
            known[kept++] = value[i];
    const double result = quantile_reordering(known, kept, q);
    free(known);
    return result;
}

double median_of(const double *value, size_t count)
{
    return quantile_of(value, count, 0.5);
}

double root_of_squares(double a, double b)
{
    return sqrt(a * a + b * b);
}

double deviation_of(const double *value, size_t count)
{
    const double middle = median_of(value, count);
    double *off = memory_zeroed(count, sizeof *off);
    for (size_t i = 0; i < count; i++)
        off[i] = fabs(value[i] - middle);
    const double result = quantile_reordering(off, count, 0.5);
    free(off);
    return result;
}

struct summary summary_of(const double *value, size_t count)
{
    struct summary s = {0, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    double sum = 0;
    if (count == 0)
        return s;
    double *scratch = memory_zeroed(count, sizeof *scratch);
    memcpy(scratch, value, count * sizeof *scratch);
    s = (struct summary){.count = count,
                         .min = value[0],
                         .p10 = quantile_reordering(scratch, count, 0.1),
                         .median = quantile_reordering(scratch, count, 0.5),
                         .p90 = quantile_reordering(scratch, count, 0.9),
                         .max = value[0]};
    for (size_t i = 0; i < count; i++) {
        s.min = fmin(s.min, value[i]);
        s.max = fmax(s.max, value[i]);
        sum += value[i];
    }
    s.mean = sum / (double)count;
    s.mad = deviation_of(value, count);
    free(scratch);
    return s;
}
