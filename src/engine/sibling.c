/* SPDX-License-Identifier: MIT */
/* A reading asks where the curve of the iso experiment has its step: at the size that was learnt, at half of it, or at
 * twice. Six points around each of them take a tenth of a whole sweep. */
#include "uarchprobe/sibling.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/text.h"
#include "engine/published.h"
#include "engine/store_buffer.h"
#include "uarchprobe/knee.h"

enum { LEARNING = 8, FIRST_RANGE = 160, RANGE_MOST = KNEE_VALUES - 1, SPELL = 16 };
enum { AT_HALF, AT_SIZE, AT_TWICE, PLACES };
enum { SIDE = 3, GAP = 2 }; /* points on each side of a step, and how far from it they begin */

struct sibling {
    struct store_probe probe;
    struct published_size published;
    size_t size;   /* 0: still to be learnt */
    bool hopeless; /* no knee is to be found here */
    double chain;
    size_t readings, at[PLACES]; /* all, and those that found the step there */
    uint32_t active;             /* a bit for each of the last readings, the newest lowest */
    size_t spells;               /* times at which most of the last readings were active */
};

struct sibling *sibling_new(const struct cpu *cpu, const struct clock *clock)
{
    const struct kernel_filter any = {.allowed = cpu->features};
    const struct kernel *kernel = cpu->emulated ? NULL : store_kernel_find(&any, 64, false);
    struct fault fault = {0};

    if (kernel == NULL)
        return NULL;
    /* Who is not watched for want of memory would pass as who cannot be watched here. */
    struct sibling *sibling = memory_zeroed(1, sizeof *sibling);
    if (store_probe_init(&sibling->probe, kernel, STORES_LINE, &fault) != STATUS_OK)
        memory_exhausted();
    store_probe_fit(&sibling->probe, clock);
    sibling->published = store_buffer_expected(cpu, cpu_core(cpu));
    return sibling;
}

void sibling_free(struct sibling *sibling)
{
    if (sibling == NULL)
        return;
    store_probe_free(&sibling->probe);
    free(sibling);
}

static void count_sweep(const struct sibling *sibling, size_t last, struct knee_counts *counts)
{
    double ticks[KNEE_VALUES];

    store_probe_sweep(&sibling->probe, 1, last, ticks);
    const struct knee knee = knee_sweep(ticks, last, sibling->chain);
    knee_count(counts, knee.found ? knee.last + 1 : 0);
}

static void learn(struct sibling *sibling)
{
    struct knee_counts counts = {0};

    sibling->chain = store_probe_chain_ticks(&sibling->probe);
    for (size_t last = FIRST_RANGE; sibling->size == 0 && last < 2 * RANGE_MOST; last *= 2) {
        for (int i = 0; i < LEARNING; i++)
            count_sweep(sibling, last < RANGE_MOST ? last : RANGE_MOST, &counts);
        sibling->size = knee_size(&counts);
    }
    if (knee_is_half(sibling->size, sibling->published))
        sibling->size = sibling->published.entries;
    sibling->hopeless = sibling->size / 2 <= GAP + SIDE;
}

/* Whether one store more than `size` has to wait for a chain. */
static bool steps_at(const struct sibling *sibling, size_t size)
{
    double below[SIDE], above[SIDE];

    if (size + GAP + SIDE > RANGE_MOST)
        return false;
    for (size_t i = 0; i < SIDE; i++) {
        below[i] = store_probe_ticks(&sibling->probe, size - GAP - i);
        above[i] = store_probe_ticks(&sibling->probe, size + 1 + GAP + i);
    }
    const double jump = median_of(above, SIDE) - median_of(below, SIDE);
    return jump >= 0.4 * sibling->chain && jump <= 1.6 * sibling->chain;
}

/* What was learnt may be the half, where the sibling was busy all along. */
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

static void watch_spells(struct sibling *sibling, bool active)
{
    size_t recent = 0;

    sibling->active = sibling->active << 1 | active;
    for (int i = 0; i < SPELL; i++)
        recent += sibling->active >> i & 1;
    sibling->spells += sibling->readings % SPELL == 0 && 2 * recent > SPELL;
}

enum state sibling_sample(struct sibling *sibling)
{
    int place = PLACES;

    if (sibling == NULL || sibling->hopeless)
        return STATE_UNKNOWN;
    if (sibling->size == 0)
        learn(sibling);
    if (sibling->hopeless)
        return STATE_UNKNOWN;
    for (int i = 0; i < PLACES; i++)
        if (steps_at(sibling, i == AT_HALF ? sibling->size / 2 : (size_t)i * sibling->size))
            place = place == PLACES ? i : -1; /* two steps are none */
    sibling->readings++;
    if (place >= 0 && place < PLACES)
        sibling->at[place]++;
    grow(sibling);
    watch_spells(sibling, place == AT_HALF);
    return place == AT_HALF ? STATE_ACTIVE : place == AT_SIZE ? STATE_IDLE : STATE_UNKNOWN;
}

/* NaN: unknown. A size is the whole where its half was seen too, or where it is certainly that of this core. */
static double share_of(const struct sibling *sibling)
{
    enum { FEW = 3, RARE = 100 };
    const size_t half = sibling->at[AT_HALF], both = half + sibling->at[AT_SIZE];
    const bool seen = half >= FEW && half * RARE >= sibling->readings;
    const bool certain = sibling->published.certain && sibling->size == sibling->published.entries;

    if (2 * both < sibling->readings || !(seen || certain))
        return NAN;
    return (double)half / (double)both;
}

void sibling_record(const struct sibling *sibling, struct record *record)
{
    const double much = 0.2;
    const struct fact *command = record_fact_find(record, "run.command");

    if (sibling == NULL || sibling->readings == 0)
        return;
    const double share = share_of(sibling);
    record_conditions_set(record,
                          (struct conditions){.sibling_share = share, .sibling_readings = sibling->readings});
    if (share > much || (share > much / 4 && sibling->spells > 0))
        record_warning(
            record, "sibling_active",
            "an SMT sibling was active in %.0f %% of %zu readings%s%s%s: the store buffer and what is shared "
            "like it were halved then",
            100 * share, sibling->readings, share > much ? "" : ", in spells", command ? " during " : "",
            command ? cell_text(&command->value) : "");
}
