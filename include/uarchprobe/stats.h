/* SPDX-License-Identifier: MIT */
/* Raw samples and their summaries. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct samples {
    double *value;
    size_t count, capacity;
};

/* Zero-initialise. */
void samples_add(struct samples *samples, double value);
void samples_free(struct samples *samples);

struct summary {
    size_t count;
    double min, p10, median, p90, max, mean;
    double mad; /* deviation_of */
};

/* All NaN, count 0, for no samples. */
struct summary summary_of(const double *value, size_t count);
/* q in 0..1, linear interpolation between order statistics (Hyndman and Fan's type 7); NaN are left out. */
double quantile_of(const double *value, size_t count, double q);
double median_of(const double *value, size_t count);
/* Median absolute deviation from the median, not scaled. */
double deviation_of(const double *value, size_t count);
/* The same without a copy; the values are in another order after it. */
double quantile_reordering(double *value, size_t count, double q);
/* Ascending. */
void values_sort(double *value, size_t count);
/* The same of values in ascending order, one at least. */
double quantile_of_sorted(const double *sorted, size_t count, double q);
/* The variation of a sum of two that vary independently by a and b. Not hypot, which needs glibc 2.35. */
double root_of_squares(double a, double b);
