/* SPDX-License-Identifier: MIT */
/* --method litmus: how many stores a later load can overtake. Two CPUs store each to its own location, make
 * the filling stores, and load the other's location; both begin at one tick, give or take a random offset.
 * When both loads miss the other's store, both have overtaken all stores before them. */
#include <stdlib.h>
#include <string.h>

#include "sb_capacity.h"
#include "uarchprobe/pin.h"
#include "uarchprobe/random.h"

enum { SIDES = 2, TRIALS_AT_ONCE = 1 << 15, POINTS_MOST = SB_MOST_STORES, PLACES = 6 };
enum { LINE = 64, PAGE = 4096, ARENA = 64 * PAGE, SIDE_ARENA = 16 * PAGE };

/* Ticks are counted in ns: the rendezvous is as long as it takes to leave the last trial behind. */
static const double period_ns = 600, jitter_ns = 46, lead_ns = 40, start_ns = 50000;

struct litmus {
    struct sb_bench *bench;
    const struct kernel *kernel;
    unsigned char *arena;
    struct team *team;
    int cpu[SIDES];
    size_t trials; /* that are made at once */
    uint64_t *loaded[SIDES];
    unsigned char *offset[SIDES]; /* ticks of jitter, by trial */
    /* One point. */
    size_t stores;
    enum store_pattern pattern;
    uint64_t start;
    uint64_t first_value;
    struct capacity capacity; /* as iso saw it before */
    /* Of all patterns so far. */
    size_t bound;
    bool agree;
    bool cut; /* by the time budget or an interruption */
};

static const uint64_t missed = UINT64_MAX; /* the trial began too late */

static double ticks_per_ns(const struct litmus *litmus)
{
    return 1 / litmus->bench->run->clock->ns_per_tick;
}

static void set_places(const struct litmus *litmus, int side, void **place)
{
    unsigned char *own = litmus->arena + (size_t)(2 + side) * PAGE;
    unsigned char *fillers = litmus->arena + (size_t)(1 + side) * SIDE_ARENA;
    const size_t stride[] = {
        [STORES_SAME] = 0, [STORES_LINE] = 8, [STORES_LINES] = LINE, [STORES_PAGES] = PAGE + LINE};

    place[0] = own;
    place[1] = litmus->arena + (size_t)(3 - side) * PAGE;
    for (size_t i = 0; i < STORE_BURST_ADDRESSES; i++)
        place[2 + i] = fillers + LINE + i * stride[litmus->pattern];
}

static void run_side(void *context, int side)
{
    struct litmus *litmus = context;
    const double rate = ticks_per_ns(litmus);
    const uint64_t period = (uint64_t)(period_ns * rate), lead = (uint64_t)(lead_ns * rate);
    void *place[PLACES];

    set_places(litmus, side, place);
    for (size_t trial = 0; trial < litmus->trials; trial++) {
        uint64_t begin = litmus->start + trial * period + litmus->offset[side][trial];
        if (litmus->start + trial * period >= litmus->bench->deadline_ticks) {
            litmus->loaded[side][trial] = missed;
            continue;
        }
        bool late = clock_ticks() + lead > begin;
        uint64_t loaded =
            litmus->kernel->entry(place, NULL, litmus->stores, litmus->first_value + trial, begin, 0);

        litmus->loaded[side][trial] = late ? missed : loaded;
    }
}

static bool run_trials(struct litmus *litmus, struct sb_litmus_point *point)
{
    /* Ten times as long as the rendezvous take, and as much as a busy machine may need. */
    const int deadline_s = 30 + (int)(10 * period_ns * 1e-9 * (double)litmus->trials);

    litmus->first_value += litmus->trials;
    litmus->stores = point->stores;
    litmus->start = clock_ticks() + (uint64_t)(start_ns * ticks_per_ns(litmus));
    if (!team_run(litmus->team, SIDES, run_side, litmus, deadline_s))
        return false;
    for (size_t trial = 0; trial < litmus->trials; trial++) {
        uint64_t a = litmus->loaded[0][trial], b = litmus->loaded[1][trial];
        bool a_old = a < litmus->first_value + trial, b_old = b < litmus->first_value + trial;

        if (a == missed || b == missed)
            continue;
        point->trials++;
        point->both_old += a_old && b_old;
        point->one_old += a_old != b_old;
    }
    return true;
}

/* The trials of one round, adding to those of the rounds before. */
static bool run_point(struct litmus *litmus, struct sb_litmus_point *point)
{
    for (uint64_t left = litmus->bench->samples; left > 0 && !litmus->cut; left -= litmus->trials) {
        litmus->trials = left < TRIALS_AT_ONCE ? left : TRIALS_AT_ONCE;
        if (!run_trials(litmus, point))
            return false;
        litmus->cut = clock_ticks() >= litmus->bench->deadline_ticks ||
                      (left > litmus->trials && sb_must_stop(litmus->bench));
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
        if (topology_kinship(run->topology, litmus->cpu[0], run->cpus.id[i]) > KIN_SMT) {
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
    if (strcmp(run->clock->source, "clock_gettime") == 0)
        return fault_set(
            fault, STATUS_UNSUPPORTED,
            "--method litmus needs a clock that both CPUs read alike, and the tick counter of this "
            "machine is not one");
    if (choose_cpus(litmus, fault) != STATUS_OK)
        return fault->status;
    litmus->trials = TRIALS_AT_ONCE;
    litmus->arena = aligned_alloc(PAGE, ARENA);
    for (int side = 0; side < SIDES; side++) {
        litmus->loaded[side] = calloc(litmus->trials, sizeof *litmus->loaded[side]);
        litmus->offset[side] = calloc(litmus->trials, 1);
        if (litmus->arena == NULL || litmus->loaded[side] == NULL || litmus->offset[side] == NULL)
            return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for %zu trials", litmus->trials);
        for (size_t trial = 0; trial < litmus->trials; trial++) {
            litmus->offset[side][trial] = (unsigned char)random_below(&random, jitter < 255 ? jitter : 255);
        }
    }
    memset(litmus->arena, 0, ARENA);
    litmus->team = team_new(litmus->cpu, SIDES, fault);
    return fault->status;
}

static void close_litmus(struct litmus *litmus)
{
    if (litmus->team != NULL)
        team_free(litmus->team);
    for (int side = 0; side < SIDES; side++) {
        free(litmus->loaded[side]);
        free(litmus->offset[side]);
    }
    free(litmus->arena);
}

static size_t add_span(size_t *stores, size_t count, size_t first, size_t last, size_t step)
{
    for (size_t s = first; s <= last && s <= POINTS_MOST && count < POINTS_MOST; s += step)
        if (s >= 1 && (count == 0 || s > stores[count - 1]))
            stores[count++] = s;
    return count;
}

/* The size around which to look: twice what iso found, where that may have been a half. */
static size_t whole_of(const struct litmus *litmus, const struct capacity *capacity)
{
    bool whole = capacity->half_seen || capacity->entries == sb_published_entries(litmus->bench);

    return whole ? capacity->entries : 2 * capacity->entries;
}

/* All of --stores; else coarse but around the whole capacity and around its half. */
static size_t choose_points(struct litmus *litmus, size_t capacity, size_t *stores)
{
    const struct range *range = &litmus->bench->params->stores;
    size_t count, half = capacity / 2, quarter = capacity / 4 > 0 ? capacity / 4 : 1;

    if (range->last != 0)
        return add_span(stores, 0, range->first, range->last, 1);
    if (capacity < 16)
        return add_span(stores, 0, 1, capacity == 0 ? 160 : 32, 1);
    count = add_span(stores, 0, 1, half - 4, quarter);
    count = add_span(stores, count, half - 3, half + 4, 1);
    count = add_span(stores, count, half + quarter, capacity - 7, quarter);
    count = add_span(stores, count, capacity - 6, capacity + 8, 1);
    return add_span(stores, count, capacity + 16, capacity + 40, 8);
}

static void bound_finding(const struct litmus *litmus, const struct sb_bound *bound, const char *address)
{
    char key[64];

    snprintf(key, sizeof key, "store_buffer.reorder_bound.%s", address);
    if (!bound->found)
        sb_finding(litmus->bench, key, NO_CELL, "stores", TRUST_LOW,
                   "fillers to %s: not resolved, because %s", address,
                   litmus->cut ? "the run ended early"
                               : "the share of trials with both loads old has no fall in this range");
    else
        sb_finding(litmus->bench, key, INTEGER_CELL(bound->stores), "stores",
                   bound->fall >= 50 ? TRUST_HIGH : TRUST_MEDIUM,
                   "fillers to %s: a load overtakes %zu stores in %.3g %% of the trials, %zu in %.3g %%, "
                   "more than %zu in "
                   "%.3g %%",
                   address, bound->stores, 100 * bound->rate, bound->next_stores, 100 * bound->next,
                   bound->stores, 100 * bound->floor);
}

/* The bound is the most that any filling allows. A buffer that was halved all the time bounds it too low. */
static void summary_finding(const struct litmus *litmus, size_t capacity)
{
    static const char key[] = "store_buffer.reorder_bound";
    const size_t published = sb_published_entries(litmus->bench);
    bool whole = capacity == whole_of(litmus, &litmus->capacity);
    enum trust trust = litmus->agree && whole ? TRUST_HIGH : TRUST_MEDIUM;

    if (litmus->bound == 0)
        sb_finding(litmus->bench, key, NO_CELL, "stores", TRUST_LOW, "reorder bound: not resolved");
    else if (published > 1 && litmus->bound < published / 2 + 8)
        sb_finding(
            litmus->bench, key, INTEGER_CELL(litmus->bound), "stores", TRUST_MEDIUM,
            "reorder bound: a load overtook up to %zu stores while the buffer was halved by an SMT sibling; "
            "the bound of the whole buffer of %zu was not seen",
            litmus->bound, published);
    else if (capacity == 0 || litmus->bound > capacity + 8)
        sb_finding(litmus->bench, key, INTEGER_CELL(litmus->bound), "stores", TRUST_MEDIUM,
                   "reorder bound: a load overtakes up to %zu stores", litmus->bound);
    else
        sb_finding(litmus->bench, key, INTEGER_CELL(litmus->bound), "stores", trust,
                   "reorder bound: a load overtakes up to %zu stores, the capacity of %zu %+d%s",
                   litmus->bound, capacity, (int)litmus->bound - (int)capacity,
                   whole ? ""
                         : "; should a sibling have been active all the time, it is about twice as much");
}

/* Every point once, then all again. */
static enum status run_points(struct litmus *litmus, struct sb_litmus_point *point, size_t count,
                              struct fault *fault)
{
    const uint64_t all = litmus->bench->rounds * count;

    for (uint64_t done = 0; done < all; done++) {
        litmus->cut = litmus->cut || sb_must_stop(litmus->bench);
        if (litmus->cut)
            break;
        if (!run_point(litmus, &point[done % count]))
            return fault_set(fault, STATUS_FAILED, "the two CPUs did not finish %zu trials in time",
                             litmus->trials);
        point[done % count].rounds++;
        run_progress(litmus->bench->run, (double)done / (double)all, -1, "litmus");
    }
    return STATUS_OK;
}

static enum status run_pattern(struct litmus *litmus, size_t table, struct fault *fault)
{
    size_t stores[POINTS_MOST] = {0}, hits[POINTS_MOST] = {0}, trials[POINTS_MOST] = {0};
    size_t count = choose_points(litmus, whole_of(litmus, &litmus->capacity), stores);
    const char *address = store_pattern_names[litmus->pattern];
    struct sb_litmus_point *point = calloc(count, sizeof *point);
    struct sb_bound bound;

    if (point == NULL)
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for %zu points", count);
    for (size_t i = 0; i < count; i++)
        point[i] = (struct sb_litmus_point){.address = address, .stores = stores[i]};
    run_points(litmus, point, count, fault);
    for (size_t i = 0; i < count; i++) {
        hits[i] = point[i].both_old;
        trials[i] = point[i].trials;
    }
    /* A fall among some of the points may not be the last one. */
    bound = sb_bound_of(stores, hits, trials, litmus->cut ? 0 : count);
    for (size_t i = 0; i < count && point[i].rounds > 0; i++) {
        point[i].is_bound = bound.found && point[i].stores == bound.stores;
        sb_litmus_row(litmus->bench, table, &point[i]);
    }
    bound_finding(litmus, &bound, address);
    litmus->agree = litmus->agree && bound.found && (litmus->bound == 0 || litmus->bound == bound.stores);
    litmus->bound = bound.found && bound.stores > litmus->bound ? bound.stores : litmus->bound;
    free(point);
    return fault->status;
}

/* The most that any filling allows is not known where fillings are missing. */
static void conclude(struct litmus *litmus)
{
    struct run *run = litmus->bench->run;

    if (litmus->cut && !run->interrupted(NULL))
        record_warning(run->record, "time_budget",
                       "the time budget left out points of the litmus test: fillers to %s and what follows",
                       store_pattern_names[litmus->pattern]);
    run->left_out = run->left_out || litmus->cut;
    litmus->bound = litmus->cut ? 0 : litmus->bound;
    summary_finding(litmus, litmus->capacity.entries);
}

/* The capacity as iso sees it now, to know where to look. */
static struct capacity quick_capacity(struct litmus *litmus, struct fault *fault)
{
    enum { SWEEPS = 100 };
    const struct run *run = litmus->bench->run;
    const struct kernel *plain = store_kernel_find(&run->kernels, 64, false);
    struct sb_sweeps sweeps;
    struct capacity capacity = {.state = BUFFER_UNRESOLVED};

    if (plain == NULL || pin_self(litmus->cpu[0], fault) != STATUS_OK ||
        sb_sweeps_open(&sweeps, litmus->bench, plain, STORES_LINE, fault) != STATUS_OK)
        return capacity;
    if (sb_sweeps_explore(&sweeps, litmus->bench, 0) != 0) {
        sb_sweeps_take(&sweeps, SWEEPS);
        capacity = sb_sweeps_capacity(&sweeps, sb_published_entries(litmus->bench));
    }
    sb_sweeps_close(&sweeps);
    return capacity;
}

enum status sb_litmus_run(struct sb_bench *bench, struct fault *fault)
{
    struct litmus *litmus = calloc(1, sizeof *litmus);
    size_t table;

    if (litmus == NULL)
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory");
    litmus->bench = bench;
    litmus->agree = true;
    if (open_litmus(litmus, fault) == STATUS_OK) {
        litmus->capacity = quick_capacity(litmus, fault);
        table = record_table_add(bench->run->record, &sb_litmus_table);
        for (int p = STORES_SAME; p <= STORES_PAGES && fault->status == STATUS_OK && !litmus->cut; p++) {
            litmus->pattern = (enum store_pattern)p;
            if (bench->params->address == SB_ADDRESS_AUTO || bench->pattern == litmus->pattern)
                run_pattern(litmus, table, fault);
        }
        if (fault->status == STATUS_OK)
            conclude(litmus);
    }
    /* A side that never came back still uses all of it. */
    if (fault->status != STATUS_FAILED) {
        close_litmus(litmus);
        free(litmus);
    }
    return fault->status;
}
