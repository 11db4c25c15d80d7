/* SPDX-License-Identifier: MIT */
/* All pairs: the plan, and the threads and the memory for it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core_latency.h"

enum {
    WITNESSED_PAIRS = 2016 /* up to these, a transfer is measured in any case: it tells placements apart */
};

/* Attempts that fail in about 0.1 s and 0.5 s where nobody else has the line. A partner next to another busy
 * process may be away that long after it has yielded. */
static const uint64_t CAS_SPINS = 20000000, LOAD_SPINS = 500000000, MEET_NS = 2000000000;

bool latency_reports(const struct latency_matrix *matrix, enum latency_series series)
{
    return series != SERIES_OWN_LLSC && matrix->params->benches >> latency_series[series].bench & 1;
}

enum relation latency_relation(const struct latency_matrix *matrix, size_t pair)
{
    const struct pair *ends = &matrix->plan.pair[pair];
    return place_relation(&matrix->place[ends->from], &matrix->place[ends->to]);
}

enum status latency_plan(struct latency_matrix *matrix, struct fault *fault)
{
    const struct run *run = matrix->run;
    const struct latency_params *params = matrix->params;
    const int count = matrix->count = run->cpus.count;

    matrix->place = memory_zeroed((size_t)count + 1, sizeof *matrix->place);
    for (int i = 0; i < count; i++)
        matrix->place[i] = *topology_place(run->topology, run->cpus.id[i]);
    qsort(matrix->place, (size_t)count, sizeof *matrix->place, pairs_compare_places);
    if (pairs_plan(&matrix->plan, matrix->place, count, (enum pair_set)params->pairs, params->serial, fault))
        return fault->status;
    matrix->setup = (struct latency_setup){.clock = run->clock,
                                           .page_bytes = run->topology->page_bytes,
                                           .one_writer = params->pairs != PAIRS_UNORDERED,
                                           .cas_spins = CAS_SPINS,
                                           .load_spins = LOAD_SPINS,
                                           .meet_ns = MEET_NS};
    matrix->parallel_bias = NAN;
    matrix->l2 = matrix->l3 = (struct own_ns){NAN, NAN};
    matrix->guest = cpu_may_be_guest(run->cpu);
    matrix->benches = (unsigned)params->benches;
    if (matrix->plan.pair_count <= WITNESSED_PAIRS)
        matrix->benches |= 1u << BENCH_TRANSFER;
    if (effort_pick_kernels(matrix, fault))
        return fault->status;
    effort_set(matrix);
    return STATUS_OK;
}

void latency_cell_clear(struct latency_cell *cell)
{
    *cell = (struct latency_cell){.line_low = INFINITY,
                                  .line_high = -INFINITY,
                                  .value = NAN,
                                  .low = NAN,
                                  .high = NAN,
                                  .spread = NAN,
                                  .distance = -1};
}

static void allocate(struct latency_matrix *matrix)
{
    const size_t pairs = matrix->plan.pair_count;

    for (int series = 0; series < SERIES_COUNT; series++) {
        matrix->column[series] = -1;
        if (!(matrix->benches >> latency_series[series].bench & 1) || !matrix->setup.kernel[series])
            continue;
        matrix->column[series] = (int)matrix->width++;
        if (series == SERIES_OWN_LLSC)
            continue;
        matrix->cell[series] = memory_zeroed(pairs, sizeof *matrix->cell[series]);
        for (size_t i = 0; i < pairs; i++)
            latency_cell_clear(&matrix->cell[series][i]);
    }
    matrix->state_column = matrix->width++;
    const size_t slots = (size_t)(matrix->slot_count = matrix->plan.widest);
    matrix->member = memory_zeroed((size_t)matrix->count, sizeof *matrix->member);
    matrix->slot = aligned_alloc(alignof(struct measurement), slots * sizeof *matrix->slot);
    if (!matrix->slot)
        memory_exhausted();
    memset(matrix->slot, 0, slots * sizeof *matrix->slot);
    for (size_t i = 0; i < slots; i++) {
        matrix->slot[i].setup = &matrix->setup;
        matrix->slot[i].sample = memory_zeroed(measurement_room(&matrix->setup), sizeof(double));
    }
}

static void learn(void *context, int member)
{
    const struct latency_matrix *matrix = context;
    sibling_sample(matrix->witness[member]);
}

enum status latency_open(struct latency_matrix *matrix, struct fault *fault)
{
    const double budget_s = matrix->run->common->time_budget;
    const bool all = matrix->plan.pair_count <= WITNESSED_PAIRS && !matrix->run->common->quick;

    matrix->begin_ns = clock_now_ns();
    if (budget_s > 0)
        matrix->setup.deadline_ticks =
            clock_ticks() + (uint64_t)(budget_s * 1e9 / matrix->setup.clock->ns_per_tick);
    allocate(matrix);
    for (int i = 0; i < matrix->count; i++)
        matrix->member[i] = matrix->place[i].id;
    matrix->team = team_new(matrix->member, matrix->count, fault);
    matrix->witness = memory_zeroed((size_t)matrix->count, sizeof(struct sibling *));
    /* One after the other: they may be siblings of each other. */
    for (int i = 0; i < (all ? matrix->count : 1) && fault->status == STATUS_OK; i++) {
        matrix->witness[i] = sibling_new(matrix->run->cpu, matrix->run->clock);
        matrix->member[0] = i;
        if (all)
            latency_run_members(matrix, 1, learn, matrix, fault);
    }
    return fault->status;
}

void latency_close(struct latency_matrix *matrix)
{
    team_free(matrix->team);
    if (matrix->abandoned)
        return;
    for (int i = 0; matrix->witness && i < matrix->count; i++)
        sibling_free(matrix->witness[i]);
    free(matrix->witness);
    for (int i = 0; i < matrix->slot_count; i++)
        free(matrix->slot[i].sample);
    memory_release(&matrix->block);
    free(matrix->slot);
    for (int series = 0; series < SERIES_COUNT; series++)
        free(matrix->cell[series]);
    engine_data_free(&matrix->data);
    free(matrix->distances.at);
    free(matrix->member);
    free(matrix->place);
    pairs_free(&matrix->plan);
}
