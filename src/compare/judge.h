/* SPDX-License-Identifier: MIT */
/* What two answers of the same key say of each other. Pure. docs/truth.md has what two runs of one machine were found
 * to differ by. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "uarchprobe/record.h"

/* Which way is better; as a factor it turns a change into a loss. */
enum direction { DIRECTION_HIGHER = -1, DIRECTION_NONE, DIRECTION_LOWER };

/* By the unit: rates are better high, times low; of the rest one cannot say. NULL: no unit. */
enum direction direction_of_unit(const char *unit);

/* Changed: differs, where neither is better. Unknown: a smaller difference than `allowed` would not be seen, or none at all. Apart:
 * nothing was held against each other, `why` says what stands in the way. */
enum outcome { OUTCOME_SAME, OUTCOME_BETTER, OUTCOME_WORSE, OUTCOME_CHANGED, OUTCOME_UNKNOWN, OUTCOME_APART };

struct judgement {
    enum outcome outcome;
    double loss;      /* how much worse, as a share of before; negative: better; NaN: there is none */
    double low, high; /* its interval; NaN: unknown */
    double allowed;   /* a smaller difference is none, or not to be seen; NaN: no difference would be seen */
    const char *why;
    const char *basis; /* of what was judged, where it is not the value as it stands; else NULL */
    double change;     /* what was judged, of the value */
    bool counts;       /* among those of its command that are judged together */
    bool broken;       /* a count of high trust in both that differs by more than that promises */
    bool differs_now;  /* unknown, though no part of one run lies within the range of the other */
};

/* What an answer was from moment to moment; NaN: unknown. */
struct extent {
    double low, high;
};
struct extent extent_of(const struct answer *answer);

/* Nothing was held against each other. */
struct judgement judgement_apart(const char *why);
/* Two of them a minute apart on one machine. seconds: how long the shorter run took; NaN: unknown. threshold: share that is
 * allowed; NaN: what repeated runs differ by. */
struct judgement judge(const struct answer *before, const struct answer *after, double seconds,
                       double threshold);
/* All of a command together: what hits one answer alone, such as where its pages lie, moves no median. `loss` is
 * sorted. */
struct judgement judge_together(double *loss, size_t count, double threshold);
