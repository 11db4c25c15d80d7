/* SPDX-License-Identifier: MIT */
/* Tests by rank, which ask nothing of a distribution. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Fewer values on a side say nothing. */
enum { RANK_LEAST = 4 };
/* Mann-Whitney: how likely it is that values of b lie above those of a as far as they do, were both drawn from one
 * distribution; by the normal approximation, with ties. 1 for fewer than RANK_LEAST. */
double rank_p(const float *a, size_t a_count, const float *b, size_t b_count);

/* Where the median of what the values are drawn from lies with 99 % (97 % for six, the fewest): two of them; false: too few. The values
 * are sorted. */
bool rank_interval(double *value, size_t count, double *low, double *high);
