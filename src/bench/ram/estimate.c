/* SPDX-License-Identifier: MIT */
/* What the samples of a task on a working set amount to. All that is said of them rests on the same ones: within the core on those
 * of one state of the SMT sibling, beyond it on all, as a state comes and goes within such a sample. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "ram.h"

/* Neighbours in the last cache and in memory come and go within seconds; what another run finds is another window of time. */
static const double WINDOW_NS = 10e9;

enum { SECONDS, CYCLES, WIDTH };

/* The kernels of one task on one working set. */
struct group {
    const struct engine_data *data;
    struct ram_plan *plan;
    size_t *member; /* index of the point */
    struct ram_series *series;
    size_t count, leader;
    enum state state; /* that is reported */
};

static size_t cell_of(const struct group *group, size_t member, int which)
{
    return WIDTH * group->member[member] + (size_t)which;
}

static double value_at(const struct group *group, size_t sweep, size_t member, int which)
{
    return (double)group->data->value[sweep * group->data->cells + cell_of(group, member, which)];
}

static struct ram_point *point_of(const struct group *group, size_t member)
{
    return &group->plan->points[group->member[member]];
}

/* Kernels round the size down to whole elements of their own. */
static double size_of(const struct group *group, size_t member)
{
    const struct ram_point *point = point_of(group, member);
    return ram_is_latency(point) ? 1 : (double)point->bytes;
}

static void fill_series(struct group *group, int which)
{
    const struct engine_data *data = group->data;
    for (size_t i = 0; i < group->count; i++)
        for (size_t sweep = 0; sweep < data->sweeps; sweep++) {
            const float cost = (float)(value_at(group, sweep, i, which) / size_of(group, i));
            const bool counts = group->state == STATE_MIXED ||
                                (engine_state(data, sweep, cell_of(group, i, which)) == group->state &&
                                 !engine_disturbed(data, sweep, cell_of(group, i, which)));
            group->series[i].cost[sweep] = cost;
            group->series[i].in_state[sweep] = counts ? cost : NAN;
        }
}

/* What kernels that are alike have in common, in time order. One that was preempted counts, as it is the median of its slices. Returns
 * how many samples there are. */
static size_t pool(const struct group *group, int which, double *value, unsigned *window)
{
    const struct engine_data *data = group->data;
    size_t count = 0;
    for (size_t sweep = 0; sweep < data->sweeps; sweep++)
        for (size_t i = 0; i < group->count; i++) {
            const double cost = value_at(group, sweep, i, which) / size_of(group, i);
            const uint32_t at = data->before[sweep * data->points + group->member[i]];
            if (!point_of(group, i)->alike || isnan(cost))
                continue;
            window[count] =
                (unsigned)((double)(data->moment[at].begin_ns - data->moment[0].begin_ns) / WINDOW_NS);
            value[count++] = cost * size_of(group, group->leader);
        }
    return count;
}

static bool estimate_pooled(const struct group *group, int which, struct estimate *e)
{
    const size_t most = group->data->sweeps * group->count;
    double *value = memory_zeroed(most + 1, sizeof *value);
    unsigned *window = memory_zeroed(most + 1, sizeof *window);
    const size_t count = pool(group, which, value, window);
    const bool ok = count >= RAM_SAMPLES_LEAST && estimate_of(value, count, 0.5, e) &&
                    estimate_placements(value, window, count, 0.5, e);
    e->state = STATE_MIXED;
    free(value);
    free(window);
    return ok;
}

/* Of the fastest kernel alone within the core, where each has cycles of its own. */
static bool estimate_leader(const struct group *group, int which, struct estimate *e)
{
    if (group->state == STATE_MIXED && !ram_is_near(point_of(group, group->leader)))
        return estimate_pooled(group, which, e);
    return engine_estimate(group->data, cell_of(group, group->leader, which), group->state, 0.5, e) &&
           e->summary.count >= RAM_SAMPLES_LEAST;
}

static enum state other_than(enum state state)
{
    return state == STATE_IDLE ? STATE_ACTIVE : STATE_IDLE;
}

/* The sibling in the other state, where that was there in a tenth of the run. */
static void estimate_otherwise(const struct group *group, struct ram_point *leader)
{
    const enum state other = other_than(group->state);
    struct estimate cycles;
    if (group->state == STATE_MIXED || !(engine_share(group->data, other) >= 0.1) ||
        !engine_estimate(group->data, cell_of(group, group->leader, SECONDS), other, 0.5, &leader->otherwise))
        return;
    if (isnan(leader->cycles_of_pass.value) ||
        !engine_estimate(group->data, cell_of(group, group->leader, CYCLES), other, 0.5, &cycles))
        leader->implausible = ram_idle_is_slower(&leader->seconds_of_pass, &leader->otherwise);
    else
        leader->implausible = ram_idle_is_slower(&leader->cycles_of_pass, &cycles);
}

bool ram_idle_is_slower(const struct estimate *one, const struct estimate *other)
{
    const struct estimate *idle = one->state == STATE_IDLE ? one : other;
    const struct estimate *active = one->state == STATE_IDLE ? other : one;
    return idle->low > active->high;
}

/* Around a value that is the fastest one's as many times as it is slower, which all candidates have, however many rounds they were
 * part of. */
static void estimate_member(struct group *group, size_t i, int which, struct estimate *e)
{
    const struct ram_point *leader = point_of(group, group->leader), *point = point_of(group, i);
    const struct estimate *of_leader = which == SECONDS ? &leader->seconds_of_pass : &leader->cycles_of_pass;
    const double size = size_of(group, i) / size_of(group, group->leader);
    const bool shares = point->alike && !ram_is_near(point);
    const double slower = ram_slower(&group->series[i], &group->series[group->leader], group->data->sweeps);
    const bool known = engine_estimate(group->data, cell_of(group, i, which), group->state, 0.5, e) ||
                       engine_estimate(group->data, cell_of(group, i, which), STATE_MIXED, 0.5, e);
    e->value = known ? of_leader->value * size * (shares ? 1 : slower) : NAN;
}

static bool estimate_group_in(struct group *group, enum state state)
{
    group->state = state;
    fill_series(group, CYCLES);
    const bool cycles = ram_is_near(point_of(group, 0)) &&
                        ram_fastest(group->series, group->count, group->data->sweeps) < group->count;
    if (!cycles)
        fill_series(group, SECONDS);
    group->leader = ram_fastest(group->series, group->count, group->data->sweeps);
    if (group->leader == group->count)
        return false;
    for (size_t i = 0; i < group->count; i++)
        point_of(group, i)->alike =
            ram_is_alike(&group->series[i], &group->series[group->leader], group->data->sweeps);
    struct ram_point *leader = point_of(group, group->leader);
    if (!estimate_leader(group, SECONDS, &leader->seconds_of_pass))
        return false;
    if (!estimate_leader(group, CYCLES, &leader->cycles_of_pass))
        leader->cycles_of_pass.value = NAN;
    leader->otherwise.value = NAN;
    estimate_otherwise(group, leader);
    return true;
}

/* What was sampled too seldom is left as it is: with tables, without an answer. */
static void estimate_group(struct group *group, enum state state)
{
    const bool near = ram_is_near(point_of(group, 0));
    if (!(near && (estimate_group_in(group, state) || estimate_group_in(group, other_than(state)))) &&
        !estimate_group_in(group, STATE_MIXED))
        return;
    point_of(group, group->leader)->fastest = true;
    for (int which = SECONDS; which < WIDTH; which++) {
        fill_series(group, which);
        for (size_t i = 0; i < group->count; i++) {
            struct ram_point *point = point_of(group, i);
            point->measured = true;
            if (i != group->leader)
                estimate_member(group, i, which,
                                which == SECONDS ? &point->seconds_of_pass : &point->cycles_of_pass);
        }
    }
}

static size_t find_members(struct group *group, size_t first)
{
    group->count = 0;
    for (size_t i = 0; i < group->plan->point_count; i++) {
        if (!ram_rivals(&group->plan->points[first], &group->plan->points[i]))
            continue;
        if (i < first)
            return 0;
        group->member[group->count++] = i;
    }
    return group->count;
}

void ram_estimate(struct ram_plan *plan, const struct engine_data *data)
{
    const enum state state = engine_main_state(data);
    struct group group = {.data = data, .plan = plan};
    float *costs = memory_zeroed(2 * plan->point_count * data->sweeps + 1, sizeof *costs);
    group.member = memory_zeroed(plan->point_count, sizeof *group.member);
    group.series = memory_zeroed(plan->point_count, sizeof *group.series);
    for (size_t i = 0; i < plan->point_count; i++)
        group.series[i] =
            (struct ram_series){&costs[2 * i * data->sweeps], &costs[(2 * i + 1) * data->sweeps]};
    for (size_t i = 0; i < plan->point_count; i++)
        if (find_members(&group, i))
            estimate_group(&group, state);
    free(group.series);
    free(group.member);
    free(costs);
}
