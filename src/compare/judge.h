/* SPDX-License-Identifier: MIT */
/* Compares two answers of one key. Pure. docs/truth.md has the differences between runs of one machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "uarchprobe/record.h"

/* Which way is better; as a factor it turns a change into a loss. */
enum direction { DIRECTION_HIGHER = -1, DIRECTION_NONE, DIRECTION_LOWER };

/* By the unit: rates are better high, times low; others have no direction. NULL: no unit. */
enum direction direction_of_unit(const char *unit);

/* Changed: differs, neither is better. Unknown: a difference below `allowed` would not be seen, or none at
 * all. Apart: not compared; `why` has the reason. */
enum outcome { OUTCOME_SAME, OUTCOME_BETTER, OUTCOME_WORSE, OUTCOME_CHANGED, OUTCOME_UNKNOWN, OUTCOME_APART };

bool outcome_differs(enum outcome outcome);

struct judgement {
    enum outcome outcome;
    double loss;      /* share of before by which it is worse; negative: better; NaN: none */
    double low, high; /* its interval; NaN: unknown */
    double allowed;   /* smaller differences are none or invisible; NaN: all are */
    const char *why;
    const char *basis; /* what was judged instead of the plain value; or NULL */
    double change;     /* the judged change of the value */
    bool core;   /* a time or rate of the core, in one state: beyond it neighbours move all values together */
    bool broken; /* a count of high trust in both differs by more than promised */
    bool differs_now; /* unknown, though no part of one run lies within the range of the other */
};

/* Range of an answer over the moments of a run; NaN: unknown. */
struct extent {
    double low, high;
};
struct extent extent_of(const struct answer *answer);

/* Not compared. */
struct judgement judgement_apart(const char *why);
/* How two answers are compared. */
struct terms {
    double threshold; /* allowed share; NaN: the difference of repeated runs */
    double seconds;   /* of the shorter run; NaN: unknown */
    bool machines;    /* two of them, each at its own clock */
};
struct judgement judge(const struct answer *before, const struct answer *after, const struct terms *terms);
/* Judges all answers of a command together: an accident of one, such as where its pages lie, moves no
 * median. Sorts `loss`. */
struct judgement judge_together(double *loss, size_t count, double threshold);
