/* SPDX-License-Identifier: MIT */
/* What one CPU needs by itself: the operations on lines that it owns, and a load that hits its L2. */
#include <math.h>
#include <stdlib.h>

#include "matrix.h"
#include "uarchprobe/chase.h"
#include "uarchprobe/stats.h"

enum { L1_MULTIPLE = 4, L2_PASSES = 5, CACHE_LINE = 64 };

static const double DEADLINE_S = 30;

struct own_task {
    struct latency_matrix *matrix;
    struct handover *handover;
    struct memory buffer;
    size_t nodes;
};

static double time_l2(const struct own_task *task)
{
    const struct handover_setup *setup = &task->matrix->setup;
    double pass[L2_PASSES];

    chase_link(&(struct chase){.data = task->buffer.data, .count = task->nodes, .stride = CACHE_LINE});
    for (int i = -1; i < L2_PASSES; i++) {
        uint64_t before = clock_ticks();
        setup->chase->entry(task->buffer.data, NULL, task->nodes, 0, 0, 0);
        double ns = (double)(clock_ticks() - before) * setup->clock->ns_per_tick / (double)task->nodes;
        pass[i < 0 ? 0 : i] = ns;
    }
    return median_of(pass, L2_PASSES);
}

static void measure_alone(void *context, int member)
{
    struct own_task *task = context;

    handover_run(task->handover, END_FROM);
    task->matrix->own.l2_ns = task->nodes ? time_l2(task) : NAN;
}

/* Memory of four times the L1 lies in the L2, if there is one. */
static enum status map_l2_buffer(struct own_task *task, struct fault *fault)
{
    const struct topology *topology = task->matrix->run->topology;
    const uint64_t bytes = L1_MULTIPLE * topology_cache_bytes(topology, 1);
    const struct memory_request request = {.bytes = bytes, .pages = PAGES_AUTO, .node = -1};

    if (!task->matrix->setup.chase || bytes == 0 || topology_cache_bytes(topology, 2) < 2 * bytes)
        return STATUS_OK;
    task->nodes = bytes / CACHE_LINE;
    return memory_map(&task->buffer, &request, fault);
}

enum status latency_own_measure(struct latency_matrix *matrix, struct fault *fault)
{
    struct latency_slot *slot = &matrix->slot[0];
    struct own_task task = {.matrix = matrix, .handover = slot->handover};
    const int member = 0;

    handover_reset(slot->handover);
    slot->handover->page = latency_pages(matrix, slot, fault);
    slot->handover->from = slot->handover->to = member;
    slot->handover->wanted = matrix->benches;
    if (!slot->handover->page || map_l2_buffer(&task, fault))
        return fault->status;
    matrix->abandoned = !team_run_on(matrix->team, &member, 1, measure_alone, &task, DEADLINE_S);
    if (matrix->abandoned)
        return fault_set(fault, STATUS_FAILED, "CPU %d did not answer within %g s", matrix->place[0].id,
                         DEADLINE_S);
    for (int series = 0; series < SERIES_COUNT; series++)
        matrix->own.result[series] = slot->handover->result[series];
    memory_release(&task.buffer);
    return STATUS_OK;
}
