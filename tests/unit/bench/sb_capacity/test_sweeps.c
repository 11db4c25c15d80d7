/* SPDX-License-Identifier: MIT */
/* sb-capacity from the first sweep to its answers, on simulated machines. The functions of the probe below take the
 * place of those that run kernels, so no time is measured: a sweep is drawn after the model of docs/method-sb-capacity.md,
 * a chain alone while the stores fit and two of them from the first that does not, on a slight slope, with noise and
 * interruptions, and half of the entries while the SMT sibling is active. */
#include "test.h"

#include <sched.h>

#include "bench/sb_capacity/sb_capacity.h"
#include "machine/cpu_internal.h"

extern const struct command sb_capacity_command;

enum { SWEEPS = 400, OPERATION_TICKS = 12, COST_TICKS = 60, NOISE_TICKS = 4, MOST_ROWS = 2 * KNEE_VALUES };

struct machine {
    const char *vendor;
    int family, model; /* of a CPU whose size is published; 0: unknown */
    size_t entries;
    int halved_percent;      /* of the sweeps */
    int interrupted_permill; /* of the points */
    bool rate_limited;       /* each store costs as much as it needs to hide every step */
    const char *hypervisor;  /* NULL: none */
    unsigned apart;          /* set of kinds of chain that never overlap */
    bool drains;             /* faster than stores come, so that the published experiment shows nothing */
    bool as_published;       /* its curve is that of Zen 4 */
    unsigned seed;           /* of what is random */
};

static struct machine machine;
static bool halved, sweeping;
static uint64_t random_state;

static unsigned random_below(unsigned bound)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % bound;
}

const char *const store_pattern_names[] = {"same", "line", "lines", "pages", NULL};
const struct store_chain_lengths store_chains[] = {{CHAIN_ROOTS, 16, 11},
                                                   {CHAIN_QUOTIENTS, 24, 16},
                                                   {CHAIN_PRODUCTS, 24, 16},
                                                   {CHAIN_WHOLE_PRODUCTS, 24, 16}};

const struct kernel *store_kernel_find(const struct kernel_filter *filter, unsigned bits, bool streaming)
{
    static const struct kernel kernel = {.name = "simulated", .bits = 64};
    return bits == 64 && !streaming ? &kernel : NULL;
}

enum status store_probe_init(struct store_probe *probe, const struct kernel *kernel,
                             enum store_pattern pattern, struct fault *fault)
{
    *probe = (struct store_probe){.kernel = kernel, .chain_length = 16, .iterations = 1};
    return STATUS_OK;
}

void store_probe_free(struct store_probe *probe)
{
}

void store_probe_fit(struct store_probe *probe, const struct clock *clock)
{
}

double store_probe_chain_ticks(const struct store_probe *probe)
{
    return probe->chain_length * OPERATION_TICKS;
}

bool store_probe_overlaps(const struct store_probe *probe)
{
    return (machine.apart >> probe->chain & 1) == 0;
}

/* Outside of sweeps the sibling comes and goes with time, so that the witness and what it watches see the same. */
static void pass_time(void)
{
    uint64_t spell = clock_now_ns() / 10000000 * 6364136223846793005u;

    halved = (spell >> 33) % 100 < (uint64_t)machine.halved_percent;
}

/* The curves that Zen 4 gave with 500 and with 1000 no-operations, EPYC Genoa, 2026-11-21: 60.0 and 101.9 cycles up to 64 stores, a
 * step of 3.8, 0.35 more for each store behind; and 0.2 of noise. */
static double zen4_cycles(unsigned nops, size_t stores)
{
    double noise = 0;

    for (int i = 0; i < 12; i++)
        noise += random_below(1000) / 1000.0 - 0.5;
    return 18.1 + 0.0838 * nops + 0.2 * noise + (stores > 64 ? 3.8 + 0.35 * (double)(stores - 65) : 0);
}

/* The published experiment: a slight slope, a small step where the buffer is full; or none where it drains in time. */
static double nops_ticks(const struct store_probe *probe, size_t stores)
{
    /* Long enough for looks in between. */
    for (uint64_t start = clock_now_ns(); machine.halved_percent > 0 && clock_now_ns() - start < 10000;)
        continue;
    pass_time();
    if (machine.as_published)
        return zen4_cycles(probe->nops, stores);
    const size_t full = machine.drains ? 1000 : machine.entries / (halved ? 2 : 1);

    return probe->nops / 10.0 + 0.1 * (double)stores + random_below(100) / 500.0 +
           (stores > full ? 3.8 + 0.1 * (double)(stores - full) : 0);
}

double store_probe_ticks(const struct store_probe *probe, size_t stores)
{
    if (probe->chain_length == 0)
        return nops_ticks(probe, stores);
    if (!sweeping)
        pass_time();
    const double chain = store_probe_chain_ticks(probe);
    double ticks = COST_TICKS + chain + 0.15 * (double)stores + random_below(NOISE_TICKS);

    if (machine.rate_limited)
        ticks += 30 * (double)stores;
    if (stores > machine.entries / (halved ? 2 : 1) || !store_probe_overlaps(probe))
        ticks += chain;
    if ((int)random_below(1000) < machine.interrupted_permill)
        ticks += random_below(5000);
    return ticks;
}

void store_probe_sweep(const struct store_probe *probe, size_t first, size_t last, double *ticks)
{
    halved = (int)random_below(100) < machine.halved_percent;
    sweeping = true;
    for (size_t stores = first; stores <= last; stores++)
        *ticks++ = store_probe_ticks(probe, stores);
    sweeping = false;
}

static bool never(void *context)
{
    return false;
}

static int here(void)
{
    cpu_set_t set;
    int cpu = 0;

    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    while (!CPU_ISSET(cpu, &set))
        cpu++;
    return cpu;
}

/* What sb-capacity prints of a machine. */
static struct record *measured_by(int method, uint64_t rounds, struct machine of)
{
    const struct sb_params params = {.method = method, .width = 3, .nops = 500};
    const struct common common = {.repeat = rounds};
    const struct clock clock = {.ns_per_tick = 1, .resolution_ns = 1};
    struct core_clock core_clock = {.clock = &clock};
    struct cpu cpu = {.family = of.family, .model = of.model};
    struct cpu_place place = {.id = here()};
    const struct topology topology = {.place = &place, .place_count = 1};
    struct fault fault = {0}, taken = {0};
    struct run run = {.params = &params,
                      .common = &common,
                      .cpu = &cpu,
                      .topology = &topology,
                      .cpus = {.count = 1, .id = {place.id}},
                      .clock = &clock,
                      .core_clock = &core_clock,
                      .record = record_new(),
                      .interrupted = never,
                      .taken = &taken};

    snprintf(cpu.hypervisor, sizeof cpu.hypervisor, "%s", of.hypervisor ? of.hypervisor : "none");
    snprintf(cpu.vendor, sizeof cpu.vendor, "%s", of.vendor ? of.vendor : "");
    cpu_name_x86(&cpu, 0);
    machine = of;
    random_state = of.entries + of.seed;
    assert_int_equal(sb_capacity_command.run(&run, &fault), STATUS_OK);
    core_clock_free(&core_clock);
    return run.record;
}

static struct record *measured(struct machine of)
{
    return measured_by(0, SWEEPS, of);
}

static const struct answer *find(const struct record *record, const char *key)
{
    for (size_t i = 0; i < record_answer_count(record); i++)
        if (strcmp(record_answer_at(record, i)->key, key) == 0)
            return record_answer_at(record, i);
    fail_msg("no finding %s", key);
    return NULL;
}

/* The curve has every number of stores from 1 up once; returns the last. */
static size_t range_of(const struct record *record)
{
    const struct record_table *curve = record_table_at(record, 0);

    for (size_t row = 0; row < curve->row_count; row++)
        assert_int_equal(record_cell(curve, row, 1)->integer, row + 1);
    return curve->row_count;
}

static void assert_found(const struct record *record, size_t entries, const char *state, enum trust trust)
{
    assert_int_equal(find(record, "store_buffer.entries")->value.integer, entries);
    assert_int_equal(find(record, "store_buffer.entries")->trust, trust);
    assert_string_equal(find(record, "store_buffer.state")->value.text, state);
}

static const size_t sizes[] = {16, 32, 48, 56, 64, 72, 84, 104, 112, 144, 192};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Nothing is published, so the knee could be that of a halved buffer: twice of it is in the range, and no value is
 * trusted highly without its half. */
TEST(every_size_is_found)
{
    for (size_t i = 0; i < SIZES; i++) {
        struct record *record = measured((struct machine){.entries = sizes[i], .interrupted_permill = 1});
        assert_found(record, sizes[i], "unproved", TRUST_MEDIUM);
        assert_true(range_of(record) > 2 * sizes[i]);
        record_free(record);
    }
}

TEST(now_and_then_halved)
{
    static const int percent[] = {20, 50, 90};

    for (size_t i = 0; i < 3 * SIZES; i++) {
        struct record *record = measured((struct machine){
            .entries = sizes[i / 3], .halved_percent = percent[i % 3], .interrupted_permill = 1});
        assert_found(record, sizes[i / 3], "mixed", TRUST_HIGH);
        assert_true(range_of(record) > sizes[i / 3]);
        record_free(record);
    }
}

static const struct machine published[] = {
    {.vendor = "AuthenticAMD", .family = 23, .model = 0x31, .entries = 48},
    {.vendor = "GenuineIntel", .family = 6, .model = 0x55, .entries = 56},
    {.vendor = "AuthenticAMD", .family = 25, .model = 0x11, .entries = 64},
    {.vendor = "GenuineIntel", .family = 6, .model = 0xa7, .entries = 72},
    {.vendor = "GenuineIntel", .family = 6, .model = 0x8f, .entries = 112},
};
enum { PUBLISHED = sizeof published / sizeof *published };

TEST(published_sizes_are_confirmed)
{
    for (size_t i = 0; i < PUBLISHED; i++) {
        struct record *record = measured(published[i]);
        assert_found(record, published[i].entries, "full", TRUST_HIGH);
        assert_int_equal(find(record, "store_buffer.entries")->published.value.integer, published[i].entries);
        assert_true(range_of(record) > 2 * published[i].entries);
        record_free(record);
    }
}

/* Half of the size is what another core is said to have: 56 of 112, 32 of 64, ... */
TEST(in_a_guest_a_published_size_proves_nothing)
{
    for (size_t i = 0; i < PUBLISHED; i++) {
        struct machine guest = published[i];
        guest.hypervisor = "KVM";
        struct record *record = measured(guest);
        assert_found(record, guest.entries, "unproved", TRUST_MEDIUM);
        record_free(record);
    }
}

TEST(a_guest_that_shows_a_smaller_core_is_found_out)
{
    struct record *record = measured((struct machine){.vendor = "GenuineIntel",
                                                      .family = 6,
                                                      .model = 0x55,
                                                      .hypervisor = "KVM",
                                                      .entries = 112,
                                                      .halved_percent = 90});
    assert_found(record, 112, "mixed", TRUST_HIGH);
    record_free(record);
}

/* Multiplications fill the scheduler of their only port; roots wait for a divider that is not pipelined. */
TEST(some_other_chain_agrees)
{
    static const unsigned apart[] = {1 << CHAIN_WHOLE_PRODUCTS, 1 << CHAIN_ROOTS,
                                     1 << CHAIN_WHOLE_PRODUCTS | 1 << CHAIN_QUOTIENTS,
                                     1 << CHAIN_ROOTS | 1 << CHAIN_QUOTIENTS};

    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
        struct machine some = published[i];
        some.apart = apart[i];
        struct record *record = measured(some);
        assert_found(record, some.entries, "full", TRUST_HIGH);
        record_free(record);
    }
}

TEST(without_another_chain_less_is_trusted)
{
    struct machine lonely = published[0];
    lonely.apart = ~(1u << CHAIN_ROOTS);
    struct record *record = measured(lonely);
    assert_found(record, lonely.entries, "full", TRUST_MEDIUM);
    record_free(record);
}

/* A full size in one sweep of a hundred is no peak, but the minimum over all of them breaks there. */
TEST(the_minimum_shows_the_full_size)
{
    for (size_t i = 0; i < SIZES; i++) {
        struct record *record = measured((struct machine){.entries = sizes[i], .halved_percent = 99});
        assert_int_equal(find(record, "store_buffer.entries")->value.integer, sizes[i]);
        assert_string_equal(find(record, "store_buffer.state")->value.text, "mixed");
        record_free(record);
    }
}

TEST(a_busy_sibling_hides_the_full_size)
{
    for (size_t i = 0; i < PUBLISHED; i++) {
        struct machine busy = published[i];
        busy.halved_percent = 100;
        struct record *record = measured(busy);
        assert_int_equal(find(record, "store_buffer.entries")->value.integer, busy.entries / 2);
        assert_string_equal(find(record, "store_buffer.state")->value.text, "halved");
        assert_true(range_of(record) > busy.entries);
        record_free(record);
    }
}

static void assert_unresolved(struct machine of)
{
    struct record *record = measured(of);
    assert_int_equal(find(record, "store_buffer.entries")->value.type, CELL_NULL);
    assert_non_null(strstr(find(record, "store_buffer.entries")->text, "not resolved"));
    record_free(record);
}

TEST(what_has_no_knee_is_not_resolved)
{
    assert_unresolved((struct machine){.entries = 100000});
    assert_unresolved((struct machine){.entries = 64, .rate_limited = true});
    assert_unresolved((struct machine){.entries = 64, .interrupted_permill = 900});
}

TEST(nops_find_what_iso_finds)
{
    for (size_t i = 0; i < SIZES; i++) {
        struct record *record = measured_by(1, 20, (struct machine){.entries = sizes[i]});
        assert_int_equal(find(record, "store_buffer.entries")->value.integer, sizes[i]);
        assert_int_equal(find(record, "store_buffer.entries")->trust, TRUST_MEDIUM); /* it may be a half */
        record_free(record);
    }
    for (size_t i = 0; i < PUBLISHED; i++) {
        struct record *record = measured_by(1, 20, published[i]);
        assert_int_equal(find(record, "store_buffer.entries")->value.integer, published[i].entries);
        assert_int_equal(find(record, "store_buffer.entries")->trust, TRUST_HIGH);
        record_free(record);
    }
}

TEST(nops_find_64_in_the_curve_of_zen_4)
{
    for (unsigned seed = 0; seed < (TEST_SLOW ? 4 : 20); seed++) {
        struct machine genoa = published[2];
        genoa.as_published = true;
        genoa.seed = seed;
        struct record *record = measured_by(1, 20, genoa);
        assert_int_equal(find(record, "store_buffer.entries")->value.integer, 64);
        assert_int_equal(find(record, "store_buffer.entries")->trust, TRUST_HIGH);
        record_free(record);
    }
}

TEST(nops_keep_states_apart)
{
    struct record *record = measured_by(1, 250, (struct machine){.entries = 64, .halved_percent = 50});
    const struct answer *idle = find(record, "store_buffer.entries");
    const struct answer *active =
        record_answer_find(record, "store_buffer.entries", state_names[STATE_ACTIVE]);

    assert_int_equal(idle->value.integer, 64);
    assert_non_null(strstr(idle->text, "while the sibling idles"));
    assert_int_equal(active->value.integer, 32);
    assert_non_null(strstr(active->text, "while the sibling works"));
    record_free(record);
}

TEST(nops_without_a_step_are_not_resolved)
{
    struct record *record = measured_by(1, 20, (struct machine){.entries = 64, .drains = true});

    assert_int_equal(find(record, "store_buffer.entries")->value.type, CELL_NULL);
    assert_int_equal(find(record, "store_buffer.entries")->trust, TRUST_LOW);
    record_free(record);
}
