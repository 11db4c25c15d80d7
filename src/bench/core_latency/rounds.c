/* SPDX-License-Identifier: MIT */
/* All pairs in rounds, so that the same pair is seen at moments far apart. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core_latency.h"
#include "uarchprobe/experiment.h"
#include "uarchprobe/stats.h"

enum {
    MEASUREMENTS_PER_BLOCK = 64,
    FAILURES_MAX = 2, /* and as many more as a quarter of the measurements with a value */
    CHECKED = 96,     /* pairs, roughly, that are measured by themselves, too */
    SWITCHES_MAX =
        10 /* of one side in a measurement: up to 7 where nothing else ran, 12 to 51 next to busy loops */
};

/* For a measurement, and so many times what it is expected to take: millions of round trips were asked for. */
static const double DEADLINE_S = 120, DEADLINE_TIMES = 10;
static const double BIAS_MAX = 0.03, CHECK_S = 1, BATCH_S = 8e-3;

/* Whether the time that the user gave is over, if need be in the middle of the first round. */
static bool is_cut(const struct latency_matrix *matrix)
{
    return matrix->setup.deadline_ticks && clock_ticks() >= matrix->setup.deadline_ticks;
}

enum status latency_run_members(struct latency_matrix *matrix, int count, team_task *task, void *context,
                                struct fault *fault)
{
    const double deadline_s = DEADLINE_S + DEADLINE_TIMES * latency_measurement_s(&matrix->setup);
    if (count == 0 || team_run(matrix->team, matrix->member, count, task, context, deadline_s))
        return STATUS_OK;
    matrix->abandoned = true;
    if (team_check(matrix->team, fault) != STATUS_OK)
        return fault->status;
    return fault_set(fault, STATUS_FAILED, "CPUs %d and %d did not answer within %.0f s",
                     matrix->setup.cpu[matrix->member[0]], matrix->setup.cpu[matrix->member[count - 1]],
                     deadline_s);
}

struct latency_cell *latency_cell(const struct latency_matrix *matrix, enum latency_series series,
                                  size_t pair)
{
    return &matrix->cell[pair * SERIES_COUNT + (size_t)series];
}

void latency_clear(struct latency_matrix *matrix)
{
    for (size_t i = 0; i < matrix->plan.pair_count * SERIES_COUNT; i++)
        matrix->cell[i] = (struct latency_cell){
            .line_low = INFINITY, .line_high = -INFINITY, .value = NAN, .spread = NAN, .distance = -1};
}

static void learn(void *context, int member)
{
    sibling_sample(((const struct latency_matrix *)context)->setup.witness[member]);
}

static enum status open_all(struct latency_matrix *matrix, struct fault *fault)
{
    const double budget_s = matrix->run->common->time_budget;
    const size_t cpus = (size_t)matrix->count, pairs = matrix->plan.pair_count,
                 slots = (size_t)matrix->plan.widest, room = measurement_room(&matrix->setup);
    matrix->begin_ns = clock_now_ns();
    if (budget_s > 0)
        matrix->setup.deadline_ticks =
            clock_ticks() + (uint64_t)(budget_s * 1e9 / matrix->setup.clock->ns_per_tick);
    matrix->cell = memory_zeroed(pairs * SERIES_COUNT, sizeof *matrix->cell);
    latency_clear(matrix);
    matrix->samples = memory_zeroed(slots * room, sizeof *matrix->samples);
    matrix->slot = aligned_alloc(alignof(struct measurement), slots * sizeof *matrix->slot);
    if (!matrix->slot)
        memory_exhausted();
    memset(matrix->slot, 0, slots * sizeof *matrix->slot);
    for (size_t i = 0; i < slots; i++) {
        matrix->slot[i].setup = &matrix->setup;
        matrix->slot[i].sample = matrix->samples + i * room;
    }
    matrix->member = memory_zeroed(cpus, sizeof *matrix->member);
    matrix->setup.cpu = memory_zeroed(cpus, sizeof *matrix->setup.cpu);
    matrix->setup.witness = memory_zeroed(cpus, sizeof(struct sibling *));
    for (size_t i = 0; i < cpus; i++)
        matrix->setup.cpu[i] = matrix->place[i].id;
    matrix->team = team_new(matrix->setup.cpu, matrix->count, fault);
    /* One after the other: they may be siblings of each other. */
    for (int i = 0; i < (matrix->witnessed ? matrix->count : 1) && fault->status == STATUS_OK; i++) {
        matrix->setup.witness[i] = sibling_new(matrix->run->cpu, matrix->run->clock);
        matrix->member[0] = i;
        if (matrix->witnessed)
            latency_run_members(matrix, 1, learn, matrix, fault);
    }
    return fault->status;
}

void latency_close(struct latency_matrix *matrix)
{
    team_free(matrix->team);
    if (matrix->abandoned)
        return;
    for (int i = 0; matrix->setup.witness && i < matrix->count; i++)
        sibling_free(matrix->setup.witness[i]);
    memory_release(&matrix->block);
    engine_data_free(&matrix->data);
    free(matrix->setup.witness);
    free(matrix->cell);
    free(matrix->samples);
    free(matrix->slot);
    free(matrix->distances.at);
    free(matrix->member);
    free(matrix->setup.cpu);
    free(matrix->place);
    pairs_free(&matrix->plan);
}

/* A block serves many measurements before it is given back, so that the kernel does not hand out the same few pages
 * again and again. */
static enum status map_pages(struct latency_matrix *matrix, struct fault *fault)
{
    const struct latency_setup *setup = &matrix->setup;
    const uint64_t bytes = (uint64_t)setup->effort.lines * setup->page_bytes * (uint64_t)matrix->plan.widest;
    const struct memory_request request = {MEASUREMENTS_PER_BLOCK * bytes, PAGES_4K, -1, NULL};
    if (matrix->block.data && matrix->block_used + bytes <= matrix->block.bytes)
        return STATUS_OK;
    memory_release(&matrix->block);
    matrix->block_used = 0;
    return memory_map(&matrix->block, &request, fault);
}

static void run_side(void *context, int member)
{
    const struct latency_matrix *matrix = context;
    for (int i = 0; i < matrix->slots_used; i++)
        for (enum side side = SIDE_FROM; side <= SIDE_TO; side++)
            if (matrix->slot[i].member[side] == member) {
                measurement_run(&matrix->slot[i], side);
                break;
            }
}

/* Of a pair that was moved in the middle, the series are of two distances. */
static void store(struct latency_matrix *matrix, const struct measurement *m, double *value)
{
    const bool moved = m->result[SERIES_TRANSFER].mixed || m->result[SERIES_TRANSFER_RMW].mixed;
    matrix->contended += m->switches[SIDE_FROM] > SWITCHES_MAX || m->switches[SIDE_TO] > SWITCHES_MAX;
    value[STATE_COLUMN] = measurement_state(m);
    for (enum latency_series series = 0; series < SERIES_COUNT; series++) {
        const struct latency_result *result = &m->result[series];
        if (!moved)
            value[series] = result->value;
        if (m->point == matrix->plan.pair_count)
            continue;
        struct latency_cell *cell = latency_cell(matrix, series, m->point);
        if (isnan(result->value)) {
            cell->failures++;
            continue;
        }
        cell->measured++;
        cell->samples += result->samples;
        cell->dropped += result->dropped;
        cell->forward += result->forward;
        cell->backward += result->backward;
        cell->line_low = fminf(cell->line_low, (float)result->line_low);
        cell->line_high = fmaxf(cell->line_high, (float)result->line_high);
    }
}

/* One measurement of each of some points at the same time, as the engine wants a sample. */
static bool sample(void *context, size_t first, size_t count, double *value, struct fault *fault)
{
    struct latency_matrix *matrix = context;
    const enum latency_series witness = latency_witness(matrix);
    int members = 0;
    for (size_t i = 0; i < count * COLUMNS; i++)
        value[i] = NAN;
    matrix->slots_used = 0;
    if (map_pages(matrix, fault))
        return false;
    for (size_t point = first; point < first + count; point++) {
        const struct pair *pair = &matrix->plan.pair[point];
        /* A pair that does not answer costs seconds. All its series come from the same measurements. */
        const struct latency_cell *cell =
            point < matrix->plan.pair_count ? latency_cell(matrix, witness, point) : NULL;
        if (cell && cell->failures >= FAILURES_MAX + cell->measured / 4)
            continue;
        struct measurement *m = &matrix->slot[matrix->slots_used++];
        measurement_reset(m);
        m->point = point;
        m->page = matrix->block.data + matrix->block_used;
        m->seed = clock_now_ns() + point;
        matrix->block_used += (uint64_t)matrix->setup.effort.lines * matrix->setup.page_bytes;
        matrix->member[members++] = m->member[SIDE_FROM] = pair->from;
        m->member[SIDE_TO] = pair->to;
        if (pair->to != pair->from)
            matrix->member[members++] = pair->to;
    }
    if (latency_run_members(matrix, members, run_side, matrix, fault))
        return false;
    for (int i = 0; i < matrix->slots_used; i++) {
        const struct measurement *m = &matrix->slot[i];
        /* One that is cut in its middle says nothing of the pair. */
        if (!atomic_load(&m->failed) || !is_cut(matrix))
            store(matrix, m, value + (m->point - first) * COLUMNS);
    }
    return true;
}

/* Pairs by themselves, right after they were measured next to others, in batches from all over the plan. Where that makes a difference,
 * all are measured one by one. */
static enum status check_parallel(struct latency_matrix *matrix, struct fault *fault)
{
    struct pair_plan *plan = &matrix->plan;
    const enum latency_series witness = latency_witness(matrix);
    const size_t widest = (size_t)plan->widest, batches = CHECKED / widest + 1;
    double *value = memory_zeroed((widest + 1) * COLUMNS, sizeof *value), *alone = value + widest * COLUMNS;
    double *ratio = memory_zeroed(batches * widest, sizeof *ratio);
    size_t count = 0;
    const uint64_t until_ns =
        clock_now_ns() + (uint64_t)(CHECK_S * 1e9); /* pairs that seldom have their CPUs take long */
    for (size_t i = 0; i < batches && widest > 1 && clock_now_ns() < until_ns; i++) {
        const size_t *start = &plan->start[i * plan->batch_count / batches], pairs = start[1] - start[0];
        if (is_cut(matrix) || run_has_ended(matrix->run))
            break;
        if (pairs < 2)
            continue;
        if (!sample(matrix, *start, pairs, value, fault))
            break;
        for (size_t k = 0; k < pairs && sample(matrix, *start + k, 1, alone, fault); k++)
            ratio[count++] = alone[witness] / value[k * COLUMNS + witness];
    }
    matrix->parallel_bias = median_of(ratio, count) - 1;
    free(value);
    free(ratio);
    latency_clear(matrix);
    if (fault->status != STATUS_OK || !(fabs(matrix->parallel_bias) > BIAS_MAX))
        return fault->status;
    pairs_free(plan);
    return pairs_plan(plan, matrix->place, matrix->count, (enum pair_set)matrix->params->pairs, true, fault);
}

static uint64_t contended(void *context)
{
    return ((const struct latency_matrix *)context)->contended;
}

static enum status run_rounds(struct latency_matrix *matrix, struct fault *fault)
{
    const struct common *common = matrix->run->common;
    struct engine_host host = {.run = matrix->run,
                               .what = "pairs",
                               .sibling = matrix->setup.witness[0],
                               .team = matrix->team,
                               .context = matrix,
                               .switches = contended};
    const struct engine_bench bench = {.context = matrix,
                                       .points = matrix->plan.pair_count + 1,
                                       .width = COLUMNS,
                                       .group = matrix->plan.start,
                                       .groups = matrix->plan.batch_count + 1,
                                       .sample = sample,
                                       .budget_binds_all = common->time_budget > 0};
    /* A plan may be wrong by some, and threads that seldom have their CPUs at once take many times as long as planned. Of so
     * few rounds that each takes long, none is left out before twice this time. 0: as long as it takes. */
    const double patience_s = common->repeat ? 0 : 1.7 * latency_planned_s(matrix) + 0.5;
    const bool limited = common->time_budget > 0;
    const struct engine_effort effort = {.rounds = common->repeat,
                                         .least = ROUNDS_LEAST,
                                         .most = matrix->least_rounds,
                                         .patience_s = patience_s,
                                         .duration_s = matrix->duration_s,
                                         .budget_s = limited ? common->time_budget : 2 * patience_s,
                                         .begin_ns = limited ? matrix->begin_ns : 0,
                                         .batch_s = BATCH_S};
    const enum engine_end end = engine_host_run(&host, &bench, &effort, &matrix->data, fault);
    matrix->abandoned = matrix->abandoned || host.stuck;
    matrix->out_of_time =
        end == ENGINE_BUDGET && is_cut(matrix) && matrix->data.rounds < matrix->least_rounds;
    matrix->complete = end != ENGINE_INTERRUPTED && !matrix->out_of_time;
    if (end == ENGINE_FAILED)
        return fault->status;
    /* Again: two moments must agree. */
    if (run_has_ended(matrix->run) || latency_own_measure(matrix, fault) == STATUS_OK)
        latency_conclude(matrix);
    return fault->status;
}

enum status latency_measure(struct latency_matrix *matrix, struct fault *fault)
{
    if (open_all(matrix, fault) || latency_own_measure(matrix, fault))
        return fault->status;
    run_progress(matrix->run, 0, latency_planned_s(matrix), "pairs");
    return check_parallel(matrix, fault) == STATUS_OK ? run_rounds(matrix, fault) : fault->status;
}
