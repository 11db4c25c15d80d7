/* SPDX-License-Identifier: MIT */
/* The value of a task on a working set from its samples, and the level of memory in which the set lies. All values of
 * a task on a set rest on the same samples: within the core on those of one state of the SMT sibling, beyond it on
 * all, as states come and go within one sample. Pure. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "ram.h"

/* Neighbours in the last cache and in memory come and go within seconds; another run measures in another window. */
static const double WINDOW_NS = 10e9;
/* Share of the run from which on the other state has answers. */
static const double OFTEN = 0.1;
/* A latency above SAME_LEVEL times that of the level's smallest chain is, in part, another level's. */
static const double SAME_LEVEL = 1.25;
/* A set read STREAMED times as fast as memory lies in its level. */
static const double STREAMED = 1.5;

/* Within the core, where each kernel has cycles of its own, the value of the leader alone; beyond it, of all in the
 * tie. False: no time; cycles may be unknown. */
static bool value_leader(struct rivals rivals, const bool *tie, size_t leader, bool near, enum state state,
                         struct ram_value *value)
{
    struct estimate e[RAM_WIDTH];
    for (int which = RAM_NS; which < RAM_WIDTH; which++) {
        rivals.value = (size_t)which;
        const bool known = near ? engine_estimate(rivals.data, rivals.of[leader].cell + rivals.value, state,
                                                  0.5, &e[which]) &&
                                      e[which].summary.count >= SELECT_LEAST
                                : rivals_pool(&rivals, tie, leader, WINDOW_NS, &e[which]);
        value->of[which] = known ? e[which].value : NAN;
    }
    value->by_cycles = near && !isnan(value->of[RAM_CYCLES]);
    value->judged = e[value->by_cycles];
    return !isnan(value->of[RAM_NS]);
}

static enum state other_than(enum state state)
{
    return state == STATE_IDLE ? STATE_ACTIVE : STATE_IDLE;
}

/* Within the core cycles choose the fastest, as the clock changes ns. Every other kernel gets the value of the
 * fastest times their ratio, which all have, however many rounds they were part of. */
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
    if (leader == rivals.count || !value_leader(rivals, tie, leader, near, state, &group->value))
        return;
    group->best = &point[leader];
    for (size_t i = 0; i < rivals.count; i++)
        for (rivals.value = RAM_NS; rivals.value < RAM_WIDTH; rivals.value++) {
            const bool shares = i == leader || (tie[i] && !near);
            point[i].tie = tie[i];
            point[i].value[rivals.value] = group->value.of[rivals.value] *
                                           (rivals.of[i].work / rivals.of[leader].work) *
                                           (shares ? 1 : rivals_ratio(&rivals, i, leader, 0.5));
        }
    const enum state other = other_than(state);
    group->has_other = state != STATE_MIXED && engine_share(&plan->data, other) >= OFTEN &&
                       value_leader(rivals, tie, leader, near, other, &group->other);
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

/* Sets, and so chains, ascend by size. */
struct ram_plateau ram_plateau_of(const struct ram_plan *plan, int level)
{
    struct ram_plateau plateau = {0};
    double last_ns = 0;
    for (const struct ram_group *group = plan->groups; group < plan->groups + plan->group_count; group++) {
        const struct ram_point *chain = group->best;
        const double ns = group->value.of[RAM_NS];
        if (!chain || !ram_is_latency(chain) || chain->level != level)
            continue;
        if (!plateau.first) {
            plateau.first = chain->footprint;
            plateau.first_ns = ns;
        }
        if (!plateau.after && ns > SAME_LEVEL * plateau.first_ns) {
            plateau.after = chain->footprint;
            plateau.after_ns = ns;
        }
        if (!plateau.after)
            plateau.holds = chain->footprint;
        plateau.falls |= SAME_LEVEL * ns < last_ns;
        last_ns = ns;
    }
    return plateau;
}

const struct ram_group *ram_group_of(const struct ram_plan *plan, enum operation operation,
                                     const struct working_set *set)
{
    for (const struct ram_group *group = plan->groups; group < plan->groups + plan->group_count; group++)
        if (group->best && group->best->kernel->operation == operation && group->best->set == set)
            return group;
    return NULL;
}

/* ns of a byte read by the fastest kernel; NaN: not measured. */
static double read_ns(const struct ram_plan *plan, const struct working_set *set)
{
    const struct ram_group *read = ram_group_of(plan, OPERATION_READ, set);
    return read ? read->value.of[RAM_NS] / (double)read->best->bytes : NAN;
}

/* Whether a level holds the footprint. A stream keeps lines that neighbours take from a slow chase. set: the streamed
 * one; NULL: it is chased. */
static bool is_held(const struct ram_plan *plan, int level, uint64_t footprint, const struct working_set *set)
{
    const struct ram_plateau plateau = ram_plateau_of(plan, level);
    bool streamed = false;
    for (int i = 0; set && i < plan->set_count; i++)
        streamed = streamed || (plan->sets[i].level > plan->last_level &&
                                read_ns(plan, &plan->sets[i]) > STREAMED * read_ns(plan, set));
    return level > plan->last_level || !plateau.after || footprint < plateau.after || streamed;
}

void ram_names(const struct ram_plan *plan, const struct ram_point *point, char level[RAM_NAME],
               char set[RAM_NAME])
{
    const int next = point->level + 1;
    struct text size = {0};
    text_add_size(&size, (int64_t)point->set->bytes);
    const bool held =
        is_held(plan, point->level, point->footprint, ram_is_latency(point) ? NULL : point->set);
    if (!ram_in_cache(plan, point))
        snprintf(level, RAM_NAME, "%s", plan->last_level ? "DRAM" : "memory");
    else if (held)
        snprintf(level, RAM_NAME, "L%d", point->level);
    else
        snprintf(level, RAM_NAME, next <= plan->last_level ? "L%d or L%d" : "L%d or DRAM", point->level,
                 next);
    snprintf(set, RAM_NAME, "%s%s%s", point->set->level && held ? level : "",
             point->set->level && held ? " " : "", size.data);
    text_free(&size);
}
