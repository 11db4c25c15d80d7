/* SPDX-License-Identifier: MIT */
/* --method litmus: how many stores a later load can overtake. Two CPUs store each to its own location, make
 * the filling stores, and load the other's location; both begin at one tick, give or take a random offset.
 * When both loads miss the other's store, both have overtaken all stores before them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sb_capacity.h"
#include "uarchprobe/pin.h"
#include "uarchprobe/random.h"
#include "uarchprobe/sibling.h"

/* A sample of the engine is a block of trials. */
enum { SIDES = 2, BLOCK = 1000, PLACES = 6, FILLINGS = STORES_PAGES + 2 };
enum { TRIALS, BOTH_OLD, ONE_OLD, WIDTH };
/* A page for each of the two locations, then the fillers of each side. */
enum {
    LINE = STORES_LINE_MOST,
    PAGE = STORES_PAGE_MOST,
    SIDE_ARENA = STORE_BURST_ADDRESSES * PAGE,
    ARENA = SIDES * (PAGE + SIDE_ARENA)
};

/* Ticks are counted in ns: the rendezvous is as long as it takes to leave the last trial behind. */
static const double period_ns = 600, jitter_ns = 46, lead_ns = 40, start_ns = 50000;

struct litmus {
    const struct sb_bench *bench;
    const struct kernel *kernel;
    unsigned char *arena;
    struct team *team;
    struct sibling *witness;
    int cpu[SIDES];
    size_t block; /* trials of a sample */
    uint64_t loaded[SIDES][BLOCK];
    unsigned char offset[SIDES][BLOCK]; /* ticks of jitter, by trial */
    /* One block. */
    size_t stores;
    enum store_pattern pattern;
    bool cold;
    uint64_t start;
    uint64_t first_value;
    size_t point[SB_MOST_STORES], count;
    struct capacity capacity; /* as iso saw it before */
    struct sb_filling filling[FILLINGS];
    size_t fillings;
    bool cut; /* by the time budget or an interruption */
};

static const uint64_t missed = UINT64_MAX; /* the trial began too late */

static double ticks_per_ns(const struct litmus *litmus)
{
    return 1 / litmus->bench->run->clock->ns_per_tick;
}

/* Of a cold filling the sides change places from trial to trial. */
static void set_places(const struct litmus *litmus, int side, size_t trial, void **place)
{
    const int of = litmus->cold ? (int)((unsigned)side ^ (trial & 1)) : side;
    unsigned char *fillers = litmus->arena + SIDES * PAGE + (size_t)of * SIDE_ARENA;
    const size_t stride[] = {
        [STORES_SAME] = 0, [STORES_LINE] = 8, [STORES_LINES] = LINE, [STORES_PAGES] = PAGE + LINE};

    place[0] = litmus->arena + (size_t)side * PAGE;
    place[1] = litmus->arena + (size_t)(1 - side) * PAGE;
    for (size_t i = 0; i < STORE_BURST_ADDRESSES; i++)
        place[2 + i] = fillers + LINE + i * stride[litmus->pattern];
}

/* A line that another program, or a move of the CPU, took out of the cache would be a cold filling. */
static void warm(void *const *place)
{
    for (size_t i = 0; i < STORE_BURST_ADDRESSES; i++)
        *(volatile unsigned char *)place[2 + i] = 0;
}

static void run_side(void *context, int side)
{
    struct litmus *litmus = context;
    const double rate = ticks_per_ns(litmus);
    const uint64_t period = (uint64_t)(period_ns * rate), lead = (uint64_t)(lead_ns * rate);
    void *place[PLACES];

    for (size_t trial = 0; trial < litmus->block; trial++) {
        const uint64_t begin = litmus->start + trial * period + litmus->offset[side][trial];

        set_places(litmus, side, trial, place);
        if (!litmus->cold)
            warm(place);
        const bool late = clock_ticks() + lead > begin;
        const uint64_t loaded = litmus->kernel->entry(
            place, NULL, litmus->stores, litmus->first_value + trial, clock_counter_at(begin), 0);
        litmus->loaded[side][trial] = late ? missed : loaded;
    }
}

static bool sample(void *context, size_t first, size_t count, double *value, struct fault *fault)
{
    enum { DEADLINE_S = 30 };
    struct litmus *litmus = context;

    litmus->first_value += BLOCK;
    litmus->stores = litmus->point[first];
    litmus->start = clock_ticks() + (uint64_t)(start_ns * ticks_per_ns(litmus));
    if (!team_run(litmus->team, SIDES, run_side, litmus, DEADLINE_S)) {
        team_check(litmus->team, fault);
        fault_set(fault, STATUS_FAILED, "the two CPUs did not finish %zu trials in time", litmus->block);
        return false;
    }
    value[TRIALS] = value[BOTH_OLD] = value[ONE_OLD] = 0;
    for (size_t trial = 0; trial < litmus->block; trial++) {
        const uint64_t a = litmus->loaded[0][trial], b = litmus->loaded[1][trial];
        const bool a_old = a < litmus->first_value + trial, b_old = b < litmus->first_value + trial;

        value[TRIALS] += a != missed && b != missed;
        value[BOTH_OLD] += a_old && b_old;
        value[ONE_OLD] += a != missed && b != missed && a_old != b_old;
    }
    return true;
}

/* Two CPUs of different cores where there are such: SMT siblings share what is measured. */
static enum status choose_cpus(struct litmus *litmus, struct fault *fault)
{
    const struct run *run = litmus->bench->run;

    if (run->cpus.count < SIDES)
        return fault_set(
            fault, STATUS_NO_RESOURCE,
            "--method litmus needs two CPUs, %d can be used here: allow more CPUs or use --method "
            "iso",
            run->cpus.count);
    litmus->cpu[0] = run->cpus.id[0];
    litmus->cpu[1] = run->cpus.id[1];
    for (int i = 1; i < run->cpus.count; i++)
        if (topology_relation(run->topology, litmus->cpu[0], run->cpus.id[i]) > SAME_CORE) {
            litmus->cpu[1] = run->cpus.id[i];
            return STATUS_OK;
        }
    record_warning(run->record, "siblings", "CPUs %d and %d are SMT siblings: each has half of the buffer",
                   litmus->cpu[0], litmus->cpu[1]);
    return STATUS_OK;
}

static enum status open_litmus(struct litmus *litmus, struct fault *fault)
{
    const struct run *run = litmus->bench->run;
    uint64_t random = 1, jitter = (uint64_t)(jitter_ns * ticks_per_ns(litmus)) + 1;

    litmus->kernel = kernel_next(&run->kernels, OPERATION_STORE_LOAD, NULL);
    if (litmus->kernel == NULL)
        return fault_set(fault, STATUS_UNSUPPORTED,
                         "--isa leaves no kernel of store_load for --method litmus");
    if (!run->clock->invariant)
        return fault_set(
            fault, STATUS_UNSUPPORTED,
            "--method litmus needs a clock that both CPUs read alike, and the tick counter of this "
            "machine is not one");
    if (choose_cpus(litmus, fault) != STATUS_OK)
        return fault->status;
    litmus->arena = aligned_alloc(PAGE, ARENA);
    if (litmus->arena == NULL)
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for two sides");
    memset(litmus->arena, 0, ARENA);
    for (int side = 0; side < SIDES; side++)
        for (size_t trial = 0; trial < BLOCK; trial++)
            litmus->offset[side][trial] = (unsigned char)random_below(&random, jitter < 255 ? jitter : 255);
    litmus->witness = sibling_new(run->cpu, run->clock);
    litmus->team = team_new(litmus->cpu, SIDES, fault);
    return fault->status;
}

static void close_litmus(struct litmus *litmus)
{
    if (litmus->team != NULL)
        team_free(litmus->team);
    sibling_free(litmus->witness);
    free(litmus->arena);
}

static void add_span(struct litmus *litmus, size_t first, size_t last, size_t step)
{
    for (size_t s = first; s <= last && s <= SB_MOST_STORES; s += step)
        if (s >= 1 && (litmus->count == 0 || s > litmus->point[litmus->count - 1]))
            litmus->point[litmus->count++] = s;
}

/* The size around which to look: twice what iso found, where that may have been a half. */
static size_t whole_of(const struct litmus *litmus)
{
    const struct capacity *capacity = &litmus->capacity;
    const bool whole = capacity->state != BUFFER_HALVED && capacity->proved;

    return whole ? capacity->entries : 2 * capacity->entries;
}

/* All of --stores; else coarse but around the whole capacity and around its half. */
static void choose_points(struct litmus *litmus)
{
    const struct range *range = &litmus->bench->params->stores;
    const size_t capacity = whole_of(litmus), half = capacity / 2, quarter = capacity / 4;

    litmus->count = 0;
    if (range->last != 0) {
        add_span(litmus, range->first, range->last, 1);
        return;
    }
    if (capacity < 16) {
        add_span(litmus, 1, capacity == 0 ? 160 : 32, 1);
        return;
    }
    add_span(litmus, 1, half - 4, quarter);
    add_span(litmus, half - 3, half + 4, 1);
    add_span(litmus, half + quarter, capacity - 7, quarter);
    add_span(litmus, capacity - 6, capacity + 8, 1);
    add_span(litmus, capacity + 16, capacity + 40, 8);
}

/* All numbers from just before the bound to the next that was tried, where there are any between them. */
static bool choose_bracket(struct litmus *litmus, const struct sb_bound *bound)
{
    enum { BEFORE = 2 };

    litmus->count = 0;
    if (!bound->found || bound->tight)
        return false;
    add_span(litmus, bound->stores > BEFORE ? bound->stores - BEFORE : 1, bound->next_stores, 1);
    return true;
}

static double block_s(void *context, size_t first)
{
    const struct litmus *litmus = context;

    return 1e-9 * (start_ns + period_ns * (double)litmus->block);
}

static void show(void *context, double done, double eta_s)
{
    const struct litmus *litmus = context;
    run_progress(litmus->bench->run, done, eta_s, "litmus");
}

static void add_to(struct sb_trials *trials, const float *value)
{
    trials->blocks++;
    trials->trials += (size_t)value[TRIALS];
    trials->both_old += (size_t)value[BOTH_OLD];
    trials->one_old += (size_t)value[ONE_OLD];
}

static void count_trials(const struct litmus *litmus, const struct engine_data *data,
                         struct sb_filling *filling)
{
    for (size_t sweep = 0; sweep < data->sweeps; sweep++)
        for (size_t i = 0; i < litmus->count; i++) {
            const float *value = data->value + sweep * data->cells + i * WIDTH;
            const enum state state = engine_state(data, sweep, i * WIDTH);
            const size_t stores = litmus->point[i];
            if (isnan(value[TRIALS]))
                continue;
            add_to(&filling->at[STATE_MIXED][stores], value);
            if (state != STATE_MIXED)
                add_to(&filling->at[state][stores], value);
        }
}

/* The points that were chosen, in blocks of equal size. */
static enum status run_points(struct litmus *litmus, struct sb_filling *filling, struct fault *fault)
{
    const struct run *run = litmus->bench->run;
    struct engine_host host = {.core_clock = run->core_clock,
                               .sibling = litmus->witness,
                               .team = litmus->team,
                               .interrupted = run->interrupted};
    struct engine_effort effort = litmus->bench->sampling;
    struct engine_data data = {0};
    const struct engine_bench bench = {.context = litmus,
                                       .points = litmus->count,
                                       .width = WIDTH,
                                       .sample = sample,
                                       .expected_s = block_s,
                                       .progress = show};

    effort.rounds = effort.least;
    effort.samples = (effort.samples + BLOCK - 1) / BLOCK;
    litmus->block = (litmus->bench->sampling.samples + effort.samples - 1) / effort.samples;
    const struct engine_machine machine = engine_host_machine(&host);
    const enum engine_end end = engine_run(&bench, &machine, &effort, &data, fault);
    if (host.stuck)
        fault_set(fault, STATUS_FAILED, "CPU %d did not come back from a look at it", litmus->cpu[0]);
    count_trials(litmus, &data, filling);
    litmus->cut = litmus->cut || end != ENGINE_ROUNDS;
    filling->state = engine_main_state(&data) == STATE_UNKNOWN ? STATE_MIXED : engine_main_state(&data);
    engine_data_free(&data);
    return fault->status;
}

/* The most that was seen in any state: the sibling of one of the two CPUs is not known, and one whole buffer is enough. */
static void choose_bound(struct sb_filling *filling)
{
    const struct sb_bound all = sb_filling_bound(filling, STATE_MIXED);

    filling->bound = sb_filling_bound(filling, filling->state);
    if (!all.found || (filling->bound.found && filling->bound.stores >= all.stores))
        return;
    filling->bound = all;
    filling->state = STATE_MIXED;
}

static enum status run_filling(struct litmus *litmus, size_t table, struct fault *fault)
{
    struct sb_filling *filling = &litmus->filling[litmus->fillings++];

    filling->address = litmus->cold ? "cold" : store_pattern_names[litmus->pattern];
    filling->cold = litmus->cold;
    filling->one_line = litmus->pattern <= STORES_LINE;
    choose_points(litmus);
    if (run_points(litmus, filling, fault) != STATUS_OK)
        return fault->status;
    choose_bound(filling);
    /* A fall among some of the points may not be the last one. */
    if (!litmus->cut && !litmus->cold && choose_bracket(litmus, &filling->bound) &&
        run_points(litmus, filling, fault) == STATUS_OK)
        choose_bound(filling);
    filling->bound.found = filling->bound.found && !litmus->cut && !litmus->cold;
    sb_filling_rows(litmus->bench, table, filling);
    sb_filling_finding(litmus->bench, filling, &litmus->capacity, litmus->cut);
    return fault->status;
}

/* The most that any filling allows is not known where fillings are missing. */
static void conclude(struct litmus *litmus)
{
    struct run *run = litmus->bench->run;

    if (litmus->cut && !run->interrupted(NULL))
        record_warning(run->record, "time_budget",
                       "the time budget left out points of the litmus test: fillers to %s and what follows",
                       litmus->filling[litmus->fillings - 1].address);
    run->left_out = run->left_out || litmus->cut;
    /* Without the cold one the bound stands. */
    sb_bound_finding(litmus->bench, litmus->filling, litmus->fillings, &litmus->capacity,
                     litmus->cut && !litmus->cold);
    sibling_record(litmus->witness, run->record);
}

static void run_fillings(struct litmus *litmus, struct fault *fault)
{
    const struct sb_bench *bench = litmus->bench;
    const size_t table = record_table_add(bench->run->record, &sb_litmus_table);

    for (int p = STORES_SAME; p <= STORES_PAGES && fault->status == STATUS_OK; p++) {
        if (litmus->cut || (bench->params->address != SB_ADDRESS_AUTO && bench->pattern != (unsigned)p))
            continue;
        litmus->pattern = (enum store_pattern)p;
        run_filling(litmus, table, fault);
    }
    litmus->cold = bench->params->address == SB_ADDRESS_AUTO && !litmus->cut;
    litmus->pattern = litmus->cold ? STORES_LINE : litmus->pattern;
    if (litmus->cold && fault->status == STATUS_OK)
        run_filling(litmus, table, fault);
    if (fault->status == STATUS_OK)
        conclude(litmus);
}

enum status sb_litmus_run(struct sb_bench *bench, struct fault *fault)
{
    struct litmus *litmus = calloc(1, sizeof *litmus);

    if (litmus == NULL)
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory");
    litmus->bench = bench;
    if (open_litmus(litmus, fault) == STATUS_OK) {
        litmus->capacity = sb_quick_capacity(bench, fault);
        if (fault->status == STATUS_OK)
            run_fillings(litmus, fault);
    }
    /* A side that never came back still uses all of it. */
    if (fault->status != STATUS_FAILED) {
        close_litmus(litmus);
        free(litmus);
    }
    return fault->status;
}
