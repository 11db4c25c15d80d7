/* SPDX-License-Identifier: MIT */
/* Steps and bends of curves, and the capacity in a histogram of steps. Pure. Curves are evenly spaced:
 * point i of `count` is the value first + i, and only the caller knows `first`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/engine_internal.h"

/* The number of points before a step of about that height (0.4 to 1.6 times), without single outliers; 0:
 * none. Its height is the median of up to eight points behind it less that of as many before it, so that a
 * slope does not count. */
size_t step_find(const double *value, size_t count, double height);
/* The number of points before the curve begins to rise faster, up to where two lines cross or, of a curve
 * that jumps, up to the jump; at least four points lie on each line; 0: nowhere. In cycles: a rise below 1.5
 * of them or five times the noise may be an accident. */
size_t bend_find(const double *cycles, size_t count);
/* The number of points before the curve first leaves a level for good, at once or over several points; 0:
 * nowhere. In cycles. Four points in a row must lie a twentieth of the whole rise above the four before: in a
 * set-associative table of 16 sets the first entry too many makes one set miss. Half of the next eight points
 * must lie a tenth of it above, as a level may creep. Where a quarter of the points or less lie near the line
 * through their neighbours, within a sixth of what counts as risen, there is no edge. */
size_t edge_find(const double *cycles, size_t count);

/* The number of rounds with their step at each value, in the run and in its first half. */
struct step_counts {
    size_t rounds, none, /* all, and those without a step */
        disturbed,       /* besides, and not counted */
        firsts;          /* set by the caller: half of the rounds to come; 0: no halves */
    size_t at[STEP_VALUES], first[STEP_VALUES]; /* index: the value */
};

/* value 0: a round without a step. */
void step_count(struct step_counts *counts, size_t value);
/* Whether `value` is a peak: the highest among 4 on each side, and more than the background (mean of 16 on
 * each side, at least a fourth of one round) explains: a Poisson tail below one in a million. So a small
 * share is enough where the background is low. */
bool step_is_peak(const struct step_counts *counts, size_t value);
/* The largest peak that a tenth of the rounds saw, at itself or at its half; 0: none. */
size_t step_size(const struct step_counts *counts);
/* The peak of the most rounds, or 0. */
size_t step_top(const struct step_counts *counts);

/* Agreement of rounds on a value, give or take `reach`, one for a count of entries. */
struct agreement {
    double share; /* of all rounds */
    double least; /* of the half of the run with the lower share */
    size_t other; /* another value that a tenth of the rounds saw, give or take one; 0: none */
    double apart; /* distance of `other`, as a share of the value; 0 without one */
};
struct agreement step_agreement(const struct step_counts *counts, size_t value, size_t reach);
/* High promises the same number in another run in the same state, give or take one entry: it is limited by
 * agreeing rounds in both halves of the run and no other number. Another number beyond the reach of medium is
 * as likely in a later run, so trust is low. */
struct verdict count_judge(const struct agreement *agreement, size_t rounds);
