/* SPDX-License-Identifier: MIT */
/* Many short sweeps of the iso experiment, each of which gives one knee. A sweep of the engine, one sample of every number
 * of stores, is one sweep of the experiment. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sb_capacity.h"
#include "uarchprobe/pin.h"

enum {
    EXPLORING = 16,
    FIRST_RANGE = 160,
    MARGIN = 16,
    SECOND_OPINION = 40,
    TURNS = 20,
    ENOUGH_UNPROVED = 1000
};

static size_t point_count(const struct sb_sweeps *sweeps)
{
    return sweeps->last - sweeps->first + 1;
}

static void forget(struct sb_sweeps *sweeps)
{
    memset(&sweeps->counts, 0, sizeof sweeps->counts);
    memset(&sweeps->ratios, 0, sizeof sweeps->ratios);
    for (size_t i = 0; i < KNEE_VALUES; i++)
        sweeps->minimum[i] = INFINITY;
}

static void set_chain(struct sb_sweeps *sweeps, enum store_chain kind, unsigned length)
{
    sweeps->probe.chain = kind;
    sweeps->probe.chain_length = length;
    sweeps->chain = store_probe_chain_ticks(&sweeps->probe);
    forget(sweeps);
}

void sb_sweeps_range(struct sb_sweeps *sweeps, size_t first, size_t last)
{
    sweeps->first = first;
    sweeps->last = last < SB_MOST_STORES ? last : SB_MOST_STORES;
    forget(sweeps);
}

enum status sb_sweeps_open(struct sb_sweeps *sweeps, const struct sb_bench *bench,
                           const struct kernel *kernel, enum store_pattern pattern, struct fault *fault)
{
    *sweeps = (struct sb_sweeps){.bench = bench};
    if (store_probe_init(&sweeps->probe, kernel, pattern, fault) != STATUS_OK)
        return fault->status;
    store_probe_fit(&sweeps->probe, bench->run->clock);
    set_chain(sweeps, store_chains[0].kind, store_chains[0].length);
    sb_sweeps_range(sweeps, 1, FIRST_RANGE);
    return STATUS_OK;
}

void sb_sweeps_close(struct sb_sweeps *sweeps)
{
    engine_data_free(&sweeps->data);
    store_probe_free(&sweeps->probe);
}

static bool sample(void *context, size_t first, size_t count, double *value, struct fault *fault)
{
    const struct sb_sweeps *sweeps = context;
    const struct sb_sweeps *of = sweeps->paired && first == 0 ? sweeps->paired : sweeps;

    store_probe_sweep(&of->probe, of->first, of->last, value);
    return true;
}

/* The CPUs take turns: the sibling of one may sleep while that of another does not. */
static bool move_on(void *context, unsigned turn, struct fault *fault)
{
    const struct sb_sweeps *sweeps = context;

    return pin_self(sweeps->cpu[turn % (unsigned)sweeps->cpus], fault) == STATUS_OK;
}

/* The knee as a number of stores; 0: none. */
static size_t count_sweep(struct sb_sweeps *sweeps, const float *value)
{
    double ticks[KNEE_VALUES];
    const size_t count = point_count(sweeps);

    for (size_t i = 0; i < count; i++) {
        ticks[i] = (double)value[i];
        sweeps->minimum[i] = fmin(sweeps->minimum[i], ticks[i]);
    }
    const struct knee knee = knee_sweep(ticks, count, sweeps->chain);
    const size_t stores = knee.found ? sweeps->first + knee.last : 0;
    knee_count(&sweeps->counts, stores);
    return stores;
}

static void count_ratio(struct knee_counts *ratios, size_t paired, size_t own)
{
    const double ratio = (double)paired / (double)own, whole = round(ratio);

    knee_count(ratios, whole >= 1 && fabs(ratio - whole) < 0.03 ? (size_t)whole : 0);
}

/* What is kept of the last run, beside the runs before. A sweep that was cut is none. */
static void count_all(struct sb_sweeps *sweeps, const struct engine_data *data)
{
    sweeps->counts = sweeps->earlier;
    sweeps->ratios = sweeps->earlier_ratios;
    if (sweeps->paired)
        sweeps->paired->counts = sweeps->paired->earlier;
    for (size_t sweep = 0; sweep < data->sweeps; sweep++) {
        const float *value = data->value + sweep * data->cells;
        if (isnan(value[data->cells - 1]))
            continue;
        const size_t paired = sweeps->paired ? count_sweep(sweeps->paired, value) : 0;
        const size_t own = count_sweep(sweeps, value + sweeps->column);
        if (paired && own)
            count_ratio(&sweeps->ratios, paired, own);
    }
}

/* The knee of the minimum curve, as a number of stores; 0: none. */
static size_t minimum_knee(const struct sb_sweeps *sweeps)
{
    if (sweeps->counts.sweeps == 0)
        return 0;
    const struct knee knee = knee_sweep(sweeps->minimum, point_count(sweeps), sweeps->chain);
    return knee.found ? sweeps->first + knee.last : 0;
}

void sb_sweeps_judge(struct sb_sweeps *sweeps)
{
    struct published_size published = sweeps->published;

    if (published.entries + 1 + KNEE_END > sweeps->last)
        published.entries = 0;
    sweeps->capacity = knee_capacity(&sweeps->counts, minimum_knee(sweeps), published);
}

/* More sweeps would change nothing that is said: all is trusted, if only another chain agrees; or twice as many were not
 * seen for long. */
static bool is_enough(void *context, const struct engine_data *data)
{
    struct sb_sweeps *sweeps = context;

    count_all(sweeps, data);
    sb_sweeps_judge(sweeps);
    struct capacity hoped = sweeps->capacity;
    hoped.opinion = OPINION_AGREES;
    hoped.proved = true;
    return hoped.state != BUFFER_HALVED && capacity_judge(&hoped).trust == TRUST_HIGH &&
           (sweeps->capacity.proved || hoped.sweeps >= ENOUGH_UNPROVED);
}

static void show(void *context, double done, double eta_s)
{
    const struct sb_sweeps *sweeps = context;
    run_progress(sweeps->bench->run, done, eta_s, "sweeps");
}

enum status sb_sweeps_run(struct sb_sweeps *sweeps, const struct engine_effort *effort, struct fault *fault)
{
    struct engine_host host = {.core_clock = sweeps->bench->run->core_clock,
                               .sibling = sweeps->witness,
                               .with = sweeps->with,
                               .interrupted = sweeps->bench->run->interrupted,
                               .taken = sweeps->bench->run->taken};
    const struct engine_machine machine = engine_host_machine(&host);
    const size_t before = sweeps->paired ? point_count(sweeps->paired) : 0, group[] = {0, before};
    const struct engine_bench bench = {.context = sweeps,
                                       .points = before + point_count(sweeps),
                                       .width = 1,
                                       .group = group,
                                       .groups = before > 0 ? 2 : 1,
                                       .sample = sample,
                                       .remap = sweeps->cpus > 1 ? move_on : NULL,
                                       .budget_binds_all = true,
                                       .enough = sweeps->until_enough ? is_enough : NULL,
                                       .progress = show};
    struct engine_effort turns = *effort;

    engine_data_free(&sweeps->data);
    sweeps->column = before;
    sweeps->from = &sweeps->data;
    sweeps->earlier = sweeps->counts;
    sweeps->earlier_ratios = sweeps->ratios;
    if (sweeps->paired) {
        sweeps->paired->from = &sweeps->data;
        sweeps->paired->earlier = sweeps->paired->counts;
    }
    turns.placements = TURNS;
    const enum engine_end end = engine_run(&bench, &machine, &turns, &sweeps->data, fault);
    count_all(sweeps, &sweeps->data);
    return end == ENGINE_FAILED ? fault->status : STATUS_OK;
}

/* 0: none up to the longest sweep. */
static size_t first_peak(struct sb_sweeps *sweeps, struct fault *fault)
{
    const struct engine_effort effort = sb_rounds(sweeps->bench->sampling, EXPLORING);
    size_t peak = 0;

    for (size_t last = FIRST_RANGE; peak == 0 && last < 2 * SB_MOST_STORES; last *= 2) {
        sb_sweeps_range(sweeps, 1, last);
        if (sb_sweeps_run(sweeps, &effort, fault) != STATUS_OK || sweeps->data.end != ENGINE_ROUNDS)
            return 0;
        peak = knee_largest_peak(&sweeps->counts);
    }
    return peak;
}

size_t sb_sweeps_explore(struct sb_sweeps *sweeps, struct fault *fault)
{
    size_t peak = 0;

    for (size_t i = 0; i < STORE_CHAINS && peak == 0 && fault->status == STATUS_OK; i++) {
        set_chain(sweeps, store_chains[i].kind, store_chains[i].length);
        if (store_probe_overlaps(&sweeps->probe))
            peak = first_peak(sweeps, fault);
    }
    if (peak != 0)
        sb_sweeps_range(sweeps, 1, 2 * peak + MARGIN);
    return peak;
}

static enum opinion opinion_of(struct sb_sweeps *second, size_t entries, enum store_chain kind,
                               unsigned length, struct fault *fault)
{
    enum { TRIES = 3 };
    const struct engine_effort effort = sb_rounds(second->bench->checking, SECOND_OPINION);
    size_t top = 0;

    set_chain(second, kind, length);
    if (!store_probe_overlaps(&second->probe))
        return OPINION_SILENT;
    for (int tries = 0; tries < TRIES; tries++) {
        if (sb_sweeps_run(second, &effort, fault) != STATUS_OK || second->data.end != ENGINE_ROUNDS)
            return OPINION_SILENT;
        top = knee_top_peak(&second->counts);
        if (knee_is_peak(&second->counts, entries) || (top != 0 && top == entries / 2))
            return OPINION_AGREES;
    }
    return top == 0 ? OPINION_SILENT : OPINION_CONTRADICTS;
}

/* The first other kind that has something to say, unless a shorter chain of the same kind contradicts. */
enum opinion sb_sweeps_second_opinion(const struct sb_sweeps *sweeps, struct fault *fault)
{
    const enum store_chain kind = sweeps->probe.chain;
    const size_t entries = sweeps->capacity.entries;
    enum opinion other = OPINION_SILENT, same = OPINION_SILENT;
    struct sb_sweeps second;

    if (sb_sweeps_open(&second, sweeps->bench, sweeps->bench->kernel, sweeps->bench->pattern, fault) !=
        STATUS_OK)
        return OPINION_SILENT;
    sb_sweeps_range(&second, 1, entries + MARGIN);
    for (size_t i = 0; i < STORE_CHAINS; i++)
        if (store_chains[i].kind == kind)
            same = opinion_of(&second, entries, kind, store_chains[i].shorter, fault);
    for (size_t i = 0; i < STORE_CHAINS && other == OPINION_SILENT && same != OPINION_CONTRADICTS; i++)
        if (store_chains[i].kind != kind)
            other = opinion_of(&second, entries, store_chains[i].kind, store_chains[i].length, fault);
    sb_sweeps_close(&second);
    return same == OPINION_CONTRADICTS ? same : other;
}

struct capacity sb_quick_capacity(const struct sb_bench *bench, struct fault *fault)
{
    enum { SWEEPS = 100 };
    const struct engine_effort effort = sb_rounds(bench->sampling, SWEEPS);
    const struct kernel *plain = store_kernel_find(&bench->run->kernels, 64, false);
    struct sb_sweeps sweeps;

    if (plain == NULL || sb_sweeps_open(&sweeps, bench, plain, STORES_LINE, fault) != STATUS_OK)
        return (struct capacity){.state = BUFFER_UNRESOLVED};
    sweeps.published = bench->expected;
    if (sb_sweeps_explore(&sweeps, fault) != 0 && sb_sweeps_run(&sweeps, &effort, fault) == STATUS_OK)
        sb_sweeps_judge(&sweeps);
    sb_sweeps_close(&sweeps);
    return sweeps.capacity;
}
