/* SPDX-License-Identifier: MIT */
/* A reading finds the step of the iso experiment: at the known size, at half of it, or at twice. Six points around each
 * take a tenth of the time of a whole round. */
#include "uarchprobe/engine.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/published.h"
#include "engine/steps.h"
#include "engine/store_buffer.h"

enum { LEARNING = 8, FIRST_RANGE = 160, RANGE_MOST = 512, SPELL = 16 };
enum { AT_HALF, AT_SIZE, AT_TWICE, PLACES };
enum { SIDE = 3, GAP = 2 }; /* points on each side of a step, and their distance from it */

struct sibling {
    struct store_probe probe;
    size_t published; /* size of this model number; 0: unknown */
    bool is_certain;  /* `published` is certainly of this core */
    bool is_alone;    /* the core runs one thread: nothing halves its buffer */
    size_t size;      /* presumed whole; 0: still unknown */
    bool hopeless;    /* no chain shows a size here */
    double chain;
    size_t readings, at[PLACES]; /* all, and those with the step at each place */
    uint16_t active;             /* bits of the last SPELL readings, the newest lowest */
    size_t spells;               /* windows of SPELL readings that were mostly active */
};

/* A hypervisor may show the model number of another core of the same vendor. The published size is the whole
 * nevertheless unless that vendor has a core with twice as many entries: next to a busy sibling Golden Cove has
 * Skylake's 56 of its 112. */
static void expect_size(struct sibling *sibling, const struct cpu *cpu)
{
    const char *core = cpu_core(cpu);
    const struct published *size = core_published(core, "store_buffer", 0),
                           *any = core_published(core, NULL, 0);
    sibling->published = size ? (size_t)size->value : 0;
    sibling->is_alone = any && strcmp(any->smt, "no SMT") == 0;
    sibling->is_certain =
        size && (!cpu_may_be_guest(cpu) || !published_has_double(cpu->vendor, "store_buffer", size->value));
}

struct sibling *sibling_new(const struct cpu *cpu, const struct clock *clock)
{
    const struct kernel_filter any = {.allowed = cpu->features};
    const struct kernel *kernel = cpu->emulated ? NULL : store_kernel_find(&any, 64, false);
    if (kernel == NULL)
        return NULL;
    struct sibling *sibling = memory_zeroed(1, sizeof *sibling);
    store_probe_init(&sibling->probe, kernel, STORES_LINE);
    store_probe_fit(&sibling->probe, clock);
    expect_size(sibling, cpu);
    return sibling;
}

void sibling_free(struct sibling *sibling)
{
    if (sibling == NULL)
        return;
    store_probe_free(&sibling->probe);
    free(sibling);
}

/* 0: no step stands out. */
static size_t size_by_rounds(const struct sibling *sibling)
{
    struct step_counts counts = {0};
    double ticks[STEP_VALUES];
    size_t size = 0;
    for (size_t range = FIRST_RANGE; size == 0 && range < 2 * RANGE_MOST; range *= 2) {
        const size_t last = range < RANGE_MOST ? range : RANGE_MOST;
        for (int i = 0; i < LEARNING; i++) {
            for (size_t n = 0; n < last; n++)
                ticks[n] = store_probe_ticks(&sibling->probe, n + 1);
            step_count(&counts, step_find(ticks, last, sibling->chain));
        }
        size = step_size(&counts);
    }
    return size;
}

static void learn(struct sibling *sibling)
{
    for (size_t i = 0; i < STORE_CHAINS && sibling->size == 0; i++) {
        sibling->probe.chain = store_chains[i].kind;
        sibling->probe.chain_length = store_chains[i].length;
        sibling->chain = store_probe_chain_ticks(&sibling->probe);
        if (store_probe_overlaps(&sibling->probe))
            sibling->size = size_by_rounds(sibling);
    }
    if (!sibling->is_alone && sibling->published > 1 && sibling->size == sibling->published / 2)
        sibling->size = sibling->published;
    sibling->hopeless = sibling->size < GAP + SIDE;
}

/* Whether one store more than `size` has to wait for a chain. */
static bool steps_at(const struct sibling *sibling, size_t size)
{
    double below[SIDE], above[SIDE];
    if (size < GAP + SIDE || size + GAP + SIDE > RANGE_MOST)
        return false;
    for (size_t i = 0; i < SIDE; i++) {
        below[i] = store_probe_ticks(&sibling->probe, size - GAP - i);
        above[i] = store_probe_ticks(&sibling->probe, size + 1 + GAP + i);
    }
    const double jump = median_of(above, SIDE) - median_of(below, SIDE);
    return jump >= 0.4 * sibling->chain && jump <= 1.6 * sibling->chain;
}

/* The presumed size may be the half, if the sibling was always busy. */
static void grow(struct sibling *sibling)
{
    enum { ENOUGH = 8 };
    if (sibling->at[AT_TWICE] < ENOUGH || sibling->at[AT_TWICE] <= sibling->at[AT_HALF])
        return;
    sibling->size *= 2;
    sibling->at[AT_HALF] = sibling->at[AT_SIZE];
    sibling->at[AT_SIZE] = sibling->at[AT_TWICE];
    sibling->at[AT_TWICE] = 0;
}

/* Most readings must resolve. A size is the whole where its half was seen, too, where it is certainly published of this
 * core, or where the core runs one thread only. */
static bool is_sure(const struct sibling *sibling)
{
    enum { FEW = 3, RARE = 100 };
    const size_t half = sibling->at[AT_HALF], both = half + sibling->at[AT_SIZE];
    const bool seen = half >= FEW && half * RARE >= sibling->readings;
    const bool known = sibling->is_alone || (sibling->is_certain && sibling->size == sibling->published);
    return 2 * both >= sibling->readings && (seen || known);
}

struct reading sibling_read(struct sibling *sibling)
{
    size_t entries = 0, places = 0;
    if (sibling && sibling->size == 0 && !sibling->hopeless)
        learn(sibling);
    if (sibling == NULL || sibling->hopeless)
        return (struct reading){0};
    const size_t place[PLACES] = {sibling->size / 2, sibling->size, 2 * sibling->size};
    for (int i = 0; i < PLACES; i++)
        if (steps_at(sibling, place[i])) {
            entries = place[i];
            places++;
        }
    entries = places == 1 ? entries : 0; /* two steps are no reading */
    sibling->readings++;
    for (int i = 0; i < PLACES; i++)
        sibling->at[i] += place[i] == entries;
    grow(sibling);
    const bool active = reading_state((unsigned)entries, (unsigned)sibling->size) == STATE_ACTIVE;
    sibling->active = (uint16_t)(sibling->active << 1 | active);
    sibling->spells += sibling->readings % SPELL == 0 && 2 * __builtin_popcount(sibling->active) > SPELL;
    return (struct reading){(uint16_t)entries, (uint16_t)sibling->size, is_sure(sibling)};
}

void sibling_record(const struct sibling *sibling, struct record *record)
{
    const double much = 0.2;
    const struct fact *command = record_fact_find(record, "run.command");
    if (sibling == NULL || sibling->readings == 0)
        return;
    const double share = is_sure(sibling) ? (double)sibling->at[AT_HALF] /
                                                (double)(sibling->at[AT_HALF] + sibling->at[AT_SIZE])
                                          : NAN;
    record->conditions.sibling_share = share;
    record->conditions.sibling_readings = sibling->readings;
    if (share > much || (share > much / 4 && sibling->spells > 0))
        record_warning(
            record, "sibling_active",
            "an SMT sibling was active in %.0f %% of %zu probes%s%s%s: the store buffer and similar "
            "structures were halved then",
            100 * share, sibling->readings, share > much ? "" : ", in spells", command ? " during " : "",
            command ? cell_text(&command->value) : "");
}
