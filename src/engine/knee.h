/* SPDX-License-Identifier: MIT */
/* Where a curve breaks, and what a histogram of such breaks says of a capacity. Pure. Curves are evenly
 * spaced: point i of `count` is the value first + i, and only the caller knows `first`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "uarchprobe/engine.h"

struct knee {
    bool found;   /* false: too few points, or no break at all */
    size_t last;  /* index of the last point before the break */
    double jump;  /* height of the break, in the unit of the curve */
    double noise; /* of two lines: standard deviation of the points around them; else 0 */
};

/* An independent line on each side, least squares; at least four points on each. jump: at the midpoint
 * between the two points at the break. */
struct knee knee_line2(const double *value, size_t count);

/* The knee of one round of the iso method: a step whose height is a whole chain's latency (0.4 to 1.6 times
 * `chain`, in the unit of the curve), after single outliers were taken out. Anything else is a disturbed
 * round: not found. One mean on each side, least squares. jump: median of up to eight points after the break less that of as
 * many before it, so that a slope does not count as a step. */
struct knee knee_step(const double *value, size_t count, double chain);

/* How many rounds had their knee at each value, and how many of the first half of the run. */
enum { KNEE_VALUES = 513 };
struct knee_counts {
    size_t rounds,
        firsts; /* all, those without a knee included; given: half of what will be counted; 0: no halves */
    size_t at[KNEE_VALUES], first[KNEE_VALUES]; /* index: the value */
};

/* value 0: a round without a knee. */
void knee_count(struct knee_counts *counts, size_t value);

/* Whether `value` is a peak: the highest of its neighbourhood (4 on each side), and higher than the
 * background (the mean of 16 on each side, at least a fourth of one round) can explain: a Poisson tail below
 * one in a million. A small share is thus enough where the background is low. */
bool knee_is_peak(const struct knee_counts *counts, size_t value);
/* The largest peak, or 0. */
size_t knee_largest_peak(const struct knee_counts *counts);
/* The largest peak that a tenth of the rounds saw, or saw at its half, or 0: more than an accident of many rounds. */
size_t knee_size(const struct knee_counts *counts);
/* The peak of most rounds, or 0. */
size_t knee_top_peak(const struct knee_counts *counts);

/* How far rounds agree on a value, give or take one; value below KNEE_VALUES - 1. */
struct agreement {
    double share; /* of all rounds */
    double least; /* of that half of the run in which fewer do */
    size_t other; /* another value that a tenth of the rounds saw, give or take one; 0: none */
    double apart; /* of the two, as a share of the value; 0 without another */
};
struct agreement knee_agreement(const struct knee_counts *counts, size_t value);
/* The promise of high: another run finds the same number, give or take one entry, where it finds the same state. It is a
 * statement about how many rounds agree, as a count has no interval: in both halves of the run, and on no other number; where medium does not reach as far as
 * that one, the other is as likely in a later run as this one, and trust is low. */
extern const double MEDIUM; /* what medium promises, as a share of the value */
struct verdict count_judge(const struct agreement *agreement, size_t rounds);
