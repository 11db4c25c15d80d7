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

struct stlf_plateaus stlf_plateaus(const struct estimate *curve, size_t count, enum stlf_which which)
{
    struct stlf_plateaus plateaus = {0};
    struct cuts cuts = {0};
    double value[STLF_CURVE_MAX], smooth[STLF_CURVE_MAX];
    size_t begin = 0;
    if (count == 0 || count > STLF_CURVE_MAX)
        return plateaus;
    for (size_t i = 0; i < count; i++)
        value[i] = stlf_value_of(&curve[i], which);
    /* A median of three leaves steps where they are. One point of 545 cycles among 33 hides all of them from least squares. */
    for (size_t i = 0; i < count; i++)
        smooth[i] = i > 0 && i + 1 < count ? median_of(value + i - 1, 3) : value[i];
    cut_within(smooth, 0, count, &cuts);
    for (int i = 0; i <= cuts.count && plateaus.count < STLF_PLATEAU_MAX; i++) {
        const size_t end = i < cuts.count ? cuts.at[i] : count;
        if (end - begin >= SHORTEST || cuts.count == 0) {
            const struct summary all = summary_of(value + begin, end - begin);
            plateaus.of[plateaus.count++] =
                (struct stlf_plateau){begin, end - 1, all.median, all.min, all.max};
        }
        begin = end;
    }
    return plateaus;
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

/* Of a number of pairs in the whole run and its halves: high promises one. */
static struct verdict judge_pairs(double whole, double first, double second)
{
    const double least = fmin(whole, fmin(first, second));
    const double apart = fmax(whole, fmax(first, second)) - least;
    const enum trust trust = apart <= 1 && (least > 0 || apart == 0) ? TRUST_HIGH
                             : apart <= 0.1 * least                  ? TRUST_MEDIUM
                                                                     : TRUST_LOW;
    return (struct verdict){trust, trust == TRUST_HIGH ? LEG_NONE : LEG_REPETITION, .within_absolute = 1};
}

struct verdict stlf_judge_knees(const struct estimate *curve, size_t count)
{
    const struct stlf_plateaus first = stlf_plateaus(curve, count, STLF_FIRST);
    const struct stlf_plateaus second = stlf_plateaus(curve, count, STLF_SECOND);
    struct verdict verdict = {TRUST_HIGH, LEG_NONE};
    if (first.count != second.count)
        return (struct verdict){TRUST_LOW, LEG_REPETITION};
    for (int i = 0; i + 1 < first.count; i++) {
        const double pairs = (double)first.of[i].last + 1;
        const struct verdict knee = judge_pairs(pairs, pairs, (double)second.of[i].last + 1);
        verdict = knee.trust < verdict.trust ? (struct verdict){knee.trust, knee.leg} : verdict;
    }
    return verdict;
}

size_t stlf_renamed_pairs(const struct estimate *curve, size_t count, enum stlf_which which, double l1)
{
    const struct stlf_plateaus plateaus = stlf_plateaus(curve, count, which);
    return plateaus.count > 0 && is_renamed(plateaus.of[0].cycles, l1) ? plateaus.of[0].last + 1 : 0;
}

struct verdict stlf_judge_renamed_pairs(const struct estimate *curve, size_t count, double l1)
{
    return judge_pairs((double)stlf_renamed_pairs(curve, count, STLF_WHOLE, l1),
                       (double)stlf_renamed_pairs(curve, count, STLF_FIRST, l1),
                       (double)stlf_renamed_pairs(curve, count, STLF_SECOND, l1));
}

/* A ramp of some points is no level. */
double stlf_forwarded(const struct estimate *contained, const struct estimate *same_address, size_t count,
                      double l1)
{
    const struct stlf_plateaus plateaus = stlf_plateaus(same_address, count, STLF_WHOLE);
    double lowest = is_renamed(contained->value, l1) ? NAN : contained->value;
    for (int i = 0; i < plateaus.count; i++) {
        const struct stlf_plateau *plateau = &plateaus.of[i];
        if (!is_renamed(plateau->cycles, l1) &&
            plateau->high - plateau->low <= fmax(0.35, 0.1 * plateau->cycles))
            lowest = fmin(lowest, plateau->cycles);
    }
    return lowest;
}
