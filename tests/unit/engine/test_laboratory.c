/* SPDX-License-Identifier: MIT */
/* Experiments as rows on the simulated machine: a script gives the time of each point, and no other time
 * passes. */
#include "../../test.h"

#include "engine/companion.h"
#include "simulated_lab.h"

/* Either an instruction that takes `cycles`, more with a busy sibling, or work that takes `height` cycles up
 * to `size` and twice as many beyond. */
struct truth {
    double cycles, smt;    /* for each x; slower by the share `smt` with a busy sibling */
    double burst;          /* extra cycles if more than 32 iterations are timed together */
    uint64_t size, second; /* entries; another size in some rounds */
    unsigned second_share; /* per mille of the samples of a whole series */
    double height;
    bool again; /* a step at each multiple of `size` */
    bool cold;  /* the first samples of a round take more than twice as long */
};

struct own {
    struct sim sim;
    unsigned second; /* whether this round sees the second size */
    double page;     /* extra cycles, one value per turn */
    size_t estimates;
};

static const struct truth *truth_of(const struct point *point)
{
    return point->series->row;
}

static void work(const struct point *point)
{
    struct own *own = point->own;
    const struct truth *truth = truth_of(point);
    const double count = (double)point->iterations;
    double cycles = (truth->height > 0 ? truth->height : 30) + truth->cycles * (double)point->x;
    cycles *= truth->cold && point->x < 16 ? 2.6 : 1;
    if (point->iterations > 32)
        cycles += truth->burst * (double)point->x;
    if (point->x == point->series->range.first)
        own->second = sim_uniform(&own->sim) < truth->second_share / 1000.0;
    const uint64_t whole = own->second ? truth->second : truth->size;
    if (truth->size > 0 && point->x > (own->sim.active ? whole / 2 : whole))
        cycles += truth->height * (truth->again ? (double)((point->x - 1) / whole) : 1);
    sim_work(&own->sim, count * cycles * (1 + 0.003 * sim_normal(&own->sim)), 0, truth->smt);
}

/* Stands in for functions of src/engine/companion.c: a thread on the core's other CPU. */
enum { SIBLING = 5 };
static struct sim *core;
static bool is_kept_busy, is_refused;
static size_t spells;

struct companion *companion_new(int cpu, struct fault *fault)
{
    assert_int_equal(cpu, SIBLING);
    if (is_refused)
        return NULL;
    core->active = is_kept_busy = true;
    spells++;
    return (struct companion *)core;
}

/* No experiment here has a partner. */
struct companion *companion_with(int cpu, struct companion_work work, struct fault *fault)
{
    fail();
    return NULL;
}

unsigned long companion_turns(const struct companion *companion)
{
    return 0;
}

void companion_dismiss(struct companion *companion)
{
}

void companion_free(struct companion *companion)
{
    if (companion)
        core->active = is_kept_busy = false;
}

static struct record *measured(const struct experiment *experiment, const struct sim_script *script,
                               uint64_t rounds)
{
    struct own own = {.second = 0};
    core = &own.sim;
    sim_start(core, script, 7);
    return sim_measured(core, experiment, &own, record_new(),
                        (struct engine_effort){.least = rounds, .budget_s = 20, .placements = 12},
                        experiment->both_states ? SIBLING : -1);
}

static const struct sim_script quiet = {.name = "quiet"}, shared = {.active = 0.4, .spell_s = 0.02};

#define TRUTH(...)                                                                                           \
    .row = &(const struct truth)                                                                             \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define SERIES(label, from, to, ...)                                                                         \
    {                                                                                                        \
        .name = label, .range = {from, to, to - from}, TRUTH(__VA_ARGS__)                                    \
    }
#define STEPS(label, to, ...)                                                                                \
    {                                                                                                        \
        .name = label, .range = {1, to}, TRUTH(__VA_ARGS__)                                                  \
    }
#define METRIC(name, of, ...)                                                                                \
    {                                                                                                        \
        .key = name, .label = name, .kind = of, __VA_ARGS__                                                  \
    }
#define CYCLES(name, of, ...) METRIC(name, of, .unit = "cycles", __VA_ARGS__)
#define COUNT(name, of, ...) METRIC(name, of, .unit = "entries", __VA_ARGS__)

static const struct series costs[] = {
    SERIES("a", 16, 112, .cycles = 8, .smt = 0.3), SERIES("b", 16, 112, .cycles = 60, .smt = 0.3), {0}};
static const struct metric of_costs[] = {
    CYCLES("x.a", METRIC_SLOPE, .series = "a"),
    CYCLES("y.b", METRIC_SLOPE, .series = "b"),
    CYCLES("whole", METRIC_VALUE, .series = "a"),
    CYCLES("less", METRIC_DIFFERENCE, .metrics = {"y.b", "x.a"}),
    METRIC("times", METRIC_RATIO, .unit = "1", .metrics = {"y.b", "x.a"}),
    CYCLES("bounded", METRIC_SLOPE, .series = "a", .at_least = 8.5),
    {.key = "hidden", .unit = "cycles", .kind = METRIC_SLOPE, .series = "a"},
    {0}};
/* Two branches by random bits, of which one is missed, and one each by constant bits; x counts misses and branches. */
static const struct series branches[] = {SERIES("fresh", 16, 64, .cycles = 17.5, .smt = 0.1),
                                         SERIES("zeros", 32, 128, .cycles = 0.5, .smt = 0.3),
                                         SERIES("ones", 32, 128, .cycles = 1, .smt = 0.3),
                                         {0}};
static const struct metric of_branches[] = {
    {.key = "random", .unit = "cycles", .kind = METRIC_SLOPE, .series = "fresh"},
    {.key = "zero", .unit = "cycles", .kind = METRIC_SLOPE, .series = "zeros"},
    {.key = "one", .unit = "cycles", .kind = METRIC_SLOPE, .series = "ones"},
    {.key = "less", .unit = "cycles", .kind = METRIC_DIFFERENCE, .metrics = {"random", "zero"}},
    CYCLES("miss", METRIC_DIFFERENCE, .metrics = {"less", "one"}),
    {0}};
static const struct series bursts[] = {
    SERIES("a", 16, 112, .cycles = 8, .burst = 0.05), SERIES("b", 16, 112, .cycles = 8, .burst = 0.5), {0}};
static const struct metric of_bursts[] = {
    CYCLES("a", METRIC_SLOPE, .series = "a"), CYCLES("b", METRIC_SLOPE, .series = "b"), {0}};
static const struct series lines[] = {{.name = "line", .range = {10, 90, 10}, TRUTH(.cycles = 8)}, {0}};
static const struct metric of_lines[] = {
    CYCLES("whole", METRIC_VALUE, .series = "line"),
    CYCLES("first", METRIC_VALUE, .series = "line", .last = 10),
    CYCLES("between", METRIC_VALUE, .series = "line", .last = 59),
    CYCLES("slope", METRIC_SLOPE, .series = "line", .first = 50, .last = 70),
    CYCLES("beyond", METRIC_VALUE, .series = "line", .first = 91),
    {0}};
/* A second size in a fifth of the rounds, further off than medium trust promises, leaves low trust. */
static const struct series steps[] = {
    STEPS("one", 160, .cycles = 0.2, .size = 64, .height = 300),
    STEPS("rare", 160, .cycles = 0.2, .size = 64, .second = 48, .second_share = 50, .height = 300),
    STEPS("two", 160, .cycles = 0.2, .size = 64, .second = 48, .second_share = 200, .height = 300),
    STEPS("other", 160, .cycles = 0.2, .size = 50, .height = 300),
    STEPS("none", 160, .cycles = 0.2),
    STEPS("cold", 160, .cycles = 0.2, .size = 64, .height = 300, .cold = true),
    {.name = "again", .range = {1, 160}, .again = true, TRUTH(.size = 24, .height = 300, .again = true)},
    {.name = "once more", .range = {1, 160}, .again = true, TRUTH(.size = 64, .height = 300)},
    {0}};
static const struct metric of_steps[] = {
    COUNT("other", METRIC_JUMP, .series = "other"),
    COUNT("none", METRIC_JUMP, .series = "none"),
    COUNT("one", METRIC_JUMP, .series = "one"),
    COUNT("rare", METRIC_JUMP, .series = "rare", .agrees = {"one"}),
    COUNT("two", METRIC_JUMP, .series = "two"),
    COUNT("cold", METRIC_JUMP, .series = "cold"),
    COUNT("again", METRIC_JUMP, .series = "again"),
    COUNT("once more", METRIC_JUMP, .series = "once more"),
    COUNT("part", METRIC_JUMP, .series = "one", .first = 30),
    COUNT("against", METRIC_JUMP, .series = "one", .agrees = {"other"}),
    COUNT("alone", METRIC_JUMP, .series = "one", .agrees = {"none"}),
    COUNT("named", METRIC_STRUCTURE_SIZE, .structure.fillers = {"one", "cold"}, .structure.fixed_entries = 2),
    COUNT("bound", METRIC_STRUCTURE_SIZE, .structure.fillers = {"one", "other"}),
    COUNT("ended", METRIC_STRUCTURE_SIZE, .structure.fillers = {"cold", "one"},
          .structure.limits = {"named"}),
    {0}};
/* A bend rises by at least 1.5 cycles and five times the noise. */
static const struct series curves[] = {STEPS("low", 100, .cycles = 0.1, .size = 64, .height = 1.3),
                                       STEPS("high", 100, .cycles = 0.1, .size = 64, .height = 1.7),
                                       STEPS("elsewhere", 100, .cycles = 0.1, .size = 70, .height = 40),
                                       {0}};
static const struct metric of_curves[] = {
    COUNT("low", METRIC_SLOPE_CHANGE, .series = "low"),
    COUNT("part", METRIC_SLOPE_CHANGE, .series = "high", .first = 31, .last = 90),
    COUNT("short", METRIC_SLOPE_CHANGE, .series = "high", .last = 64),
    COUNT("high", METRIC_SLOPE_CHANGE, .series = "high"),
    COUNT("elsewhere", METRIC_SLOPE_CHANGE, .series = "elsewhere"),
    COUNT("controlled", METRIC_SLOPE_CHANGE, .series = "high", .control = "high"),
    COUNT("moved", METRIC_SLOPE_CHANGE, .series = "high", .control = "elsewhere"),
    COUNT("unseen", METRIC_SLOPE_CHANGE, .series = "high", .control = "low"),
    {0}};

/* A predictor that remembers 5000 branches, half of them next to a busy sibling: 85.7 ns, and twice as many beyond. */
static const struct series levels[] = {
    {.name = "p", .range = {1024, 16384, .per_octave = 2}, TRUTH(.size = 5000, .height = 300)}, {0}};
static const struct metric of_levels[] = {COUNT("level", METRIC_THRESHOLD, .series = "p", .threshold = 100),
                                          {0}};

enum { IDLE = STATE_IDLE, BUSY = STATE_ACTIVE, L = TRUST_LOW, M = TRUST_MEDIUM, H = TRUST_HIGH };
/* The answer that an experiment must give: within `off` of the value, with a trust from `least` to `most`.
 * Value NaN: an answer without value; infinite: no answer. */
static const struct scene {
    const struct series *series;
    const struct metric *metrics;
    const struct sim_script *script;
    uint64_t rounds;
    struct {
        const char *key;
        int state;
        double value, off;
        int least, most;
    } expected[16];
} scenes[] = {
    {costs,
     of_costs,
     &quiet,
     240,
     {{"x.a", IDLE, 8, 0.16, H, H},
      {"y.b", IDLE, 60, 1.2, H, H},
      {"whole", IDLE, 30 + 8 * 112, 18, H, H},
      {"less", IDLE, 52, 1, H, H},
      {"times", IDLE, 7.5, 0.15, H, H},
      {"bounded", IDLE, 8, 0.2, L, L},
      {"hidden", IDLE, INFINITY, 0, L, L}}},
    {costs,
     of_costs,
     &shared,
     6000,
     {{"x.a", IDLE, 8, 0.2, L, H}, {"x.a", BUSY, 10.4, 1.6, L, H}, {"times", BUSY, 7.5, 0.4, L, H}}},
    {branches, of_branches, &quiet, 240, {{"miss", IDLE, 16, 0.2, H, H}}},
    {branches, of_branches, &shared, 2000, {{"miss", IDLE, 16, 0.4, L, H}, {"miss", BUSY, 17.2, 1.2, L, H}}},
    {bursts, of_bursts, &quiet, 240, {{"a", IDLE, 8, 0.2, H, H}, {"b", IDLE, 8, 1, L, M}}},
    {lines,
     of_lines,
     &quiet,
     240,
     {{"whole", IDLE, 30 + 8 * 90, 10, L, H},
      {"first", IDLE, 30 + 8 * 10, 2, L, H},
      {"between", IDLE, 30 + 8 * 50, 5, L, H},
      {"slope", IDLE, 8, 0.2, L, H},
      {"beyond", IDLE, INFINITY, 0, L, L}}},
    {steps,
     of_steps,
     &quiet,
     240,
     {{"one", IDLE, 64, 0, H, H},
      {"cold", IDLE, 64, 0, H, H},
      {"again", IDLE, 24, 0, H, H},
      {"once more", IDLE, 64, 0, H, H},
      {"rare", IDLE, 64, 0, H, H},
      {"two", IDLE, 64, 0, L, L},
      {"part", IDLE, 64, 0, L, H},
      {"against", IDLE, 64, 0, L, L},
      {"alone", IDLE, 64, 0, M, M},
      {"named", IDLE, 66, 0, H, H},
      {"bound", IDLE, 64, 0, L, L},
      {"ended", IDLE, 64, 0, L, L},
      {"none", IDLE, NAN, 0, L, L}}},
    {steps, of_steps, &shared, 600, {{"one", IDLE, 64, 0, L, H}, {"one", BUSY, 32, 0, L, H}}},
    {levels, of_levels, &quiet, 60, {{"level", IDLE, 4096, 0, H, H}}},
    {levels, of_levels, &shared, 600, {{"level", IDLE, 4096, 0, L, H}, {"level", BUSY, 2048, 0, L, H}}},
    {curves, of_curves, &shared, 600, {{"elsewhere", IDLE, 70, 0, L, H}, {"elsewhere", BUSY, 35, 0, L, H}}},
    {curves,
     of_curves,
     &quiet,
     240,
     {{"low", IDLE, NAN, 0, L, L},
      {"high", IDLE, 64, 0, H, H},
      {"controlled", IDLE, 64, 0, L, H},
      {"part", IDLE, 64, 0, L, H},
      {"short", IDLE, NAN, 0, L, L},
      {"moved", IDLE, NAN, 0, L, L},
      {"unseen", IDLE, NAN, 0, L, L}}},
};

static double height(const struct point *point)
{
    return 300 / sim_ghz;
}

TEST(experiments_come_to_the_truth)
{
    for (size_t i = 0; i < COUNT_OF(scenes); i++) {
        const struct scene *scene = &scenes[i];
        struct record *record =
            measured(&(struct experiment){.series = scene->series,
                                          .metrics = scene->metrics,
                                          .work = work,
                                          .height = scene->series == steps ? height : NULL},
                     scene->script, scene->rounds);
        for (size_t k = 0; k < COUNT_OF(scene->expected) && scene->expected[k].key; k++)
            sim_expect(record, scene->expected[k].key, scene->expected[k].state, scene->expected[k].value,
                       scene->expected[k].off, scene->expected[k].least, scene->expected[k].most);
        record_free(record);
    }
}

/* Something else gets the CPU in each batch of rounds, so that a rule that drops what was taken between
 * two probes has no evidence left. */
TEST(a_disturbed_point_costs_no_round)
{
    static const struct sim_script contended = {.preempted_s = 1e-4, .slice_s = 1e-3},
                                   hopeless = {.preempted_s = 2e-6, .slice_s = 1e-5};
    const struct experiment experiment = {
        .series = steps, .metrics = of_steps, .work = work, .height = height};
    struct record *record = measured(&experiment, &contended, 240);
    sim_expect(record, "one", IDLE, 64, 0, H, H);
    sim_expect(record, "again", IDLE, 24, 0, H, H);
    record_free(record);
    record = measured(&experiment, &hopeless, 24);
    sim_expect(record, "one", IDLE, NAN, 0, L, L);
    record_free(record);
}

TEST(a_thread_on_the_sibling_makes_the_busy_state)
{
    static const struct sim_script idle_but_for_it = {.active = 1e-9, .spell_s = 1};
    const struct experiment experiment = {
        .series = steps, .metrics = of_steps, .work = work, .both_states = true};
    spells = 0;
    struct record *record = measured(&experiment, &idle_but_for_it, 240);
    sim_expect(record, "one", IDLE, 64, 0, H, H);
    sim_expect(record, "one", BUSY, 32, 0, M, H);
    assert_true(spells > 0 && !is_kept_busy);
    record_free(record);
    is_refused = true;
    record = measured(&experiment, &idle_but_for_it, 240);
    sim_expect(record, "one", IDLE, 64, 0, H, H);
    assert_null(sim_find(record, "one", STATE_ACTIVE));
    record_free(record);
}

/* Prepares a call of 200 cycles plus 7 for each iteration of an x; work before it is not timed. */
static void prepare(struct point *point)
{
    sim_work(&((struct own *)point->own)->sim, 5000, 0, 0);
}

static void call(const struct point *point)
{
    struct own *own = point->own;
    sim_work(&own->sim, 200 + (double)point->iterations * (7 * (double)point->x + own->page), 0, 0);
}

static bool move_page(void *context, unsigned turn, struct fault *fault)
{
    ((struct own *)context)->page = turn % 2 ? 3 : 0;
    return true;
}

static void count_estimates(struct lab *lab, void *context)
{
    struct own *own = context;
    struct estimate e;
    while (lab_estimate(lab, "listed", own->estimates, STATE_IDLE, &e)) {
        assert_true(fabs(e.value - (own->estimates ? 70 : 14)) < 1);
        own->estimates++;
    }
    assert_false(lab_estimate(lab, "other", 0, STATE_IDLE, &e));
    record_answer(lab->run->record, (struct answer){.key = "escape",
                                                    .state = state_names[STATE_IDLE],
                                                    .value = INTEGER_CELL((int64_t)own->estimates)});
}

TEST(preparation_and_calls_count_for_nothing_and_pages_agree)
{
    static const struct series series[] = {{.name = "listed", .range = {2, 10, 8}, .apart = true}, {0}};
    static const struct metric metrics[] = {
        CYCLES("two", METRIC_VALUE, .series = "listed", .first = 2, .last = 2),
        CYCLES("ten", METRIC_VALUE, .series = "listed", .first = 10, .last = 10),
        CYCLES("each", METRIC_SLOPE, .series = "listed"),
        {0}};
    struct experiment experiment = {.series = series,
                                    .metrics = metrics,
                                    .work = call,
                                    .prepare = prepare,
                                    .iterations = 100,
                                    .one_length = true,
                                    .has_call = true,
                                    .quantile = 0.25,
                                    .answers = count_estimates};
    struct record *record = measured(&experiment, &quiet, 60);
    sim_expect(record, "two", IDLE, 14, 0.3, H, H);
    sim_expect(record, "ten", IDLE, 70, 1.4, L, H);
    sim_expect(record, "each", IDLE, 7, 0.2, L, H);
    sim_expect(record, "escape", IDLE, 2, 0, L, H);
    record_free(record);
    experiment.move = move_page;
    experiment.answers = NULL;
    record = measured(&experiment, &quiet, 60);
    sim_expect(record, "two", IDLE, 14, 10, L, M);
    sim_expect(record, "each", IDLE, 7, 0.2, H, H);
    record_free(record);
}
