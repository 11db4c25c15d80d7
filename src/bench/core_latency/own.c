/* SPDX-License-Identifier: MIT */
/* What a load takes that hits the own L2, and one that hits the L3: what distances are named by. */
#include <math.h>

#include "core_latency.h"
#include "uarchprobe/chase.h"
#include "uarchprobe/stats.h"

/* A set of four times a cache, of which the first quarter has left it when the last one was written. */
enum { MULTIPLE = 4, ROUNDS = 8, GROUPS = 256, L2_GROUP = 64, L3_GROUP = 16 };

static const uint64_t L3_MOST = 16 << 20;
static const double LOW = 0.1;

struct own_task {
    struct latency_matrix *matrix;
    struct memory buffer;
    struct chase chase;     /* over the first quarter */
    uint64_t lines, length; /* of the set; loads of a group */
    double ns;
};

/* The set is written, which evicts the first quarter to the next cache and no further: neighbours have had no time to push it out
 * of there. Written, as some caches keep only what was changed. Then each line is read once, in groups: one takes many steps of
 * a coarse clock and is yet so short that a tenth of them is without a miss. */
static void time_loads(void *context, int member)
{
    struct own_task *task = context;
    const struct latency_setup *setup = &task->matrix->setup;
    const uint64_t most = task->chase.count / task->length, wanted = GROUPS / ROUNDS;
    const uint64_t groups = most < wanted ? most : wanted;
    double ns[GROUPS];
    size_t count = 0;

    while (groups > 0 && count + groups <= GROUPS) {
        task->chase.seed = count;
        chase_link_some(&task->chase, 0, groups * task->length);
        for (uint64_t i = 0; i < task->lines; i++)
            ((volatile uint64_t *)(void *)(task->buffer.data + i * task->chase.stride))[1] = i;
        for (uint64_t i = 0; i < groups; i++) {
            void *node = chase_node(&task->chase, i * task->length);
            const uint64_t before = clock_ticks();
            setup->kernel[SERIES_TRANSFER]->entry(node, NULL, task->length, 0, 0, 0);
            const double all_ns = (double)(clock_ticks() - before) * setup->clock->ns_per_tick;
            ns[count++] = (all_ns - setup->clock->overhead_ns) / (double)task->length;
        }
    }
    task->ns = quantile_reordering(ns, count, LOW);
}

/* Memory of four times a cache lies in the next one, if that is as large again. */
static enum status measure_beyond(struct latency_matrix *matrix, int level, struct own_ns *own,
                                  struct fault *fault)
{
    const struct topology *topology = matrix->run->topology;
    const uint64_t bytes = MULTIPLE * topology_cache_bytes(topology, level);
    const struct memory_request request = {.bytes = bytes, .pages = PAGES_AUTO, .node = -1};
    const uint64_t line = topology_line_bytes(topology);
    struct own_task task = {.matrix = matrix,
                            .chase = {.count = bytes / line / MULTIPLE, .stride = line},
                            .lines = bytes / line,
                            .length = level == 1 ? L2_GROUP : L3_GROUP};

    if (bytes == 0 || bytes > L3_MOST || topology_cache_bytes(topology, level + 1) < 2 * bytes)
        return STATUS_OK;
    if (memory_map(&task.buffer, &request, fault))
        return fault->status;
    task.chase.data = task.buffer.data;
    matrix->member[0] = 0;
    if (latency_run_members(matrix, 1, time_loads, &task, fault) == STATUS_OK) {
        own->least = fmin(own->least, task.ns); /* of NaN and a number the number */
        own->most = fmax(own->most, task.ns);
    }
    if (!matrix->abandoned)
        memory_release(&task.buffer);
    return fault->status;
}

enum status latency_own_measure(struct latency_matrix *matrix, struct fault *fault)
{
    return measure_beyond(matrix, 1, &matrix->l2, fault) ? fault->status
                                                         : measure_beyond(matrix, 2, &matrix->l3, fault);
}
