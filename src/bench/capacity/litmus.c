/* SPDX-License-Identifier: MIT */
/* --method litmus: how many stores a later load can pass. Two CPUs store to their own locations, make the
 * filling stores, and load each other's location; both begin at one tick, give or take a random offset. Where
 * both loads miss the other's store, both have passed all stores before them. bound.c draws the
 * conclusions. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sb_capacity.h"
#include "uarchprobe/experiment.h"
#include "uarchprobe/pin.h"
#include "uarchprobe/random.h"

enum { SIDES = 2, PLACES = 2 + STORE_BURST_ADDRESSES };
enum { BLOCK = 500, BLOCK_QUICK = 200, FENCED_EACH = 4 };         /* trials */
enum { ROUNDS = 12, TRIPS = 10, TURNS = 2 * ROUNDS * TRIPS + 2 }; /* of the ping-pong before each block */
enum { TOGETHER = 8 };                                            /* blocks in a row, while both CPUs run */
/* Square roots before the first store: stores pile up behind them, and the load goes ahead. In time: as
 * long as a fetch of a line from anywhere takes. Late: the address of the first store waits for them, and its
 * line is fetched after. */
enum { ROOTS_IN_TIME = 40, ROOTS_LATE = 20 };
/* A page for each of the two locations and for the meeting, then the fillers of each side. */
enum { LINE = STORES_LINE_MOST, PAGE = STORES_PAGE_MOST, SIDE_ARENA = STORE_BURST_ADDRESSES * PAGE };
enum { MEETING = SIDES * PAGE, FILLERS = MEETING + PAGE, ARENA = FILLERS + SIDES * SIDE_ARENA };

/* The period between trials is long enough to leave the last one behind. */
static const double period_ns = 900, jitter_ns = 100, lead_ns = 40, start_ns = 4000, meeting_ns = 20e6,
                    between_probes_s = 0.02;

/* One block of trials; its number, from 1, gives it values and turns of its own. */
struct meeting {
    struct sb_block block;
    struct sb_start start;
    uint64_t number;
    bool met[SIDES];
    uint64_t loaded[SIDES][BLOCK];
};

struct litmus {
    const struct run *run;
    const struct kernel *kernel, *apart;
    unsigned char *arena;
    struct engine_host host;
    struct sibling *witness[SIDES];
    double rate; /* ticks in a ns */
    uint64_t number;
    size_t trials; /* of a block */
    struct meeting meeting[TOGETHER];
    size_t meetings;
    struct sb_passing passing;
};

static const uint64_t missed = UINT64_MAX; /* the trial began too late */

/* Fillings that merge: a buffer of stores as the control, and so many that only merging explains a pass. */
static void add_points(struct sb_passing *passing, const struct sb_params *params, size_t first, size_t last,
                       size_t step)
{
    const bool any = params->address == SB_ADDRESS_AUTO, given = params->stores.last > 0;
    const size_t entries = passing->entries;
    const size_t before = passing->points ? passing->point[passing->points - 1].stores : 0;
    for (size_t s = first; s <= last && s <= SB_MOST_STORES; s += step)
        for (int filling = 0; s > before && filling < FILLINGS; filling++) {
            if (any ? filling == FILL_LINE || filling == FILL_PAGES : filling != params->address - 1)
                continue;
            if (!given && filling <= FILL_LINE && s != entries && s < SB_MERGED * entries)
                continue;
            for (int late = 0; late < 2; late++)
                passing->point[passing->points++] =
                    (struct sb_point){(enum sb_filling)filling, late, s, {{{0}}}};
        }
}

/* All of --stores; else around half of the buffer (a control), beyond all of it, and in reserve around
 * twice of it. */
void sb_points_choose(struct sb_passing *passing, const struct sb_params *params, size_t entries)
{
    enum { SMALL = 16, BLIND = 160, CLOSE = 12, FAR = 32, BEYOND = 11 };
    passing->entries = entries;
    if (params->stores.last > 0)
        add_points(passing, params, params->stores.first, params->stores.last, 1);
    else if (entries < SMALL)
        add_points(passing, params, 1, BLIND, entries == 0 ? 8 : 1);
    else {
        passing->usual = entries + FAR;
        passing->reserved = entries + BEYOND; /* three of the usual numbers are larger */
        add_points(passing, params, entries / 2, entries / 2 + 2, 1);
        for (size_t size = entries; size <= 2 * entries; size += entries) {
            add_points(passing, params, size - 1, size + CLOSE, 1);
            add_points(passing, params, size + FAR / 2, size + FAR, FAR / 2);
        }
        add_points(passing, params, SB_MERGED * entries, SB_MERGED * entries, 1);
    }
}

static atomic_uint_least64_t *turn_of(const struct litmus *litmus)
{
    return (atomic_uint_least64_t *)(void *)(litmus->arena + MEETING);
}

/* Waits for a turn; false: the other side gave up. */
static bool await(atomic_uint_least64_t *now, uint64_t turn, double ns_per_tick)
{
    enum { SPINS = 4096 };
    const uint64_t end = clock_ticks() + (uint64_t)(meeting_ns / ns_per_tick);
    for (unsigned spins = 1; atomic_load_explicit(now, memory_order_acquire) != turn; spins++)
        if (spins % SPINS == 0 && clock_ticks() > end)
            return false;
    return true;
}

bool sb_meet(atomic_uint_least64_t *now, uint64_t first, double ns_per_tick, int side, struct sb_start *start)
{
    uint64_t turn = first, least = UINT64_MAX;
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t begin = clock_ticks();
        for (int trip = 0; trip < TRIPS; trip++, turn += 2) {
            if (side == 0)
                atomic_store_explicit(now, turn + 1, memory_order_release);
            if (!await(now, turn + 1 + (side == 0), ns_per_tick))
                return false;
            if (side == 1)
                atomic_store_explicit(now, turn + 2, memory_order_release);
        }
        const uint64_t ticks = clock_ticks() - begin;
        least = ticks < least ? ticks : least;
    }
    if (side == 1)
        return await(now, turn + 1, ns_per_tick);
    start->distance_ns = (double)least * ns_per_tick / (2 * TRIPS);
    start->ticks = clock_ticks() + (uint64_t)(start_ns / ns_per_tick);
    atomic_store_explicit(now, turn + 1, memory_order_release);
    return true;
}

/* Fetches the fillers' lines, and shares those of the two locations between both sides. */
static void prepare(const struct sb_point *point, void *const *place, const struct sled *sled)
{
    volatile unsigned char *apart = place[2];
    (void)*(volatile uint64_t *)place[1];
    if (point->filling == FILL_APART)
        for (size_t i = sled->units - (point->stores - 1); i < sled->units; i++)
            apart[i * STORE_APART_BYTES] = 0;
    else
        for (size_t i = 0; i < STORE_BURST_ADDRESSES; i++)
            *(volatile unsigned char *)place[2 + i] = 0;
}

static bool is_fenced(size_t trial)
{
    return trial % FENCED_EACH == FENCED_EACH - 1;
}

static void run_trials(struct litmus *litmus, struct meeting *meeting, int side)
{
    static const size_t at[FILLINGS][STORE_BURST_ADDRESSES] = {
        [FILL_TWO] = {0, LINE, 8, LINE + 8},
        [FILL_LINES] = {0, LINE, 2 * LINE, 3 * LINE},
        [FILL_PAGES] = {0, PAGE + LINE, 2 * (PAGE + LINE), 3 * (PAGE + LINE)},
        [FILL_LINE] = {0, 8, 16, 24}};
    const struct sb_point *point = &litmus->passing.point[meeting->block.point];
    const uint64_t period = (uint64_t)(period_ns * litmus->rate), lead = (uint64_t)(lead_ns * litmus->rate),
                   jitter = (uint64_t)(jitter_ns * litmus->rate) + 1;
    const struct kernel *kernel = point->filling == FILL_APART ? litmus->apart : litmus->kernel;
    uint64_t random = SIDES * meeting->number + (uint64_t)side;
    void *place[PLACES] = {litmus->arena + (size_t)side * PAGE, litmus->arena + (size_t)(1 - side) * PAGE};
    for (size_t i = 0; i < STORE_BURST_ADDRESSES; i++)
        place[2 + i] = litmus->arena + FILLERS + (size_t)side * SIDE_ARENA + LINE + at[point->filling][i];
    for (size_t trial = 0; trial < litmus->trials; trial++) {
        const uint64_t begin = meeting->start.ticks + trial * period + random_below(&random, jitter);
        const uintptr_t kind = (point->late ? TRIAL_LATE : 0) | (is_fenced(trial) ? TRIAL_FENCED : 0);
        prepare(point, place, &kernel->sled);
        const bool late = clock_ticks() + lead > begin;
        const uint64_t loaded =
            kernel->entry(place, (const void *)kind, point->stores, meeting->number * BLOCK + trial,
                          clock_counter_at(begin), point->late ? ROOTS_LATE : ROOTS_IN_TIME);
        meeting->loaded[side][trial] = late ? missed : loaded;
    }
}

static void run_side(void *context, int side)
{
    struct litmus *litmus = context;
    for (size_t i = 0; i < litmus->meetings; i++) {
        struct meeting *meeting = &litmus->meeting[i];
        meeting->block.before[side] = sibling_read(litmus->witness[side], NAN);
        meeting->met[side] = sb_meet(turn_of(litmus), meeting->number * TURNS,
                                     litmus->run->clock->ns_per_tick, side, &meeting->start);
        if (!meeting->met[side])
            return; /* the other side then gives up, at once or after its trials */
        run_trials(litmus, meeting, side);
        meeting->block.after[side] = sibling_read(litmus->witness[side], NAN);
    }
}

static void count_trials(struct litmus *litmus, const struct meeting *meeting)
{
    struct sb_block block = meeting->block;
    block.distance_ns = meeting->start.distance_ns;
    for (size_t trial = 0; trial < litmus->trials; trial++) {
        const uint64_t a = meeting->loaded[0][trial], b = meeting->loaded[1][trial];
        const uint64_t stored = meeting->number * BLOCK + trial;
        struct sb_count *count = is_fenced(trial) ? &block.fenced : &block.count;
        if (a == missed || b == missed)
            continue;
        count->trials++;
        count->both_old += a < stored && b < stored;
    }
    sb_passing_add(&litmus->passing, &block);
}

/* Plans the meetings of the next sample. One point of the engine is TOGETHER points of ours. */
static bool wants(void *context, size_t group, uint64_t round)
{
    struct litmus *litmus = context;
    const struct sb_passing *passing = &litmus->passing;
    litmus->meetings = 0;
    for (size_t i = group * TOGETHER; i < passing->points && i < (group + 1) * TOGETHER; i++)
        if (sb_point_wanted(passing, &passing->point[i], round)) {
            struct meeting *meeting = &litmus->meeting[litmus->meetings++];
            meeting->block = (struct sb_block){.point = i};
            meeting->met[0] = meeting->met[1] = false;
            meeting->number = ++litmus->number;
        }
    return litmus->meetings > 0;
}

static double expected_s(void *context, size_t group)
{
    const struct litmus *litmus = context;
    return 1e-9 * TOGETHER * (start_ns + period_ns * (double)litmus->trials);
}

static bool sample(void *context, size_t group, size_t count, double *value, struct fault *fault)
{
    struct litmus *litmus = context;
    *value = 0; /* the counts are in `passing` */
    const struct samples *ghz = &litmus->run->core_clock->ghz;
    atomic_store(turn_of(litmus), litmus->meeting[0].number * TURNS);
    if (!engine_host_together(&litmus->host, NULL, SIDES, run_side, litmus, expected_s(litmus, group), fault))
        return fault->status == STATUS_OK;
    litmus->passing.ghz = median_of(ghz->value, ghz->count);
    for (size_t i = 0; i < litmus->meetings; i++)
        if (litmus->meeting[i].met[0] && litmus->meeting[i].met[1])
            count_trials(litmus, &litmus->meeting[i]);
    return true;
}

static bool is_enough(void *context, const struct engine_data *data)
{
    return sb_passing_enough(&((const struct litmus *)context)->passing);
}

/* Prefers two CPUs of different cores: SMT siblings share the measured buffer. */
static enum status open_litmus(struct litmus *litmus, struct fault *fault)
{
    const struct run *run = litmus->run;
    int other = 1;
    if (!run->clock->invariant)
        return fault_set(fault, STATUS_UNSUPPORTED,
                         "--method litmus needs a tick counter that both CPUs read alike");
    if (run->cpus.count < SIDES)
        return fault_set(
            fault, STATUS_NO_RESOURCE,
            "--method litmus needs two CPUs, %d can be used here: allow more CPUs or use --method iso",
            run->cpus.count);
    while (other + 1 < run->cpus.count &&
           topology_relation(run->topology, run->cpus.id[0], run->cpus.id[other]) <= SAME_CORE)
        other++;
    const int cpu[SIDES] = {run->cpus.id[0], run->cpus.id[other]};
    litmus->kernel = kernel_next(&run->kernels, OPERATION_STORE_LOAD, NULL);
    litmus->apart = kernel_next(&run->kernels, OPERATION_STORE_LOAD_APART, NULL);
    litmus->rate = 1 / run->clock->ns_per_tick;
    litmus->arena = aligned_alloc(PAGE, ARENA);
    if (litmus->arena == NULL)
        memory_exhausted(ARENA);
    memset(litmus->arena, 0, ARENA);
    for (int side = 0; side < SIDES; side++)
        litmus->witness[side] = sibling_new(run->cpu, run->clock);
    return engine_host_start(&litmus->host, cpu, SIDES, fault);
}

/* Measures until the answers are there or the time is over; keeps the requested rounds or trials. */
static void measure(struct litmus *litmus, struct run *run, const struct engine_effort *effort,
                    struct fault *fault)
{
    enum { READINGS = 40 };
    struct engine_data data = {0};
    struct reading reading = {0};
    for (int i = 0; i < READINGS; i++)
        reading = sibling_read(litmus->witness[0], NAN);
    sb_points_choose(&litmus->passing, run->params, reading.whole);
    const struct engine_bench blocks = {.context = litmus,
                                        .points = (litmus->passing.points + TOGETHER - 1) / TOGETHER,
                                        .width = 1,
                                        .sample = sample,
                                        .expected_s = expected_s,
                                        .wants = wants,
                                        .enough = is_enough};
    engine_host_run(&litmus->host, &blocks, effort, &data, fault);
    effort_warn(run, effort, &data);
    engine_data_free(&data);
    if (fault->status == STATUS_OK) {
        sb_passing_record(&litmus->passing, run->record);
        sibling_record(litmus->witness[0], run->record);
    }
}

enum status sb_litmus_run(struct run *run, const struct kernel *kernel, struct fault *fault)
{
    struct engine_effort effort = effort_of(run->common, run->common->quick ? 4 : 8, 2);
    if (effort.samples == 0)
        effort.samples = run->common->quick ? BLOCK_QUICK : BLOCK;
    if (effort.budget_s == 0 && effort.rounds == 0)
        effort.rounds = effort.least;
    if (run->common->dry_run) {
        effort_plan(run, &effort, effort.budget_s);
        return STATUS_OK;
    }
    struct litmus *litmus = memory_zeroed(1, sizeof *litmus);
    litmus->run = run;
    litmus->host = (struct engine_host){.run = run, .what = "litmus"};
    litmus->trials = effort.samples < BLOCK ? effort.samples : BLOCK;
    effort.samples = (effort.samples + BLOCK - 1) / BLOCK;
    effort.batch_s = between_probes_s;
    effort.begin = stopwatch_start();
    if (open_litmus(litmus, fault) == STATUS_OK)
        measure(litmus, run, &effort, fault);
    engine_host_end(&litmus->host);
    for (int side = 0; side < SIDES; side++)
        sibling_free(litmus->witness[side]);
    free(litmus->arena);
    free(litmus);
    return fault->status;
}
