/* SPDX-License-Identifier: MIT */
/* Where a curve steps or bends, and what a histogram of such steps says of a capacity. Pure. Curves are evenly spaced: point i of
 * `count` is the value first + i, and only the caller knows `first`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/engine_internal.h"

/* How many points lie before a step of about that height (0.4 to 1.6 times), after single outliers were taken out; 0: there is none.
 * The height is the median of up to eight points behind it less that of as many before it, so that a slope does not count. */
size_t step_find(const double *value, size_t count, double height);
/* How many points lie before the curve begins to rise faster: two lines, at least four points on each; 0: nowhere. In cycles: below
 * 1.5 of them, or five times the noise, a rise may be an accident. */
size_t bend_find(const double *cycles, size_t count);

/* How many rounds had their step at each value, and how many of the first half of the run. */
struct step_counts {
    size_t rounds, none,                        /* all, and those without a step */
        firsts;                                 /* given: half of what will be counted; 0: no halves */
    size_t at[STEP_VALUES], first[STEP_VALUES]; /* index: the value */
};

/* value 0: a round without a step. */
void step_count(struct step_counts *counts, size_t value);
/* Whether `value` is a peak: the highest of its neighbourhood (4 on each side), and higher than the background (the mean of 16 on
 * each side, at least a fourth of one round) can explain: a Poisson tail below one in a million. A small share is thus enough where
 * the background is low. */
bool step_is_peak(const struct step_counts *counts, size_t value);
/* The largest peak that a tenth of the rounds saw, or saw at its half, or 0: more than an accident of many rounds. */
size_t step_size(const struct step_counts *counts);
/* The peak of most rounds, or 0. */
size_t step_top(const struct step_counts *counts);

/* How far rounds agree on a value, give or take one; value below STEP_VALUES - 1. */
struct agreement {
    double share; /* of all rounds */
    double least; /* of that half of the run in which fewer do */
    size_t other; /* another value that a tenth of the rounds saw, give or take one; 0: none */
    double apart; /* of the two, as a share of the value; 0 without another */
};
struct agreement step_agreement(const struct step_counts *counts, size_t value);
/* The promise of high: another run finds the same number, give or take one entry, where it finds the same state. A count has no
 * interval, so its legs are how many rounds agree: in both halves of the run, and on no other number. Where medium does not reach as
 * far as that one, it is as likely in a later run as this one, and trust is low. */
struct verdict count_judge(const struct agreement *agreement, size_t rounds);
