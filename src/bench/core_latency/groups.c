/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/text.h"
#include "distances.h"

/* Just below 3: a duration is met by the last probe. A pair that was elsewhere for half a second of three does not hold. */
static const double groups_seconds = 2.9, groups_share = 0.9;

int groups_label(const struct pair *pair, const bool *near, size_t pairs, int cpus, int *label)
{
    size_t within = 0, near_within = 0;
    int groups = 0;

    for (int i = 0; i < cpus; i++)
        label[i] = i;
    for (size_t i = 0; i < pairs; i++) {
        const int a = label[pair[i].from], b = label[pair[i].to];
        for (int cpu = 0; near[i] && a != b && cpu < cpus; cpu++)
            label[cpu] = label[cpu] == (a > b ? a : b) ? (a < b ? a : b) : label[cpu];
    }
    for (size_t i = 0; i < pairs; i++) {
        const bool together = pair[i].from != pair[i].to && label[pair[i].from] == label[pair[i].to];
        within += together;
        near_within += together && near[i];
    }
    for (int i = 0; i < cpus; i++)
        groups += label[i] == i;
    return 10 * near_within >= 9 * within ? groups : 0;
}

struct cpu_groups groups_find(const struct distances *distances, double seconds, const struct pair_plan *plan,
                              int cpus, int nearest, int *label)
{
    const size_t pairs = plan->pair_count;
    bool held = seconds >= groups_seconds, *near = memory_zeroed(pairs, sizeof *near), seen = true;
    struct cpu_groups found = {0};

    for (size_t i = 0; i < pairs; i++) {
        double share;
        const int at = distances_main(distances, i, &share);
        if (plan->pair[i].from == plan->pair[i].to)
            continue;
        near[i] = at <= nearest;
        seen = seen && at >= 0;
        held = held && share >= groups_share;
    }
    found.most = seen ? groups_label(plan->pair, near, pairs, cpus, label) : 0;
    found.count = held ? found.most : 0;
    free(near);
    return found;
}
