/* SPDX-License-Identifier: MIT */
#include "plateaus.h"

#include <math.h>
#include <stdbool.h>

#include "uarchprobe/knee.h"
#include "uarchprobe/stats.h"

enum { SHORTEST = 3, CUTS_MAX = 16 };

struct cuts {
    int count;
    size_t at[CUTS_MAX]; /* first index behind each cut, ascending */
};

/* Far enough apart to be two levels, whichever is the lower. */
static bool is_step(const double *value, size_t begin, size_t cut, size_t end)
{
    const double before = median_of(value + begin, cut - begin), after = median_of(value + cut, end - cut);
    const double apart = fabs(after - before);
    return apart >= 0.5 && apart >= 0.25 * fmin(before, after);
}

static void cut_within(const double *value, size_t begin, size_t end, struct cuts *cuts)
{
    const struct knee knee = knee_step(value + begin, end - begin);
    const size_t cut = begin + knee.last + 1;
    if (!knee.found || cuts->count == CUTS_MAX || cut <= begin || cut >= end ||
        !is_step(value, begin, cut, end))
        return;
    cut_within(value, begin, cut, cuts);
    if (cuts->count < CUTS_MAX)
        cuts->at[cuts->count++] = cut;
    cut_within(value, cut, end, cuts);
}

static struct stlf_plateau plateau_of(const double *value, size_t begin, size_t end)
{
    struct stlf_plateau plateau = {begin, end - 1, median_of(value + begin, end - begin), INFINITY,
                                   -INFINITY};
    for (size_t i = begin; i < end; i++) {
        plateau.low = fmin(plateau.low, value[i]);
        plateau.high = fmax(plateau.high, value[i]);
    }
    return plateau;
}

struct stlf_plateaus stlf_plateaus(const double *value, size_t count)
{
    struct stlf_plateaus plateaus = {0};
    struct cuts cuts = {0};
    size_t begin = 0;
    if (count == 0)
        return plateaus;
    cut_within(value, 0, count, &cuts);
    for (int i = 0; i <= cuts.count && plateaus.count < STLF_PLATEAU_MAX; i++) {
        const size_t end = i < cuts.count ? cuts.at[i] : count;
        if (end - begin >= SHORTEST || cuts.count == 0)
            plateaus.of[plateaus.count++] = plateau_of(value, begin, end);
        begin = end;
    }
    return plateaus;
}
