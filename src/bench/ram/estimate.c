/* SPDX-License-Identifier: MIT */
/* What the samples of a task on a working set amount to. All that is reported of them rests on the same ones: within the core on those
 * of one state of the SMT sibling, beyond it on all, as a state comes and goes within such a sample. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "engine/select.h"
#include "ram.h"

/* Neighbours in the last cache and in memory come and go within seconds; what another run finds is another window of time. */
static const double WINDOW_NS = 10e9;

/* The kernels of one task on one working set, by ns and by cycles. */
struct group {
    struct ram_plan *plan;
    struct rivals by[RAM_WIDTH];
    struct rival *of[RAM_WIDTH];
    bool *tie;
    size_t leader;
};

static struct ram_point *point_of(const struct group *group, size_t member)
{
    return &group->plan->points[group->of[RAM_NS][member].cell / RAM_WIDTH];
}

/* Of the fastest kernel alone within the core, where each has cycles of its own. */
static bool estimate_leader(const struct group *group, int which, enum state state, struct estimate *e)
{
    const struct rivals *rivals = &group->by[which];
    if (state == STATE_MIXED && !ram_is_near(point_of(group, group->leader)))
        return rivals_pool(rivals, group->tie, group->leader, WINDOW_NS, e);
    return engine_estimate(rivals->data, rivals->of[group->leader].cell, state, 0.5, e) &&
           e->summary.count >= SELECT_LEAST;
}

static bool estimate_both(const struct group *group, enum state state, struct estimate e[RAM_WIDTH])
{
    if (!estimate_leader(group, RAM_CYCLES, state, &e[RAM_CYCLES]))
        e[RAM_CYCLES].value = NAN;
    return estimate_leader(group, RAM_NS, state, &e[RAM_NS]);
}

static enum state other_than(enum state state)
{
    return state == STATE_IDLE ? STATE_ACTIVE : STATE_IDLE;
}

/* The sibling in the other state, where that was there in a tenth of the run. An idle one takes nothing from the core. */
static void estimate_otherwise(const struct group *group, enum state state, struct ram_point *leader)
{
    const enum state other = other_than(state);
    struct estimate *otherwise = leader->otherwise;
    if (state == STATE_MIXED || !(engine_share(group->by[RAM_NS].data, other) >= 0.1) ||
        !estimate_both(group, other, otherwise)) {
        otherwise[RAM_NS].value = NAN;
        return;
    }
    const bool cycles = !isnan(leader->estimate[RAM_CYCLES].value) && !isnan(otherwise[RAM_CYCLES].value);
    const struct estimate *one = &leader->estimate[cycles ? RAM_CYCLES : RAM_NS],
                          *two = &otherwise[cycles ? RAM_CYCLES : RAM_NS];
    leader->implausible = state == STATE_IDLE ? one->low > two->high : two->low > one->high;
}

/* Within the core by cycles, as the clock moves all else. */
static bool estimate_group_in(struct group *group, enum state state)
{
    const struct rivals *rivals = &group->by[RAM_CYCLES];
    const size_t count = rivals->count;
    group->by[RAM_NS].state = group->by[RAM_CYCLES].state = state;
    group->leader = ram_is_near(point_of(group, 0)) ? rivals_best(rivals) : count;
    if (group->leader == count)
        group->leader = rivals_best(rivals = &group->by[RAM_NS]);
    if (group->leader == count)
        return false;
    struct ram_point *leader = point_of(group, group->leader);
    for (size_t i = 0; i < count; i++)
        point_of(group, i)->alike = group->tie[i] = rivals_tie(rivals, i, group->leader);
    if (!estimate_both(group, state, leader->estimate))
        return false;
    estimate_otherwise(group, state, leader);
    return true;
}

/* The value is the fastest one's as many times as it is slower, which all candidates have, however many rounds they were part of. */
static void sum_up_member(const struct group *group, size_t i, int which)
{
    const struct rivals *rivals = &group->by[which];
    struct ram_point *point = point_of(group, i);
    const double best = point_of(group, group->leader)->estimate[which].value,
                 work = rivals->of[i].work / rivals->of[group->leader].work;
    const bool shares = i == group->leader || (group->tie[i] && !ram_is_near(point));
    struct estimate e;
    if (!engine_estimate(rivals->data, rivals->of[i].cell, rivals->state, 0.5, &e) &&
        !engine_estimate(rivals->data, rivals->of[i].cell, STATE_MIXED, 0.5, &e))
        return;
    if (ram_is_near(point))
        point->own[which] = e.summary;
    point->own[which].median = best * work * (shares ? 1 : rivals_ratio(rivals, i, group->leader, 0.5));
}

static void estimate_group(struct group *group, enum state state)
{
    const bool near = ram_is_near(point_of(group, 0));
    if (!(near && (estimate_group_in(group, state) || estimate_group_in(group, other_than(state)))) &&
        !estimate_group_in(group, STATE_MIXED))
        return;
    point_of(group, group->leader)->fastest = true;
    for (int which = RAM_NS; which < RAM_WIDTH; which++)
        for (size_t i = 0; i < group->by[which].count; i++)
            sum_up_member(group, i, which);
}

/* What was sampled too seldom is left as it is: with tables, without an answer. */
static void sum_up_own(struct ram_plan *plan, const struct engine_data *data, size_t index)
{
    double *value = memory_zeroed(data->sweeps + 1, sizeof *value);
    for (size_t which = RAM_NS; which < RAM_WIDTH; which++) {
        size_t count = 0;
        for (size_t sweep = 0; sweep < data->sweeps; sweep++) {
            value[count] = engine_value(data, sweep, RAM_WIDTH * index + which);
            count += !isnan(value[count]);
        }
        plan->points[index].own[which] = summary_of(value, count);
    }
    free(value);
}

/* Kernels round the size down to whole elements of their own. False: an earlier point is a rival of this one, and has its group. */
static bool find_members(struct group *group, size_t first)
{
    const struct ram_plan *plan = group->plan;
    size_t count = 0;
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct ram_point *point = &plan->points[i];
        if (!ram_rivals(&plan->points[first], point))
            continue;
        if (i < first)
            return false;
        for (size_t which = RAM_NS; which < RAM_WIDTH; which++)
            group->of[which][count] =
                (struct rival){RAM_WIDTH * i + which, ram_is_latency(point) ? 1 : (double)point->bytes};
        count++;
    }
    group->by[RAM_NS].count = group->by[RAM_CYCLES].count = count;
    return true;
}

void ram_estimate(struct ram_plan *plan, const struct engine_data *data)
{
    const enum state state = engine_main_state(data);
    const size_t count = plan->point_count;
    struct group group = {.plan = plan, .tie = memory_zeroed(count, sizeof *group.tie)};
    for (int which = RAM_NS; which < RAM_WIDTH; which++) {
        group.of[which] = memory_zeroed(count, sizeof *group.of[which]);
        group.by[which] = (struct rivals){.data = data, .of = group.of[which]};
    }
    for (size_t i = 0; i < count; i++)
        sum_up_own(plan, data, i);
    for (size_t i = 0; i < count; i++)
        if (find_members(&group, i))
            estimate_group(&group, state);
    free(group.of[RAM_NS]);
    free(group.of[RAM_CYCLES]);
    free(group.tie);
}
