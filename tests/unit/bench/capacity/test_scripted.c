/* SPDX-License-Identifier: MIT */
/* Samples of branches, pages, misses and stores that take a known time. */
#include "test.h"

#include "../scripted.h"
#include "bench/capacity/capacity.h"
#include "bench/capacity/sb_capacity.h"
#include "engine/arena.h"
#include "uarchprobe/run.h"

static struct fault fault;

static double ns(double ticks)
{
    return ticks * scripted_clock.ns_per_tick;
}

/* Ticks of a word of branches by its bits: all of one way, the bits of the call before, or others.
 * Constant bits of both ways differ. */
enum { ZEROS = 8000, ONES = 12000, KNOWN = (ZEROS + ONES) / 2, FRESH = 26000 };
static uint64_t repeated;

static uint64_t branches(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    static uint32_t before[1 << 14];
    const uint32_t *words = a;
    bool is_zero = true, is_one = true;
    for (uint64_t i = 0; i < m; i++) {
        is_zero = is_zero && words[i] == 0;
        is_one = is_one && words[i] == UINT32_MAX;
    }
    const bool again = memcmp(before, words, m * sizeof *words) == 0;
    memcpy(before, words, m * sizeof *words);
    script_pass(m * (is_zero ? ZEROS : is_one ? ONES : again ? repeated : FRESH));
    return 0;
}

/* Fresh bits miss half of their branches, so a pattern whose cost is a quarter of theirs misses an eighth. */
TEST(a_share_of_branches_is_missed)
{
    static const struct kernel kernel = {.operation = OPERATION_BRANCH, .entry = branches};
    void *own = context_new(&branches_experiment, NULL);
    script_begin();
    for (const struct series *series = branches_experiment.series; series->name; series++)
        for (uint64_t x = series->range.first; x <= series->range.last; x *= 2) {
            repeated = KNOWN + (FRESH - KNOWN) / 4;
            const struct point point = {
                .own = own, .series = series, .kernel = &kernel, .x = x, .clock = &scripted_clock};
            assert_true(x >= 32 && x % 32 == 0); /* whole words of bits */
            assert_float_equal(branches_experiment.sample(&point), 0.125, 1e-9);
        }
    context_free(&branches_experiment, own);
}

/* Once more than 0.15 are missed, a longer pattern is not tried, until the next round. */
TEST(a_pattern_that_is_lost_stays_lost)
{
    static const struct kernel kernel = {.operation = OPERATION_BRANCH, .entry = branches};
    static const double shares[] = {0.149, 0.151};
    const struct series *series = branches_experiment.series;
    for (int i = 0; i < 2; i++) {
        script_begin();
        repeated = (uint64_t)(KNOWN + 2 * shares[i] * (FRESH - KNOWN));
        void *own = context_new(&branches_experiment, NULL);
        struct point point = {.own = own,
                              .series = series,
                              .kernel = &kernel,
                              .x = series->range.first,
                              .clock = &scripted_clock};
        assert_float_equal(branches_experiment.sample(&point), shares[i], 1e-9);
        point.x *= 2;
        assert_int_equal(isnan(branches_experiment.sample(&point)), i);
        point.x = series->range.first;
        assert_float_equal(branches_experiment.sample(&point), shares[i], 1e-9);
        context_free(&branches_experiment, own);
    }
}

/* The memory of an experiment under test. */
static struct arena arena;

/* Opens an experiment as the engine does; returns what its functions are given. */
static void *open_scripted(const struct experiment *experiment, struct run *run)
{
    void *own = context_new(experiment, NULL);
    const char *remark = NULL;
    assert_int_equal(arena_open(&arena, experiment, run, &remark, &fault), STATUS_OK);
    if (experiment->open)
        assert_int_equal(experiment->open(run, &own, &fault), STATUS_OK);
    assert_int_equal(arena_lay_out(&arena, run, own, &fault), STATUS_OK);
    return own;
}

/* A walk is warmed and then timed; of packed lines after pages that are far apart. */
static uint64_t spread, packed;
static int walks;

static uint64_t walk(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    script_pass(n * (walks++ % 4 < 2 ? spread : packed));
    return 0;
}

static double page_ns(const struct experiment *experiment, void *own, const struct series *series, uint64_t x)
{
    static const struct kernel kernel = {.operation = OPERATION_LATENCY, .entry = walk};
    walks = 0;
    return experiment->sample(&(struct point){.own = own,
                                              .series = series,
                                              .kernel = &kernel,
                                              .memory = arena_memory(&arena),
                                              .x = x,
                                              .clock = &scripted_clock});
}

TEST(a_load_of_another_page_takes_what_it_takes)
{
    struct topology topology = {.page_bytes = 4096};
    struct run run = {.topology = &topology, .clock = &scripted_clock};
    const struct experiment *const tlbs[] = {&first_tlb_experiment, &second_tlb_experiment};
    for (int i = 0; i < 2; i++) {
        script_begin();
        void *own = open_scripted(tlbs[i], &run);
        const struct series *series = tlbs[i]->series;
        spread = 18;
        packed = 6;
        assert_float_equal(page_ns(tlbs[i], own, series, series->range.first),
                           ns(i ? spread - packed : spread), 1e-9);
        if (i) {
            /* Less than 1.3 times of lines on few pages: the first TLB holds the pages. */
            packed = 100;
            spread = 129;
            assert_true(isnan(page_ns(tlbs[i], own, series, series->range.first)));
            spread = 131;
            assert_float_equal(page_ns(tlbs[i], own, series, series->range.first), ns(31), 1e-9);
            /* Seven eighths of the lines of an L1 of 32 KiB, one of each eighth page, and no more. */
            assert_false(isnan(page_ns(tlbs[i], own, series, UINT64_C(8) * 448)));
            assert_true(isnan(page_ns(tlbs[i], own, series, UINT64_C(8) * 449)));
        }
        context_free(tlbs[i], own);
        arena_close(&arena);
    }
}

/* A burst: some ticks, and so many for each line. */
enum { ROOTS = 200, LINE = 10 };

static uint64_t burst(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    script_pass(m * (ROOTS + n * LINE));
    return 0;
}

static uint64_t nothing(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    return 0;
}

TEST(a_burst_takes_what_it_takes)
{
    static const struct kernel load = {.operation = OPERATION_MISSES, .entry = burst},
                               flush = {.operation = OPERATION_MISSES_FLUSH, .entry = nothing};
    struct run run = {.clock = &scripted_clock};
    const struct experiment *of = &misses_experiment;
    script_begin();
    scripted.kernel[0] = &load;
    scripted.kernel[1] = &flush;
    void *own = open_scripted(of, &run);
    for (uint64_t x = 1; x <= 32; x *= 2) {
        const struct point point = {.own = own,
                                    .series = of->series,
                                    .kernel = &load,
                                    .memory = arena_memory(&arena),
                                    .x = x,
                                    .clock = &scripted_clock};
        assert_float_equal(time_work(&point, of->series->timed[0]), ns((double)(ROOTS + x * LINE)), 1e-9);
        /* A burst of one line takes the roots and two misses, the last of which is the height of a step. */
        assert_float_equal(of->height(&point), ns((double)(ROOTS + x * LINE)) / 3, 1e-9);
    }
    context_free(of, own);
    arena_close(&arena);
}

/* A core whose lines take LATENCY, of which it awaits UNDER_WAY at a time. */
enum { LATENCY = 120, UNDER_WAY = 12 };

static uint64_t chain(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    script_pass(n * LATENCY);
    return (uint64_t)(uintptr_t)a;
}

/* The access behind the lines is one of them. */
static uint64_t lines(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    script_pass((n + 1) * m * LATENCY / UNDER_WAY);
    return 0;
}

TEST(lines_under_way_are_latency_by_rate)
{
    static const struct kernel walks_lines = {.operation = OPERATION_LATENCY, .entry = chain},
                               loads_lines = {.operation = OPERATION_MISSES, .entry = lines},
                               flush = {.operation = OPERATION_MISSES_FLUSH, .entry = nothing};
    static struct cpu_place place = {.caches = 7};
    struct topology topology = {
        .place_count = 1,
        .place = &place,
        .cache_count = 3,
        .cache = {{1, 'd', 32 << 10, 64, 8, 1}, {2, 'u', 512 << 10, 64, 8, 1}, {3, 'u', 8 << 20, 64, 16, 1}}};
    struct run run = {.clock = &scripted_clock, .topology = &topology, .cpus = {.count = 1}};
    const struct experiment *of = &cache_misses_experiment;
    script_begin();
    scripted.kernel[0] = &walks_lines;
    scripted.kernel[1] = &loads_lines;
    scripted.kernel[2] = &flush;
    void *own = open_scripted(of, &run);
    for (const struct series *series = of->series; series->name; series += 2) {
        double ticks[2];
        assert_true(of->height(&(struct point){.own = own, .series = series, .x = series->range.first}) > 0);
        for (int i = 0; i < 2; i++) {
            const uint64_t before = scripted.ticks;
            of->work(&(struct point){.own = own,
                                     .series = &series[i],
                                     .kernel = i ? &loads_lines : &walks_lines,
                                     .x = series->range.first,
                                     .iterations = 64});
            ticks[i] = (double)(scripted.ticks - before);
        }
        assert_float_equal(ticks[0] / ticks[1], UNDER_WAY, 1e-3);
    }
    context_free(of, own);
    arena_close(&arena);
}

/* An iteration of x operations in each chain and n stores. */
enum { OPERATION = 7, STORE = 3 };

static uint64_t stores(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    script_pass(m * (x * OPERATION + n * STORE));
    return 0;
}

TEST(stores_between_chains_take_what_they_take)
{
    static const struct kernel kernel = {.operation = OPERATION_STORE_BURST, .entry = stores};
    const struct experiment *of = &store_buffer_experiment;
    for (unsigned length = 15; length <= 16; length++) {
        const int index = 1;
        struct sb_probes probes = {.of[1] = {.kernel = &kernel, .chain_length = length, .iterations = 20}};
        const struct series series = {.name = "scripted", .row = &index};
        const struct point point = {.own = &probes, .series = &series, .x = 10, .clock = &scripted_clock};
        script_begin();
        assert_float_equal(of->sample(&point), ns(length * OPERATION + 10 * STORE), 1e-9);
        assert_float_equal(of->height(&point), ns(length * OPERATION), 1e-9);
    }
}

/* The other side: its answers leave after so many ticks, there and back together, until the trials begin. */
enum { FIRST_TURN = 1000, THERE_AND_BACK = 136 };
static atomic_uint_least64_t turn;
static atomic_bool has_met;

static void *answer_turns(void *unused)
{
    while (!atomic_load(&has_met)) {
        const uint64_t now = atomic_load(&turn);
        if (now % 2 == 0 || atomic_load(&has_met)) {
            sched_yield();
            continue;
        }
        script_pass(THERE_AND_BACK);
        atomic_store(&turn, now + 1);
    }
    return NULL;
}

TEST(cpus_are_half_of_there_and_back_apart)
{
    struct sb_start start = {0};
    pthread_t other;
    script_begin();
    scripted.is_of_all = true;
    atomic_store(&turn, FIRST_TURN);
    atomic_store(&has_met, false);
    assert_int_equal(pthread_create(&other, NULL, answer_turns, NULL), 0);
    const bool meets = sb_meet(&turn, FIRST_TURN, scripted_clock.ns_per_tick, 0, &start);
    atomic_store(&has_met, true);
    pthread_join(other, NULL);
    assert_true(meets);
    assert_float_equal(start.distance_ns, ns(THERE_AND_BACK / 2.0), 1e-9);
    /* The trials begin when both sides have seen the last turn. */
    assert_true(start.ticks > 12 * 10 * THERE_AND_BACK);
}

/* What the engine divides by x and by iterations is handed to the kernel whole. */
static uint64_t times, depth;

static uint64_t count(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    depth = n;
    times = m;
    return 0;
}

TEST(calls_are_as_many_as_were_asked_for)
{
    static const struct kernel kernel = {.operation = OPERATION_CALL_DEPTH, .entry = count};
    return_stack_experiment.work(&(struct point){.kernel = &kernel, .x = 7, .iterations = 11});
    assert_true(depth == 7 && times == 11);
}
