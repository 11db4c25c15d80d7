/* SPDX-License-Identifier: MIT */
#include "judge.h"

#include <math.h>

#include "uarchprobe/knee.h"
#include "uarchprobe/stats.h"

enum { SHORTEST = 3, CUTS_MAX = 16, SURE_SAMPLES = 8 };

struct verdict stlf_judge(const struct stlf_set *set, const struct estimate *estimate, unsigned placements)
{
    struct promise promise = promise_core;
    promise.placements = placements;
    if (estimate->state != set->state)
        return (struct verdict){TRUST_LOW, LEG_PRECISION};
    return trust_judge(estimate, &promise);
}

struct verdict stlf_judge_side(const struct stlf_set *set, const struct estimate *e, double limit)
{
    const bool below = e->value < limit;
    if (isnan(e->value) || e->state != set->state || e->summary.count < SURE_SAMPLES)
        return (struct verdict){TRUST_LOW, LEG_PRECISION};
    if ((e->first < limit) != below || (e->second < limit) != below)
        return (struct verdict){TRUST_LOW, LEG_REPETITION};
    if ((e->low < limit) != below || (e->high < limit) != below || e->unproved)
        return (struct verdict){TRUST_MEDIUM, LEG_PRECISION};
    return (struct verdict){TRUST_HIGH, LEG_NONE};
}

/* The parts of the two vary on their own. */
struct estimate stlf_difference(const struct estimate *a, const struct estimate *b)
{
    struct estimate e = *a;
    e.value = a->value - b->value;
    e.low = e.value - root_of_squares(a->value - a->low, b->high - b->value);
    e.high = e.value + root_of_squares(a->high - a->value, b->value - b->low);
    e.first = a->first - b->first;
    e.second = a->second - b->second;
    e.placement_low = a->placement_low - b->placement_high;
    e.placement_high = a->placement_high - b->placement_low;
    e.indifferent = a->indifferent && b->indifferent;
    e.parts.count = a->parts.count == b->parts.count ? a->parts.count : 0;
    for (size_t i = 0; i < e.parts.count; i++)
        e.parts.value[i] -= b->parts.value[i];
    if (b->summary.count < a->summary.count)
        e.summary = b->summary;
    return e;
}

struct cuts {
    int count;
    size_t at[CUTS_MAX]; /* first index behind each cut, ascending */
};

static void cut_within(const double *value, size_t begin, size_t end, struct cuts *cuts)
{
    const struct knee knee = knee_step(value + begin, end - begin);
    const size_t cut = begin + knee.last + 1;
    if (!knee.found || cuts->count == CUTS_MAX || cut <= begin || cut >= end)
        return;
    const double before = median_of(value + begin, cut - begin), after = median_of(value + cut, end - cut);
    if (!(fabs(after - before) >= fmax(0.5, 0.25 * fmin(before, after))))
        return;
    cut_within(value, begin, cut, cuts);
    if (cuts->count < CUTS_MAX)
        cuts->at[cuts->count++] = cut;
    cut_within(value, cut, end, cuts);
}

struct stlf_plateaus stlf_plateaus(const double *value, size_t count)
{
    struct stlf_plateaus plateaus = {0};
    struct cuts cuts = {0};
    double smooth[STLF_CURVE_MAX];
    size_t begin = 0;
    if (count == 0 || count > STLF_CURVE_MAX)
        return plateaus;
    /* A median of three leaves steps where they are. One point of 545 cycles among 33 hides all of them from least squares. */
    for (size_t i = 0; i < count; i++)
        smooth[i] = i > 0 && i + 1 < count ? median_of(value + i - 1, 3) : value[i];
    cut_within(smooth, 0, count, &cuts);
    for (int i = 0; i <= cuts.count && plateaus.count < STLF_PLATEAU_MAX; i++) {
        const size_t end = i < cuts.count ? cuts.at[i] : count;
        if (end - begin >= SHORTEST || cuts.count == 0) {
            struct stlf_plateau *plateau = &plateaus.of[plateaus.count++];
            *plateau = (struct stlf_plateau){begin, end - 1, median_of(value + begin, end - begin), INFINITY,
                                             -INFINITY};
            for (size_t at = begin; at < end; at++) {
                plateau->low = fmin(plateau->low, value[at]);
                plateau->high = fmax(plateau->high, value[at]);
            }
        }
        begin = end;
    }
    return plateaus;
}

double stlf_value_of(const struct estimate *e, enum stlf_which which)
{
    return which == STLF_WHOLE ? e->value : which == STLF_FIRST ? e->first : e->second;
}

struct stlf_plateaus stlf_plateaus_of(const struct estimate *curve, size_t count, enum stlf_which which)
{
    double value[STLF_CURVE_MAX] = {0};
    for (size_t i = 0; i < count; i++)
        value[i] = stlf_value_of(&curve[i], which);
    return stlf_plateaus(value, count);
}

const struct estimate *stlf_middle(const struct estimate *curve, const struct stlf_plateau *plateau)
{
    const struct estimate *nearest = &curve[plateau->first];
    for (size_t i = plateau->first; i <= plateau->last; i++) {
        if (fabs(curve[i].value - plateau->cycles) < fabs(nearest->value - plateau->cycles))
            nearest = &curve[i];
    }
    return nearest;
}

/* Of a number of pairs by which the parts of a run are apart: high promises one. */
static enum trust trust_of_pairs(double apart, double least)
{
    if (apart <= 1)
        return TRUST_HIGH;
    return apart <= 0.1 * least ? TRUST_MEDIUM : TRUST_LOW;
}

struct verdict stlf_judge_knees(const struct estimate *curve, size_t count)
{
    const struct stlf_plateaus first = stlf_plateaus_of(curve, count, STLF_FIRST);
    const struct stlf_plateaus second = stlf_plateaus_of(curve, count, STLF_SECOND);
    enum trust trust = first.count == second.count ? TRUST_HIGH : TRUST_LOW;
    for (int i = 0; trust != TRUST_LOW && i + 1 < first.count; i++) {
        const double a = (double)first.of[i].last, b = (double)second.of[i].last;
        const enum trust of_knee = trust_of_pairs(fabs(a - b), fmin(a, b));
        trust = of_knee < trust ? of_knee : trust;
    }
    return (struct verdict){trust, trust == TRUST_HIGH ? LEG_NONE : LEG_REPETITION};
}

size_t stlf_renamed_pairs(const struct estimate *curve, size_t count, enum stlf_which which, double l1)
{
    const struct stlf_plateaus plateaus = stlf_plateaus_of(curve, count, which);
    return plateaus.count > 0 && is_renamed(plateaus.of[0].cycles, l1) ? plateaus.of[0].last + 1 : 0;
}

struct verdict stlf_judge_renamed_pairs(const struct estimate *curve, size_t count, double l1)
{
    double least = INFINITY, most = 0;
    for (enum stlf_which which = STLF_WHOLE; which <= STLF_SECOND; which++) {
        const double pairs = (double)stlf_renamed_pairs(curve, count, which, l1);
        least = fmin(least, pairs);
        most = fmax(most, pairs);
    }
    const enum trust trust = least == 0 && most > 0 ? TRUST_LOW : trust_of_pairs(most - least, least);
    return (struct verdict){trust, trust == TRUST_HIGH ? LEG_NONE : LEG_REPETITION, .within_absolute = 1};
}

/* A ramp of some points is no level. */
double stlf_forwarded(const struct estimate *contained, const struct estimate *same_address, size_t count,
                      double l1)
{
    const struct stlf_plateaus plateaus = stlf_plateaus_of(same_address, count, STLF_WHOLE);
    double lowest = is_renamed(contained->value, l1) ? NAN : contained->value;
    for (int i = 0; i < plateaus.count; i++) {
        const struct stlf_plateau *plateau = &plateaus.of[i];
        if (!is_renamed(plateau->cycles, l1) &&
            plateau->high - plateau->low <= fmax(0.35, 0.1 * plateau->cycles))
            lowest = fmin(lowest, plateau->cycles);
    }
    return lowest;
}
