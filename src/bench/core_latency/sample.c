/* SPDX-License-Identifier: MIT */
/* One measurement of each of some pairs, at the same time: what the engine calls a sample. */
#include <math.h>

#include "core_latency.h"

enum {
    MEASUREMENTS_PER_BLOCK = 64,
    FAILURES_MAX = 2, /* and as many more as a quarter of the measurements with a value */
    SWITCHES_MAX =
        10 /* of one side in a measurement: up to 7 where nothing else ran, 12 to 51 next to busy loops */
};

/* And so many times what a measurement is expected to take: millions of round trips were asked for. */
static const double DEADLINE_S = 120, DEADLINE_TIMES = 10;

/* A block serves many measurements before it is given back, so that the kernel does not hand out the same few pages
 * again and again. */
enum status latency_map_pages(struct latency_matrix *matrix, struct fault *fault)
{
    const struct latency_setup *setup = &matrix->setup;
    const uint64_t bytes = (uint64_t)setup->effort.lines * setup->page_bytes * (uint64_t)matrix->slot_count;
    const struct memory_request request = {MEASUREMENTS_PER_BLOCK * bytes, PAGES_4K, -1, NULL};

    if (matrix->block.data && matrix->block_used + bytes <= matrix->block.bytes)
        return STATUS_OK;
    memory_release(&matrix->block);
    matrix->block_used = 0;
    return memory_map(&matrix->block, &request, fault);
}

bool latency_is_cut(const struct latency_matrix *matrix)
{
    return matrix->setup.deadline_ticks && clock_ticks() >= matrix->setup.deadline_ticks;
}

static void prepare(struct latency_matrix *matrix, struct measurement *m, size_t index)
{
    const struct pair *pair = &matrix->plan.pair[index];

    measurement_reset(m);
    m->pair = index;
    m->page = matrix->block.data + matrix->block_used;
    matrix->block_used += (uint64_t)matrix->setup.effort.lines * matrix->setup.page_bytes;
    m->from = pair->from;
    m->to = pair->to;
    m->cpu[SIDE_FROM] = matrix->place[pair->from].id;
    m->cpu[SIDE_TO] = matrix->place[pair->to].id;
    m->wanted = matrix->benches;
    m->witness[SIDE_FROM] = matrix->witness[pair->from];
    m->witness[SIDE_TO] = matrix->witness[pair->to];
    m->seed = clock_now_ns() + index;
}

static void run_side(void *context, int member)
{
    const struct latency_matrix *matrix = context;

    for (int i = 0; i < matrix->slots_used; i++) {
        struct measurement *m = &matrix->slot[i];
        if (m->from == member || m->to == member)
            measurement_run(m, member == m->from ? SIDE_FROM : SIDE_TO);
    }
}

enum status latency_run_members(struct latency_matrix *matrix, int count, team_task *task, void *context,
                                struct fault *fault)
{
    double cost_ns[RELATIONS];

    effort_cost(&matrix->setup.effort, matrix->benches, cost_ns);
    const double deadline_s = DEADLINE_S + DEADLINE_TIMES * 1e-9 * cost_ns[SAME_MACHINE];
    if (count == 0 || team_run_on(matrix->team, matrix->member, count, task, context, deadline_s))
        return STATUS_OK;
    matrix->abandoned = true;
    if (team_check(matrix->team, fault) != STATUS_OK)
        return fault->status;
    return fault_set(fault, STATUS_FAILED, "CPUs %d and %d did not answer within %.0f s",
                     matrix->place[matrix->member[0]].id, matrix->place[matrix->member[count - 1]].id,
                     deadline_s);
}

static void add_up(struct latency_cell *cell, const struct latency_result *result)
{
    if (isnan(result->value)) {
        cell->failures++;
        return;
    }
    cell->measured++;
    cell->samples += result->samples;
    cell->dropped += result->dropped;
    cell->forward += result->forward;
    cell->backward += result->backward;
    cell->line_low = fminf(cell->line_low, (float)result->line_low);
    cell->line_high = fmaxf(cell->line_high, (float)result->line_high);
}

/* Of a pair that was moved in the middle, the series are of two distances. */
static void store(struct latency_matrix *matrix, const struct measurement *m, double *value)
{
    const bool moved = m->result[SERIES_TRANSFER].mixed || m->result[SERIES_TRANSFER_RMW].mixed;

    matrix->contended += m->switches[SIDE_FROM] > SWITCHES_MAX || m->switches[SIDE_TO] > SWITCHES_MAX;
    value[matrix->state_column] = measurement_state(m);
    for (int series = 0; series < SERIES_COUNT; series++) {
        const struct latency_result *result = &m->result[series];
        if (matrix->column[series] >= 0 && !moved)
            value[matrix->column[series]] = result->value;
        if (matrix->cell[series] && !matrix->checking && m->pair < matrix->plan.pair_count)
            add_up(&matrix->cell[series][m->pair], result);
    }
}

/* A pair that does not answer costs seconds. All its series come from the same measurements. */
static bool is_open(const struct latency_matrix *matrix, size_t pair)
{
    int series = 0;

    while (!matrix->cell[series])
        series++;
    const struct latency_cell *cell = &matrix->cell[series][pair];
    return cell->failures < FAILURES_MAX + cell->measured / 4;
}

bool latency_sample(void *context, size_t first, size_t count, double *value, struct fault *fault)
{
    struct latency_matrix *matrix = context;
    int members = 0;

    for (size_t i = 0; i < count * matrix->width; i++)
        value[i] = NAN;
    matrix->slots_used = 0;
    if (latency_is_cut(matrix))
        return true;
    if (latency_map_pages(matrix, fault))
        return false;
    for (size_t i = first; i < first + count; i++) {
        if (i < matrix->plan.pair_count && !is_open(matrix, i))
            continue;
        struct measurement *m = &matrix->slot[matrix->slots_used++];
        prepare(matrix, m, i);
        matrix->member[members++] = m->from;
        if (m->to != m->from)
            matrix->member[members++] = m->to;
    }
    if (latency_run_members(matrix, members, run_side, matrix, fault))
        return false;
    for (int i = 0; i < matrix->slots_used; i++) {
        const struct measurement *m = &matrix->slot[i];
        /* One that is cut in its middle says nothing of the pair. */
        if (!atomic_load(&m->failed) || !latency_is_cut(matrix))
            store(matrix, m, value + (m->pair - first) * matrix->width);
    }
    return true;
}
