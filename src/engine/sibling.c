/* SPDX-License-Identifier: MIT */
/* A reading finds the step of the iso experiment: at the known size, at half of it, or at twice. Six points
 * around each take a tenth of the time of a whole round. Where nothing else proves which size is the whole,
 * the throughput of independent instructions does, read on either side. */
#include "uarchprobe/engine.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/published.h"
#include "engine/steps.h"
#include "engine/store_buffer.h"
#include "engine/throughput.h"

enum { LEARNING = 8, FIRST_RANGE = 160, RANGE_MOST = 512, SPELL = 16 };
enum { AT_HALF, AT_SIZE, AT_TWICE, PLACES };
enum { SIDE = 3, GAP = 2 }; /* points on each side of a step, and their distance from it */

/* Whole numbers of instructions a cycle that are told apart, 0 being none. With fewer than INTEGERS_LEAST a
 * busy sibling may have taken half of the core: 3 are half of six slots (Zen 4, Golden Cove) or six units
 * (Zen 5). */
enum { PER_CYCLE_MOST = 8, INTEGERS_LEAST = 4 };

/* The readings of one size of the store buffer by whole numbers of integer instructions and of loads. */
struct rates {
    size_t readings, whole[PER_CYCLE_MOST + 1][PER_CYCLE_MOST + 1];
    uint64_t first_ns, last_ns;
};

struct sibling {
    const struct clock *clock;
    struct store_probe probe;
    size_t published; /* size of this model number; 0: unknown */
    bool is_certain;  /* `published` is certainly of this core */
    bool is_alone;    /* the core runs one thread: nothing halves its buffer */
    size_t size;      /* presumed whole; 0: still unknown */
    bool hopeless;    /* no chain shows a size here */
    double chain;
    size_t readings, at[PLACES]; /* all, and those with the step at each place */
    struct rates rates[PLACES];
    size_t integers, loads; /* a cycle, published of the core; 0: unknown */
    uint16_t active;        /* bits of the last SPELL readings, the newest lowest */
    size_t spells;          /* windows of SPELL readings that were mostly active */
};

/* A hypervisor may show the model number of another core of the same vendor. The published size is the
 * whole nevertheless unless that vendor has a core with twice as many entries: next to a busy sibling
 * Golden Cove has Skylake's 56 of its 112. */
static void expect_size(struct sibling *sibling, const struct cpu *cpu)
{
    const char *core = cpu_core(cpu);
    const struct published *size = core_published(core, "store_buffer", 0),
                           *any = core_published(core, NULL, 0);
    const struct published *integers = core_published(core, "integers_per_cycle", 0),
                           *loads = core_published(core, "loads_per_cycle", 0);
    sibling->published = size ? (size_t)size->value : 0;
    sibling->integers = integers ? (size_t)lround(integers->value) : 0;
    sibling->loads = loads ? (size_t)lround(loads->value) : 0;
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
    sibling->clock = clock;
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
    for (int i = AT_SIZE; i < PLACES; i++) {
        sibling->at[i - 1] = sibling->at[i];
        sibling->rates[i - 1] = sibling->rates[i];
    }
    sibling->at[AT_TWICE] = 0;
    sibling->rates[AT_TWICE] = (struct rates){0};
}

/* 0: no whole number. The clock's steps of 10 ns are an error of up to 1 %, in the rate and in the core
 * clock: 98 of 100 readings of an idle sibling lie within this distance on Zen 4 (110,000 readings), 91 on
 * Zen 5. */
static size_t whole_number(double per_cycle)
{
    static const double NEAR = 0.025;
    const double whole = round(per_cycle);
    return whole >= 1 && whole <= PER_CYCLE_MOST && fabs(per_cycle / whole - 1) <= NEAR ? (size_t)whole : 0;
}

/* The numbers must be the same before and after the store buffer was read. */
static void count_rates(struct rates *rates, const struct throughput *before, const struct throughput *after)
{
    const size_t integers = whole_number(before->integers), loads = whole_number(before->loads);
    if (isnan(before->integers))
        return;
    rates->first_ns = rates->readings++ ? rates->first_ns : before->read_ns;
    rates->last_ns = after->read_ns;
    rates->whole[integers][loads] +=
        integers == whole_number(after->integers) && loads == whole_number(after->loads);
}

/* Readings of more integer instructions or loads are those in which a sibling, which takes a whole unit all
 * the time otherwise, paused. */
static size_t count_more(const struct rates *rates, size_t integers, size_t loads)
{
    size_t more = 0;
    for (size_t i = 1; i <= PER_CYCLE_MOST; i++)
        for (size_t l = 1; l <= PER_CYCLE_MOST; l++)
            more += i > integers || l > loads ? rates->whole[i][l] : 0;
    return more;
}

/* Whether nothing shared the core while the presumed whole was read: instructions and loads ran at the same
 * whole numbers in OFTEN of its readings. Integer instructions alone do not tell. Next to a sibling that
 * copies memory they ran at 4.00 a cycle for 4 ms at a time (Zen 4, 15 of 2,773 stretches of 32 readings of a
 * halved buffer), while both kinds were whole in at most 16 % of the readings of a stretch. There are more
 * integer instructions than loads, as half of eight slots are 4 of either kind. */
static bool throughput_proves(const struct sibling *sibling)
{
    enum { READINGS_LEAST = 32 };
    static const double OFTEN = 0.8, MORE = 0.01, LASTS_NS = 1e8;
    const struct rates *rates = &sibling->rates[AT_SIZE];
    const double all = (double)rates->readings;
    if (rates->readings < READINGS_LEAST || (double)(rates->last_ns - rates->first_ns) < LASTS_NS)
        return false;
    for (size_t i = INTEGERS_LEAST; i <= PER_CYCLE_MOST; i++)
        for (size_t l = 1; l < i; l++)
            if ((double)rates->whole[i][l] >= OFTEN * all)
                return (double)count_more(rates, i, l) <= fmax(1, MORE * all) &&
                       (!sibling->integers || sibling->integers == i) &&
                       (!sibling->loads || sibling->loads == l);
    return false;
}

static bool is_known(const struct sibling *sibling)
{
    return sibling->is_alone || (sibling->is_certain && sibling->size == sibling->published);
}

/* Most readings must resolve. A size is the whole where its half was seen, too, where it is certainly
 * published of this core, where the core runs one thread only, or where the throughput shows that. */
static bool is_sure(const struct sibling *sibling)
{
    enum { FEW = 3, RARE = 100 };
    const size_t half = sibling->at[AT_HALF], both = half + sibling->at[AT_SIZE];
    const bool seen = half >= FEW && half * RARE >= sibling->readings;
    return 2 * both >= sibling->readings && (seen || is_known(sibling) || throughput_proves(sibling));
}

struct reading sibling_read(struct sibling *sibling, double ghz)
{
    size_t entries = 0, places = 0;
    if (sibling && sibling->size == 0 && !sibling->hopeless)
        learn(sibling);
    if (sibling == NULL || sibling->hopeless)
        return (struct reading){0};
    const size_t place[PLACES] = {sibling->size / 2, sibling->size, 2 * sibling->size};
    ghz = is_known(sibling) ? NAN : ghz; /* needs no other proof */
    const struct throughput before = throughput_read(sibling->clock, ghz);
    for (int i = 0; i < PLACES; i++)
        if (steps_at(sibling, place[i])) {
            entries = place[i];
            places++;
        }
    const struct throughput after = throughput_read(sibling->clock, ghz);
    entries = places == 1 ? entries : 0; /* two steps are no reading */
    sibling->readings++;
    for (int i = 0; i < PLACES; i++)
        if (place[i] == entries) {
            sibling->at[i]++;
            count_rates(&sibling->rates[i], &before, &after);
        }
    grow(sibling);
    const bool active = reading_state((unsigned)entries, (unsigned)sibling->size) == STATE_ACTIVE;
    sibling->active = (uint16_t)(sibling->active << 1 | active);
    sibling->spells += sibling->readings % SPELL == 0 && 2 * __builtin_popcount(sibling->active) > SPELL;
    return (struct reading){(uint16_t)entries, (uint16_t)sibling->size, is_sure(sibling)};
}

void sibling_sign(const struct sibling *sibling, struct record *record)
{
    for (size_t i = 0; sibling && i < record->answers.count; i++)
        if (record->answers.of[i].store_buffer == 0)
            record->answers.of[i].store_buffer = sibling->size;
}

void sibling_prove(const struct sibling *sibling, struct record *record)
{
    sibling_sign(sibling, record);
    if (sibling && sibling->readings > 0 && is_sure(sibling)) {
        record->conditions.store_buffer = sibling->size;
        record_prove(record, sibling->size);
    }
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
    sibling_prove(sibling, record);
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
