/* SPDX-License-Identifier: MIT */
/* A set of points: in which order they are sampled, and what their samples amount to. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lab.h"

/* Of the costs of a pair: noise only adds to them, but the fewer samples lie below, the less is known of where they end. */
static const double QUANTILE = 0.25;
/* Of the looks: what a state must have for its values to be reported. */
static const double BOTH_SHARE = 0.1;

void stlf_set_init(struct stlf_set *set, size_t count)
{
    *set = (struct stlf_set){.count = count,
                             .pairs = STLF_PAIRS_A_SAMPLE,
                             .point = memory_zeroed(count, sizeof *set->point),
                             .estimate = memory_zeroed(count, sizeof *set->estimate),
                             .active = memory_zeroed(count, sizeof *set->active)};
}

void stlf_set_free(struct stlf_set *set)
{
    free(set->point);
    free(set->estimate);
    free(set->active);
    memset(set, 0, sizeof *set);
}

double stlf_spread(const struct estimate *estimate)
{
    return estimate->summary.p90 - estimate->summary.p10;
}

bool stlf_has_no_store(const struct stlf_point *point)
{
    return point->kernel->operation == OPERATION_LATENCY || point->kernel->operation == OPERATION_CHAIN_MUL;
}

bool stlf_may_be_renamed(const struct stlf_point *point)
{
    return point->store == point->load || point->kernel->operation == OPERATION_FORWARD_SAME_BASE ||
           point->kernel->operation == OPERATION_FORWARD_DISPLACED;
}

void stlf_order(const struct stlf_set *set, size_t *order)
{
    size_t at = 0;
    for (int renamed = 0; renamed < 2; renamed++) {
        for (size_t i = 0; i < set->count; i++) {
            if (stlf_may_be_renamed(&set->point[i]) == renamed)
                order[at++] = i;
        }
    }
}

static bool is_both(const struct engine_data *data)
{
    return engine_share(data, STATE_IDLE) >= BOTH_SHARE && engine_share(data, STATE_ACTIVE) >= BOTH_SHARE;
}

bool stlf_set_estimate(struct stlf_set *set, const struct engine_data *data, const size_t *order)
{
    struct estimate none, found;
    bool any = false;
    estimate_of(NULL, 0, QUANTILE, &none);
    set->state = engine_main_state(data);
    set->both = is_both(data);
    set->counted = set->disturbed = 0;
    for (size_t i = 0; i < set->count; i++) {
        if (!engine_estimate(data, i, set->state, QUANTILE, &found) &&
            !engine_estimate(data, i, STATE_MIXED, QUANTILE, &found))
            found = none;
        any |= !isnan(found.value);
        set->counted += found.summary.count;
        set->disturbed += found.disturbed;
        set->estimate[order[i]] = found;
        if (!set->both || !engine_estimate(data, i, STATE_ACTIVE, QUANTILE, &set->active[order[i]]))
            set->active[order[i]] = none;
        else if (set->state != STATE_ACTIVE)
            set->counted += set->active[order[i]].summary.count;
    }
    return any;
}

uint64_t stlf_rounds_within(const struct engine_effort *effort, double round_s)
{
    const double spare = 0.8, fit = round_s > 0 ? floor(spare * effort->budget_s / round_s) : INFINITY;
    return (uint64_t)fmin(fmax(fit, STLF_PLACEMENTS), (double)effort->least);
}

void stlf_lab_limit(struct stlf_lab *lab, double seconds, size_t sets)
{
    lab->deadline_ns = clock_now_ns() + (uint64_t)(fmax(0, seconds) * 1e9);
    lab->sets_left = sets;
}

/* A set that has none left still has a nanosecond: 0 is no limit. */
double stlf_lab_share(struct stlf_lab *lab)
{
    const uint64_t now = clock_now_ns();
    if (lab->deadline_ns == UINT64_MAX)
        return 0;
    const size_t sets = lab->sets_left ? lab->sets_left-- : 1;
    return (lab->deadline_ns > now ? (double)(lab->deadline_ns - now) / (double)sets : 1) / 1e9;
}
