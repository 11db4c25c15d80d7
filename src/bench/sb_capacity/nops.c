/* SPDX-License-Identifier: MIT */
/* --method nops: the published experiment. A burst of stores, then no-operations during which the buffer may
 * drain. Its knee is a capacity only where the drain keeps up, which is what the second run with twice the
 * no-operations and the other checks are for. What runs is what was published: 500 of them, unless others are asked for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sb_capacity.h"
#include "uarchprobe/engine.h"

enum { ITERATIONS = 200, DEFAULT_LAST = 180, BEYOND = 32, PUBLISHED_NOPS = 500 };

struct nops {
    const struct sb_bench *bench;
    struct sb_sweeps once, twice; /* in pairs: the second with twice the no-operations, or with those of the
                                     source where the first has none */
    struct capacity capacity;     /* as iso saw it before */
};

static enum status open_curve(struct sb_sweeps *curve, const struct nops *nops, uint64_t count,
                              struct fault *fault)
{
    const struct sb_bench *bench = nops->bench;
    const struct range *stores = &bench->params->stores;
    const size_t entries = nops->capacity.entries;

    if (sb_sweeps_open(curve, bench, bench->kernel, bench->pattern, fault) != STATUS_OK)
        return fault->status;
    curve->chain = 0;
    curve->probe.chain_length = 0;
    curve->probe.nops = (unsigned)count;
    curve->probe.iterations = ITERATIONS;
    if (stores->last != 0)
        sb_sweeps_range(curve, stores->first, stores->last);
    else
        sb_sweeps_range(curve, 1, entries == 0 ? DEFAULT_LAST : entries + BEYOND);
    return STATUS_OK;
}

static size_t count_of(const struct nops *nops)
{
    return nops->once.last - nops->once.first + 1;
}

/* Of the costs: above the few samples that were fast because they are of the other state. */
static const double LOW = 0.25;

bool sb_nops_curve(const struct engine_data *data, size_t column, size_t count, enum state state, double *low,
                   double *mean)
{
    for (size_t i = 0; i < count; i++) {
        struct estimate e;
        if (!engine_estimate(data, column + i, state, LOW, &e))
            return false;
        low[i] = e.value;
        mean[i] = e.summary.mean;
    }
    return true;
}

static bool curve_of(const struct sb_sweeps *curve, enum state state, double *low, double *mean)
{
    return sb_nops_curve(curve->from, curve->column, curve->last - curve->first + 1, state, low, mean);
}

/* As a number of stores; 0: none. */
static size_t stores_at(const struct nops *nops, const struct knee *knee)
{
    return knee->found ? nops->once.first + knee->last : 0;
}

static struct sb_breaks read_curves(const struct nops *nops, enum state state)
{
    double once[KNEE_VALUES], twice[KNEE_VALUES], mean[KNEE_VALUES];
    const size_t count = count_of(nops);

    if (!curve_of(&nops->once, state, once, mean) || !curve_of(&nops->twice, state, twice, mean))
        return (struct sb_breaks){0};
    const struct knee line2 = knee_line2(once, count), diff = knee_diff(once, count);
    const struct knee line2_twice = knee_line2(twice, count);
    return (struct sb_breaks){.line2 = stores_at(nops, &line2),
                              .diff = stores_at(nops, &diff),
                              .twice = stores_at(nops, &line2_twice),
                              .jump_cycles = sb_cycles(nops->bench, line2.jump),
                              .noise_cycles = sb_cycles(nops->bench, line2.noise)};
}

/* Below, a step may be an accident. */
static double least_jump(const struct sb_breaks *breaks)
{
    enum { SIGMAS = 5 };
    static const double cycles = 1.5;

    return fmax(SIGMAS * breaks->noise_cycles, cycles);
}

static bool is_clear(const struct sb_breaks *breaks, char *why, size_t size)
{
    why[0] = 0;
    if (breaks->line2 == 0 || breaks->diff == 0 || breaks->twice == 0)
        snprintf(why, size, "there are too few points");
    else if (breaks->line2 != breaks->twice)
        snprintf(why, size,
                 "the break is at %zu, but at %zu with twice the nops: a limit of the drain or noise, not a "
                 "capacity",
                 breaks->line2, breaks->twice);
    else if (breaks->jump_cycles < least_jump(breaks))
        snprintf(why, size, "the break at %zu is only %.1f cycles high where noise makes %.1f", breaks->line2,
                 breaks->jump_cycles, least_jump(breaks));
    else if (breaks->line2 != breaks->diff)
        snprintf(why, size, "two lines break at %zu, the largest step is at %zu", breaks->line2,
                 breaks->diff);
    return why[0] == 0;
}

/* Another method must agree, in the state at hand: a sibling at work leaves the half, an idle one the whole. */
static bool fits(size_t stores, const struct capacity *iso, enum state state)
{
    const size_t half = iso->state == BUFFER_HALVED ? iso->entries : iso->entries / 2;

    if (state == STATE_ACTIVE)
        return half > 0 && stores == half;
    return iso->entries == 0 || stores == iso->entries || (state != STATE_IDLE && stores == half);
}

struct verdict sb_nops_judge(const struct sb_breaks *breaks, const struct capacity *iso, enum state state,
                             char *why, size_t size)
{
    struct verdict verdict = {TRUST_LOW, LEG_REPETITION, .within_absolute = 1};

    if (!is_clear(breaks, why, size))
        return verdict;
    verdict.leg = LEG_PLAUSIBILITY;
    if (!fits(breaks->line2, iso, state)) {
        snprintf(why, size, "the break is at %zu, but iso finds %zu", breaks->line2, iso->entries);
        return verdict;
    }
    verdict.trust = TRUST_MEDIUM;
    if (breaks->line2 == iso->entries && iso->proved)
        verdict = (struct verdict){.trust = TRUST_HIGH, .within_absolute = 1};
    return verdict;
}

static void mean_answer(const struct nops *nops)
{
    double low[KNEE_VALUES], mean[KNEE_VALUES];

    if (!curve_of(&nops->once, STATE_MIXED, low, mean))
        return;
    const struct knee knee = knee_line2(mean, count_of(nops));
    const size_t stores = stores_at(nops, &knee);
    if (stores > 0)
        sb_answer(nops->bench,
                  (struct answer){
                      .key = "store_buffer.nops_mean_knee", .value = INTEGER_CELL(stores), .unit = "stores"},
                  "as published, by the mean of %u nops: two lines break at %zu (for comparison only)",
                  nops->once.probe.nops, stores);
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
static size_t state_answer(const struct nops *nops, enum state state)
{
    static const char key[] = "store_buffer.entries";
    const struct sb_bench *bench = nops->bench;
    const struct sb_breaks breaks = read_curves(nops, state);
    const unsigned fewer = nops->once.probe.nops, more = nops->twice.probe.nops;
    char why[160] = "without nops nothing drains between two bursts";
    struct verdict verdict = {TRUST_LOW, LEG_PLAUSIBILITY};

    if (fewer > 0)
        verdict = sb_nops_judge(&breaks, &nops->capacity, state, why, sizeof why);
    if (verdict.trust == TRUST_LOW) {
        sb_answer(
            bench,
            (struct answer){.key = key, .unit = "entries", .state = state_names[state], .leg = verdict.leg},
            "store buffer by nops%s: not resolved, because %s",
            state == STATE_UNKNOWN ? "" : state_words(nops, state, 0), why);
        return 0;
    }
    sb_answer(bench,
              (struct answer){.key = key,
                              .value = INTEGER_CELL(breaks.line2),
                              .unit = "entries",
                              .state = state_names[state],
                              .samples = nops->twice.data.sweeps,
                              .trust = verdict.trust,
                              .leg = verdict.leg,
                              .within_absolute = verdict.within_absolute},
              "store buffer by nops: %zu entries%s (a step of %.1f cycles, at the same place with %u and %u "
              "nops)",
              breaks.line2, state_words(nops, state, breaks.line2), breaks.jump_cycles, fewer, more);
    return breaks.line2;
}

/* Each state that a tenth of the looks found; without a witness all samples are of one. */
static void add_results(struct nops *nops)
{
    static const double often = 0.1;
    const struct engine_data *data = &nops->twice.data;
    const enum state state = engine_main_state(data);
    char name[32];

    nops->once.capacity.entries = state_answer(nops, state);
    nops->twice.capacity = nops->once.capacity;
    if (state == STATE_IDLE && engine_share(data, STATE_ACTIVE) >= often)
        state_answer(nops, STATE_ACTIVE);
    mean_answer(nops);
    snprintf(name, sizeof name, "%u nops", nops->once.probe.nops);
    sb_sweeps_rows(&nops->once, name);
    snprintf(name, sizeof name, "%u nops", nops->twice.probe.nops);
    sb_sweeps_rows(&nops->twice, name);
}

static void measure(struct nops *nops, struct fault *fault)
{
    struct sb_sweeps *twice = &nops->twice;
    struct engine_effort effort = nops->bench->sampling;

    effort.rounds = effort.least;
    twice->paired = &nops->once;
    if (sb_sweeps_run(twice, &effort, fault) == STATUS_OK && twice->data.rounds > 0)
        add_results(nops);
    sb_check_rounds(nops->bench, &twice->data);
}

enum status sb_nops_run(struct sb_bench *bench, struct fault *fault)
{
    struct nops *nops = calloc(1, sizeof *nops);
    const uint64_t count = bench->params->nops;

    if (nops == NULL)
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for sweeps");
    nops->bench = bench;
    nops->capacity = sb_quick_capacity(bench, fault);
    struct sibling *witness = sibling_new(bench->run->cpu, bench->run->clock);
    if (fault->status == STATUS_OK && open_curve(&nops->once, nops, count, fault) == STATUS_OK &&
        open_curve(&nops->twice, nops, count > 0 ? 2 * count : PUBLISHED_NOPS, fault) == STATUS_OK) {
        nops->twice.witness = witness;
        measure(nops, fault);
    }
    sibling_record(witness, bench->run->record);
    sibling_free(witness);
    sb_sweeps_close(&nops->once);
    sb_sweeps_close(&nops->twice);
    free(nops);
    return fault->status;
}
