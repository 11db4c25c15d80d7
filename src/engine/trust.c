/* SPDX-License-Identifier: MIT */
#include "uarchprobe/engine.h"

#include <math.h>

const struct promise promise_core = {.relative = 0.02, .absolute = 0.1, .at_least = NAN, .at_most = NAN};
const struct promise promise_beyond = {.relative = 0.05, .absolute = 0.1, .at_least = NAN, .at_most = NAN};

static const double MEDIUM = 0.10;

/* Spells of an active sibling, each of which may be another program. */
enum { VISITS_LEAST = 8 };
/* Below, the extremes are no interval of 99 %. */
enum { SAMPLES_LEAST = 8 };

struct tolerance {
    double high, medium;
};

/* NaN is low. */
static enum trust grade_within(double apart, struct tolerance tolerance)
{
    if (!(apart <= tolerance.medium))
        return TRUST_LOW;
    return apart <= tolerance.high ? TRUST_HIGH : TRUST_MEDIUM;
}

/* A later run has an interval of the same width, so the two lie further apart than one from the truth. */
static enum trust precision_of(const struct estimate *e, struct tolerance tolerance)
{
    const double half = fmax(e->high - e->value, e->value - e->low);
    const enum trust trust = grade_within(sqrt(2) * half, tolerance);
    if (e->state == STATE_ACTIVE && !e->indifferent && e->visits < VISITS_LEAST)
        return TRUST_LOW;
    return e->summary.count < SAMPLES_LEAST ? TRUST_LOW : trust;
}

static enum trust repetition_of(const struct estimate *e, const struct promise *promise,
                                struct tolerance tolerance)
{
    const enum trust halves = grade_within(fabs(e->first - e->second), tolerance);
    if (promise->placements == 0)
        return halves;
    if (e->placements < promise->placements)
        return TRUST_LOW;
    const enum trust placements = grade_within(e->placement_high - e->placement_low, tolerance);
    return placements < halves ? placements : halves;
}

struct answer answer_of(const struct estimate *e, struct verdict verdict)
{
    const bool known = e->state == STATE_IDLE || e->state == STATE_ACTIVE;
    return (struct answer){.value = REAL_CELL(e->value),
                           .low = REAL_CELL(e->low),
                           .high = REAL_CELL(e->high),
                           .state = known ? state_names[e->state] : NULL,
                           .samples = e->summary.count,
                           .parts = e->parts,
                           .trust = verdict.trust,
                           .within = verdict.within,
                           .within_absolute = verdict.within_absolute,
                           .leg = verdict.leg};
}

struct verdict verdict_lesser(struct verdict a, struct verdict b)
{
    struct verdict lesser = b.trust < a.trust ? b : a;
    lesser.within = fmax(a.within, b.within);
    lesser.within_absolute = fmax(a.within_absolute, b.within_absolute);
    return lesser;
}

struct verdict trust_judge(const struct estimate *e, const struct promise *promise)
{
    const double high = fmax(promise->relative * fabs(e->value), promise->absolute);
    const struct tolerance tolerance = {high, fmax(high, MEDIUM * fabs(e->value))};
    const bool impossible =
        promise->contradicted || e->value < promise->at_least || e->value > promise->at_most;
    const struct verdict leg[] = {
        /* What passes for an idle sibling may be a busy one, and half of the core. */
        {impossible    ? TRUST_LOW
         : e->unproved ? TRUST_MEDIUM
                       : TRUST_HIGH,
         LEG_PLAUSIBILITY},
        {precision_of(e, tolerance), LEG_PRECISION},
        {repetition_of(e, promise, tolerance), LEG_REPETITION},
    };
    struct verdict verdict = {.trust = TRUST_HIGH, .within = promise->relative};
    if (!(promise->relative > 0))
        verdict.within_absolute = promise->absolute;
    for (size_t i = 0; i < sizeof leg / sizeof *leg; i++)
        verdict = verdict_lesser(verdict, leg[i]);
    return verdict;
}
