/* SPDX-License-Identifier: MIT */
/* How far estimates of points can be trusted, and what several of them come to: differences, plateaus of a curve, whole
 * numbers of cycles. Each answer is asked for its own points only. Pure. */
#pragma once

#include "stlf.h"

enum { STLF_CURVE_MAX = 64, STLF_PLATEAU_MAX = 6 };

/* Of the whole run, or of one of its halves. */
enum stlf_which { STLF_WHOLE, STLF_FIRST, STLF_SECOND };
static inline double stlf_value_of(const struct estimate *e, enum stlf_which which)
{
    return which == STLF_WHOLE ? e->value : which == STLF_FIRST ? e->first : e->second;
}

/* By the promise for what lies within a core. placements: that must agree, as the value depends on where pages lie; or 0. */
struct verdict stlf_judge(const struct stlf_set *set, const struct estimate *estimate, unsigned placements);
/* Of an answer that is yes or no for each value: is it on the same side of the limit in both halves of the run, and all through
 * the interval? NaN as value is low. */
struct verdict stlf_judge_side(const struct stlf_set *set, const struct estimate *estimate, double limit);
/* Of a and b: a - b. */
struct estimate stlf_difference(const struct estimate *a, const struct estimate *b);

struct stlf_plateau {
    size_t first, last;       /* indices into the curve, both included */
    double cycles, low, high; /* median, least, greatest */
};
struct stlf_plateaus {
    int count;
    struct stlf_plateau of[STLF_PLATEAU_MAX];
};
/* Cuts where the level changes by at least half a cycle and a quarter; stretches of less than three points
 * are the transition between two plateaus and belong to neither. A curve without a knee is one plateau. At most
 * STLF_CURVE_MAX points; single ones that stick out move no knee. */
struct stlf_plateaus stlf_plateaus(const struct estimate *curve, size_t count, enum stlf_which which);
/* The point of a plateau that is nearest to its median. */
const struct estimate *stlf_middle(const struct estimate *curve, const struct stlf_plateau *plateau);
/* Whether the knees of a curve stand where they do in both halves of the run: within a point, or a tenth. */
struct verdict stlf_judge_knees(const struct estimate *curve, size_t count);
/* For how many pairs the load stays renamed, from one on; 0: not at all. */
size_t stlf_renamed_pairs(const struct estimate *curve, size_t count, enum stlf_which which, double l1);
/* High promises one pair: both halves of the run find the end there. */
struct verdict stlf_judge_renamed_pairs(const struct estimate *curve, size_t count, double l1);
/* Cycles of a forward in loops without slack: of contained loads, or the same address on a plateau that is not below L1,
 * whichever is less: points between two plateaus are averages of both. NaN: all that the store serves is renamed. */
double stlf_forwarded(const struct estimate *contained, const struct estimate *same_address, size_t count,
                      double l1);

enum { STLF_CHAINS_MOST = 8 };
struct stlf_floor {
    bool whole; /* all chains but one in six agree, and the multiplication is a whole number itself */
    struct verdict verdict;
    /* The whole number that they agree on, else their median, with the range of the chains that agree, else of all, and with the
     * samples and parts of the chain of the fewest samples. NaN: none was measured. */
    struct estimate estimate;
};
/* A latency as a whole number of cycles, from chains with slack. A chain of stores and loads alone falls out of step with
 * the load's own rhythm, so that a pair takes an average. Dependent multiplications in the chain (`gap` of the kernels, at
 * most STLF_CHAINS_MOST points of the series) hide that; the same run measures them alone (series `control`), and they are
 * taken off. While the sibling is busy nothing is claimed. Where the multiplication is no whole number, something else has
 * part of the core, whatever the witness says, or this core counts no whole cycles: then nothing is claimed. Repeats in both
 * halves of the run: high trust. */
struct stlf_floor stlf_floor_of(const struct stlf_set *set, const char *series, const char *control);
/* Which of two kinds of loads a forward is said of: of those that are not renamed one with a whole number before one without, then
 * the lower. NULL: both are renamed. */
const struct stlf_floor *stlf_forward_of(const struct stlf_floor *a, const struct stlf_floor *b, double l1);
/* Of tight loops of one series: the middle of them, with the range of all as its interval. */
struct stlf_floor stlf_loops_of(const struct stlf_set *set, const char *series);

/* Whether a core can have this latency of L1: a whole number where nothing shares the core, and never less than what is
 * published (NaN: nothing is). A clock that a sibling slows while it is read makes cycles too few. */
bool stlf_is_plausible_l1(double cycles, bool idle, double published);
void stlf_say_l1(const struct stlf_set *set, size_t point);
/* The answers of a series over pairs: cycles of what is renamed, and for how many pairs (`renamed` and `renamed`_pairs), and
 * what it takes beyond (`key`). label_of: of the series, for labels. */
void stlf_say_curve(const struct stlf_set *set, const char *key, const char *renamed, const char *name,
                    const char *label_of);
