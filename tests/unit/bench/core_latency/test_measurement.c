/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <sched.h>

#include "bench/core_latency/core_latency.h"

enum { LINES = 8, SAMPLES = 3, ITERATIONS = 11, ALL = (1 << BENCH_COUNT) - 1 };

/* No side is ever given up within the first; the second is soon over. */
struct patience {
    uint64_t spins, ns;
};
static const struct patience ENDLESS = {UINT64_C(1) << 62, UINT64_MAX}, SHORT = {10000, 1000000};
static const double DEADLINE_S = 250;

static struct clock clock_here;

static const struct kernel *kernel_for(enum operation operation)
{
    const feature_set usable = features_usable();
    const struct kernel *found = NULL;

    for (size_t i = 0; i < kernel_count; i++) {
        if (kernels[i].operation == operation && !(kernels[i].needs & ~usable))
            found = &kernels[i];
    }
    assert_non_null(found);
    return found;
}

static struct latency_setup setup_of(struct patience patience)
{
    struct latency_setup setup = {.clock = &clock_here,
                                  .effort = {LINES, SAMPLES, ITERATIONS},
                                  .cas_spins = patience.spins,
                                  .load_spins = patience.spins,
                                  .meet_ns = patience.ns,
                                  .page_bytes = 4096};

    for (int i = 0; i < SERIES_OWN_LLSC; i++)
        setup.kernel[i] = kernel_for(latency_series[i].operation);
    return setup;
}

static struct measurement *measurement_new(const struct latency_setup *setup, unsigned wanted, int to)
{
    struct measurement *m = aligned_alloc(alignof(struct measurement), sizeof *m);

    assert_non_null(m);
    memset(m, 0, sizeof *m);
    m->setup = setup;
    m->wanted = wanted;
    m->to = to;
    m->seed = 42;
    m->cpu[SIDE_FROM] = m->cpu[SIDE_TO] = -1;
    m->page = aligned_alloc(4096, LINES * 4096);
    m->sample = calloc(measurement_room(setup), sizeof(double));
    assert_non_null(m->page);
    assert_non_null(m->sample);
    memset(m->page, 0xa5, LINES * 4096);
    measurement_reset(m);
    return m;
}

static void measurement_delete(struct measurement *m)
{
    free(m->page);
    free(m->sample);
    free(m);
}

/* The first and the last allowed CPU: the same one where there is only one. */
static void two_cpus(int cpu[2])
{
    cpu_set_t set;

    cpu[0] = cpu[1] = -1;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (!CPU_ISSET(i, &set))
            continue;
        cpu[0] = cpu[0] < 0 ? i : cpu[0];
        cpu[1] = i;
    }
}

static void run_side(void *context, int member)
{
    struct measurement *m = context;
    measurement_run(m, member == m->from ? SIDE_FROM : SIDE_TO);
}

static void run_pair(struct measurement *m, const int cpu[2])
{
    struct fault fault = {0};
    struct team *team = team_new(cpu, 2, &fault);

    assert_non_null(team);
    assert_true(team_run(team, 2, run_side, m, DEADLINE_S));
    team_free(team);
}

static void assert_series(const struct measurement *m, enum latency_series series, bool lines)
{
    const struct latency_result *result = &m->result[series];

    assert_true(isfinite(result->value));
    assert_true(result->samples > 0);
    assert_true(result->dropped <= result->samples);
    assert_true(lines ? result->line_low <= result->value && result->value <= result->line_high
                      : isnan(result->line_low) && isnan(result->line_high));
}

TEST(test_all_benchmarks)
{
    struct latency_setup setup = setup_of(ENDLESS);
    struct measurement *m = measurement_new(&setup, ALL, 1);
    int cpu[2];

    two_cpus(cpu);
    if (cpu[0] == cpu[1])
        SKIP_BECAUSE("needs two CPUs");
    run_pair(m, cpu);
    assert_false(atomic_load(&m->failed));
    assert_series(m, SERIES_CAS, true);
    assert_series(m, SERIES_READWRITE, true);
    assert_series(m, SERIES_TRANSFER, false);
    assert_series(m, SERIES_TRANSFER_RMW, false);
    assert_int_equal(m->result[SERIES_CAS].samples, LINES * SAMPLES);
    assert_true(m->result[SERIES_CAS].value > 0);
    assert_true(isfinite(m->result[SERIES_TRANSFER].forward));
    assert_true(isfinite(m->result[SERIES_TRANSFER].backward));
    assert_true(isnan(m->result[SERIES_CAS].forward));
    measurement_delete(m);
}

TEST(test_only_what_is_wanted)
{
    struct latency_setup setup = setup_of(ENDLESS);
    struct measurement *m = measurement_new(&setup, 1u << BENCH_TRANSFER, 1);
    int cpu[2];

    two_cpus(cpu);
    if (cpu[0] == cpu[1])
        SKIP_BECAUSE("needs two CPUs");
    setup.one_writer = true;
    run_pair(m, cpu);
    assert_true(isnan(m->result[SERIES_CAS].value));
    assert_series(m, SERIES_TRANSFER, false);
    assert_true(isnan(m->result[SERIES_TRANSFER].backward)); /* one direction only */
    measurement_delete(m);
}

TEST(test_odd_iterations_keep_the_words_in_step)
{
    struct latency_setup setup = setup_of(ENDLESS);
    int cpu[2];

    two_cpus(cpu);
    if (cpu[0] == cpu[1])
        SKIP_BECAUSE("needs two CPUs");
    for (setup.effort.iterations = 1; setup.effort.iterations < 6; setup.effort.iterations++) {
        struct measurement *m = measurement_new(&setup, 1u << BENCH_READWRITE, 1);
        run_pair(m, cpu);
        assert_series(m, SERIES_READWRITE, true);
        measurement_delete(m);
    }
}

static void assert_nothing(const struct measurement *m)
{
    for (int series = 0; series < SERIES_COUNT; series++)
        assert_true(isnan(m->result[series].value));
}

/* Comes back all the same, from either side: this test would hang. */
TEST(test_partner_never_comes)
{
    struct latency_setup setup = setup_of(SHORT);

    for (int side = SIDE_FROM; side <= SIDE_TO; side++) {
        struct measurement *m = measurement_new(&setup, ALL, 1);
        measurement_run(m, (enum side)side);
        assert_true(atomic_load(&m->failed));
        assert_nothing(m);
        measurement_delete(m);
    }
}

/* The partner comes to the first meeting and is never seen again. */
TEST(test_partner_leaves)
{
    struct latency_setup setup = setup_of(SHORT);
    const unsigned each[] = {1u << BENCH_CAS, 1u << BENCH_READWRITE, 1u << BENCH_TRANSFER};

    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        struct measurement *m = measurement_new(&setup, each[i], 1);
        atomic_store(&m->met[SIDE_TO], 2);
        measurement_run(m, SIDE_FROM);
        assert_true(atomic_load(&m->failed));
        assert_nothing(m);
        measurement_delete(m);
    }
}

/* Time slices are far longer than the patience given here: no value, and no hang. */
TEST(test_two_sides_on_one_cpu)
{
    struct latency_setup setup = setup_of(SHORT);
    struct measurement *m = measurement_new(&setup, 1u << BENCH_CAS | 1u << BENCH_READWRITE, 1);
    int cpu[2];

    two_cpus(cpu);
    cpu[1] = cpu[0];
    run_pair(m, cpu);
    measurement_delete(m);
}

/* Where a side was moved, it gives up at once: next to its partner it would make progress once a time slice. */
TEST(test_a_side_that_was_moved)
{
    struct latency_setup setup = setup_of(ENDLESS);
    struct measurement *m = measurement_new(&setup, ALL, 1);
    int cpu[2];

    two_cpus(cpu);
    m->cpu[SIDE_TO] = CPU_SETSIZE; /* nowhere */
    cpu[1] = cpu[0];
    run_pair(m, cpu);
    assert_true(atomic_load(&m->failed));
    assert_nothing(m);
    measurement_delete(m);
}

TEST(test_alone)
{
    struct latency_setup setup = setup_of(SHORT);
    struct measurement *m = measurement_new(&setup, ALL, 0);

    measurement_run(m, SIDE_FROM);
    assert_series(m, SERIES_CAS, true);
    assert_series(m, SERIES_TRANSFER, false);
    assert_series(m, SERIES_TRANSFER_RMW, false);
    assert_true(isnan(m->result[SERIES_READWRITE].value)); /* has no meaning alone */
    measurement_delete(m);
}

/* Words that two CPUs pass to and fro lie on lines of their own, however long lines and pages are. */
TEST(lines_stay_apart_on_every_page_size)
{
    enum { LONGEST_LINE = 256, BOXES = 2 };
    static const uint64_t pages[] = {4096, 16384, 65536};
    static const enum latency_bench benches[] = {BENCH_CAS, BENCH_READWRITE};

    for (size_t p = 0; p < sizeof pages / sizeof *pages; p++) {
        const struct latency_setup setup = {.page_bytes = pages[p]};
        unsigned char *data = calloc(LINES_MAX, pages[p]);
        const struct measurement m = {.setup = &setup, .page = data};
        assert_non_null(data);
        for (int line = 0; line < LINES_MAX; line++) {
            uint64_t taken = 0; /* a bit for each line of 256 bytes at the begin of the page */
            for (size_t b = 0; b < sizeof benches / sizeof *benches; b++) {
                const uint64_t at = (uint64_t)(pingpong_line(&m, line, benches[b]) - data);
                assert_int_equal(at / pages[p], line);
                for (int box = 0; box < (benches[b] == BENCH_CAS ? 1 : BOXES); box++) {
                    const uint64_t offset = at % pages[p] + (uint64_t)box * WORD_BYTES;
                    assert_true(offset + 2 * sizeof(uint64_t) <= pages[p]);
                    assert_int_equal(taken >> offset / LONGEST_LINE & 1, 0);
                    taken |= UINT64_C(1) << offset / LONGEST_LINE;
                }
            }
        }
        free(data);
    }
}

/* LL/SC next to LSE; whichever kernel: both values are there and do not mix. */
TEST(the_plain_kernel_is_measured_too)
{
    struct latency_setup setup = setup_of(SHORT);
    struct measurement *m = measurement_new(&setup, 1u << BENCH_CAS, 0);

    setup.kernel[SERIES_OWN_LLSC] = setup.kernel[SERIES_CAS];
    measurement_run(m, SIDE_FROM);
    assert_series(m, SERIES_CAS, true);
    assert_series(m, SERIES_OWN_LLSC, true);
    measurement_delete(m);
}

TEST(the_state_is_that_of_both_sides)
{
    static const enum state rows[][3] = {{STATE_IDLE, STATE_IDLE, STATE_IDLE},
                                         {STATE_IDLE, STATE_ACTIVE, STATE_ACTIVE},
                                         {STATE_ACTIVE, STATE_MIXED, STATE_MIXED},
                                         {STATE_MIXED, STATE_UNKNOWN, STATE_UNKNOWN}};
    struct measurement m = {.to = 1};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int side = SIDE_FROM; side <= SIDE_TO; side++) {
            m.state[side] = rows[i][0];
            m.state[1 - side] = rows[i][1];
            assert_int_equal(measurement_state(&m), rows[i][2]);
        }
    }
    m = (struct measurement){.state = {STATE_IDLE, STATE_UNKNOWN}};
    assert_int_equal(measurement_state(&m), STATE_IDLE); /* a CPU alone */
}

static int set_up(void **state)
{
    clock_calibrate(&clock_here);
    return 0;
}

/* Two sides on one CPU can only take it from each other. */
TEST(test_switches_are_counted)
{
    int cpu[2];
    const struct latency_setup setup = setup_of(ENDLESS);
    struct measurement *m = measurement_new(&setup, 1u << BENCH_TRANSFER, 1);

    two_cpus(cpu);
    cpu[1] = cpu[0];
    run_pair(m, cpu);
    assert_true(m->switches[SIDE_FROM] + m->switches[SIDE_TO] > 0);
    measurement_reset(m);
    assert_int_equal(m->switches[SIDE_FROM] + m->switches[SIDE_TO], 0);
    measurement_delete(m);
}

TEST(test_switch_in_time)
{
    const double moved[] = {4.1, 4.2, 4.1, 23, 24, 23.5, 23, 23};
    const double one_way[] = {4.1, 23, 4.2, 23, 4.1, 24, 4.2, 23};
    const double burst[] = {23, 23, 24, 80, 81, 23, 23, 23};
    const double late[] = {23, 23, 24, 23, 23, 23, 23, 80};
    const double plain[] = {23, 23, 24, 23};

    assert_true(values_switched(moved, 8));
    assert_false(values_switched(one_way, 8)); /* directions differ: no switch */
    assert_false(values_switched(burst, 8));
    assert_false(values_switched(late, 8));
    assert_false(values_switched(plain, 4));
    assert_false(values_switched(plain, 0));
}

TEST(test_drop_disturbed)
{
    double value[] = {10, 11, 80000, 12, 10, 41, 50};

    assert_int_equal(drop_disturbed(value, 7, 12), 5);
    const double kept[] = {10, 11, 12, 10, 41};
    assert_memory_equal(value, kept, sizeof kept);
    assert_int_equal(drop_disturbed(value, 0, NAN), 0);
    assert_int_equal(drop_disturbed(value, 5, 0), 5); /* an emulator's clock stands still */
}

/* A sample shorter than fifty steps would be read as one number of them or the next, one of few operations hold what surrounds
 * them. */
TEST(own_lines_are_timed_for_fifty_steps_and_2000_operations)
{
    static const struct {
        double resolution_ns;
        uint64_t operations, laps;
    } rows[] = {{0.41, 100, 20}, {40, 100, 20},   {41, 100, 21},
                {40, 256, 8},    {1000, 100, 64}, {10, 1000000, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct clock clock = {.resolution_ns = rows[i].resolution_ns};
        const struct latency_setup setup = {.clock = &clock};
        const struct measurement alone = {.setup = &setup}, pair = {.setup = &setup, .to = 1};
        assert_int_equal(measurement_laps(&alone, rows[i].operations), rows[i].laps);
        assert_int_equal(measurement_laps(&pair, rows[i].operations), 1);
    }
}

AROUND_ALL(set_up, NULL)
