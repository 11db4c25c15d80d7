/* SPDX-License-Identifier: MIT */
/* Runs the witness behind the engine on simulated cores: it must find the size of the store buffer and when
 * the sibling is busy. The functions below replace those that run kernels, so only the script lets time pass. */
#include "test.h"

#include "engine/engine_internal.h"
#include "store_core.h"

enum { OPERATIONS = 8750 };
static const double CYCLES = 40, SLOWER = 0.5, INTERRUPTED = 1e-3;

static bool sample(void *context, size_t first, size_t count, double *value, struct fault *fault)
{
    *value = sim_work(&sim, CYCLES * OPERATIONS, 0, SLOWER) * 1e9 / OPERATIONS;
    return true;
}

static struct sibling *witness;

static void probe_machine(void *context, struct moment *moment)
{
    moment->reading = sibling_read(witness, sim_ghz);
    moment->ghz = sim_ghz;
}

/* The outcome of a run in the reported state. */
struct run {
    enum state state;
    struct estimate estimate;
    struct verdict verdict;
    double busy;       /* share of the probes */
    size_t false_idle; /* samples classified as idle that a busy sibling slowed */
    bool sure;
};

static struct run run_of(struct core of, double seconds, uint64_t seed)
{
    const struct engine_machine machine = {&sim, sim_now_ns, probe_machine, sim_interrupted};
    const struct engine_bench bench = {.points = 1, .width = 1, .cycles = true, .sample = sample};
    const struct engine_effort effort = {.least = 48, .most = 48, .duration_s = seconds};
    struct engine_data data = {0};
    struct fault fault = {0};
    of.interrupted = INTERRUPTED;
    core_start(of, seed);
    witness = sibling_new(&core_cpu, &core_clock_ns);
    assert_int_equal(engine_run(&bench, &machine, &effort, &data, &fault), ENGINE_ROUNDS);

    struct run run = {.state = engine_main_state(&data), .busy = engine_share(&data, STATE_ACTIVE)};
    run.sure = data.reading.sure;
    assert_true(engine_estimate(&data, 0, run.state, 0.5, &run.estimate));
    run.verdict = trust_judge(&run.estimate, &promise_core);
    for (size_t i = 0; i < data.kept; i++)
        run.false_idle += engine_state(&data, i, 0) == STATE_IDLE && engine_value(&data, i, 0) > 1.2 * CYCLES;
    engine_data_free(&data);
    sibling_free(witness);
    return run;
}

static bool is_right(const struct run *run)
{
    return fabs(run->estimate.value - CYCLES) <= 0.02 * CYCLES;
}

/* With a sibling that is mostly busy the witness learns the half first, takes it for the whole until it has
 * seen that eight times, and then classifies earlier samples anew. A sibling that comes and goes leaves high
 * trust. With idle spells of 0.1 ms or none the half may pass for idle, but never with high trust. */
TEST(a_busy_sibling_is_found_out)
{
    for (size_t i = 0; i < CORE_SIZES; i++) {
        const struct run mostly = run_of((struct core){.entries = core_sizes[i], .busy = 0.9}, 2, i + 1);
        assert_true(mostly.sure && mostly.busy > 0.8 && mostly.busy < 0.97);
        assert_true(mostly.state != STATE_IDLE || is_right(&mostly));
        assert_true(mostly.false_idle < 80); /* in idle spells between two probes */
        const struct run half = run_of((struct core){.entries = core_sizes[i], .busy = 0.5}, 2, i + 1);
        assert_true(half.sure && half.state == STATE_IDLE && is_right(&half));
        assert_int_equal(half.verdict.trust, TRUST_HIGH);
        for (double busy = 0.99; busy < 1.005; busy += 0.01) {
            const struct run run = run_of((struct core){.entries = core_sizes[i], .busy = busy}, 2, i + 1);
            assert_true(run.verdict.trust < TRUST_HIGH || is_right(&run));
            assert_true(run.state != STATE_IDLE || !run.sure || is_right(&run));
        }
    }
}

static struct run published_run(size_t i, const char *hypervisor, double busy)
{
    struct core of = core_published[i];
    of.hypervisor = hypervisor;
    of.busy = busy;
    return run_of(of, 1, i + 1);
}

/* A hypervisor may show another model number of the same vendor. Of these cores only Skylake has half of the
 * entries that another one has. Half of the published size means a busy sibling. */
TEST(an_idle_sibling_is_proved_by_the_half_or_by_the_model)
{
    for (size_t i = 0; i < CORE_PUBLISHED; i++) {
        const struct run own = published_run(i, "none", 0), guest = published_run(i, "KVM", 0),
                         mixed = published_run(i, "KVM", 0.3);
        const bool is_skylake = core_published[i].entries == 56;
        assert_true(own.state == STATE_IDLE && is_right(&own) && own.verdict.trust == TRUST_HIGH);
        assert_true(guest.state == STATE_IDLE && is_right(&guest));
        assert_int_equal(guest.verdict.trust, is_skylake ? TRUST_MEDIUM : TRUST_HIGH);
        assert_int_equal(guest.verdict.limited_by, is_skylake ? LIMITED_BY_PLAUSIBILITY : LIMITED_BY_NONE);
        assert_true(mixed.state == STATE_IDLE && is_right(&mixed) && mixed.verdict.trust == TRUST_HIGH);
        const struct run half = published_run(i, i % 2 ? "KVM" : "none", 1);
        assert_true(half.state == STATE_ACTIVE && half.busy > 0.95);
    }
}

/* A hypervisor shows the model number of Skylake on a Golden Cove whose sibling is busy throughout, and
 * that of Zen 2 on a Zen 5: neither half passes for a proved whole. */
TEST(the_half_of_another_core_proves_nothing)
{
    static const struct core masked[] = {{"GenuineIntel", "KVM", 6, 0x55, .entries = 112, .busy = 1},
                                         {"GenuineIntel", "KVM", 6, 0x2a, .entries = 72, .busy = 1},
                                         {"AuthenticAMD", "KVM", 23, 0x31, .entries = 104, .busy = 1}};
    for (size_t i = 0; i < sizeof masked / sizeof *masked; i++) {
        const struct run run = run_of(masked[i], 1, i + 1);
        assert_true(!run.sure && run.verdict.trust < TRUST_HIGH);
    }
}

/* Chains of roots never overlap on some cores, chains of products on others. An E-core runs one thread, so no
 * sibling halves its size. */
TEST(some_chain_shows_the_size)
{
    enum { APART = 1 << CHAIN_ROOTS, MORE = APART | 1 << CHAIN_QUOTIENTS, MOST = MORE | 1 << CHAIN_PRODUCTS };
    enum { L = TRUST_LOW, M = TRUST_MEDIUM, H = TRUST_HIGH };
    static const struct {
        struct core core;
        enum state state;
        bool sure;
        int least, most;
    } rows[] = {{{.entries = 64, .busy = 0.3, .apart = APART}, STATE_IDLE, true, L, H},
                {{.entries = 64, .busy = 0.3, .apart = MORE}, STATE_IDLE, true, L, H},
                {{.entries = 64, .busy = 0.3, .apart = MOST}, STATE_IDLE, true, L, H},
                {{.entries = 64, .apart = ~0u}, STATE_UNKNOWN, false, L, H},
                {{.entries = 64}, STATE_IDLE, false, M, M},
                {{"GenuineIntel", "KVM", 6, 0xbe, .entries = 50}, STATE_IDLE, true, H, H},
                {{"GenuineIntel", "KVM", 6, 0xcf, .entries = 112}, STATE_IDLE, true, H, H},
                {{"GenuineIntel", "", 6, 0x55, .entries = 56}, STATE_IDLE, false, M, M}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct run run = run_of(rows[i].core, 1, i % 3 + 1);
        assert_true(run.state == rows[i].state && run.sure == rows[i].sure && is_right(&run));
        assert_in_range(run.verdict.trust, rows[i].least, rows[i].most);
    }
}

TEST(what_cannot_be_watched_is_unknown)
{
    const struct cpu emulated = {.family = -1, .model = -1, .emulated = true};
    struct record *record = record_new();
    assert_null(sibling_new(&emulated, &core_clock_ns));
    assert_int_equal(sibling_read(NULL, sim_ghz).entries, 0);
    sibling_record(NULL, record);
    assert_true(isnan(record->conditions.sibling_share));
    assert_int_equal(record->warnings.count, 0);
    sibling_free(NULL);
    record_free(record);
}

/* Returns the last of `readings` readings. */
static struct reading read_some(struct sibling *sibling, int readings, bool busy)
{
    struct reading last = {0};
    sim.active = busy;
    for (int i = 0; i < readings; i++)
        last = sibling_read(sibling, sim_ghz);
    return last;
}

static struct sibling *quiet_witness(void)
{
    core_start((struct core){.entries = 64}, 1);
    return sibling_new(&core_cpu, &core_clock_ns);
}

/* The half proves the whole with three readings that are at least one in a hundred. */
TEST(a_half_proves_the_whole_where_it_is_no_accident)
{
    struct sibling *sibling = quiet_witness();
    read_some(sibling, 1, false);
    assert_false(read_some(sibling, 2, true).sure);
    assert_true(read_some(sibling, 1, true).sure);
    assert_true(read_some(sibling, 296, false).sure);
    assert_false(read_some(sibling, 1, false).sure);
    sibling_free(sibling);
}

/* A size doubles after eight readings of its double, if they outnumber those of its half. */
TEST(a_size_grows_by_eight_readings_of_its_double)
{
    struct sibling *sibling = quiet_witness();
    assert_int_equal(read_some(sibling, 52, true).whole, 32);
    assert_int_equal(read_some(sibling, 7, false).whole, 32);
    const struct reading grown = read_some(sibling, 1, false);
    assert_true(grown.whole == 64 && grown.sure);
    sibling_free(sibling);
}

/* Instructions and loads a cycle as a core of its own executes them, and as its sibling leaves them: a value
 * between `busy` and `most`. The sibling pauses in `pauses` of the readings. */
struct neighbour {
    const char *name;
    struct {
        double integers, loads;
    } alone, busy, most;
    double pauses;
    bool is_there, passes;
};

static const struct neighbour *neighbour;

static struct throughput next_to_neighbour(void)
{
    static bool is_after, pauses;
    pauses = is_after ? pauses : sim_uniform(&sim) < neighbour->pauses;
    is_after = !is_after;
    const double noise = 1 + 0.004 * sim_normal(&sim), share = sim_uniform(&sim);
    if (!neighbour->is_there || pauses)
        return (struct throughput){noise * neighbour->alone.integers, noise * neighbour->alone.loads, 0};
    return (struct throughput){
        noise * (neighbour->busy.integers + share * (neighbour->most.integers - neighbour->busy.integers)),
        noise * (neighbour->busy.loads + share * (neighbour->most.loads - neighbour->busy.loads)), 0};
}

/* Nothing is published of the core. */
static bool neighbour_passes(const struct neighbour *of, uint64_t seed)
{
    struct reading last = {0};
    core_start((struct core){.entries = 64, .busy = of->is_there, .interrupted = INTERRUPTED}, seed);
    neighbour = of;
    core_throughput = next_to_neighbour;
    struct sibling *sibling = sibling_new(&core_cpu, &core_clock_ns);
    for (int i = 0; i < 400; i++) {
        last = sibling_read(sibling, sim_ghz);
        sim_work(&sim, 0, 1e6, 0);
    }
    core_throughput = NULL;
    sibling_free(sibling);
    return last.sure;
}

/* Rates of Zen 4 (three loads) but for those named otherwise; a neighbour that copies memory was seen to
 * leave all additions. */
TEST(whole_numbers_of_instructions_and_loads_prove_an_idle_sibling)
{
    static const struct neighbour neighbours[] = {
        {"none", {4, 3}, {0, 0}, {0, 0}, 0, false, true},
        {"takes half of all", {4, 3}, {2, 1.5}, {2, 1.5}, 0, true, false},
        {"takes half of six slots", {4, 3}, {3, 3}, {3, 3}, 0, true, false},
        {"takes half of eight slots (Zen 5)", {6, 4}, {4, 4}, {4, 4}, 0, true, false},
        {"copies memory", {4, 3}, {4, 2.11}, {4, 2.11}, 0, true, false},
        {"a loop of the shell", {4, 3}, {2.46, 2.2}, {3.29, 2.4}, 0, true, false},
        {"waits for half of the time", {4, 3}, {2.46, 2.2}, {3.29, 2.4}, 0.5, true, false},
        {"takes one of five units", {5, 3}, {4, 3}, {4, 3}, 0, true, true}, /* it is not told from none */
        {"takes one of five units, with pauses", {5, 3}, {4, 3}, {4, 3}, 0.05, true, false},
    };
    const char *asked = getenv("UARCHPROBE_RUNS");
    const int runs = asked ? atoi(asked) : TEST_SLOW ? 5 : 50;
    for (size_t i = 0; i < sizeof neighbours / sizeof *neighbours; i++) {
        int passed = 0;
        for (int run = 1; run <= runs; run++)
            passed += neighbour_passes(&neighbours[i], (uint64_t)run);
        if (passed != (neighbours[i].passes ? runs : 0))
            fail_msg("%s: %d of %d pass for an idle sibling", neighbours[i].name, passed, runs);
    }
}

static double integers, loads;

static struct throughput as_told(void)
{
    return (struct throughput){integers, loads, 0};
}

/* Readings of an idle sibling, each so many milliseconds after the one before. */
static bool is_proved_by(struct sibling *sibling, int readings, double of_integers, double of_loads,
                         double ms)
{
    struct reading last = {0};
    integers = of_integers;
    loads = of_loads;
    core_throughput = as_told;
    for (int i = 0; i < readings; i++) {
        sim_work(&sim, 0, ms * 1e6, 0);
        last = sibling_read(sibling, sim_ghz);
    }
    core_throughput = NULL;
    return last.sure;
}

/* Each number of the rule, from both sides. rest: readings of other rates that come before. */
TEST(the_proof_by_throughput_has_sharp_bounds)
{
    static const struct {
        double integers, loads, ms, rest_integers, rest_loads;
        int readings, rest;
        bool is_proved;
    } rows[] = {
        {4, 3, 10, .readings = 32, .is_proved = true},
        {4, 3, 10, .readings = 31},
        {4, 3, 3.3, .readings = 32, .is_proved = true},
        {4, 3, 3.1, .readings = 32},
        {4.096, 3, 10, .readings = 40, .is_proved = true},
        {4.104, 3, 10, .readings = 40},
        {3.904, 3, 10, .readings = 40, .is_proved = true},
        {3.896, 3, 10, .readings = 40},
        {4, 3.07, 10, .readings = 40, .is_proved = true},
        {4, 3.08, 10, .readings = 40},
        {4, 1, 10, .readings = 40, .is_proved = true},
        {3, 1, 10, .readings = 40},
        {5, 4, 10, .readings = 40, .is_proved = true},
        {4, 4, 10, .readings = 40},
        {8, 7, 10, .readings = 40, .is_proved = true},
        {9, 7, 10, .readings = 40},
        {4, 3, 10, 3.5, 3, .readings = 80, .rest = 20, .is_proved = true},
        {4, 3, 10, 3.5, 3, .readings = 80, .rest = 21},
        {4, 3, 10, 4, 2, .readings = 80, .rest = 20, .is_proved = true},
        {4, 3, 10, 4, 2, .readings = 80, .rest = 21},
        {4, 3, 10, 5, 3, .readings = 40, .rest = 1, .is_proved = true},
        {4, 3, 10, 5, 3, .readings = 40, .rest = 2},
        {4, 3, 10, 5, 3, .readings = 297, .rest = 3, .is_proved = true},
        {4, 3, 10, 5, 3, .readings = 296, .rest = 3},
        {5, 3, 10, 5, 4, .readings = 40, .rest = 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sibling *sibling = quiet_witness();
        if (rows[i].rest > 0)
            is_proved_by(sibling, rows[i].rest, rows[i].rest_integers, rows[i].rest_loads, rows[i].ms);
        if (is_proved_by(sibling, rows[i].readings, rows[i].integers, rows[i].loads, rows[i].ms) !=
            rows[i].is_proved)
            fail_msg("row %zu: %s", i, rows[i].is_proved ? "is not proved" : "is proved");
        sibling_free(sibling);
    }
}

static struct throughput less_after(void)
{
    static bool is_after;
    is_after = !is_after;
    return (struct throughput){4, is_after ? 3 : 2, 0};
}

/* The sibling came while the store buffer was read. */
TEST(rates_must_be_the_same_before_and_after)
{
    struct sibling *sibling = quiet_witness();
    struct reading last = {0};
    core_throughput = less_after;
    for (int i = 0; i < 100; i++) {
        sim_work(&sim, 0, 1e7, 0);
        last = sibling_read(sibling, sim_ghz);
    }
    core_throughput = NULL;
    assert_false(last.sure);
    sibling_free(sibling);
}

/* A core of which rates are published but whose size of the store buffer is another one, or proves nothing in
 * a guest. */
TEST(published_rates_must_be_met)
{
    static const struct {
        struct core core;
        double integers, loads;
        bool is_proved;
    } rows[] = {{{"GenuineIntel", "KVM", 6, 0x55, .entries = 56}, 4, 2, true},
                {{"GenuineIntel", "KVM", 6, 0x55, .entries = 56}, 4, 3, false},
                {{"GenuineIntel", "KVM", 6, 0x8f, .entries = 100}, 5, 3, true},
                {{"GenuineIntel", "KVM", 6, 0x8f, .entries = 100}, 4, 3, false},
                {{"GenuineIntel", "KVM", 6, 0x8f, .entries = 100}, 6, 3, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        core_start(rows[i].core, 1);
        struct sibling *sibling = sibling_new(&core_cpu, &core_clock_ns);
        assert_int_equal(is_proved_by(sibling, 40, rows[i].integers, rows[i].loads, 10), rows[i].is_proved);
        sibling_free(sibling);
    }
}

/* What was read of the double before the size grew counts for the size from then on. */
TEST(rates_belong_to_a_size)
{
    struct sibling *sibling = quiet_witness();
    sim.active = true;
    assert_false(is_proved_by(sibling, 1, 2, 1, 10));
    sim.active = false;
    assert_false(is_proved_by(sibling, 31, 4, 3, 10));
    assert_true(is_proved_by(sibling, 1, 4, 3, 10));
    sibling_free(sibling);
}

static const struct answer unproved = {
    .key = "k", .trust = TRUST_MEDIUM, .limited_by = LIMITED_BY_PLAUSIBILITY, .proved_trust = TRUST_HIGH};

/* An answer that was filed while the half passed for the whole is not of an idle sibling. */
TEST(a_late_proof_counts_for_answers_of_its_size)
{
    struct record *record = record_new();
    struct sibling *sibling = quiet_witness();
    read_some(sibling, 1, true);
    record_answer(record, unproved);
    sibling_sign(sibling, record);
    read_some(sibling, 50, false);
    record_answer(record, unproved);
    sibling_prove(sibling, record);
    assert_int_equal(record->answers.of[1].trust, TRUST_MEDIUM);
    assert_int_equal(record->conditions.store_buffer, 0);
    read_some(sibling, 3, true);
    sibling_prove(sibling, record);
    assert_int_equal(record->answers.of[0].trust, TRUST_MEDIUM);
    assert_int_equal(record->answers.of[1].trust, TRUST_HIGH);
    assert_int_equal(record->answers.of[1].limited_by, LIMITED_BY_NONE);
    assert_int_equal(record->conditions.store_buffer, 64);
    sibling_sign(NULL, record);
    sibling_prove(NULL, record);
    sibling_free(sibling);
    record_free(record);
}

/* The share is NaN where nothing proves that the largest size is the whole. */
TEST(the_record_has_the_share_of_a_proved_whole)
{
    for (int is_busy = 0; is_busy < 2; is_busy++) {
        struct record *record = record_new();
        core_start((struct core){.entries = 64, .busy = is_busy ? 0.5 : 0, .interrupted = INTERRUPTED}, 1);
        struct sibling *sibling = sibling_new(&core_cpu, &core_clock_ns);
        for (int i = 0; i < 2000; i++) {
            sibling_read(sibling, sim_ghz);
            sim_work(&sim, 0, 1e6, 0);
        }
        sibling_record(sibling, record);
        const struct conditions seen = record->conditions;
        assert_int_equal(seen.sibling_readings, 2000);
        assert_true(is_busy ? fabs(seen.sibling_share - 0.5) < 0.1 : isnan(seen.sibling_share));
        assert_int_equal(record->warnings.count, is_busy);
        sibling_free(sibling);
        record_free(record);
    }
}
