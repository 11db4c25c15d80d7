/* SPDX-License-Identifier: MIT */
#include "groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Just below 3: a duration is met by the last look. */
const double groups_seconds = 2.9;

static void join(int *label, int cpus, int a, int b)
{
    const int first = a < b ? a : b, other = a < b ? b : a;

    for (int i = 0; i < cpus; i++)
        label[i] = label[i] == other ? first : label[i];
}

int groups_label(const struct pair *pair, const bool *near, size_t pairs, int cpus, int *label)
{
    size_t within = 0, near_within = 0;
    int groups = 0;

    for (int i = 0; i < cpus; i++)
        label[i] = i;
    for (size_t i = 0; i < pairs; i++) {
        if (near[i] && label[pair[i].from] != label[pair[i].to])
            join(label, cpus, label[pair[i].from], label[pair[i].to]);
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

/* The sweeps of one look: a fifth of the time between the first and the last of them. */
struct look {
    uint64_t begin_ns, end_ns;
};

/* Where the pair was for most of the look: 1 near, 0 far; -1: it was not seen. */
static int nearness(const struct distances *distances, const struct engine_data *data, size_t point,
                    const struct look *look, int nearest)
{
    size_t near = 0, far = 0;

    for (size_t sweep = 0; sweep < distances->sweeps; sweep++) {
        const int at = distances_at(distances, sweep, point);
        const uint64_t ns = data->moment[data->before[sweep * data->points + point]].end_ns;
        if (at < 0 || ns < look->begin_ns || ns >= look->end_ns)
            continue;
        near += at <= nearest;
        far += at > nearest;
    }
    return near + far == 0 ? -1 : near >= far;
}

/* How many groups one look shows; 0: none that part all CPUs. */
static int groups_in(const struct distances *distances, const struct engine_data *data,
                     const struct groups_request *request, const struct look *look, bool *near, int *label)
{
    for (size_t i = 0; i < request->pairs; i++) {
        const bool alone = request->pair[i].from == request->pair[i].to;
        const int found = alone ? 0 : nearness(distances, data, i, look, request->nearest);
        if (found < 0)
            return 0;
        near[i] = found;
    }
    return groups_label(request->pair, near, request->pairs, request->cpus, label);
}

struct cpu_groups groups_find(const struct distances *distances, const struct engine_data *data,
                              const struct groups_request *request, int *label)
{
    const size_t label_bytes = (size_t)request->cpus * sizeof *label;
    struct cpu_groups found = {0};

    if (data->moments < 2)
        return found;
    const uint64_t begin = data->moment[0].begin_ns, end = data->moment[data->moments - 1].end_ns;
    bool held = (double)(end - begin) >= groups_seconds * 1e9;
    bool *near = memory_zeroed(request->pairs, sizeof *near);
    int *scratch = memory_zeroed(1, label_bytes);
    for (uint64_t i = 0; i < GROUPS_LOOKS; i++) {
        const struct look look = {begin + (end - begin) * i / GROUPS_LOOKS,
                                  begin + (end - begin) * (i + 1) / GROUPS_LOOKS};
        const int count = groups_in(distances, data, request, &look, near, i ? scratch : label);
        found.most = count > found.most ? count : found.most;
        held = held && count > 0 && (i == 0 || memcmp(label, scratch, label_bytes) == 0);
    }
    found.count = held ? found.most : 0;
    free(near);
    free(scratch);
    return found;
}
