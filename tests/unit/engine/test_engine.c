/* SPDX-License-Identifier: MIT */
/* Checks the promise of the engine on machines with a known truth: many seeded runs of each scenario, each
 * value of high (medium) trust compared with all other runs and with the truth. With UARCHPROBE_RUNS=1000 it
 * prints the table in docs/truth.md. */
#include "test.h"

#include "bench/ram/ram.h"
#include "simulated.h"

enum { RUNS_DEFAULT = TEST_SLOW ? 12 : 40, RUNS_TABLE = 1000, RUNS_MOST = 5000 };

/* In-core costs in cycles, the addition of an active sibling, and the dependence of each. */
static const struct {
    double cycles, smt;
    bool placed;
} core_point[SIM_POINTS] = {{5, 0, false}, {40, 0.5, false}, {0.67, 0.2, true}};
static const double SAMPLE_NS = 100e3, MEMORY_NS = 90;

static double noisy(struct sim *sim, double value)
{
    const struct sim_script *script = sim->script;
    value *= 1 + (script->noise > 0 ? script->noise : 0.005) * sim_normal(sim);
    if (script->modes > 0 && sim_uniform(sim) < 0.4)
        value *= 1 + script->modes;
    if (sim_uniform(sim) < script->outliers)
        value *= 1 + 0.1 * pow(sim_uniform(sim), -1 / script->tail);
    return value;
}

static bool sample_core(void *context, size_t first, size_t count, double *value, struct fault *fault)
{
    struct sim *sim = context;
    const double slower = core_point[first].placed ? sim->placement[sim->placed % 32] : 1;
    const double tick_ns = sim->script->tick_ns;
    const double operations = (tick_ns > 0 ? 50 * tick_ns : SAMPLE_NS) * sim_ghz / core_point[first].cycles;
    const double begin_ns = sim->now_s * 1e9;
    double ns = noisy(
        sim, sim_work(sim, core_point[first].cycles * slower * operations, 0, core_point[first].smt) * 1e9);
    if (tick_ns > 0)
        ns = (floor((begin_ns + ns) / tick_ns) - floor(begin_ns / tick_ns)) * tick_ns;
    *value = ns / operations;
    return true;
}

static bool remap(void *context, unsigned placement, struct fault *fault)
{
    ((struct sim *)context)->placed = placement;
    return true;
}

/* Times two threads that read memory; alone each is 1.6 times as fast. */
static bool sample_memory(void *context, size_t first, size_t count, double *value, struct fault *fault)
{
    struct sim *sim = context;
    const struct sim_script *script = sim->script;
    const uint64_t begin = sim_now_ns(sim);
    const bool late = sim_uniform(sim) < script->late;
    if (script->wander > 0) {
        const double keep = exp(-(sim->now_s - sim->wander_at_s) / script->wander_s);
        sim->wander = sim->wander * keep + script->wander * sqrt(1 - keep * keep) * sim_normal(sim);
        sim->wander_at_s = sim->now_s;
    }
    const double ns = SAMPLE_NS * 10 * (1 + sim->wander);
    sim_work(sim, 0, ns, 0);
    const double took = (double)(sim_now_ns(sim) - begin);
    const struct ram_lane each = {.begin_ns = begin, .end_ns = begin + (uint64_t)took, .ns = took};
    struct ram_lane lane[2] = {each, each};
    if (late) {
        lane[0].end_ns = begin + (uint64_t)(took * 0.8);
        lane[1].begin_ns = begin + (uint64_t)(took * 0.4);
        lane[1].end_ns = begin + (uint64_t)(took * 1.2);
    }
    *value = noisy(sim, ram_lanes_ns(lane, 2) / (SAMPLE_NS * 10) * MEMORY_NS);
    return true;
}

enum kind { KIND_CORE, KIND_MEMORY };

struct scenario {
    enum kind kind;
    struct sim_script script;
    double high_least; /* least share of high trust (of states in a tenth of the probes) */
};
#define ROW(of, text, least, ...)                                                                            \
    {                                                                                                        \
        .kind = of, .high_least = least, .script = {.name = text, __VA_ARGS__ }                              \
    }
#define CORE(...) ROW(KIND_CORE, __VA_ARGS__)
#define MEMORY(...) ROW(KIND_MEMORY, __VA_ARGS__)
#define SIBLING(percent, share, spell, seconds)                                                              \
    CORE("sibling " percent " %, spells of " spell, 0.67, .active = share, .spell_s = seconds)
#define SPELLS(percent, share)                                                                               \
    SIBLING(percent, share, "1 ms", 1e-3), SIBLING(percent, share, "10 ms", 1e-2),                           \
        SIBLING(percent, share, "100 ms", 0.1), SIBLING(percent, share, "1 s", 1),                           \
        SIBLING(percent, share, "10 s", 10)

static const struct scenario scenarios[] = {
    CORE("quiet", 0.99),
    CORE("quiet, witness silent", 0.99, .blind = true),
    SPELLS("1", 0.01),
    SPELLS("10", 0.1),
    SPELLS("50", 0.5),
    SPELLS("97", 0.97),
    CORE("clock steps of 5 %", 0.67, .clock_step = 0.05, .clock_s = 0.02),
    CORE("clock steps of 30 %", 0.67, .clock_step = 0.3, .clock_s = 0.05),
    CORE("preempted half of the time", 0.67, .preempted_s = 4e-3, .slice_s = 4e-3),
    CORE("stopped for 3 s", 0.9, .stop_at_s = 0.1),
    CORE("outliers, 10 %, heavy tail", 0.67, .outliers = 0.1, .tail = 1),
    CORE("noise of 5 %", 0.67, .noise = 0.05),
    CORE("3 in 10 placements 10 % slower", 0, .placement = 0.1, .bad_placements = 0.3, .point = 3),
    CORE("1 in 10 placements 30 % slower", 0, .placement = 0.3, .bad_placements = 0.1, .point = 3),
    CORE("bound declared a fifth too low", 0, .bound = 0.8),
    CORE("sibling 50 %, spells of 0.1 ms", 0, .active = 0.5, .spell_s = 1e-4),
    CORE("sibling 50 %, spells of 0.3 ms", 0.67, .active = 0.5, .spell_s = 3e-4),
    CORE("sibling 90 %, spells of 1 ms", 0, .active = 0.9, .spell_s = 1e-3),
    CORE("sibling 50 %, even spells, 1 ms", 0, .active = 0.5, .spell_s = 1e-3, .even = true),
    CORE("sibling 50 %, even spells, 0.1 ms", 0, .active = 0.5, .spell_s = 1e-4, .even = true,
         .unseen = true),
    CORE("witness silent in 30 %", 0.67, .active = 0.5, .spell_s = 1e-2, .silent = 0.3),
    CORE("two values, 20 % apart", 0, .modes = 0.2),
    CORE("clock of 100 MHz", 0, .tick_ns = 10),
    CORE("clock of 25 MHz", 0, .tick_ns = 40),
    CORE("clock of 25 MHz, sibling 50 %", 0.67, .tick_ns = 40, .active = 0.5, .spell_s = 1e-2),
    CORE("10 rounds, quiet", 0.67, .rounds = 10),
    CORE("10 rounds, noise of 5 %", 0, .rounds = 10, .noise = 0.05),
    CORE("all at once", 0.67, .active = 0.5, .spell_s = 1e-2, .clock_step = 0.1, .clock_s = 0.05,
         .preempted_s = 2e-2, .slice_s = 4e-3, .stop_at_s = 0.2, .outliers = 0.05, .tail = 1, .noise = 0.02),
    MEMORY("memory, quiet", 0.99),
    MEMORY("memory, 20 % of the threads late", 0.67, .late = 0.2),
    MEMORY("memory, 70 % of the threads late", 0, .late = 0.7),
    MEMORY("memory, neighbours of 5 %, 10 ms", 0, .wander = 0.05, .wander_s = 0.01),
    MEMORY("memory, neighbours of 5 %, 100 ms", 0, .wander = 0.05, .wander_s = 0.1, .unseen = true),
    MEMORY("memory, neighbours of 2 %, 100 ms", 0.5, .wander = 0.02, .wander_s = 0.1),
    MEMORY("memory, neighbours of 5 %, 1 s", 0, .wander = 0.05, .wander_s = 1, .unseen = true),
};

/* A value that a run printed for a cell in a state. */
struct said {
    double value;
    enum trust trust;
    bool counted; /* its state held in a tenth of the probes */
};
enum { SLOTS = SIM_POINTS * STATE_COUNT };

struct tally {
    struct said *said[SLOTS];
    size_t count[SLOTS];
    size_t answers, high; /* of states that held in a tenth of the probes */
    size_t of_neighbours; /* for an active sibling, because no idle one was seen */
    size_t all, metrics[TRUST_HIGH + 1];
    size_t pairs[TRUST_HIGH + 1], broken[TRUST_HIGH + 1];  /* other runs; those outside the promise */
    size_t stated[TRUST_HIGH + 1], false_[TRUST_HIGH + 1]; /* values with a known truth; false ones */
};
static size_t runs_wanted(void)
{
    const char *text = getenv("UARCHPROBE_RUNS");
    const size_t runs = text ? strtoul(text, NULL, 10) : RUNS_DEFAULT;
    return runs < 10 ? 10 : runs > RUNS_MOST ? RUNS_MOST : runs;
}

static void say(struct tally *tally, size_t sheet_cell, double value, enum trust trust, bool counted)
{
    tally->said[sheet_cell][tally->count[sheet_cell]++] = (struct said){value, trust, counted};
    tally->all++;
    tally->metrics[trust]++;
    if (!counted)
        return;
    tally->answers++;
    tally->high += trust == TRUST_HIGH;
}

static struct promise metric_of(const struct scenario *scenario, size_t point)
{
    struct promise promise = scenario->kind == KIND_CORE ? promise_core : promise_beyond;
    if (scenario->kind == KIND_CORE)
        promise.absolute = 0.02 * core_point[point].cycles; /* a relative promise alone is harder */
    if (scenario->kind == KIND_CORE && core_point[point].placed)
        promise.placements = 8;
    if (scenario->script.bound > 0)
        promise.at_most = core_point[point].cycles * scenario->script.bound;
    return promise;
}

/* Records the answers of a bench: of the main state, and of the other one if it held in a tenth of the probes. */
static void say_states(struct tally *tally, const struct scenario *scenario, const struct engine_data *data)
{
    const size_t points = scenario->kind == KIND_CORE ? SIM_POINTS : 1;
    const enum state reported = engine_main_state(data);
    for (size_t point = 0; point < points; point++) {
        const struct promise promise = metric_of(scenario, point);
        if (scenario->script.point && (int)point != scenario->script.point - 1)
            continue;
        for (enum state state = STATE_UNKNOWN; state < STATE_MIXED; state++) {
            struct estimate e;
            if (state != reported && (state == STATE_UNKNOWN || engine_share(data, state) < 0.1))
                continue;
            if (!engine_estimate(data, point, state, 0.5, &e))
                continue;
            say(tally, point * STATE_COUNT + state, e.value, trust_judge(&e, &promise).trust,
                engine_share(data, state) >= 0.1 && state == reported &&
                    (state != STATE_ACTIVE || e.indifferent));
            tally->of_neighbours += state == reported && state == STATE_ACTIVE && !e.indifferent;
        }
    }
}

static void measure(const struct scenario *scenario, const struct engine_effort *effort,
                    bool (*wants)(void *context, size_t first, uint64_t round), uint64_t seed,
                    struct engine_data *data)
{
    struct sim sim;
    struct fault fault = {0};
    const bool core = scenario->kind == KIND_CORE;
    sim_start(&sim, &scenario->script, seed);
    const struct engine_machine machine = {&sim, sim_now_ns, sim_probe, sim_interrupted};
    const struct engine_bench bench = {.context = &sim,
                                       .points = core ? SIM_POINTS : 1,
                                       .width = 1,
                                       .cycles = core,
                                       .sample = core ? sample_core : sample_memory,
                                       .remap = remap,
                                       .wants = wants};
    *data = (struct engine_data){0};
    engine_run(&bench, &machine, effort, data, &fault);
    assert_int_equal(fault.status, STATUS_OK);
}

static void run_once(struct tally *tally, const struct scenario *scenario, uint64_t seed)
{
    struct engine_data data;
    const struct engine_effort effort = {.rounds = scenario->script.rounds,
                                         .least = 48,
                                         .most = 4000,
                                         .budget_s = scenario->kind == KIND_MEMORY ? 2 : 0.5,
                                         .placements = 16,
                                         .settled = 0.01,
                                         .duration_s = scenario->kind == KIND_CORE ? 0.05 : 2};
    measure(scenario, &effort, NULL, seed, &data);
    say_states(tally, scenario, &data);
    engine_data_free(&data);
}

/* The true value of a sheet_cell; NaN where it varies with the load of an active sibling. */
static double truth_of(const struct scenario *scenario, size_t sheet_cell)
{
    const size_t point = sheet_cell / STATE_COUNT, state = sheet_cell % STATE_COUNT;
    if (scenario->kind == KIND_MEMORY)
        return MEMORY_NS;
    if ((state == STATE_ACTIVE && core_point[point].smt > 0) || scenario->script.bad_placements > 0)
        return NAN;
    return core_point[point].cycles;
}

static double tolerance_of(const struct scenario *scenario, enum trust trust, double value)
{
    return value * (trust == TRUST_MEDIUM ? 0.1 : scenario->kind == KIND_CORE ? 0.02 : 0.05);
}

static void hold(struct tally *tally, const struct scenario *scenario, size_t sheet_cell)
{
    const double truth = truth_of(scenario, sheet_cell);
    const size_t count = tally->count[sheet_cell];
    for (size_t i = 0; i < count; i++) {
        const struct said *said = &tally->said[sheet_cell][i];
        const double tolerance = tolerance_of(scenario, said->trust, said->value);
        if (said->trust == TRUST_LOW)
            continue;
        for (size_t j = 0; j < count; j++)
            tally->broken[said->trust] += fabs(tally->said[sheet_cell][j].value - said->value) > tolerance;
        tally->pairs[said->trust] += count - 1;
        if (isnan(truth))
            continue;
        tally->stated[said->trust]++;
        tally->false_[said->trust] += fabs(said->value - truth) > tolerance;
    }
}

static double share(size_t part, size_t all)
{
    return all ? (double)part / (double)all : 0;
}

static void print_row(const struct scenario *scenario, const struct tally *tally)
{
    printf("| %-34s | %5zu | %5zu | %5.1f | %6.2f | %6.2f | %5.1f | %6.2f | %6.2f |\n", scenario->script.name,
           tally->of_neighbours, tally->answers, 100 * share(tally->high, tally->answers),
           100 * share(tally->broken[TRUST_HIGH], tally->pairs[TRUST_HIGH]),
           100 * share(tally->false_[TRUST_HIGH], tally->stated[TRUST_HIGH]),
           100 * share(tally->metrics[TRUST_MEDIUM], tally->all),
           100 * share(tally->broken[TRUST_MEDIUM], tally->pairs[TRUST_MEDIUM]),
           100 * share(tally->false_[TRUST_MEDIUM], tally->stated[TRUST_MEDIUM]));
}

/* Where less than a twentieth of the answers has the word, chance hid the disturbance in these few: broken promises count against all
 * answers. In a short table one of them alone may be the hundredth. */
static double broken_share(const struct tally *tally, enum trust trust, size_t runs)
{
    const size_t excused = runs < RUNS_TABLE ? runs - 1 : 0, broken = tally->broken[trust];
    return fmin(20 * share(tally->metrics[trust], tally->all), 1) *
           share(broken > excused ? broken - excused : 0, tally->pairs[trust]);
}

static bool keeps_promise(const struct scenario *scenario, size_t runs)
{
    struct tally tally = {.answers = 0};
    for (size_t i = 0; i < SLOTS; i++)
        tally.said[i] = calloc(2 * runs, sizeof **tally.said);
    for (size_t run = 0; run < runs; run++)
        run_once(&tally, scenario, run + 1);
    for (size_t i = 0; i < SLOTS; i++)
        hold(&tally, scenario, i);
    for (size_t i = 0; i < SLOTS; i++)
        free(tally.said[i]);
    print_row(scenario, &tally);
    if (scenario->script.unseen)
        return true;
    bool kept = tally.answers == 0 || tally.answers < runs / 20 ||
                share(tally.high, tally.answers) >= scenario->high_least;
    for (enum trust trust = TRUST_MEDIUM; trust <= TRUST_HIGH; trust++)
        kept = kept && broken_share(&tally, trust, runs) <= 0.01 &&
               share(tally.false_[trust], tally.stated[trust]) <= 0.01;
    if (!kept)
        print_error("%s: the promise is broken\n", scenario->script.name);
    return kept;
}

TEST(the_promise_holds)
{
    const size_t runs = runs_wanted();
    printf(
        "| scenario, %zu runs | of neighbours | answers | high %% | high broken %% | high false %% | medium "
        "%% | medium "
        "broken %% | medium false %% |\n",
        runs);
    size_t broken = 0; /* no early return: prints the whole table */
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        broken += !keeps_promise(&scenarios[i], runs);
    assert_int_equal(broken, 0);
}

enum { LONG = 40000, ROUNDS_OF_FIRST = 4, BYTES_MOST = 256 << 10 };

static bool last_point_in_the_first_rounds(void *context, size_t first, uint64_t round)
{
    return first < SIM_POINTS - 1 || round < ROUNDS_OF_FIRST;
}

static void assert_same(const struct scenario *scenario, const struct engine_data *all,
                        const struct engine_data *part, size_t cell)
{
    const struct promise promise = metric_of(scenario, cell);
    const enum state state = engine_main_state(all);
    struct estimate a, b;
    assert_true(engine_estimate(all, cell, state, 0.5, &a) && engine_estimate(part, cell, state, 0.5, &b));
    assert_int_equal(trust_judge(&a, &promise).trust, trust_judge(&b, &promise).trust);
    assert_true(fabs(a.value - b.value) <= 0.02 * a.value);
    assert_int_equal(a.placements, b.placements);
    assert_true(b.summary.count < a.summary.count);
    assert_true(fabs((double)b.disturbed / (double)b.summary.count -
                     (double)a.disturbed / (double)a.summary.count) < 0.05);
}

/* The part keeps samples of all quarters, each between its own two probes. Placements alternate with rounds,
 * so keeping every second sample would lose half of them; samples taken only in the first rounds stay. */
TEST(a_part_of_a_long_run_says_the_same_as_all_of_it)
{
    static const struct {
        struct scenario scenario;
        uint64_t least;
        bool few; /* only a few samples of the last point */
    } rows[] = {{CORE("quiet", 0), 16, false},
                {CORE("busy", 0, .active = 0.5, .spell_s = 0.05, .clock_step = 0.1, .clock_s = 0.5,
                      .preempted_s = 0.02, .slice_s = 4e-3),
                 160, false},
                {CORE("placed", 0, .placement = 0.3, .bad_placements = 0.3), 16, false},
                {CORE("few", 0), 16, true}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct engine_data all, part;
        struct engine_effort effort = {
            .least = rows[i].least, .most = LONG, .placements = 16, .bytes_most = SIZE_MAX};
        bool (*const wants)(void *, size_t, uint64_t) = rows[i].few ? last_point_in_the_first_rounds : NULL;
        size_t quarter[4] = {0}, found = 0;
        measure(&rows[i].scenario, &effort, wants, 7, &all);
        effort.bytes_most = BYTES_MOST;
        measure(&rows[i].scenario, &effort, wants, 7, &part);
        assert_true(all.kept == LONG && all.halvings == 0 && part.halvings > 0);
        assert_true(part.rounds == LONG && part.taken == LONG && part.seconds == all.seconds);
        assert_true(part.kept * (part.cells * sizeof *part.value + part.points * sizeof *part.before) +
                        part.moments * sizeof *part.moment <=
                    BYTES_MOST);
        assert_memory_equal(part.seen, all.seen, sizeof all.seen);
        assert_memory_equal(part.followed, all.followed, sizeof all.followed);
        for (size_t k = 0; k + 1 < part.moments; k++)
            assert_true(part.moment[k].end_ns <= part.moment[k + 1].begin_ns);
        for (size_t round = 0; round < part.kept; round++) {
            assert_true(round == 0 || part.number[round] > part.number[round - 1]);
            for (size_t point = 0; point < SIM_POINTS; point++)
                assert_true(part.before[round * SIM_POINTS + point] + 1 < part.moments);
            quarter[part.number[round] * 4 / LONG]++;
            found += !isnan(part.value[round * part.cells + SIM_POINTS - 1]);
        }
        for (int k = 0; k < 4; k++)
            assert_true(5 * quarter[k] > part.kept && 10 * quarter[k] < 3 * part.kept);
        assert_true(!rows[i].few || found == ROUNDS_OF_FIRST);
        for (size_t cell = 0; cell < (size_t)SIM_POINTS - rows[i].few; cell++)
            assert_same(&rows[i].scenario, &all, &part, cell);
        engine_data_free(&all);
        engine_data_free(&part);
    }
}
