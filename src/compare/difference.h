/* SPDX-License-Identifier: MIT */
/* Whether two measurements of the same thing differ. Pure. */
#ifndef UARCHPROBE_DIFFERENCE_H
#define UARCHPROBE_DIFFERENCE_H

/* Where the value lay in one run; low and high NaN: not known. */
struct estimate {
    double value, low, high;
};

enum direction { DIRECTION_NONE, DIRECTION_HIGHER, DIRECTION_LOWER };

/* Which way is better, by the unit: rates are better high, times low; of the rest one cannot say. NULL: no
 * unit. */
enum direction direction_of_unit(const char *unit);

enum difference { DIFFERENCE_NONE, DIFFERENCE_BETTER, DIFFERENCE_WORSE, DIFFERENCE_CHANGED };

/* (high - low) / value, 0 for a value of 0; the assumed share where low and high are not known. */
double estimate_spread(const struct estimate *estimate, double assumed);
/* threshold: share of `before` from which a difference counts; NaN: it must exceed the spreads of both runs
 * together, and DIFFERENCE_LEAST. assumed: the spread, as a share, of an estimate that does not know its own.
 * Where no direction is better, a difference is DIFFERENCE_CHANGED. */
enum difference difference_of(const struct estimate *before, const struct estimate *after,
                              enum direction direction, double threshold, double assumed);

/* Runs a minute apart differ by up to a tenth where a machine is shared, and no spread within a run tells that. */
#define DIFFERENCE_LEAST 0.10

#endif
