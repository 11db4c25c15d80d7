/* SPDX-License-Identifier: MIT */
/* The value of a task on a working set from its samples, and the level of memory in which the set lies.
 * All values of a task on a set rest on the same samples: within the core on those of one state of the SMT
 * sibling, beyond it on all, as states come and go within one sample. Pure. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "ram.h"

/* Share of the run from which on the other state has answers. */
static const double OFTEN = 0.1;
/* A set read STREAMED times as fast as memory lies in its level. */
static const double STREAMED = 1.5;

/* The value of all kernels in the tie: within the core in a state, beyond it the plateau. False: no time;
 * cycles may be unknown. */
static bool value_leader(struct candidates candidates, const bool *tie, size_t leader, bool near,
                         enum state state, struct ram_value *value)
{
    struct estimate e[RAM_WIDTH];
    for (int which = RAM_NS; which < RAM_WIDTH; which++) {
        candidates.value = (size_t)which;
        candidates.state = state;
        const bool known = near ? candidates_estimate(&candidates, tie, leader, 0.5, &e[which]) &&
                                      (state == STATE_MIXED || (e[which].summary.count >= SELECT_LEAST &&
                                                                !estimate_is_disturbed(&e[which])))
                                : candidates_pool(&candidates, tie, leader, &e[which]);
        value->of[which] = known ? e[which].value : NAN;
    }
    value->by_cycles = near && !isnan(value->of[RAM_CYCLES]);
    value->judged = e[value->by_cycles];
    /* Of two modes the faster one is the value. */
    const double part = value->judged.mode[0] / value->judged.value;
    if (near && part > 0) {
        value->judged.value = value->judged.mode[0];
        for (int which = RAM_NS; which < RAM_WIDTH; which++)
            value->of[which] *= part;
    }
    return !isnan(value->of[RAM_NS]);
}

static enum state other_than(enum state state)
{
    return state == STATE_IDLE ? STATE_ACTIVE : STATE_IDLE;
}

/* Where too few rounds have all of them: the fastest by the median of its own samples, be it one; `count` if
 * none has any. */
static size_t fastest_alone(const struct candidates *candidates, const struct ram_point *point, bool *tie)
{
    size_t fastest = candidates->count;
    for (size_t i = 0; i < candidates->count; i++) {
        struct estimate e;
        tie[i] = false;
        if (engine_estimate(candidates->data, candidates->of[i].cell, STATE_MIXED, 0.5, &e) &&
            (fastest == candidates->count || point[i].value[RAM_NS] / candidates->of[i].work <
                                                 point[fastest].value[RAM_NS] / candidates->of[fastest].work))
            fastest = i;
    }
    if (fastest < candidates->count)
        tie[fastest] = true;
    return fastest;
}

/* Within the core cycles choose the fastest, as the clock changes ns. Every other kernel gets the value of
 * the fastest times their ratio, which all have, however many rounds they were part of. */
static void estimate_in(struct ram_plan *plan, struct ram_group *group, bool *tie, enum state state)
{
    struct ram_point *point = &plan->points[group->first];
    struct candidates candidates = group->candidates;
    const bool near = ram_is_near(point);
    candidates.state = state;
    candidates.value = RAM_CYCLES;
    size_t leader = !near                 ? candidates.count
                    : state == STATE_IDLE ? candidates_highest(&candidates, tie)
                                          : candidates_choose(&candidates, tie);
    candidates.value = RAM_NS;
    if (leader == candidates.count)
        leader = candidates_choose(&candidates, tie);
    if (leader == candidates.count && state == STATE_MIXED)
        leader = fastest_alone(&candidates, point, tie);
    if (leader == candidates.count || !value_leader(candidates, tie, leader, near, state, &group->value))
        return;
    group->best = &point[leader];
    for (size_t i = 0; i < candidates.count; i++)
        group->of_some |=
            !engine_estimate(candidates.data, candidates.of[i].cell, STATE_MIXED, 0.5, &(struct estimate){0});
    for (size_t i = 0; i < candidates.count; i++)
        for (candidates.value = RAM_NS; candidates.value < RAM_WIDTH; candidates.value++) {
            const double slower = tie[i] ? 1 : candidates_ratio(&candidates, i, leader, 0.5);
            point[i].tie = tie[i];
            if (!isnan(slower)) /* else its own median */
                point[i].value[candidates.value] = group->value.of[candidates.value] *
                                                   (candidates.of[i].work / candidates.of[leader].work) *
                                                   fmax(1, slower);
        }
    const enum state other = other_than(state);
    group->has_other = state != STATE_MIXED && engine_share(&plan->data, other) >= OFTEN &&
                       value_leader(candidates, tie, leader, near, other, &group->other);
    if (!group->has_other || group->value.by_cycles != group->other.by_cycles)
        return;
    const struct estimate *one = &group->value.judged, *two = &group->other.judged;
    group->implausible = state == STATE_IDLE ? one->low > two->high : two->low > one->high;
}

/* A point with too few samples for an answer keeps its median, for the tables. */
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

double ram_ns(const struct ram_plan *plan, enum operation operation, const struct ram_crew *crew,
              const struct working_set *set)
{
    for (const struct ram_group *group = plan->groups; group < plan->groups + plan->group_count; group++) {
        const struct ram_point *best = group->best;
        if (best && ram_task_of(best->kernel) == operation &&
            (set ? best->set == set : best->set->crew == crew && best->set->level > plan->last_level))
            return group->value.of[RAM_NS] / (ram_is_latency(best) ? 1 : (double)best->bytes);
    }
    return NAN;
}

/* Whether the level that is shown to hold the set does: neighbours may have most of a cache, and too
 * little memory may lie in one. */
static bool is_held(const struct ram_plan *plan, const struct ram_point *point)
{
    const double ratio =
        ram_ns(plan, OPERATION_READ, point->set->crew, NULL) / ram_ns(plan, OPERATION_READ, NULL, point->set);
    if (!ram_in_cache(plan, point))
        return point->set->level ? ram_is_memory(point->set) : point->footprint > point->set->crew->beyond;
    return ram_is_near(point) || !(ratio <= STREAMED);
}

void ram_names(const struct ram_plan *plan, const struct ram_point *point, char level[RAM_NAME],
               char set[RAM_NAME])
{
    const bool held = is_held(plan, point), in_cache = ram_in_cache(plan, point),
               of_some = in_cache && point->footprint <= point->set->crew->most[point->level - 1];
    const int last = in_cache ? point->level + !held : plan->last_level + 1;
    struct text size = {0};
    text_add_size(&size, (int64_t)point->set->bytes);
    ram_level_name(plan, point->set, in_cache ? point->level - of_some : last - !held, last, point->footprint,
                   level);
    const bool has_level = *level && point->set->level && held;
    snprintf(set, RAM_NAME, "%s%s%s", has_level ? level : "", has_level ? " " : "", size.data);
    text_free(&size);
}
