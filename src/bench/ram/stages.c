/* SPDX-License-Identifier: MIT */
/* The order in which kernels join a run of `ram`: breadth last. Pure. */
#include "ram.h"

static bool is_plain(const struct ram_point *point)
{
    return point->kernel->method == METHOD_LIBC || point->kernel->method == METHOD_REP;
}

/* Whether a kernel is likelier to be the fastest of its group than another one: a wide one, which no library
 * chose; streaming stores only in memory, where they do not stand against plain ones. */
static bool leads(const struct ram_plan *plan, const struct ram_point *point, const struct ram_point *other)
{
    const bool streams = point->kernel->store == ACCESS_STREAMING,
               other_streams = other->kernel->store == ACCESS_STREAMING;
    if (streams != other_streams)
        return !ram_in_cache(plan, point) || !streams;
    if (is_plain(point) != is_plain(other))
        return !is_plain(point);
    const unsigned bits = kernel_bits(point->kernel), others = kernel_bits(other->kernel);
    return bits != others ? bits > others : point <= other;
}

void ram_plan_stage(struct ram_plan *plan)
{
    plan->stages = 0;
    for (size_t i = 0; i < plan->point_count; i++) {
        struct ram_point *point = &plan->points[i];
        const struct ram_group *group = &plan->groups[point->group];
        bool is_first = true;
        for (size_t k = 0; k < group->candidates.count; k++)
            is_first &= leads(plan, point, &plan->points[group->first + k]);
        point->stage = is_first ? (unsigned)(point->set->crew - plan->crew) : (unsigned)plan->crew_count;
        plan->stages = point->stage + 1 > plan->stages ? point->stage + 1 : plan->stages;
    }
}
