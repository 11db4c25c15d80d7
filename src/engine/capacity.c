/* SPDX-License-Identifier: MIT */
#include "engine/capacity.h"

#include <math.h>

static struct verdict verdict_of(enum trust trust, enum leg leg)
{
    return (struct verdict){trust, trust == TRUST_HIGH ? LEG_NONE : leg, .within_absolute = 1};
}

static enum trust trust_in_share(double share)
{
    static const double few = 0.3, most = 0.7;

    return !(share >= few) ? TRUST_LOW : share < most ? TRUST_MEDIUM : TRUST_HIGH;
}

struct verdict count_judge(const struct agreement *agreement, size_t sweeps)
{
    enum { MANY = 100 };
    struct verdict verdict = verdict_of(trust_in_share(agreement->share), LEG_PRECISION);

    if (sweeps < MANY)
        verdict = verdict_lesser(verdict, verdict_of(TRUST_MEDIUM, LEG_PRECISION));
    if (agreement->other > 0)
        verdict = verdict_lesser(verdict, verdict_of(TRUST_MEDIUM, LEG_REPETITION));
    return verdict_lesser(verdict, verdict_of(trust_in_share(agreement->least), LEG_REPETITION));
}

/* A whole size in very few sweeps is real, as the minimum over all of them breaks there, too; but only its half proves that
 * it is no accident. */
static enum trust repetition_of(const struct capacity *capacity)
{
    enum { ENOUGH = 20, FEW = 8 };

    if (capacity->full >= (capacity->half_seen ? FEW : ENOUGH) || capacity->state == BUFFER_HALVED)
        return capacity->by_minimum ? TRUST_MEDIUM : TRUST_HIGH;
    return capacity->half_seen ? TRUST_MEDIUM : TRUST_LOW;
}

struct verdict capacity_judge(const struct capacity *capacity)
{
    const bool likely = capacity->opinion == OPINION_AGREES && capacity->proved;
    struct verdict verdict = verdict_of(likely ? TRUST_HIGH : TRUST_MEDIUM, LEG_PLAUSIBILITY);

    if (capacity->state == BUFFER_UNRESOLVED || capacity->opinion == OPINION_CONTRADICTS)
        return verdict_of(TRUST_LOW, LEG_PLAUSIBILITY);
    verdict = verdict_lesser(verdict, count_judge(&capacity->agreement, capacity->sweeps));
    return verdict_lesser(verdict, verdict_of(repetition_of(capacity), LEG_REPETITION));
}

bool knee_is_half(size_t size, struct published_size published)
{
    return published.threads != 1 && published.entries > 1 && published.entries / 2 == size;
}

struct capacity knee_capacity(const struct knee_counts *counts, size_t minimum_knee,
                              struct published_size published)
{
    struct capacity capacity = {.sweeps = counts->sweeps, .halved_share = NAN};
    const size_t value = knee_size(counts);
    const bool halves = published.threads != 1 || !published.certain;
    size_t half = 0;

    if (value == 0 || (minimum_knee != value && !(halves && minimum_knee == 2 * value)))
        return capacity;
    capacity.entries = minimum_knee;
    capacity.by_minimum = minimum_knee != value;
    capacity.half_seen = halves && (capacity.by_minimum || knee_is_peak(counts, value / 2));
    if (knee_is_half(capacity.entries, published)) {
        capacity.state = BUFFER_HALVED;
        capacity.halved = counts->at[value];
    } else {
        half = halves ? capacity.entries / 2 : 0;
        capacity.full = counts->at[capacity.entries];
        capacity.halved = counts->at[half];
        capacity.state = capacity.half_seen ? BUFFER_MIXED : BUFFER_FULL;
    }
    capacity.halved_share = (double)capacity.halved / (double)(capacity.full + capacity.halved);
    capacity.agreement = knee_agreement(counts, capacity.entries, half);
    capacity.proved = capacity.half_seen ||
                      (published.certain &&
                       (!halves || capacity.state == BUFFER_HALVED || capacity.entries == published.entries));
    return capacity;
}
