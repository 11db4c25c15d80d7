/* SPDX-License-Identifier: MIT */
#include "judge.h"

#include <math.h>

/* Of L1's latency: a load that takes less was not executed as one. */
static const double RENAMED_BELOW = 0.9;

static struct verdict judge_by(const struct stlf_set *set, const struct estimate *estimate,
                               const struct claim *claim)
{
    if (estimate->state != set->state)
        return (struct verdict){TRUST_LOW, LEG_PRECISION};
    return trust_judge(estimate, claim);
}

struct verdict stlf_judge(const struct stlf_set *set, const struct estimate *estimate)
{
    return judge_by(set, estimate, &claim_core);
}

struct verdict stlf_judge_placed(const struct stlf_set *set, const struct estimate *estimate)
{
    struct claim claim = claim_core;
    claim.placements = STLF_PLACEMENTS_LEAST;
    return judge_by(set, estimate, &claim);
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

struct verdict stlf_judge_knees(const struct estimate *curve, size_t count)
{
    struct stlf_plateau half[2][STLF_PLATEAU_MAX];
    struct verdict verdict = {TRUST_HIGH, LEG_NONE};
    double value[STLF_CURVE_MAX];
    int plateaus[2];
    for (int i = 0; i < 2; i++) {
        stlf_values(curve, count, i ? STLF_SECOND : STLF_FIRST, value);
        plateaus[i] = stlf_plateaus(value, count, half[i]);
    }
    if (plateaus[0] != plateaus[1])
        return (struct verdict){TRUST_LOW, LEG_REPETITION};
    for (int i = 0; i + 1 < plateaus[0]; i++) {
        const double a = (double)half[0][i].last, b = (double)half[1][i].last;
        const double apart = fabs(a - b);
        if (apart > 1)
            verdict =
                verdict_lesser(verdict, (struct verdict){apart <= 0.1 * fmin(a, b) ? TRUST_MEDIUM : TRUST_LOW,
                                                         LEG_REPETITION});
    }
    return verdict;
}

/* The parts of the two vary on their own. */
struct estimate stlf_difference(const struct estimate *a, const struct estimate *b)
{
    struct estimate e = *a;
    e.value = a->value - b->value;
    e.low = e.value - hypot(a->value - a->low, b->high - b->value);
    e.high = e.value + hypot(a->high - a->value, b->value - b->low);
    e.first = a->first - b->first;
    e.second = a->second - b->second;
    e.placement_low = a->placement_low - b->placement_high;
    e.placement_high = a->placement_high - b->placement_low;
    e.indifferent = a->indifferent && b->indifferent;
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
                                      size_t count, double l1, const struct estimate **renamed)
{
    const struct estimate *forwarded = contained->value >= RENAMED_BELOW * l1 ? contained : NULL;
    struct stlf_plateau plateau[STLF_PLATEAU_MAX];
    double value[STLF_CURVE_MAX];
    stlf_values(same_address, count, STLF_WHOLE, value);
    const int plateaus = stlf_plateaus(value, count, plateau);
    *renamed = NULL;
    for (int i = 0; i < plateaus; i++) {
        const struct estimate *middle = stlf_middle(same_address, &plateau[i]);
        if (plateau[i].cycles < RENAMED_BELOW * l1)
            *renamed = lower_of(*renamed, middle);
        else if (is_flat(&plateau[i]))
            forwarded = lower_of(forwarded, middle);
    }
    return forwarded;
}
