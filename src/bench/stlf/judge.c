/* SPDX-License-Identifier: MIT */
#include "judge.h"

#include <math.h>

#include "grid.h"

static struct verdict judge_by(const struct stlf_set *set, const struct estimate *estimate,
                               const struct promise *promise)
{
    if (estimate->state != set->state)
        return (struct verdict){TRUST_LOW, LEG_PRECISION};
    return trust_judge(estimate, promise);
}

struct verdict stlf_judge(const struct stlf_set *set, const struct estimate *estimate)
{
    return judge_by(set, estimate, &promise_core);
}

struct verdict stlf_judge_placed(const struct stlf_set *set, const struct estimate *estimate)
{
    struct promise promise = promise_core;
    promise.placements = STLF_PLACEMENTS_LEAST;
    return judge_by(set, estimate, &promise);
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

struct stlf_plateaus stlf_plateaus_of(const struct estimate *curve, size_t count, enum stlf_which which)
{
    double value[STLF_CURVE_MAX] = {0};
    for (size_t i = 0; i < count; i++)
        value[i] = which == STLF_WHOLE   ? curve[i].value
                   : which == STLF_FIRST ? curve[i].first
                                         : curve[i].second;
    return stlf_plateaus(value, count);
}

struct verdict stlf_judge_knees(const struct estimate *curve, size_t count)
{
    const struct stlf_plateaus first = stlf_plateaus_of(curve, count, STLF_FIRST);
    const struct stlf_plateaus second = stlf_plateaus_of(curve, count, STLF_SECOND);
    enum trust trust = first.count == second.count ? TRUST_HIGH : TRUST_LOW;
    for (int i = 0; trust != TRUST_LOW && i + 1 < first.count; i++) {
        const double a = (double)first.of[i].last, b = (double)second.of[i].last;
        if (fabs(a - b) > 1)
            trust = fabs(a - b) <= 0.1 * fmin(a, b) ? TRUST_MEDIUM : TRUST_LOW;
    }
    return (struct verdict){trust, trust == TRUST_HIGH ? LEG_NONE : LEG_REPETITION};
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

/* A ramp of some points is no level. */
static bool is_flat(const struct stlf_plateau *plateau)
{
    return plateau->high - plateau->low <= fmax(0.35, 0.1 * plateau->cycles);
}

static const struct estimate *lower_of(const struct estimate *a, const struct estimate *b)
{
    return !a || b->value < a->value ? b : a;
}

const struct estimate *stlf_forwarded(const struct estimate *contained, const struct estimate *same_address,
                                      size_t count, double l1)
{
    const struct stlf_plateaus plateaus = stlf_plateaus_of(same_address, count, STLF_WHOLE);
    const struct estimate *forwarded =
        isnan(contained->value) || is_renamed(contained->value, l1) ? NULL : contained;
    for (int i = 0; i < plateaus.count; i++) {
        if (!is_renamed(plateaus.of[i].cycles, l1) && is_flat(&plateaus.of[i]))
            forwarded = lower_of(forwarded, stlf_middle(same_address, &plateaus.of[i]));
    }
    return forwarded;
}
