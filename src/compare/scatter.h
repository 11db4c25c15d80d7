/* SPDX-License-Identifier: MIT */
/* One value of many machines that ought to be alike: how far each lies from the others. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What a machine lies off by: of the median, and in robust standard deviations (1.4826 times the median absolute
 * deviation, `least` at the least). */
struct scatter {
    double median, deviation;
};

/* Of no NaN; fewer than SCATTER_LEAST have none: false. */
enum { SCATTER_LEAST = 5 };
bool scatter_of(const double *value, size_t count, double least, struct scatter *scatter);
/* Beyond how many deviations one value in 1 / p lies, as values of the same kind do: carried on from where the outer tenth and the
 * outer fortieth of them begin, so that neither normal noise nor one with a heavy tail reaches it. At least `least`; the
 * values are reordered. */
double scatter_far(double *off, size_t count, double p, double least);
/* (value - median) / deviation. */
double scatter_z(const struct scatter *scatter, double value);
/* How likely it is that ranks (0 to 1) of as many values of one machine are as far from the middle as they are in the mean. */
double scatter_rank_p(double mean_rank, size_t count);
