/* SPDX-License-Identifier: MIT */
/* Which points of a plan are kernels of one task on one working set, and so candidates. */
#include "base/text.h"
#include "ram.h"

void ram_plan_group(struct ram_plan *plan)
{
    plan->candidate = memory_zeroed(plan->point_count, sizeof *plan->candidate);
    plan->groups = memory_zeroed(plan->point_count, sizeof *plan->groups);
    for (size_t i = 0; i < plan->point_count; i++) {
        struct ram_point *point = &plan->points[i];
        plan->candidate[i] =
            (struct candidate){RAM_WIDTH * i, ram_is_latency(point) ? 1 : (double)point->bytes};
        if (i == 0 || point->kernel->operation != point[-1].kernel->operation ||
            point->set != point[-1].set ||
            (plan->apart && point->kernel->store == ACCESS_STREAMING &&
             point[-1].kernel->store != ACCESS_STREAMING))
            plan->groups[plan->group_count++] = (struct ram_group){
                .first = i,
                .candidates = {.data = &plan->data, .of = &plan->candidate[i], .state = STATE_MIXED}};
        point->group = plan->group_count - 1;
        plan->groups[point->group].candidates.count++;
    }
}
