/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "distances.h"

/* Just below 3: a duration is met by the last look. */
const double groups_seconds = 2.9;

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

/* A look is a fifth of the time between the first and the last probe; a pair is in it what it was most of the time. */
struct cpu_groups groups_find(const struct distances *distances, const struct engine_data *data,
                              const struct pair_plan *plan, int cpus, int nearest, int *label)
{
    const size_t pairs = plan->pair_count, label_bytes = (size_t)cpus * sizeof *label;
    struct cpu_groups found = {0};

    if (data->moments < 2)
        return found;
    const uint64_t begin = data->moment[0].begin_ns, end = data->moment[data->moments - 1].end_ns;
    bool held = (double)(end - begin) >= groups_seconds * 1e9, *near = memory_zeroed(pairs, sizeof *near);
    int *seen = memory_zeroed(GROUPS_LOOKS * pairs, sizeof *seen), *here = memory_zeroed(1, label_bytes);
    int *nearer = memory_zeroed(GROUPS_LOOKS * pairs, sizeof *nearer); /* times near less times far */
    for (size_t i = 0; i < distances->sweeps * pairs; i++) {
        const size_t sweep = i / pairs, pair = i % pairs;
        const int at = distances_at(distances, sweep, pair);
        const uint64_t ns = data->moment[data->before[sweep * data->points + pair]].end_ns;
        if (at < 0 || ns < begin || ns >= end)
            continue;
        const size_t look = (size_t)((double)(ns - begin) / (double)(end - begin) * GROUPS_LOOKS);
        seen[look * pairs + pair]++;
        nearer[look * pairs + pair] += at <= nearest ? 1 : -1;
    }
    for (size_t look = 0; look < GROUPS_LOOKS; look++) {
        bool all = true;
        for (size_t i = 0; i < pairs; i++) {
            const bool alone = plan->pair[i].from == plan->pair[i].to;
            near[i] = !alone && nearer[look * pairs + i] >= 0;
            all = all && (alone || seen[look * pairs + i] > 0);
        }
        int *labels = look ? here : label;
        const int count = all ? groups_label(plan->pair, near, pairs, cpus, labels) : 0;
        found.most = count > found.most ? count : found.most;
        held = held && count > 0 && memcmp(label, labels, label_bytes) == 0;
    }
    found.count = held ? found.most : 0;
    free(near);
    free(seen);
    free(nearer);
    free(here);
    return found;
}
