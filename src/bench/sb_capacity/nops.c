/* SPDX-License-Identifier: MIT */
/* --method nops: the published experiment. A burst of stores, then no-operations during which the buffer may
 * drain. Its knee is a capacity only where the drain keeps up, which is what the second run with twice the
 * no-operations and the other checks are for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sb_capacity.h"
#include "uarchprobe/pin.h"

enum { ITERATIONS = 200, DEFAULT_LAST = 180, NOPS_MOST = STORE_BURST_NOPS_MAX / 2 };

struct nops_curve {
    struct sb_bench *bench;
    struct store_probe probe;
    size_t first, last;
    double minimum[KNEE_VALUES], sum[KNEE_VALUES];
    uint64_t samples;
};

static enum status curve_open(struct nops_curve *curve, struct sb_bench *bench, unsigned nops,
                              struct fault *fault)
{
    const struct range *stores = &bench->params->stores;

    *curve = (struct nops_curve){.bench = bench, .first = 1, .last = DEFAULT_LAST};
    if (stores->last != 0) {
        curve->first = stores->first;
        curve->last = stores->last;
    }
    for (size_t i = 0; i < KNEE_VALUES; i++)
        curve->minimum[i] = INFINITY;
    if (store_probe_init(&curve->probe, bench->kernel, bench->pattern, fault) != STATUS_OK)
        return fault->status;
    curve->probe.chain_length = 0;
    curve->probe.nops = nops;
    curve->probe.iterations = ITERATIONS;
    curve->probe.deadline_ticks = bench->deadline_ticks;
    return STATUS_OK;
}

/* One sample of each point; false: the deadline came first. */
static bool curve_sample(struct nops_curve *curve)
{
    double ticks[KNEE_VALUES];

    if (!store_probe_sweep(&curve->probe, curve->first, curve->last, ticks))
        return false;
    for (size_t i = 0; i <= curve->last - curve->first; i++) {
        curve->minimum[i] = fmin(curve->minimum[i], ticks[i]);
        curve->sum[i] += ticks[i];
    }
    curve->samples++;
    return true;
}

static bool curve_round(struct nops_curve *curve)
{
    for (uint64_t i = 0; i < curve->bench->samples; i++)
        if (!curve_sample(curve))
            return false;
    return true;
}

static size_t count_of(const struct nops_curve *curve)
{
    return curve->last - curve->first + 1;
}

/* What a number of no-operations costs, and a store beyond the knee, in ticks. */
struct rates {
    double nop, store;
};

static struct rates rates_of(const struct nops_curve *once, const struct nops_curve *twice)
{
    size_t last = count_of(once) - 1, span = last / 4;
    struct rates rates = {
        .nop = (twice->minimum[0] - once->minimum[0]) / (twice->probe.nops - once->probe.nops),
        .store = span > 0 ? (once->minimum[last] - once->minimum[last - span]) / (double)span : NAN,
    };

    return rates;
}

/* No-operations that the drain of the longest burst needs: stores are put in at the speed of no-operations
 * and leave at their own. */
static double nops_needed(const struct rates *rates, size_t stores)
{
    double ratio = rates->store / rates->nop;

    return ratio > 1 && isfinite(ratio) ? (ratio - 1) * (double)stores : 0;
}

/* A round of each curve, alternating, so that they share the noise. */
static void sample(struct nops_curve *once, struct nops_curve *twice)
{
    const struct sb_bench *bench = once->bench;
    uint64_t round = 0;

    while (round < bench->rounds && (round == 0 || !sb_must_stop(bench))) {
        core_clock_read(bench->run->core_clock);
        if (!curve_round(once) || !curve_round(twice))
            break;
        round++;
        run_progress(bench->run, (double)round / (double)bench->rounds, -1, "nops");
    }
    sb_check_rounds(bench, round);
}

static void add_rows(const struct nops_curve *curve, size_t knee)
{
    char name[32];

    snprintf(name, sizeof name, "%u nops", curve->probe.nops);
    for (size_t stores = curve->first; stores <= curve->last; stores++) {
        size_t i = stores - curve->first;
        struct sb_point point = {.experiment = name,
                                 .stores = stores,
                                 .samples = curve->samples,
                                 .minimum_ticks = curve->minimum[i],
                                 .median_ticks = NAN,
                                 .mean_ticks = curve->sum[i] / (double)curve->samples,
                                 .stall_cycles = NAN,
                                 .knee = stores == knee ? sb_knee_word : NULL};

        sb_point_row(curve->bench, &point);
    }
}

/* What the three detectors and the two curves say. */
struct reading {
    size_t line2, diff, line2_twice;
    double jump_cycles, strength;
};

static struct reading read_curves(const struct nops_curve *once, const struct nops_curve *twice)
{
    struct knee line2 = knee_line2(once->minimum, count_of(once));
    struct knee diff = knee_diff(once->minimum, count_of(once));
    struct knee line2_twice = knee_line2(twice->minimum, count_of(twice));

    return (struct reading){.line2 = line2.found ? once->first + line2.last : 0,
                            .diff = diff.found ? once->first + diff.last : 0,
                            .line2_twice = line2_twice.found ? twice->first + line2_twice.last : 0,
                            .jump_cycles = sb_cycles(once->bench, line2.jump),
                            .strength = line2.strength};
}

/* NULL: resolved. */
static const char *why_not(const struct reading *reading, char *text, size_t size)
{
    enum { STRENGTH = 500, JUMP = 5 };

    if (reading->line2 == 0 || reading->diff == 0 || reading->line2_twice == 0)
        return "there are too few points";
    if (reading->line2 != reading->line2_twice) {
        snprintf(text, size,
                 "the break is at %zu, but at %zu with twice the nops: a limit of the drain or noise, not a "
                 "capacity",
                 reading->line2, reading->line2_twice);
        return text;
    }
    if (reading->jump_cycles < JUMP) {
        snprintf(text, size, "the break at %zu is only %.1f cycles high", reading->line2,
                 reading->jump_cycles);
        return text;
    }
    if (reading->line2 != reading->diff) {
        snprintf(text, size, "two lines break at %zu, the largest step is at %zu", reading->line2,
                 reading->diff);
        return text;
    }
    if (reading->strength < STRENGTH) {
        snprintf(text, size, "the break at %zu is too weak against the noise (F = %.0f)", reading->line2,
                 reading->strength);
        return text;
    }
    return NULL;
}

static void mean_finding(const struct nops_curve *once)
{
    double mean[KNEE_VALUES];
    struct knee knee;

    for (size_t i = 0; i < count_of(once); i++)
        mean[i] = once->sum[i] / (double)once->samples;
    knee = knee_line2(mean, count_of(once));
    if (knee.found)
        sb_finding(once->bench, "store_buffer.nops_mean_knee", INTEGER_CELL(once->first + knee.last),
                   "stores", TRUST_LOW,
                   "as published, by the mean of %u nops: two lines break at %zu (for comparison only)",
                   once->probe.nops, once->first + knee.last);
}

/* This method alone cannot tell a whole buffer from a halved one. */
static const char *state_of(const struct sb_bench *bench, size_t entries)
{
    const size_t published = sb_published_entries(bench);

    if (published > 1 && published / 2 == entries)
        return ", half of the published size: halved by an SMT sibling";
    return published == entries ? "" : ", or twice as many if an SMT sibling was active";
}

static size_t add_findings(const struct nops_curve *once, const struct nops_curve *twice)
{
    const struct sb_bench *bench = once->bench;
    struct reading reading = read_curves(once, twice);
    char text[160];
    const char *why = why_not(&reading, text, sizeof text);

    if (why != NULL)
        sb_finding(bench, "store_buffer.entries", NO_CELL, "entries", TRUST_LOW,
                   "store buffer by nops: not resolved, because %s", why);
    else
        sb_finding(bench, "store_buffer.entries", INTEGER_CELL(reading.line2), "entries", TRUST_MEDIUM,
                   "store buffer by nops: %zu entries%s (a step of %.1f cycles, at the same place with %u "
                   "and %u nops)",
                   reading.line2, state_of(bench, reading.line2), reading.jump_cycles, once->probe.nops,
                   twice->probe.nops);
    mean_finding(once);
    return why == NULL ? reading.line2 : 0;
}

static void measure(struct nops_curve *once, struct nops_curve *twice)
{
    struct rates rates;
    double needed;

    /* One sample gives the rates, and with them whether so few no-operations are enough. */
    if (!curve_sample(once) || !curve_sample(twice)) {
        once->samples = twice->samples = 0;
        sb_check_rounds(once->bench, 0);
        return;
    }
    rates = rates_of(once, twice);
    needed = ceil(nops_needed(&rates, once->last) / 100) * 100;
    if (needed > NOPS_MOST)
        needed = NOPS_MOST;
    if (needed > once->probe.nops) {
        record_warning(once->bench->run->record, "nops_raised",
                       "%u nops do not last until %zu stores have drained: raised to %.0f", once->probe.nops,
                       once->last, needed);
        once->probe.nops = (unsigned)needed;
        twice->probe.nops = 2 * (unsigned)needed;
    }
    for (size_t i = 0; i < KNEE_VALUES; i++) {
        once->minimum[i] = twice->minimum[i] = INFINITY;
        once->sum[i] = twice->sum[i] = 0;
    }
    once->samples = twice->samples = 0;
    sample(once, twice);
}

enum status sb_nops_run(struct sb_bench *bench, struct fault *fault)
{
    struct nops_curve *curves = calloc(2, sizeof *curves);
    unsigned nops = (unsigned)bench->params->nops;
    size_t knee;

    if (curves == NULL)
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for two curves");
    if (pin_self(bench->run->cpus.id[0], fault) == STATUS_OK &&
        curve_open(&curves[0], bench, nops, fault) == STATUS_OK &&
        curve_open(&curves[1], bench, 2 * nops, fault) == STATUS_OK) {
        measure(&curves[0], &curves[1]);
        if (curves[0].samples > 0 && curves[1].samples > 0) {
            knee = add_findings(&curves[0], &curves[1]);
            add_rows(&curves[0], knee);
            add_rows(&curves[1], knee);
        }
    }
    store_probe_free(&curves[0].probe);
    store_probe_free(&curves[1].probe);
    free(curves);
    return fault->status;
}
