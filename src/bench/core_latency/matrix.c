/* SPDX-License-Identifier: MIT */
/* All pairs: the plan, and the threads and the memory for it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "uarchprobe/sibling.h"

enum {
    KEPT_LINES = 200000,   /* rows of single lines in the record, at most */
    WITNESSED_PAIRS = 2016 /* up to these, a transfer is measured in any case: it tells placements apart */
};

/* Attempts that fail in about 0.1 s and 0.5 s where nobody else has the line. A partner beside another busy
 * process may be away that long after it has yielded. */
static const uint64_t CAS_SPINS = 20000000, LOAD_SPINS = 500000000, MEET_NS = 2000000000;

static enum status copy_places(struct latency_matrix *matrix, struct fault *fault)
{
    const struct run *run = matrix->run;

    matrix->count = run->cpus.count;
    matrix->place = calloc((size_t)matrix->count + 1, sizeof *matrix->place);
    if (!matrix->place)
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for %d CPUs", matrix->count);
    for (int i = 0; i < matrix->count; i++)
        matrix->place[i] = *topology_place(run->topology, run->cpus.id[i]);
    qsort(matrix->place, (size_t)matrix->count, sizeof *matrix->place, pairs_compare_places);
    return STATUS_OK;
}

/* Not counted as a pair. */
static enum status add_own(struct pair_plan *plan, struct fault *fault)
{
    struct pair *pair = realloc(plan->pair, (plan->pair_count + 1) * sizeof *pair);

    if (!pair)
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for %zu pairs", plan->pair_count);
    pair[plan->pair_count] = (struct pair){0, 0};
    plan->pair = pair;
    return STATUS_OK;
}

enum status latency_matrix_plan(struct latency_matrix *matrix, struct fault *fault)
{
    const struct latency_params *params = matrix->params;
    struct pair_request request = {
        .set = (enum pair_set)params->pairs, .sample = params->sample, .serial = params->serial};

    if (copy_places(matrix, fault))
        return fault->status;
    request.place = matrix->place;
    request.count = matrix->count;
    if (pairs_plan(&matrix->plan, &request, fault) || add_own(&matrix->plan, fault))
        return fault->status;
    matrix->setup.clock = matrix->run->clock;
    matrix->setup.page_bytes = matrix->run->topology->page_bytes;
    matrix->setup.one_toucher = request.set != PAIRS_UNORDERED;
    matrix->setup.cas_spins = CAS_SPINS;
    matrix->setup.load_spins = LOAD_SPINS;
    matrix->setup.meet_ns = MEET_NS;
    matrix->parallel_bias = matrix->l2_ns = matrix->l3_ns = NAN;
    matrix->benches = (unsigned)params->benches;
    if (matrix->plan.pair_count <= WITNESSED_PAIRS)
        matrix->benches |= 1u << BENCH_TRANSFER;
    if (latency_pick_kernels(matrix, fault))
        return fault->status;
    latency_choose_effort(matrix);
    return STATUS_OK;
}

static bool allocate_cells(struct latency_matrix *matrix)
{
    const size_t pairs = matrix->plan.pair_count;

    for (int series = 0; series < SERIES_COUNT; series++) {
        matrix->column[series] = -1;
        if (!latency_wants(matrix, (enum handover_series)series))
            continue;
        matrix->column[series] = (int)matrix->width++;
        matrix->cell[series] = calloc(pairs, sizeof *matrix->cell[series]);
        for (size_t i = 0; matrix->cell[series] && i < pairs; i++)
            latency_cell_clear(&matrix->cell[series][i]);
        if (!matrix->cell[series])
            return false;
    }
    return true;
}

static bool allocate_slots(struct latency_matrix *matrix)
{
    matrix->slot_count = matrix->plan.widest;
    matrix->slot = calloc((size_t)matrix->slot_count, sizeof *matrix->slot);
    matrix->member = calloc((size_t)matrix->count, sizeof *matrix->member);
    matrix->turn = calloc((size_t)matrix->count, sizeof(struct handover *));
    for (int i = 0; matrix->slot && i < matrix->slot_count; i++) {
        struct handover *handover = aligned_alloc(alignof(struct handover), sizeof *handover);
        matrix->slot[i].handover = handover;
        if (!handover)
            return false;
        memset(handover, 0, sizeof *handover);
        handover->setup = &matrix->setup;
        handover->sample = calloc(handover_room(&matrix->setup), sizeof(double));
        if (!handover->sample)
            return false;
    }
    return matrix->slot && matrix->member && matrix->turn;
}

enum status latency_matrix_open(struct latency_matrix *matrix, struct fault *fault)
{
    int *cpu = calloc((size_t)matrix->count, sizeof *cpu);

    if (!cpu || !allocate_cells(matrix) || !allocate_slots(matrix)) {
        free(cpu);
        return fault_set(fault, STATUS_NO_RESOURCE,
                         "out of memory for %zu pairs: name fewer CPUs with --cpus, or take --sample",
                         matrix->plan.pair_count);
    }
    for (int i = 0; i < matrix->count; i++)
        cpu[i] = matrix->place[i].id;
    matrix->team = team_new(cpu, matrix->count, fault);
    matrix->witness = sibling_new(matrix->run->cpu, matrix->run->clock);
    free(cpu);
    matrix->keep_lines =
        (double)matrix->plan.pair_count * (double)matrix->setup.lines * (double)matrix->least_rounds <
        KEPT_LINES;
    return matrix->team ? latency_map_slots(matrix, fault) : fault->status;
}

static void close_slots(struct latency_matrix *matrix)
{
    for (int i = 0; matrix->slot && i < matrix->slot_count; i++) {
        memory_release(&matrix->slot[i].block);
        if (matrix->slot[i].handover)
            free(matrix->slot[i].handover->sample);
        free(matrix->slot[i].handover);
    }
    free(matrix->slot);
}

void latency_matrix_close(struct latency_matrix *matrix)
{
    team_free(matrix->team);
    if (matrix->abandoned)
        return;
    sibling_free(matrix->witness);
    close_slots(matrix);
    for (int series = 0; series < SERIES_COUNT; series++)
        free(matrix->cell[series]);
    engine_data_free(&matrix->data);
    distances_free(&matrix->distances);
    free(matrix->member);
    free(matrix->turn);
    free(matrix->place);
    pairs_free(&matrix->plan);
}
