/* SPDX-License-Identifier: MIT */
/* Judges a result by the scatter of earlier runs. */
#pragma once

#include "comparison.h"
#include "population.h"

/* Runs of a baseline whose scatter is the noise. */
enum { CHECK_RUNS_LEAST = 5 };

struct scatter_terms {
    double chance;          /* of calling a value worse though it is not */
    double least;           /* the share that is allowed in any case; NaN: none */
    struct population tail; /* of values of all kinds, by their own deviations; count 0: unknown */
};
/* Judges a value by those of the same answer in other runs. *far: the share from which on it would be worse. Unknown: too few values, or none
 * that is possible. */
enum outcome scatter_judge(const struct answer *answer, const double *value, size_t count,
                           const struct scatter_terms *terms, double *far);
/* Judges each chosen key that a run has, and hands its outcome on; fewer than one of a thousand good machines are worse in any. Worse is what
 * is so in `again`, too, unless that is NULL. twice: worse is what will be measured again. line: gets the gravest loss. False: a command of
 * the runs is missing. */
bool scatter_judge_all(const struct results *runs, const struct choice *choice, const struct record *measured,
                       const struct record *again, bool twice,
                       void (*take)(void *context, enum outcome outcome, const char *key), void *context,
                       struct text *line);
/* The result itself, or one of its children; NULL: there are no more. */
const struct record *result_part(const struct record *result, size_t index);
