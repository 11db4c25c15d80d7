/* SPDX-License-Identifier: MIT */
#include "engine/claims.h"

/* Steps of one structure lie up to AGREE apart, as cores take instructions in groups. OWN: entries that the work itself
 * takes: the loads and jumps around the fillers, and what a core takes in one group with the last of them. */
enum { AGREE = 4, OWN_LEAST = 2, OWN_MOST = 8 };

static bool agree(double a, double b)
{
    return a > 0 && b > 0 && fabs(a - b) <= AGREE;
}

/* Of a pair the one of more instructions counts, as the other may be near another end. Of two pairs the one of more instructions is that of the structure: another one may end the other. More instructions than the
 * second bound can hold do not take it. Of a bound the first kind counts, which takes an entry each for certain. */
struct attribution attribution_of(const double step[FILLERS_MOST], size_t kinds,
                                  const double bound[BOUNDS_MOST])
{
    struct attribution found = {step[0] > 0 ? 0 : -1, -1, -1};
    for (int i = 0; i < 2; i++)
        for (int j = kinds > 2 ? 2 : 1; j < (int)kinds; j++)
            if (i != j && agree(step[i], step[j]) &&
                (found.partner < 0 || step[i] > step[found.filler] + AGREE))
                found = step[i] < step[j] ? (struct attribution){j, i, -1} : (struct attribution){i, j, -1};
    for (int i = 0; found.filler >= 0 && found.ended_by < 0 && i < BOUNDS_MOST; i++) {
        const double beyond = step[found.filler] - bound[i];
        if (bound[i] > 0 && beyond >= -OWN_MOST && (i == 0 || beyond <= OWN_MOST))
            found = (struct attribution){0, -1, i};
    }
    return found;
}

double attribution_split(double whole, double half)
{
    const double own = whole - 2 * half;
    return half > 0 && own >= OWN_LEAST && own <= OWN_MOST ? whole + own : 0;
}

static double step_of_result(const struct result *result)
{
    return !result || !result->has_value ? 0 : result->step > 0 ? result->step : result->estimate.value;
}

static void set_entries(struct result *result, double entries)
{
    struct estimate *e = &result->estimate;
    e->value = e->low = e->high = e->first = e->second = entries;
}

static void attribute(struct lab *lab, const struct claim *claim, int state)
{
    struct result *result = lab_result(lab, claim->key, state);
    double step[FILLERS_MOST], bound[BOUNDS_MOST];
    size_t kinds = 0;
    *result = (struct result){.is_asked = false};
    for (; kinds < FILLERS_MOST && claim->of[kinds]; kinds++) {
        const struct result *filler = lab_result(lab, claim->of[kinds], state);
        step[kinds] = step_of_result(filler);
        result->is_asked |= filler->is_asked;
    }
    for (int i = 0; i < BOUNDS_MOST; i++)
        bound[i] = step_of_result(lab_result(lab, claim->below[i], state));
    const struct attribution found = attribution_of(step, kinds, bound);
    if (found.filler < 0)
        return;
    *result = *lab_result(lab, claim->of[found.filler], state);
    result->step = step[found.filler];
    set_entries(result, result->step + claim->own);
    result->other += result->other ? claim->own : 0;
    result->is_bound = found.partner < 0;
    if (found.ended_by >= 0)
        REMARK(result, "ended by %s",
               lab->experiment->claims[claim_of_key(lab, claim->below[found.ended_by])].label);
    else if (result->is_bound)
        REMARK(result, "ends unknown");
    const struct verdict partner = result->is_bound
                                       ? verdict_capped(LEG_NONE, LEG_PLAUSIBILITY)
                                       : lab_result(lab, claim->of[found.partner], state)->verdict;
    result->verdict = verdict_lesser(result->verdict, partner);
}

/* The half proves how many entries are the work's own. Without it the least is counted. */
static void split(struct result *whole, struct result *half)
{
    const bool both = whole->has_value && half->has_value && !whole->is_bound && !half->is_bound &&
                      half->verdict.trust > TRUST_LOW;
    const double entries = both ? attribution_split(whole->step, half->step) : 0;
    struct verdict verdict = verdict_capped(LEG_PLAUSIBILITY, LEG_NONE);
    if (entries > 0) {
        /* An entry of error in the half is two of them. */
        verdict = verdict_lesser(whole->verdict, half->verdict);
        verdict.within_absolute *= 2;
        set_entries(whole, entries);
        set_entries(half, entries / 2);
    }
    whole->is_split = half->is_split = entries > 0;
    whole->verdict = verdict_lesser(whole->verdict, verdict);
    half->verdict = verdict_lesser(half->verdict, verdict);
}

void claims_attribute(struct lab *lab)
{
    for (const struct claim *claim = lab->experiment->claims; claim && claim->key; claim++)
        for (int state = 0; state < STATE_MIXED; state++) {
            struct result *result = lab_result(lab, claim->key, state);
            const double each = step_of_result(lab_result(lab, claim->per, state));
            if (claim->kind == CLAIM_ENTRIES)
                attribute(lab, claim, state);
            if (claim->splits && state == STATE_ACTIVE)
                split(lab_result(lab, claim->key, STATE_IDLE), result);
            if (each > 0 && result->has_value)
                REMARK(result, "%.1f for each entry", step_of_result(result) / each);
        }
}
