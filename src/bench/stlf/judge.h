/* SPDX-License-Identifier: MIT */
/* What estimates of points amount to as answers, and how far those can be trusted: each is asked for its own points
 * only. Pure. */
#ifndef UARCHPROBE_STLF_JUDGE_H
#define UARCHPROBE_STLF_JUDGE_H

#include "lab.h"
#include "plateaus.h"

enum { STLF_CURVE_MAX = 64, STLF_PLACEMENTS_LEAST = 4 };

/* By the promise for what lies within a core. */
struct verdict stlf_judge(const struct stlf_set *set, const struct estimate *estimate);
/* The same of what depends on where pages lie: several placements must agree. */
struct verdict stlf_judge_placed(const struct stlf_set *set, const struct estimate *estimate);
/* The plateaus of a curve, of the whole run or of one of its halves. */
enum stlf_which { STLF_WHOLE, STLF_FIRST, STLF_SECOND };
struct stlf_plateaus stlf_plateaus_of(const struct estimate *curve, size_t count, enum stlf_which which);
/* The point of a plateau that is nearest to what the plateau is called by. */
const struct estimate *stlf_middle(const struct estimate *curve, const struct stlf_plateau *plateau);
/* Whether the knees of a curve stand where they do in both halves of the run: within a point, or a tenth. */
struct verdict stlf_judge_knees(const struct estimate *curve, size_t count);
/* Of a and b: a - b. */
struct estimate stlf_difference(const struct estimate *a, const struct estimate *b);
/* What a forward takes in loops without slack: what contained loads take, or the same address on a plateau that is not below L1, whichever is less: points
 * between two plateaus are averages of both and say nothing. NULL: all that the store serves is renamed. */
const struct estimate *stlf_forwarded(const struct estimate *contained, const struct estimate *same_address,
                                      size_t count, double l1);

#endif
