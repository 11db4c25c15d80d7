/* SPDX-License-Identifier: MIT */
/* All pairs, in rounds: the whole matrix once, then again. The same pair is so seen at moments far apart,
 * which is what tells a moved vCPU from a latency. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "uarchprobe/sibling.h"
#include "uarchprobe/stats.h"

enum {
    KEPT_LINES = 200000, /* rows of single lines in the record, at most */
    TURNS_PER_BLOCK = 64,
    FAILURES_MAX = 2,
    SWITCHES_MAX = 10,  /* of one end in a turn: up to 7 where nothing else ran, 12 to 51 beside busy loops */
    CHECKED_SHARE = 25, /* one pair in so many is measured again alone */
    CHECKED_MAX = 500,
    WITNESSED_PAIRS = 2016 /* up to these, a transfer is measured in any case: it tells placements apart */
};

static const double DEADLINE_S = 120, BIAS_MAX = 0.03;
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

enum status latency_matrix_plan(struct latency_matrix *matrix, struct fault *fault)
{
    const struct latency_params *params = matrix->params;
    struct pair_request request = {
        .set = (enum pair_set)params->pairs, .sample = params->sample, .serial = params->serial};

    if (copy_places(matrix, fault))
        return fault->status;
    request.place = matrix->place;
    request.count = matrix->count;
    if (pairs_plan(&matrix->plan, &request, fault))
        return fault->status;
    matrix->setup.clock = matrix->run->clock;
    matrix->setup.page_bytes = matrix->run->topology->page_bytes;
    matrix->setup.one_toucher = request.set != PAIRS_UNORDERED;
    matrix->setup.cas_spins = CAS_SPINS;
    matrix->setup.load_spins = LOAD_SPINS;
    matrix->setup.meet_ns = MEET_NS;
    matrix->parallel_bias = NAN;
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
        if (!latency_wants(matrix, (enum handover_series)series))
            continue;
        struct latency_cell *cell = calloc(pairs, sizeof *cell);
        struct cell_round *round = calloc(pairs, matrix->max_rounds * sizeof *round);
        matrix->cell[series] = cell;
        matrix->round_room[series] = round;
        if (!cell || !round)
            return false;
        for (size_t i = 0; i < pairs; i++)
            cell[i] = (struct latency_cell){
                .round = round + i * matrix->max_rounds, .line_low = INFINITY, .line_high = -INFINITY};
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
                         "out of memory for %zu pairs: name fewer CPUs with --cpus, or take --sample or a "
                         "smaller --repeat",
                         matrix->plan.pair_count);
    }
    for (int i = 0; i < matrix->count; i++)
        cpu[i] = matrix->place[i].id;
    matrix->team = team_new(cpu, matrix->count, fault);
    matrix->witness = sibling_new(matrix->run->cpu, matrix->run->clock);
    free(cpu);
    matrix->keep_lines =
        (double)matrix->plan.pair_count * (double)matrix->setup.lines * (double)matrix->min_rounds <
        KEPT_LINES;
    return matrix->team ? STATUS_OK : fault->status;
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
    for (int series = 0; series < SERIES_COUNT; series++) {
        free(matrix->cell[series]);
        free(matrix->round_room[series]);
    }
    free(matrix->member);
    free(matrix->turn);
    free(matrix->place);
    pairs_free(&matrix->plan);
}

/* A block serves many turns before it is given back, so that the kernel does not hand out the same few pages
 * again and again. Its first page is spent on the check that it lies on the node asked for. */
unsigned char *latency_pages(struct latency_matrix *matrix, struct latency_slot *slot, struct fault *fault)
{
    const uint64_t page = matrix->setup.page_bytes, bytes = (uint64_t)matrix->setup.lines * page;
    const struct topology *topology = matrix->run->topology;
    const struct memory_request request = {TURNS_PER_BLOCK * bytes + page, PAGES_4K, matrix->mem_node,
                                           topology, false};

    if (!slot->block.data || slot->used + bytes > slot->block.bytes) {
        memory_release(&slot->block);
        if (memory_map(&slot->block, &request, fault))
            return NULL;
        slot->used = page;
    }
    unsigned char *pages = slot->block.data + slot->used;
    slot->used += bytes;
    return pages;
}

/* All series of a pair are measured until the last of them is settled, so that their rounds are the same
 * ones. */
static unsigned benches_left(const struct latency_matrix *matrix, size_t pair)
{
    for (int series = 0; series < SERIES_COUNT; series++) {
        if (matrix->cell[series] && !matrix->cell[series][pair].settled)
            return matrix->benches;
    }
    return 0;
}

static void store_result(struct latency_matrix *matrix, struct latency_cell *cell,
                         const struct handover_result *result, bool contended)
{
    if (cell->rounds == matrix->max_rounds)
        return;
    cell->round[cell->rounds] = result->round;
    cell->round[cell->rounds++].contended = contended;
    if (isnan(result->round.value)) {
        cell->failures++;
        return;
    }
    cell->forward += (float)result->forward;
    cell->backward += (float)result->backward;
    for (int i = 0; i < matrix->setup.lines; i++) {
        cell->line_low = fminf(cell->line_low, (float)result->line[i]);
        cell->line_high = fmaxf(cell->line_high, (float)result->line[i]);
    }
}

static void store_turn(struct latency_matrix *matrix, const struct latency_slot *slot)
{
    const struct handover *handover = slot->handover;
    const bool contended =
        handover->switches[END_FROM] > SWITCHES_MAX || handover->switches[END_TO] > SWITCHES_MAX;

    for (int series = 0; series < SERIES_COUNT; series++) {
        if (handover->wanted >> series_bench((enum handover_series)series) & 1)
            store_result(matrix, &matrix->cell[series][slot->pair], &handover->result[series], contended);
    }
    if (matrix->keep_lines)
        latency_report_lines(matrix, slot);
}

static void run_turn(void *context, int member)
{
    const struct latency_matrix *matrix = context;
    struct handover *handover = matrix->turn[member];
    handover_run(handover, member == handover->from ? END_FROM : END_TO);
}

static enum status set_turn(struct latency_matrix *matrix, struct latency_slot *slot, size_t index,
                            unsigned benches, struct fault *fault)
{
    const struct pair *pair = &matrix->plan.pair[index];
    struct handover *handover = slot->handover;

    handover_reset(handover);
    handover->page = latency_pages(matrix, slot, fault);
    handover->from = pair->from;
    handover->to = pair->to;
    handover->wanted = benches;
    handover->seed = clock_now_ns() + index;
    slot->pair = index;
    matrix->turn[pair->from] = matrix->turn[pair->to] = handover;
    return handover->page ? STATUS_OK : fault->status;
}

/* Runs a task on some members. One that does not come back keeps using what it was given. */
static enum status run_members(struct latency_matrix *matrix, int count, team_task *task, void *context,
                               struct fault *fault)
{
    if (count == 0 || team_run_on(matrix->team, matrix->member, count, task, context, DEADLINE_S))
        return STATUS_OK;
    matrix->abandoned = true;
    return fault_set(fault, STATUS_FAILED, "CPUs %d and %d did not answer within %g s",
                     matrix->place[matrix->member[0]].id, matrix->place[matrix->member[count - 1]].id,
                     DEADLINE_S);
}

/* Runs the pairs set up in the first slots together. */
static enum status run_slots(struct latency_matrix *matrix, int slots, struct fault *fault)
{
    int members = 0;

    for (int i = 0; i < slots; i++) {
        const struct handover *handover = matrix->slot[i].handover;
        matrix->member[members++] = handover->from;
        if (handover->to != handover->from)
            matrix->member[members++] = handover->to;
    }
    return run_members(matrix, members, run_turn, matrix, fault);
}

static double elapsed_s(const struct latency_matrix *matrix)
{
    return (double)(clock_now_ns() - matrix->begin_ns) * 1e-9;
}

static bool time_is_up(const struct latency_matrix *matrix)
{
    return matrix->budget_given && clock_ticks() >= matrix->setup.deadline_ticks;
}

static enum status run_batch(struct latency_matrix *matrix, size_t batch, struct fault *fault)
{
    int slots = 0;

    for (size_t i = matrix->plan.start[batch]; i < matrix->plan.start[batch + 1]; i++) {
        unsigned benches = benches_left(matrix, i);
        if (benches && set_turn(matrix, &matrix->slot[slots++], i, benches, fault))
            return fault->status;
    }
    if (run_slots(matrix, slots, fault))
        return fault->status;
    for (int i = 0; i < slots; i++) {
        if (time_is_up(matrix) && atomic_load(&matrix->slot[i].handover->failed))
            matrix->out_of_time = true; /* in the middle of this one, which says nothing of the pair */
        else
            store_turn(matrix, &matrix->slot[i]);
    }
    return STATUS_OK;
}

static void show_progress(const struct latency_matrix *matrix, uint64_t round, size_t batch)
{
    const double rounds = (double)(round < matrix->min_rounds ? matrix->min_rounds : round + 1);
    const double done = ((double)round + (double)batch / (double)matrix->plan.batch_count) / rounds;
    const double elapsed = elapsed_s(matrix);
    run_progress(matrix->run, done, done > 0.01 ? elapsed / done - elapsed : -1, "pairs");
}

static bool cell_settled(const struct latency_matrix *matrix, enum handover_series series, size_t pair)
{
    const struct latency_cell *cell = &matrix->cell[series][pair];

    if (cell->settled || cell->failures >= FAILURES_MAX)
        return true;
    return cell->rounds >= matrix->min_rounds && latency_verdict(matrix, series, pair).settled;
}

/* Judges all cells after a round, or a part of it; returns how many are not settled. */
static size_t settle(struct latency_matrix *matrix, uint64_t round, bool throttled)
{
    size_t open = 0;

    for (int series = 0; series < SERIES_COUNT; series++) {
        for (size_t i = 0; matrix->cell[series] && i < matrix->plan.pair_count; i++) {
            struct latency_cell *cell = &matrix->cell[series][i];
            if (!cell->restored && cell->rounds == round + 1) /* a settled one, too: its pair was not */
                cell->round[round].throttled = throttled;
            cell->settled = cell_settled(matrix, (enum handover_series)series, i);
            open += !cell->settled;
        }
    }
    return open;
}

static void ask_witness(void *context, int member)
{
    (void)member;
    sibling_sample(context);
}

/* Whether the first CPU's core is shared right now: between rounds, when nothing else runs. */
static enum status sample_witness(struct latency_matrix *matrix, struct fault *fault)
{
    matrix->member[0] = 0;
    return run_members(matrix, matrix->witness ? 1 : 0, ask_witness, matrix->witness, fault);
}

static enum status run_round(struct latency_matrix *matrix, uint64_t round, size_t *open, struct fault *fault)
{
    struct disturbance before;
    bool cut = false;

    disturbance_read(&before);
    for (size_t batch = 0; batch < matrix->plan.batch_count && !cut; batch++) {
        matrix->out_of_time = matrix->out_of_time || time_is_up(matrix);
        cut = matrix->run->interrupted(NULL) || matrix->out_of_time;
        if (!cut && run_batch(matrix, batch, fault))
            return fault->status;
        show_progress(matrix, round, batch);
    }
    *open = settle(matrix, round, disturbance_since(&before).throttled > 0);
    return STATUS_OK;
}

static enum status run_rounds(struct latency_matrix *matrix, struct fault *fault)
{
    size_t open = 1;

    matrix->rounds_done = 0;
    for (uint64_t round = 0; round < matrix->max_rounds && open; round++) {
        if (round >= matrix->min_rounds && elapsed_s(matrix) > matrix->budget_s)
            break;
        if (run_round(matrix, round, &open, fault) || sample_witness(matrix, fault))
            return fault->status;
        if (matrix->run->interrupted(NULL) || matrix->out_of_time) {
            matrix->out_of_time = matrix->out_of_time && round < matrix->min_rounds;
            matrix->complete = !matrix->run->interrupted(NULL) && !matrix->out_of_time;
            break;
        }
        matrix->rounds_done = round + 1;
    }
    return STATUS_OK;
}

/* One pair in 25, alone, against what was found of it beside others. */
static enum status check_alone(struct latency_matrix *matrix, struct fault *fault)
{
    const size_t pairs = matrix->plan.pair_count;
    size_t stride = pairs / CHECKED_MAX > CHECKED_SHARE ? pairs / CHECKED_MAX : CHECKED_SHARE, count = 0;
    double ratio[2 * CHECKED_MAX];
    int first = 0;

    while (!matrix->cell[first])
        first++;
    for (size_t i = stride / 2; i < pairs && !matrix->run->interrupted(NULL) && !time_is_up(matrix);
         i += stride) {
        const double together = latency_verdict(matrix, (enum handover_series)first, i).value;
        if (isnan(together) || matrix->plan.pair[i].from == matrix->plan.pair[i].to)
            continue;
        if (set_turn(matrix, &matrix->slot[0], i, 1u << series_bench((enum handover_series)first), fault) ||
            run_slots(matrix, 1, fault))
            return fault->status;
        const double alone = matrix->slot[0].handover->result[first].round.value;
        if (!isnan(alone))
            ratio[count++] = alone / together;
    }
    matrix->parallel_bias = median_of(ratio, count) - 1;
    return STATUS_OK;
}

static void forget_rounds(struct latency_matrix *matrix)
{
    for (int series = 0; series < SERIES_COUNT; series++) {
        for (size_t i = 0; matrix->cell[series] && i < matrix->plan.pair_count; i++)
            latency_cell_clear(&matrix->cell[series][i]);
    }
}

/* The pairs stay as they are; only none runs beside another any more. */
static enum status make_serial(struct latency_matrix *matrix, struct fault *fault)
{
    const size_t pairs = matrix->plan.pair_count;
    size_t *start = malloc((pairs + 1) * sizeof *start);

    if (!start)
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for %zu pairs", pairs);
    for (size_t i = 0; i <= pairs; i++)
        start[i] = i;
    free(matrix->plan.start);
    matrix->plan.start = start;
    matrix->plan.batch_count = pairs;
    matrix->plan.widest = 1;
    matrix->fell_back = true;
    matrix->resumed = 0;
    forget_rounds(matrix);
    return STATUS_OK;
}

/* One by one, the rounds take as much longer as there are pairs at the same time. */
static bool has_time_for_serial(const struct latency_matrix *matrix)
{
    return !matrix->budget_given || elapsed_s(matrix) * (1 + matrix->plan.widest) <= matrix->budget_s;
}

void latency_matrix_begin(struct latency_matrix *matrix)
{
    const double ticks = matrix->budget_s * 1e9 / matrix->run->clock->ns_per_tick;

    matrix->begin_ns = clock_now_ns();
    if (matrix->budget_given)
        matrix->setup.deadline_ticks = clock_ticks() + (uint64_t)ticks;
}

enum status latency_matrix_run(struct latency_matrix *matrix, struct fault *fault)
{
    matrix->complete = true;
    if (run_rounds(matrix, fault) || matrix->plan.widest == 1 || !matrix->complete)
        return fault->status;
    if (check_alone(matrix, fault) || !(fabs(matrix->parallel_bias) > BIAS_MAX))
        return fault->status;
    matrix->biased = !has_time_for_serial(matrix);
    matrix->complete = !matrix->biased;
    if (matrix->biased)
        return STATUS_OK;
    return make_serial(matrix, fault) ? fault->status : run_rounds(matrix, fault);
}
