/* SPDX-License-Identifier: MIT */
#include "groups.h"

#include <stdlib.h>

#include "clusters.h"

/* Just below 3: a duration is met by the last look. */
const double groups_seconds = 2.9;

/* The sweeps of one look: a fifth of the time between the first and the last of them. */
struct look {
    uint64_t begin_ns, end_ns;
};

static uint64_t time_of(const struct engine_data *data, size_t sweep, size_t point)
{
    return data->moment[data->before[sweep * data->points + point]].end_ns;
}

/* Where the pair was for most of the look: 0 near, 1 far; -1: it was not seen. */
static int side_of(const struct distances *distances, const struct engine_data *data, size_t point,
                   const struct look *look, int nearest)
{
    size_t near = 0, far = 0;

    for (size_t sweep = 0; sweep < distances->sweeps; sweep++) {
        const int at = distances_at(distances, sweep, point);
        const uint64_t ns = at < 0 ? 0 : time_of(data, sweep, point);
        if (at < 0 || ns < look->begin_ns || ns >= look->end_ns)
            continue;
        near += at <= nearest;
        far += at > nearest;
    }
    return near + far == 0 ? -1 : far > near;
}

/* How many groups one look shows; 0: none that part all CPUs. */
static int groups_in(const struct distances *distances, const struct engine_data *data,
                     const struct groups_request *request, const struct look *look, struct near_pair *near,
                     int *label)
{
    size_t count = 0;

    for (size_t i = 0; i < request->pairs; i++) {
        const struct pair *pair = &request->pair[i];
        if (pair->from == pair->to)
            continue;
        const int side = side_of(distances, data, i, look, request->nearest);
        if (side < 0)
            return 0;
        near[count++] = (struct near_pair){pair->from, pair->to, side};
    }
    return clusters_find(near, count, request->cpus, 0, label);
}

static struct cpu_groups find_in_looks(const struct distances *distances, const struct engine_data *data,
                                       const struct groups_request *request, struct near_pair *near,
                                       int *label, int *scratch)
{
    const uint64_t begin = data->moment[0].begin_ns, end = data->moment[data->moments - 1].end_ns;
    struct cpu_groups found = {0};
    bool held = (double)(end - begin) >= groups_seconds * 1e9;

    for (uint64_t i = 0; i < GROUPS_LOOKS; i++) {
        const struct look look = {begin + (end - begin) * i / GROUPS_LOOKS,
                                  begin + (end - begin) * (i + 1) / GROUPS_LOOKS};
        const int count = groups_in(distances, data, request, &look, near, i ? scratch : label);
        found.most = count > found.most ? count : found.most;
        held = held && count > 0 && (i == 0 || clusters_same(label, scratch, request->cpus));
    }
    found.count = held ? found.most : 0;
    return found;
}

struct cpu_groups groups_find(const struct distances *distances, const struct engine_data *data,
                              const struct groups_request *request, int *label)
{
    struct near_pair *near = malloc((request->pairs + 1) * sizeof *near);
    int *scratch = malloc(((size_t)request->cpus + 1) * sizeof *scratch);
    struct cpu_groups found = {0};

    if (near && scratch && data->moments > 1)
        found = find_in_looks(distances, data, request, near, label, scratch);
    free(near);
    free(scratch);
    return found;
}
