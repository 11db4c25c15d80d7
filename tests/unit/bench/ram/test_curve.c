/* SPDX-License-Identifier: MIT */
/* The sizes of a curve. */
#include "test.h"

#include "../../engine/simulated_lab.h"
#include "../scripted.h"
#include "bench/ram/curve.h"
#include "engine/levels.h"

enum { KI = 1024, MI = 1 << 20 };

/* A machine with three levels of caches. */
static struct topology topology = {
    .cpus = 1,
    .place_count = 1,
    .place = &(struct cpu_place){.caches = 7},
    .page_bytes = 4096,
    .l3_groups = 1,
    .cache_count = 3,
    .cache = {{1, 'd', 32 * KI, 64, 8, 1}, {2, 'u', MI, 64, 8, 1}, {3, 'u', 16 * MI, 64, 16, 1}}};
static struct ram_params params;
static const struct common common;
static struct core_clock core_clock;
static struct run run;

static bool never(void *context)
{
    return false;
}

/* Runs the command, whose experiments `with` gets in place of the engine. */
static void run_curve(void (*with)(const struct experiment *, size_t, struct run *))
{
    struct fault fault = {0}, taken = {0};
    run = (struct run){.common = &common,
                       .interrupted = never,
                       .params = &params,
                       .topology = &topology,
                       .clock = &(const struct clock){.ns_per_tick = 1e-3, .resolution_ns = 10},
                       .core_clock = &core_clock,
                       .record = record_new(),
                       .kernels.allowed = features_usable(),
                       .taken = &taken};
    run.cpus.count = 1;
    script_begin();
    scripted.run = with;
    if (ram_curve(&run, &fault) != STATUS_OK)
        fail_msg("%s", fault.text);
    record_free(run.record);
}

static const struct series *series_named(const struct experiment *experiment, const char *name)
{
    for (const struct series *series = experiment->series; series->name; series++)
        if (strcmp(series->name, name) == 0)
            return series;
    fail_msg("no series %s", name);
    return NULL;
}

/* The first and the last x of a series that a buffer of so many bytes holds; 0: none. */
static struct x_range places_of(const struct experiment *experiment, const char *name, uint64_t bytes)
{
    const struct series *series = series_named(experiment, name);
    const struct memory memory = {.bytes = bytes};
    struct x_range held = {0};
    size_t count;
    struct x_place *place = x_range_places(&series->range, 0, &count);
    for (size_t i = 0; i < count; i++)
        if (experiment->has_place(experiment->own, series, place[i].x, &memory)) {
            held.first = held.first ? held.first : place[i].x;
            held.last = place[i].x;
        }
    free(place);
    return held;
}

static const struct known {
    uint64_t range[2]; /* 0: no --size */
    uint64_t bytes, first, last;
} * known;

static void expect_sizes(const struct experiment *experiments, size_t count, struct run *of)
{
    const struct x_range lines = places_of(&experiments[0], "2 MiB pages", known->bytes);
    assert_int_equal(lines.first, known->first);
    assert_int_equal(lines.last, known->last);
}

TEST(sizes_are_round_and_within_the_range)
{
    static const struct known rows[] = {{{0, 0}, 1 << 30, 2048, 1 << 30},
                                        {{2048, 1 << 30}, (1 << 30) - 1, 2048, 768 << 20},
                                        {{2048, 1 << 30}, 48 << 20, 2048, 48 << 20},
                                        {{2049, 100000}, 1 << 30, 3072, 98304},
                                        {{3072, 3072}, 1 << 30, 3072, 3072},
                                        {{1, 2048}, 1 << 30, 2048, 2048},
                                        {{2048, 1 << 30}, 0, 0, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        known = &rows[i];
        params = (struct ram_params){.sizes = {.count = known->range[0] ? 2 : 0,
                                               .is_range = true,
                                               .bytes = {known->range[0], known->range[1]}}};
        run_curve(expect_sizes);
    }
}

TEST(a_range_without_a_size_is_refused)
{
    static const uint64_t ranges[][2] = {{2049, 3071}, {1, 1024}};
    for (size_t i = 0; i < COUNT_OF(ranges); i++) {
        struct fault fault = {0};
        params = (struct ram_params){
            .sizes = {.count = 2, .is_range = true, .bytes = {ranges[i][0], ranges[i][1]}}};
        struct run one = {.common = &common, .params = &params, .topology = &topology};
        assert_int_equal(ram_curve(&one, &fault), STATUS_USAGE);
    }
}

/* Pages count up to a number that a buffer holds as a whole or not at all. A thread streams within its share,
 * of which the last page is a gap. */
static void expect_shares(const struct experiment *experiments, size_t count, struct run *of)
{
    const uint64_t pages = CURVE_PAGES_LAST * CURVE_PAGE_STEP;
    struct curve_run *curve = experiments[1].own;
    const char *name = curve->kernels[0].name;
    assert_int_equal(places_of(&experiments[0], "pages", pages).last, CURVE_PAGES_LAST);
    assert_int_equal(places_of(&experiments[0], "pages", pages - 1).last, 0);
    assert_int_equal(places_of(&experiments[0], "chase", 0).last, 1);
    assert_int_equal(places_of(&experiments[0], "blocks", 1 << 30).first, 256 * KI);
    curve->threads = 2;
    assert_int_equal(places_of(&experiments[1], name, 2 * (MI + CURVE_PAGE)).last, MI);
    assert_int_equal(places_of(&experiments[1], name, 2 * (MI + CURVE_PAGE) - 1).last, 768 * KI);
    assert_int_equal(places_of(&experiments[1], name, 8 * CURVE_PAGE).last, 0);
}

TEST(each_series_has_the_places_that_its_memory_holds)
{
    params = (struct ram_params){.sizes = {0}};
    run_curve(expect_shares);
}

/* The truth of a load by the places that it is drawn from: edges of three levels, and of a TLB. */
static struct sim sim;
enum { LOADS = 2000, TLB = 72 };

static double truth_of(const struct point *point)
{
    static const struct levels caches = {.base = 1.386294, /* log(4) */
                                         .count = 3,
                                         .of = {{10.397207, 2.302585, -3.5},   /* log(32 KiB), log(10) */
                                                {13.862944, 3.583519, -3.5},   /* log(1 MiB), log(36) */
                                                {16.635532, 5.857933, -3.5}}}, /* log(16 MiB), log(350) */
        pages = {.base = 0, .count = 1, .of = {{4.276666, 1.945910, -3.5}}};   /* log(72), log(7) */
    if (strcmp(point->series->name, "chase") == 0)
        return 4;
    return levels_time(strstr(point->series->name, "pages") && point->series->row == &curve_pages ? &pages
                                                                                                  : &caches,
                       log((double)point->x));
}

static void count_loads(struct point *point)
{
    point->iterations = LOADS;
}

static void take_loads(const struct point *point)
{
    const double noise = 1 + 0.003 * fabs(sim_normal(&sim));
    sim_work(&sim, truth_of(point) * noise * (double)point->iterations, 0, 0);
}

static const struct timed_work simulated = {.work = take_loads, .prepare = count_loads, .parts = 8};

/* Runs the rows of the latency on the simulated machine, with buffers of so many bytes. */
static void measure(const struct experiment *of, struct run *at, const struct memory memory[CURVE_BUFFERS])
{
    static const struct sim_script quiet = {.name = "quiet"};
    const struct engine_machine machine = {.context = &sim,
                                           .now_ns = sim_now_ns,
                                           .probe = sim_probe,
                                           .interrupted = sim_interrupted,
                                           .ticks = sim_ticks,
                                           .switches = sim_switches,
                                           .forgive = sim_forgive};
    const struct engine_effort effort = {.rounds = 40, .placements = 12};
    struct experiment experiment = *of;
    struct series series[8] = {0};
    struct fault fault = {0};
    for (size_t i = 0; of->series[i].name; i++) {
        series[i] = of->series[i];
        memset(series[i].timed, 0, sizeof series[i].timed);
        series[i].timed[0] = &simulated;
        series[i].less = NULL;
    }
    experiment.series = series;
    sim_start(&sim, &quiet, 7);
    struct lab lab = {.experiment = &experiment,
                      .run = at,
                      .own = of->own,
                      .machine = &machine,
                      .memory = memory,
                      .cpus = 1};
    assert_int_equal(experiment_measure(&lab, &effort, &fault), STATUS_OK);
    experiment_free(&lab);
}

static void expect(const struct run *of, const char *key, double value, double off, int least)
{
    sim_expect(of->record, key, STATE_IDLE, value, off, least, TRUST_HIGH);
}

static void measure_all(const struct experiment *experiments, size_t count, struct run *at)
{
    measure(experiments, at, (const struct memory[]){{.bytes = 1 << 30}, {.bytes = 1 << 30}});
    expect(at, "ram.curve.L1.bytes", 32 * KI, KI, TRUST_HIGH);
    expect(at, "ram.curve.L1.latency_cycles", 4, 0.1, TRUST_HIGH);
    expect(at, "ram.curve.L1.latency", 4 / sim_ghz, 0.03, TRUST_HIGH);
    expect(at, "ram.curve.L2.bytes", MI, 20 * KI, TRUST_HIGH);
    expect(at, "ram.curve.L2.latency_cycles", 14, 0.3, TRUST_HIGH);
    expect(at, "ram.curve.L2.latency", 14 / sim_ghz, 0.1, TRUST_HIGH);
    expect(at, "ram.curve.L3.bytes", 16 * MI, MI, TRUST_LOW);
    expect(at, "ram.curve.L3.latency_cycles", 50, 1, TRUST_LOW);
    expect(at, "ram.curve.tlb1.entries", TLB, 2, TRUST_HIGH);
    expect(at, "ram.curve.tlb1.miss", 7, 0.3, TRUST_HIGH);
    expect(at, "ram.curve.backing.entries", TLB, 2, TRUST_HIGH);
    static const struct {
        const char *key;
        double value, off;
    } others[] = {
        {"ram.curve.DRAM.latency_cycles", 395, 10}, {"ram.curve.DRAM_4_KiB.latency_cycles", 395, 10},
        {"ram.curve.DRAM.set", 1 << 30, 0},         {"ram.curve.DRAM_4_KiB.set", 1 << 30, 0},
        {"ram.curve.L1.shown", 32 * KI, 0},         {"ram.curve.L2.shown", MI, 0},
        {"ram.curve.L3.shown", 16 * MI, 0},         {"ram.curve.TLB_2.size", NAN, 0}};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        const struct answer *answer = record_answer_find(at->record, others[i].key, NULL);
        assert_non_null(answer);
        const double value = cell_number(&answer->value);
        if (isnan(others[i].value) ? !isnan(value) : !(fabs(value - others[i].value) <= others[i].off))
            fail_msg("%s: %g", others[i].key, value);
        assert_int_equal(answer->trust, strstr(answer->key, "DRAM") ? TRUST_LOW : TRUST_HIGH);
    }
}

/* Of 63 MiB the last set has 48, which lies in part in a last cache of 16. --pages leaves the other buffer empty. */
static void measure_few(const struct experiment *experiments, size_t count, struct run *at)
{
    measure(experiments, at, (const struct memory[]){{.bytes = 63 * MI}, {.bytes = 0}});
    const struct answer *set = record_answer_find(at->record, "ram.curve.DRAM.set", NULL);
    assert_non_null(set);
    assert_true(isnan(cell_number(&set->value)));
    assert_null(record_answer_find(at->record, "ram.curve.DRAM.latency", NULL));
    assert_null(record_answer_find(at->record, "ram.curve.DRAM_4_KiB.set", NULL));
    assert_null(record_answer_find(at->record, "ram.curve.tlb1.entries", NULL));
    expect(at, "ram.curve.L2.bytes", MI, 20 * KI, TRUST_HIGH);
    expect(at, "ram.curve.backing.entries", TLB, 2, TRUST_HIGH);
}

static void measure_enough(const struct experiment *experiments, size_t count, struct run *at)
{
    measure(experiments, at, (const struct memory[]){{.bytes = 64 * MI}, {.bytes = 0}});
    const struct answer *set = record_answer_find(at->record, "ram.curve.DRAM.set", NULL);
    assert_non_null(set);
    assert_float_equal(cell_number(&set->value), 64 * MI, 1);
}

TEST(the_rows_find_the_levels_of_a_machine)
{
    params = (struct ram_params){.sizes = {0}};
    core_clock = (struct core_clock){0};
    samples_add(&core_clock.ghz, sim_ghz);
    run_curve(measure_all);
    run_curve(measure_few);
    run_curve(measure_enough);
    samples_free(&core_clock.ghz);
}

TEST(sizes_grow_by_a_third_and_by_half)
{
    static const uint64_t sizes[] = {2048, 3072, 4096, 6144, 8192, 12288};
    size_t count;
    struct x_place *place =
        x_range_places(&(const struct x_range){2048, 12288, .per_octave = 2, .is_rounded = true}, 0, &count);
    assert_int_equal(count, COUNT_OF(sizes));
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        assert_int_equal(place[i].x, sizes[i]);
    free(place);
}
