/* SPDX-License-Identifier: MIT */
/* --method nops: the published experiment. A burst of stores, then no-operations during which the buffer may
 * drain. Its knee is a capacity only where the drain keeps up, which is what the second run with twice the
 * no-operations and the other checks are for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sb_capacity.h"
#include "uarchprobe/sibling.h"

enum { ITERATIONS = 200, DEFAULT_LAST = 180, BEYOND = 32, NOPS_MOST = STORE_BURST_NOPS_MAX / 2, CURVES = 2 };

/* The points of the engine: those of the first curve, then those of the second, with twice the no-operations. */
struct nops {
    struct sb_bench *bench;
    struct store_probe probe[CURVES];
    size_t first, last;
    struct capacity capacity; /* as iso saw it before */
    struct sibling *witness;
    struct engine_data data;
};

static size_t count_of(const struct nops *nops)
{
    return nops->last - nops->first + 1;
}

static void choose_range(struct nops *nops)
{
    const struct range *stores = &nops->bench->params->stores;

    nops->first = stores->last != 0 ? stores->first : 1;
    nops->last = stores->last != 0             ? stores->last
                 : nops->capacity.entries == 0 ? DEFAULT_LAST
                                               : nops->capacity.entries + BEYOND;
    if (nops->last > SB_MOST_STORES)
        nops->last = SB_MOST_STORES;
}

static enum status open_curves(struct nops *nops, struct fault *fault)
{
    const struct sb_bench *bench = nops->bench;

    for (unsigned i = 0; i < CURVES; i++) {
        if (store_probe_init(&nops->probe[i], bench->kernel, bench->pattern, fault) != STATUS_OK)
            return fault->status;
        nops->probe[i].chain_length = 0;
        nops->probe[i].nops = (i + 1) * (unsigned)bench->params->nops;
        nops->probe[i].iterations = ITERATIONS;
    }
    return STATUS_OK;
}

static bool sample(void *context, size_t first, size_t count, double *value, struct fault *fault)
{
    const struct nops *nops = context;
    const size_t curve = first / count_of(nops), point = first % count_of(nops);

    *value = store_probe_ticks(&nops->probe[curve], nops->first + point);
    return true;
}

static void show(void *context, double done, double eta_s)
{
    const struct nops *nops = context;
    run_progress(nops->bench->run, done, eta_s, "nops");
}

/* A look takes a sweep of the witness, so that they are further apart than usual. */
static enum engine_end run(struct nops *nops, const struct engine_effort *effort, struct fault *fault)
{
    struct engine_host host = sb_host(nops->bench);
    const struct engine_bench bench = {.context = nops,
                                       .points = CURVES * count_of(nops),
                                       .width = 1,
                                       .sample = sample,
                                       .expected_s = sb_no_time,
                                       .progress = show};
    struct engine_effort apart = *effort;

    host.sibling = nops->witness;
    const struct engine_machine machine = engine_host_machine(&host);
    apart.batch_s = 4e-3;
    engine_data_free(&nops->data);
    return engine_run(&bench, &machine, &apart, &nops->data, fault);
}

/* Minima and means of one curve in one state, in ticks; false: some point was not seen in that state. */
static bool curve_of(const struct nops *nops, size_t index, enum state state, double *minimum, double *mean)
{
    const size_t count = count_of(nops);

    for (size_t i = 0; i < count; i++) {
        struct estimate e;
        if (!engine_estimate(&nops->data, index * count + i, state, 0, &e))
            return false;
        minimum[i] = e.summary.min;
        mean[i] = e.summary.mean;
    }
    return true;
}

/* No-operations that the drain of the longest burst needs: stores are put in at the speed of no-operations and leave at
 * their own, which is the slope behind the knee. One round has both. */
static double nops_needed(const struct nops *nops)
{
    const size_t count = count_of(nops), last = count - 1, span = last / 4;
    const float *once = nops->data.value, *twice = once + count;
    const double nop = (double)(twice[0] - once[0]) / (nops->probe[1].nops - nops->probe[0].nops);
    const double store = span > 0 ? (double)(once[last] - once[last - span]) / (double)span : NAN;
    const double ratio = store / nop;

    return ratio > 1 && isfinite(ratio) ? (ratio - 1) * (double)nops->last : 0;
}

/* As a number of stores; 0: none. */
static size_t stores_at(const struct nops *nops, const struct knee *knee)
{
    return knee->found ? nops->first + knee->last : 0;
}

static void add_rows(const struct nops *nops, size_t index, size_t knee)
{
    double minimum[KNEE_VALUES], mean[KNEE_VALUES];
    char name[32];

    if (!curve_of(nops, index, STATE_MIXED, minimum, mean))
        return;
    snprintf(name, sizeof name, "%u nops", nops->probe[index].nops);
    for (size_t i = 0; i < count_of(nops); i++) {
        const struct sb_point point = {.experiment = name,
                                       .stores = nops->first + i,
                                       .samples = nops->data.sweeps,
                                       .minimum_ticks = minimum[i],
                                       .median_ticks = NAN,
                                       .mean_ticks = mean[i],
                                       .stall_cycles = NAN,
                                       .knee = nops->first + i == knee ? sb_knee_word : NULL};

        sb_point_row(nops->bench, &point);
    }
}

/* What the three detectors and the two curves say of one state. */
struct reading {
    size_t line2, diff, line2_twice; /* 0: none, or points are missing */
    double jump_cycles, noise_cycles;
};

static struct reading read_curves(const struct nops *nops, enum state state)
{
    double once[KNEE_VALUES], twice[KNEE_VALUES], mean[KNEE_VALUES];
    const size_t count = count_of(nops);

    if (!curve_of(nops, 0, state, once, mean) || !curve_of(nops, 1, state, twice, mean))
        return (struct reading){0};
    const struct knee line2 = knee_line2(once, count), diff = knee_diff(once, count);
    const struct knee line2_twice = knee_line2(twice, count);
    return (struct reading){.line2 = stores_at(nops, &line2),
                            .diff = stores_at(nops, &diff),
                            .line2_twice = stores_at(nops, &line2_twice),
                            .jump_cycles = sb_cycles(nops->bench, line2.jump),
                            .noise_cycles = sb_cycles(nops->bench, line2.noise)};
}

/* Below, a step may be an accident. */
static double least_jump(const struct reading *reading)
{
    enum { SIGMAS = 5 };
    static const double cycles = 1.5;

    return fmax(SIGMAS * reading->noise_cycles, cycles);
}

/* NULL: resolved. The last of the reasons: another method must agree. */
static const char *why_not(const struct nops *nops, const struct reading *reading, char *text, size_t size)
{
    const size_t entries = nops->capacity.entries;

    text[0] = 0;
    if (reading->line2 == 0 || reading->diff == 0 || reading->line2_twice == 0)
        snprintf(text, size, "there are too few points");
    else if (reading->line2 != reading->line2_twice)
        snprintf(text, size,
                 "the break is at %zu, but at %zu with twice the nops: a limit of the drain or noise, not a "
                 "capacity",
                 reading->line2, reading->line2_twice);
    else if (reading->jump_cycles < least_jump(reading))
        snprintf(text, size, "the break at %zu is only %.1f cycles high where noise makes %.1f",
                 reading->line2, reading->jump_cycles, least_jump(reading));
    else if (reading->line2 != reading->diff)
        snprintf(text, size, "two lines break at %zu, the largest step is at %zu", reading->line2,
                 reading->diff);
    else if (entries > 0 && reading->line2 != entries && reading->line2 != entries / 2)
        snprintf(text, size, "the break is at %zu, but iso finds %zu", reading->line2, entries);
    return text[0] ? text : NULL;
}

static void mean_finding(const struct nops *nops)
{
    double minimum[KNEE_VALUES], mean[KNEE_VALUES];

    if (!curve_of(nops, 0, STATE_MIXED, minimum, mean))
        return;
    const struct knee knee = knee_line2(mean, count_of(nops));
    const size_t stores = stores_at(nops, &knee);
    if (stores > 0)
        sb_finding(nops->bench,
                   (struct finding){
                       .key = "store_buffer.nops_mean_knee", .value = INTEGER_CELL(stores), .unit = "stores"},
                   "as published, by the mean of %u nops: two lines break at %zu (for comparison only)",
                   nops->probe[0].nops, stores);
}

static const char *state_words(const struct nops *nops, enum state state, size_t entries)
{
    if (state == STATE_IDLE)
        return " while the sibling idles";
    if (state == STATE_ACTIVE || entries == nops->capacity.entries / 2)
        return " while the sibling works";
    return entries == nops->capacity.entries ? "" : ", or twice as many if an SMT sibling was active";
}

/* 0: not resolved. */
static size_t state_finding(const struct nops *nops, enum state state, const char *key)
{
    const struct sb_bench *bench = nops->bench;
    const struct reading reading = read_curves(nops, state);
    char text[160];
    const char *why = why_not(nops, &reading, text, sizeof text);

    if (why != NULL) {
        sb_finding(bench, (struct finding){.key = key, .unit = "entries"},
                   "store buffer by nops%s: not resolved, because %s",
                   state == STATE_UNKNOWN ? "" : state_words(nops, state, 0), why);
        return 0;
    }
    sb_finding(bench,
               (struct finding){.key = key,
                                .value = INTEGER_CELL(reading.line2),
                                .unit = "entries",
                                .state = state_names[state],
                                .samples = nops->data.sweeps,
                                .trust = reading.line2 == nops->capacity.entries ? TRUST_HIGH : TRUST_MEDIUM},
               "store buffer by nops: %zu entries%s (a step of %.1f cycles, at the same place with %u and %u "
               "nops)",
               reading.line2, state_words(nops, state, reading.line2), reading.jump_cycles,
               nops->probe[0].nops, nops->probe[1].nops);
    return reading.line2;
}

/* Each state that a tenth of the looks found; without a witness all samples are of one. */
static void add_results(const struct nops *nops)
{
    static const double often = 0.1;
    const enum state state = engine_main_state(&nops->data);
    const bool both = state == STATE_IDLE && engine_share(&nops->data, STATE_ACTIVE) >= often;
    size_t knee;

    knee = state_finding(nops, state, "store_buffer.entries");
    if (both)
        state_finding(nops, STATE_ACTIVE, "store_buffer.entries_sibling_active");
    mean_finding(nops);
    add_rows(nops, 0, knee);
    add_rows(nops, 1, knee);
}

/* One round gives the rates, and with them whether so few no-operations are enough. */
static enum engine_end raise_nops(struct nops *nops, struct fault *fault)
{
    const struct engine_effort effort = sb_rounds(nops->bench->sampling, 1);
    const enum engine_end end = run(nops, &effort, fault);

    if (end != ENGINE_ROUNDS)
        return end;
    const double needed = fmin(ceil(nops_needed(nops) / 100) * 100, NOPS_MOST);
    if (needed > nops->probe[0].nops) {
        record_warning(nops->bench->run->record, "nops_raised",
                       "%u nops do not last until %zu stores have drained: raised to %.0f",
                       nops->probe[0].nops, nops->last, needed);
        nops->probe[0].nops = (unsigned)needed;
        nops->probe[1].nops = 2 * (unsigned)needed;
    }
    return end;
}

static void measure(struct nops *nops, struct fault *fault)
{
    const struct sb_bench *bench = nops->bench;
    struct engine_effort effort = bench->sampling;

    effort.rounds = effort.least;
    nops->capacity = sb_quick_capacity(bench, fault);
    choose_range(nops);
    nops->witness = sibling_new(bench->run->cpu, bench->run->clock);
    if (fault->status == STATUS_OK && raise_nops(nops, fault) == ENGINE_ROUNDS &&
        run(nops, &effort, fault) != ENGINE_FAILED && nops->data.rounds > 0)
        add_results(nops);
    sb_check_rounds(bench, &nops->data);
    sibling_record(nops->witness, bench->run->record);
    sibling_free(nops->witness);
}

enum status sb_nops_run(struct sb_bench *bench, struct fault *fault)
{
    struct nops nops = {.bench = bench};

    if (open_curves(&nops, fault) == STATUS_OK)
        measure(&nops, fault);
    store_probe_free(&nops.probe[0]);
    store_probe_free(&nops.probe[1]);
    engine_data_free(&nops.data);
    return fault->status;
}
