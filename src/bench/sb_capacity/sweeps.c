/* SPDX-License-Identifier: MIT */
/* Many short sweeps of the iso experiment, each of which gives one knee. */
#include "sb_capacity.h"

#include <math.h>
#include <string.h>

enum {
    EXPLORING = 16,
    FIRST_RANGE = 160,
    KEPT_SWEEPS = 200,
    MARGIN = 16,
    SECOND_OPINION = 40,
    PRODUCTS = STORE_BURST_CHAIN_MAX,
    ROOTS = 16,
    FEWER_ROOTS = 11
};

enum status sb_sweeps_open(struct sb_sweeps *sweeps, const struct sb_bench *bench,
                           const struct kernel *kernel, enum store_pattern pattern, struct fault *fault)
{
    memset(sweeps, 0, sizeof *sweeps);
    if (store_probe_init(&sweeps->probe, kernel, pattern, fault) != STATUS_OK)
        return fault->status;
    store_probe_fit(&sweeps->probe, bench->run->clock);
    sweeps->probe.deadline_ticks = bench->deadline_ticks;
    sb_sweeps_chain(sweeps, CHAIN_ROOTS, ROOTS);
    sb_sweeps_range(sweeps, 1, FIRST_RANGE);
    return STATUS_OK;
}

void sb_sweeps_close(struct sb_sweeps *sweeps)
{
    samples_free(&sweeps->kept);
    store_probe_free(&sweeps->probe);
}

static void forget(struct sb_sweeps *sweeps)
{
    memset(&sweeps->counts, 0, sizeof sweeps->counts);
    for (size_t i = 0; i < KNEE_VALUES; i++)
        sweeps->minimum[i] = INFINITY;
    samples_free(&sweeps->kept);
    sweeps->kept = (struct samples){0};
}

void sb_sweeps_chain(struct sb_sweeps *sweeps, enum store_chain chain, unsigned length)
{
    sweeps->probe.chain = chain;
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

static void take_one(struct sb_sweeps *sweeps)
{
    double ticks[KNEE_VALUES];
    size_t count = sweeps->last - sweeps->first + 1;
    struct knee knee;

    sweeps->cut = !store_probe_sweep(&sweeps->probe, sweeps->first, sweeps->last, ticks);
    if (sweeps->cut)
        return;
    for (size_t i = 0; i < count; i++)
        sweeps->minimum[i] = fmin(sweeps->minimum[i], ticks[i]);
    if (sweeps->kept.count < KEPT_SWEEPS * count)
        for (size_t i = 0; i < count; i++)
            samples_add(&sweeps->kept, ticks[i]);
    knee = knee_sweep(ticks, count, sweeps->chain);
    if (knee.found)
        knee_count(&sweeps->counts, sweeps->first + knee.last);
    else
        knee_count_none(&sweeps->counts);
}

void sb_sweeps_take(struct sb_sweeps *sweeps, int count)
{
    for (int i = 0; i < count && !sweeps->cut; i++)
        take_one(sweeps);
}

size_t sb_sweeps_minimum_knee(const struct sb_sweeps *sweeps)
{
    struct knee knee;

    if (sweeps->counts.sweeps == 0)
        return 0;
    knee = knee_sweep(sweeps->minimum, sweeps->last - sweeps->first + 1, sweeps->chain);
    return knee.found ? sweeps->first + knee.last : 0;
}

struct capacity sb_sweeps_capacity(const struct sb_sweeps *sweeps, size_t documented)
{
    return knee_capacity(&sweeps->counts, sb_sweeps_minimum_knee(sweeps),
                         documented + 1 + KNEE_END <= sweeps->last ? documented : 0);
}

/* 0: none up to the longest sweep. */
static size_t first_peak(struct sb_sweeps *sweeps, const struct sb_bench *bench)
{
    size_t peak = 0;

    for (size_t last = FIRST_RANGE; peak == 0 && last < 2 * SB_MOST_STORES && !sb_must_stop(bench);
         last *= 2) {
        sb_sweeps_range(sweeps, 1, last);
        sb_sweeps_take(sweeps, EXPLORING);
        peak = knee_largest_peak(&sweeps->counts);
    }
    return peak;
}

size_t sb_sweeps_explore(struct sb_sweeps *sweeps, const struct sb_bench *bench, size_t documented)
{
    size_t peak = first_peak(sweeps, bench);

    if (peak == 0) {
        sb_sweeps_chain(sweeps, CHAIN_WHOLE_PRODUCTS, PRODUCTS);
        peak = first_peak(sweeps, bench);
    }
    if (peak != 0)
        sb_sweeps_range(sweeps, 1, (peak == documented ? peak : 2 * peak) + MARGIN);
    return peak;
}

static enum sb_opinion opinion(struct sb_sweeps *second, size_t entries, enum store_chain chain,
                               unsigned length)
{
    enum { TRIES = 3 };
    size_t top = 0;

    sb_sweeps_chain(second, chain, length);
    for (int tries = 0; tries < TRIES; tries++) {
        sb_sweeps_take(second, SECOND_OPINION);
        if (second->cut)
            return SB_SILENT;
        top = knee_top_peak(&second->counts);
        if (top == entries || (top != 0 && top == entries / 2))
            return SB_AGREES;
    }
    return top == 0 ? SB_SILENT : SB_CONTRADICTS;
}

enum sb_opinion sb_sweeps_second_opinion(struct sb_sweeps *second, const struct sb_sweeps *sweeps,
                                         size_t entries)
{
    enum sb_opinion same_kind, other_kind;

    sb_sweeps_range(second, 1, entries + MARGIN);
    if (sweeps->probe.chain == CHAIN_WHOLE_PRODUCTS)
        return opinion(second, entries, CHAIN_WHOLE_PRODUCTS, PRODUCTS - MARGIN);
    same_kind = opinion(second, entries, CHAIN_ROOTS, FEWER_ROOTS);
    other_kind = opinion(second, entries, CHAIN_WHOLE_PRODUCTS, PRODUCTS);
    return same_kind > other_kind ? same_kind : other_kind;
}
