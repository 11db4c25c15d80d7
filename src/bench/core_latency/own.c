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
    const struct latency_setup *setup;
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
    const struct clock *clock = task->setup->clock;
    const uint64_t most = task->chase.count / task->length, wanted = GROUPS / ROUNDS;
    const uint64_t groups = most < wanted ? most : wanted;
    double ns[GROUPS];
    size_t count = 0;
    while (groups > 0 && count + groups <= GROUPS) {
        task->chase.seed = count;
        chase_link_some(&task->chase, 0, groups * task->length);
        for (uint64_t i = 0; i < task->lines; i++)
            ((volatile uint64_t *)(void *)(task->chase.data + i * task->chase.stride))[1] = i;
        for (uint64_t i = 0; i < groups; i++) {
            void *node = chase_node(&task->chase, i * task->length);
            const uint64_t before = clock_ticks();
            task->setup->kernel[SERIES_TRANSFER]->entry(node, NULL, task->length, 0, 0, 0);
            const double all_ns = (double)(clock_ticks() - before) * clock->ns_per_tick;
            ns[count++] = (all_ns - clock->overhead_ns) / (double)task->length;
        }
    }
    task->ns = quantile_reordering(ns, count, LOW);
}

/* Memory of four times a cache lies in the next one, if that is as large again. Only a load can be held against loads. */
enum status latency_own_measure(struct latency_matrix *matrix, struct fault *fault)
{
    const struct topology *topology = matrix->run->topology;
    const uint64_t line = topology_line_bytes(topology);
    const bool loads = latency_witness(matrix) == SERIES_TRANSFER;
    for (int level = 1; loads && level <= 2 && fault->status == STATUS_OK; level++) {
        struct own_ns *own = level == 1 ? &matrix->l2 : &matrix->l3;
        const uint64_t bytes = MULTIPLE * topology_cache_bytes(topology, level);
        struct own_task task = {.setup = &matrix->setup,
                                .chase = {.count = bytes / line / MULTIPLE, .stride = line},
                                .lines = bytes / line,
                                .length = level == 1 ? L2_GROUP : L3_GROUP};
        struct memory buffer = {0};
        if (bytes == 0 || bytes > L3_MOST || topology_cache_bytes(topology, level + 1) < 2 * bytes)
            continue;
        if (memory_map(&buffer, &(struct memory_request){bytes, PAGES_AUTO, -1, NULL}, fault))
            break;
        task.chase.data = buffer.data;
        matrix->member[0] = 0;
        if (latency_run_members(matrix, 1, time_loads, &task, fault) == STATUS_OK) {
            own->least = fmin(own->least, task.ns); /* of NaN and a number the number */
            own->most = fmax(own->most, task.ns);
        }
        if (!matrix->abandoned)
            memory_release(&buffer);
    }
    return fault->status;
}
