/* SPDX-License-Identifier: MIT */
/* What a load takes that hits the own L2, and one that hits the L3: what distances are named by. */
#include <math.h>

#include "core_latency.h"
#include "uarchprobe/chase.h"

enum { MULTIPLE = 4, SEGMENTS = 4, NODES_IN_ALL = 40000 };

static const uint64_t L3_MOST = 16 << 20;

struct own_task {
    struct latency_matrix *matrix;
    struct memory buffer;
    uint64_t nodes, line_bytes;
    double ns;
};

/* What was linked first has left the nearer cache since, and is read once, half of it in all. A small cache is asked often:
 * a sibling that takes all of it for a moment must not turn its hits into misses, and so all pairs into one core. */
static void time_loads(void *context, int member)
{
    struct own_task *task = context;
    const struct latency_setup *setup = &task->matrix->setup;
    const struct chase chase = {.data = task->buffer.data, .count = task->nodes, .stride = task->line_bytes};
    const uint64_t steps = task->nodes / 2 / SEGMENTS, attempts = 1 + NODES_IN_ALL / task->nodes;

    task->ns = INFINITY;
    for (uint64_t i = 0; i < SEGMENTS * attempts; i++) {
        if (i % SEGMENTS == 0)
            chase_link(&chase);
        void *node = chase_node(&chase, i % SEGMENTS * steps);
        const uint64_t before = clock_ticks();
        setup->kernel[SERIES_TRANSFER]->entry(node, NULL, steps, 0, 0, 0);
        const double ns = (double)(clock_ticks() - before) * setup->clock->ns_per_tick;
        task->ns = fmin(task->ns, ns / (double)steps); /* whatever disturbs, adds */
    }
}

/* Memory of four times a cache lies in the next one, if that is as large again. */
static enum status measure_beyond(struct latency_matrix *matrix, int level, double *ns, struct fault *fault)
{
    const struct topology *topology = matrix->run->topology;
    const uint64_t bytes = MULTIPLE * topology_cache_bytes(topology, level);
    const struct memory_request request = {.bytes = bytes, .pages = PAGES_AUTO, .node = -1};
    const uint64_t line = topology_line_bytes(topology);
    struct own_task task = {.matrix = matrix, .nodes = bytes / line, .line_bytes = line};

    if (!matrix->setup.kernel[SERIES_TRANSFER] || bytes == 0 || bytes > L3_MOST ||
        topology_cache_bytes(topology, level + 1) < 2 * bytes)
        return STATUS_OK;
    if (memory_map(&task.buffer, &request, fault))
        return fault->status;
    matrix->member[0] = 0;
    if (latency_run_members(matrix, 1, time_loads, &task, fault) == STATUS_OK)
        *ns = fmin(*ns, task.ns); /* of NaN and a number the number */
    if (!matrix->abandoned)
        memory_release(&task.buffer);
    return fault->status;
}

enum status latency_own_measure(struct latency_matrix *matrix, struct fault *fault)
{
    return measure_beyond(matrix, 1, &matrix->l2_ns, fault)
               ? fault->status
               : measure_beyond(matrix, 2, &matrix->l3_ns, fault);
}
