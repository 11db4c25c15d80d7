/* SPDX-License-Identifier: MIT */
/* --method nops: the published experiment. A burst of stores, then no-operations during which the buffer may
 * drain. Its knee is a capacity only where the drain keeps up, which is what the second run with twice the
 * no-operations and the other checks are for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sb_capacity.h"
#include "uarchprobe/sibling.h"

enum { ITERATIONS = 200, DEFAULT_LAST = 180, BEYOND = 32, NOPS_MOST = STORE_BURST_NOPS_MAX / 2 };

struct nops {
    const struct sb_bench *bench;
    struct sb_sweeps once, twice; /* in pairs: the second with twice the no-operations */
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

/* Minima and means of one curve in one state, in ticks; false: some point was not seen in that state. */
static bool curve_of(const struct sb_sweeps *curve, enum state state, double *minimum, double *mean)
{
    for (size_t i = 0; i <= curve->last - curve->first; i++) {
        struct estimate e;
        if (!engine_estimate(curve->from, curve->column + i, state, 0, &e))
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
    const float *once = nops->twice.data.value, *twice = once + count;
    const double nop = (double)(twice[0] - once[0]) / (nops->twice.probe.nops - nops->once.probe.nops);
    const double store = span > 0 ? (double)(once[last] - once[last - span]) / (double)span : NAN;
    const double ratio = store / nop;

    return ratio > 1 && isfinite(ratio) ? (ratio - 1) * (double)nops->once.last : 0;
}

/* As a number of stores; 0: none. */
static size_t stores_at(const struct nops *nops, const struct knee *knee)
{
    return knee->found ? nops->once.first + knee->last : 0;
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

    if (!curve_of(&nops->once, state, once, mean) || !curve_of(&nops->twice, state, twice, mean))
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

    if (!curve_of(&nops->once, STATE_MIXED, minimum, mean))
        return;
    const struct knee knee = knee_line2(mean, count_of(nops));
    const size_t stores = stores_at(nops, &knee);
    if (stores > 0)
        sb_finding(nops->bench,
                   (struct finding){
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
                                .samples = nops->twice.data.sweeps,
                                .trust = reading.line2 == nops->capacity.entries ? TRUST_HIGH : TRUST_MEDIUM},
               "store buffer by nops: %zu entries%s (a step of %.1f cycles, at the same place with %u and %u "
               "nops)",
               reading.line2, state_words(nops, state, reading.line2), reading.jump_cycles,
               nops->once.probe.nops, nops->twice.probe.nops);
    return reading.line2;
}

/* Each state that a tenth of the looks found; without a witness all samples are of one. */
static void add_results(struct nops *nops)
{
    static const double often = 0.1;
    const struct engine_data *data = &nops->twice.data;
    const enum state state = engine_main_state(data);
    char name[32];

    nops->once.capacity.entries = state_finding(nops, state, "store_buffer.entries");
    nops->twice.capacity = nops->once.capacity;
    if (state == STATE_IDLE && engine_share(data, STATE_ACTIVE) >= often)
        state_finding(nops, STATE_ACTIVE, "store_buffer.entries_sibling_active");
    mean_finding(nops);
    snprintf(name, sizeof name, "%u nops", nops->once.probe.nops);
    sb_sweeps_rows(&nops->once, name);
    snprintf(name, sizeof name, "%u nops", nops->twice.probe.nops);
    sb_sweeps_rows(&nops->twice, name);
}

/* One round gives the rates, and with them whether so few no-operations are enough. False: it was cut. */
static bool raise_nops(struct nops *nops, struct fault *fault)
{
    const struct engine_effort effort = sb_rounds(nops->bench->sampling, 1);
    struct sb_sweeps *once = &nops->once, *twice = &nops->twice;

    if (sb_sweeps_run(twice, &effort, fault) != STATUS_OK || twice->data.end != ENGINE_ROUNDS)
        return false;
    const double needed = fmin(ceil(nops_needed(nops) / 100) * 100, NOPS_MOST);
    if (needed > once->probe.nops) {
        record_warning(nops->bench->run->record, "nops_raised",
                       "%u nops do not last until %zu stores have drained: raised to %.0f", once->probe.nops,
                       once->last, needed);
        once->probe.nops = (unsigned)needed;
        twice->probe.nops = 2 * (unsigned)needed;
    }
    sb_sweeps_range(once, once->first, once->last);
    sb_sweeps_range(twice, once->first, once->last);
    return true;
}

static void measure(struct nops *nops, struct fault *fault)
{
    struct sb_sweeps *twice = &nops->twice;
    struct engine_effort effort = nops->bench->sampling;

    effort.rounds = effort.least;
    twice->paired = &nops->once;
    if (raise_nops(nops, fault) && sb_sweeps_run(twice, &effort, fault) == STATUS_OK &&
        twice->data.rounds > 0)
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
        open_curve(&nops->twice, nops, 2 * count, fault) == STATUS_OK) {
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
