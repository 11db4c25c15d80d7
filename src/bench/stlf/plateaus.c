/* SPDX-License-Identifier: MIT */
#include "plateaus.h"

#include <math.h>

#include "uarchprobe/knee.h"
#include "uarchprobe/stats.h"

enum { SHORTEST = 3, CUTS_MAX = 16, CURVE_MAX = 64 };

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
    const size_t third = (end - begin + 2) / 3;
    struct stlf_plateau plateau = {.first = begin,
                                   .last = end - 1,
                                   .cycles = median_of(value + begin, end - begin),
                                   .low = INFINITY,
                                   .high = -INFINITY,
                                   .begin = median_of(value + begin, third),
                                   .end = median_of(value + end - third, third)};
    for (size_t i = begin; i < end; i++) {
        plateau.low = fmin(plateau.low, value[i]);
        plateau.high = fmax(plateau.high, value[i]);
    }
    return plateau;
}

/* A median of three leaves steps where they are. One point of 545 cycles among 33 hides all of them from least squares. */
static void without_spikes(const double *value, size_t count, double smooth[CURVE_MAX])
{
    for (size_t i = 0; i < count; i++)
        smooth[i] = i > 0 && i + 1 < count ? median_of(value + i - 1, 3) : value[i];
}

struct stlf_plateaus stlf_plateaus(const double *value, size_t count)
{
    struct stlf_plateaus plateaus = {0};
    struct cuts cuts = {0};
    double smooth[CURVE_MAX];
    size_t begin = 0;
    if (count == 0 || count > CURVE_MAX)
        return plateaus;
    without_spikes(value, count, smooth);
    cut_within(smooth, 0, count, &cuts);
    for (int i = 0; i <= cuts.count && plateaus.count < STLF_PLATEAU_MAX; i++) {
        const size_t end = i < cuts.count ? cuts.at[i] : count;
        if (end - begin >= SHORTEST || cuts.count == 0)
            plateaus.of[plateaus.count++] = plateau_of(value, begin, end);
        begin = end;
    }
    return plateaus;
}

/* Two values that high trust holds for the same lie within 2 % or 0.1 cycle of it, on either side. */
bool stlf_is_ramp(const struct stlf_plateau *plateau)
{
    return fabs(plateau->end - plateau->begin) > fmax(0.2, 0.04 * plateau->cycles);
}
