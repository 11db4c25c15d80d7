/* SPDX-License-Identifier: MIT */
/* How answers are added and judged. */
#include <math.h>

#include "stlf.h"

enum { SURE_SAMPLES = 8 };

struct answer stlf_judged(const struct stlf_part *part, struct answer answer, struct verdict verdict)
{
    answer_take(&answer, verdict);
    answer.state = part->state == STATE_IDLE || part->state == STATE_ACTIVE ? state_names[part->state] : NULL;
    return answer;
}

void stlf_say(const struct stlf_part *part, struct answer answer, struct verdict verdict)
{
    if (!part->is_second || !verdict_is_low(verdict))
        record_answer(part->stlf->run->record, stlf_judged(part, answer, verdict));
}

void stlf_add(const struct stlf_part *part, struct answer names, const struct estimate *estimate,
              struct verdict verdict)
{
    struct answer answer = answer_of(estimate, verdict);
    answer.key = names.key;
    answer.label = names.label;
    answer.sheet_cell = names.sheet_cell;
    answer.remark = answer.remark ? answer.remark : names.remark;
    answer.unit = "cycles";
    verdict.trust = answer.trust;
    verdict.limited_by = answer.limited_by;
    verdict.proved_trust = answer.proved_trust;
    verdict.proved_limited_by = answer.proved_limited_by;
    stlf_say(part, answer, verdict);
}

struct verdict stlf_judge(const struct estimate *e, unsigned placements)
{
    struct promise promise = promise_core;
    promise.placements = placements;
    return trust_judge(e, &promise);
}

struct verdict stlf_judge_side(const struct estimate *e, double limit, unsigned placements)
{
    const bool below = e->value < limit;
    if (isnan(e->value) || e->summary.count < SURE_SAMPLES)
        return verdict_capped(LIMITED_BY_NONE, LIMITED_BY_PRECISION);
    if ((e->first < limit) != below || (e->second < limit) != below || e->placements < placements ||
        (placements > 0 && ((e->placement_low < limit) != below || (e->placement_high < limit) != below)))
        return verdict_capped(LIMITED_BY_NONE, LIMITED_BY_REPETITION);
    const bool is_wide = (e->low < limit) != below || (e->high < limit) != below;
    return verdict_lesser(verdict_capped(is_wide ? LIMITED_BY_PRECISION : LIMITED_BY_NONE, LIMITED_BY_NONE),
                          verdict_unproved(e->unproved, LIMITED_BY_PRECISION));
}

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

const struct estimate *stlf_middle(const struct estimate *curve, size_t count)
{
    double value[STLF_UNROLL_MAX] = {0};
    const struct estimate *nearest = curve;
    for (size_t i = 0; i < count; i++)
        value[i] = curve[i].value;
    const double middle = median_of(value, count);
    for (const struct estimate *e = curve; e < curve + count; e++)
        if (isnan(nearest->value) || fabs(e->value - middle) < fabs(nearest->value - middle))
            nearest = e;
    return nearest;
}
