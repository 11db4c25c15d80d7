/* SPDX-License-Identifier: MIT */
/* What the samples of a task on a working set amount to. All that is reported of them rests on the same ones: within the core on those
 * of one state of the SMT sibling, beyond it on all, as a state comes and goes within such a sample. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "ram.h"

/* Neighbours in the last cache and in memory come and go within seconds; what another run finds is another window of time. */
static const double WINDOW_NS = 10e9;
/* Another state is answered for where it was there in that share of the run. */
static const double OFTEN = 0.1;

/* Of the fastest kernel alone within the core, where each has cycles of its own. False: no time; cycles may be unknown. */
static bool estimate_leader(struct rivals rivals, const bool *tie, size_t leader, bool near, enum state state,
                            struct estimate e[RAM_WIDTH])
{
    bool known[RAM_WIDTH];
    for (int which = RAM_NS; which < RAM_WIDTH; which++) {
        rivals.value = (size_t)which;
        known[which] = near ? engine_estimate(rivals.data, rivals.of[leader].cell + rivals.value, state, 0.5,
                                              &e[which]) &&
                                  e[which].summary.count >= SELECT_LEAST
                            : rivals_pool(&rivals, tie, leader, WINDOW_NS, &e[which]);
    }
    if (!known[RAM_CYCLES])
        e[RAM_CYCLES].value = NAN;
    return known[RAM_NS];
}

static enum state other_than(enum state state)
{
    return state == STATE_IDLE ? STATE_ACTIVE : STATE_IDLE;
}

/* The fastest is chosen by cycles within the core, as the clock moves all else. The values of the others are its own as many times as they
 * are slower, which all candidates have, however many rounds they were part of. */
static void estimate_in(struct ram_plan *plan, struct ram_group *group, bool *tie, enum state state)
{
    struct ram_point *point = &plan->points[group->first];
    struct rivals rivals = group->rivals;
    const bool near = ram_is_near(point);
    rivals.state = state;
    rivals.value = RAM_CYCLES;
    size_t leader = near ? rivals_choose(&rivals, tie) : rivals.count;
    rivals.value = RAM_NS;
    if (leader == rivals.count)
        leader = rivals_choose(&rivals, tie);
    if (leader == rivals.count || !estimate_leader(rivals, tie, leader, near, state, group->estimate))
        return;
    group->best = &point[leader];
    for (size_t i = 0; i < rivals.count; i++)
        for (rivals.value = RAM_NS; rivals.value < RAM_WIDTH; rivals.value++) {
            const bool shares = i == leader || (tie[i] && !near);
            point[i].tie = tie[i];
            point[i].value[rivals.value] = group->estimate[rivals.value].value *
                                           (rivals.of[i].work / rivals.of[leader].work) *
                                           (shares ? 1 : rivals_ratio(&rivals, i, leader, 0.5));
        }
    const enum state other = other_than(state);
    struct estimate *otherwise = group->otherwise;
    if (state == STATE_MIXED || !(engine_share(&plan->data, other) >= OFTEN) ||
        !estimate_leader(rivals, tie, leader, near, other, otherwise)) {
        otherwise[RAM_NS].value = NAN;
        return;
    }
    const bool cycles = !isnan(group->estimate[RAM_CYCLES].value) && !isnan(otherwise[RAM_CYCLES].value);
    const struct estimate *one = &group->estimate[cycles], *two = &otherwise[cycles];
    group->implausible = state == STATE_IDLE ? one->low > two->high : two->low > one->high;
}

/* What was sampled too seldom for an answer is left with its median: a row of tables. */
void ram_estimate(struct ram_plan *plan)
{
    const struct engine_data *data = &plan->data;
    const enum state state = engine_main_state(data);
    bool *tie = memory_zeroed(plan->point_count + 1, sizeof *tie);
    double *value = memory_zeroed(data->kept + 1, sizeof *value);
    for (size_t cell = 0; cell < RAM_WIDTH * plan->point_count; cell++) {
        for (size_t round = 0; round < data->kept; round++)
            value[round] = engine_value(data, round, cell);
        plan->points[cell / RAM_WIDTH].value[cell % RAM_WIDTH] = median_of(value, data->kept);
    }
    for (struct ram_group *group = plan->groups; group < plan->groups + plan->group_count; group++) {
        const enum state order[] = {state, other_than(state), STATE_MIXED};
        for (int k = ram_is_near(&plan->points[group->first]) ? 0 : 2; k < 3 && !group->best; k++)
            estimate_in(plan, group, tie, order[k]);
    }
    free(value);
    free(tie);
}
