/* SPDX-License-Identifier: MIT */
/* A histogram of single sweeps, kept through a whole run. */
#include "uarchprobe/sibling.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "engine/store_buffer.h"
#include "uarchprobe/knee.h"

enum { LEARNING = 16, FIRST_RANGE = 160, MARGIN = 12, RANGE_MOST = KNEE_VALUES - 1, SPELL = 16 };

struct sibling {
    struct store_probe probe;
    struct published_size published;
    size_t last;   /* of the range; 0: still to be learnt */
    bool hopeless; /* no knee is to be found here */
    double chain;
    struct knee_counts counts;
    size_t reading[SPELL]; /* the last knees */
    size_t spells;         /* times at which most of the last knees were at the half */
};

struct sibling *sibling_new(const struct cpu *cpu, const struct clock *clock)
{
    const struct kernel_filter any = {.allowed = cpu->features};
    const struct kernel *kernel = cpu->emulated ? NULL : store_kernel_find(&any, 64, false);
    struct sibling *sibling = calloc(1, sizeof *sibling);
    struct fault ignored = {0};

    if (sibling == NULL || kernel == NULL ||
        store_probe_init(&sibling->probe, kernel, STORES_LINE, &ignored) != STATUS_OK) {
        free(sibling);
        return NULL;
    }
    store_probe_fit(&sibling->probe, clock);
    sibling->published = store_buffer_expected(cpu);
    return sibling;
}

void sibling_free(struct sibling *sibling)
{
    if (sibling == NULL)
        return;
    store_probe_free(&sibling->probe);
    free(sibling);
}

/* 0: a disturbed sweep. */
static size_t sweep(struct sibling *sibling)
{
    double ticks[KNEE_VALUES];
    struct knee knee;

    store_probe_sweep(&sibling->probe, 1, sibling->last, ticks);
    knee = knee_sweep(ticks, sibling->last, sibling->chain);
    if (!knee.found) {
        knee_count_none(&sibling->counts);
        return 0;
    }
    knee_count(&sibling->counts, knee.last + 1);
    return knee.last + 1;
}

/* Up to twice the size that shows: it may be a half. */
static void set_range(struct sibling *sibling, size_t size)
{
    size_t last =
        (sibling->published.certain && size == sibling->published.entries ? size : 2 * size) + MARGIN;

    sibling->last = last < RANGE_MOST ? last : RANGE_MOST;
}

static void learn(struct sibling *sibling)
{
    size_t size = 0;

    sibling->chain = store_probe_chain_ticks(&sibling->probe);
    for (size_t last = FIRST_RANGE; size == 0 && last < 2 * RANGE_MOST; last *= 2) {
        sibling->last = last < RANGE_MOST ? last : RANGE_MOST;
        for (int i = 0; i < LEARNING; i++)
            sweep(sibling);
        size = knee_size(&sibling->counts);
    }
    sibling->hopeless = size == 0;
    if (size != 0)
        set_range(sibling, size);
}

/* Most of the last readings at the half are a spell; readings overlap, so one is counted every SPELL. */
static void watch_spells(struct sibling *sibling, size_t half)
{
    size_t halved = 0;

    for (size_t i = 0; i < SPELL; i++)
        halved += sibling->reading[i] == half;
    if (sibling->counts.sweeps % SPELL == 0 && 2 * halved > SPELL)
        sibling->spells++;
}

enum sibling_reading sibling_sample(struct sibling *sibling)
{
    size_t whole, knee;

    if (sibling == NULL || sibling->hopeless)
        return SIBLING_UNKNOWN;
    if (sibling->last == 0)
        learn(sibling);
    if (sibling->hopeless)
        return SIBLING_UNKNOWN;
    knee = sweep(sibling);
    whole = knee_size(&sibling->counts);
    if (sibling->published.entries > 0 && whole == sibling->published.entries / 2)
        whole = sibling->published.entries;
    sibling->reading[sibling->counts.sweeps % SPELL] = knee;
    watch_spells(sibling, whole / 2);
    if (knee == whole)
        return SIBLING_IDLE;
    return knee == whole / 2 ? SIBLING_ACTIVE : SIBLING_UNKNOWN;
}

static void fact(struct record *record, const char *path, struct cell value)
{
    record_fact(record, (struct fact){.path = path, .value = value});
}

void sibling_record(const struct sibling *sibling, struct record *record)
{
    const double much = 0.2;
    struct capacity capacity;
    double share;

    if (sibling == NULL || sibling->counts.sweeps == 0) {
        fact(record, "run.sibling_active", NO_CELL);
        return;
    }
    capacity = knee_capacity(&sibling->counts, knee_size(&sibling->counts), sibling->published);
    share = capacity.proved || capacity.state == BUFFER_HALVED ? capacity.halved_share : NAN;
    fact(record, "run.sibling_active", REAL_CELL(share));
    fact(record, "run.sibling_samples", INTEGER_CELL(capacity.sweeps));
    if (share > much || (share > much / 4 && sibling->spells > 0))
        record_warning(
            record, "sibling_active",
            "an SMT sibling was active in %.0f %% of %zu readings%s: the store buffer and what is shared "
            "like it were halved then",
            100 * share, capacity.sweeps, share > much ? "" : ", in spells");
}
