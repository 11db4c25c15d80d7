/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <sched.h>

#include "bench/core_latency/core_latency.h"

enum { LINES = 8, SAMPLES = 3, ALL = (1 << SERIES_TRANSFER_RMW) - 1, BYTES = LINES_MAX * 65536 };
static const double DEADLINE_S = 250;

static struct clock clock_here;
static struct latency_setup setup;
static struct measurement m;
static _Alignas(4096) unsigned char pages[BYTES];
static double samples[PASSES_MAX];
static int cpu[2]; /* the first and the last allowed one: the same where there is only one */

static int set_up(void **state)
{
    cpu_set_t set;
    clock_calibrate(&clock_here);
    sched_getaffinity(0, sizeof set, &set);
    for (int i = CPU_SETSIZE; i-- > 0;)
        cpu[0] = CPU_ISSET(i, &set) ? i : cpu[0];
    for (int i = 0; i < CPU_SETSIZE; i++)
        cpu[1] = CPU_ISSET(i, &set) ? i : cpu[1];
    return 0;
}

/* Of two CPUs or one. A patient side never gives the other up. */
static void prepare(unsigned series_set, int to, bool patient)
{
    setup = (struct latency_setup){.clock = &clock_here,
                                   .effort = {LINES, SAMPLES, 11},
                                   .cas_spins = patient ? UINT64_C(1) << 62 : 10000,
                                   .load_spins = patient ? UINT64_C(1) << 62 : 10000,
                                   .meet_ns = patient ? UINT64_MAX : 1000000,
                                   .page_bytes = 4096};
    for (size_t i = 0; i < kernel_count; i++)
        for (int series = 0; series < SERIES_OWN_LLSC; series++)
            if (kernels[i].operation == latency_series[series].operation &&
                !(kernels[i].needs & ~features_usable()))
                setup.kernel[series] = &kernels[i];
    for (int series = 0; series < SERIES_COUNT; series++)
        setup.measures[series] = series_set >> series & 1;
    setup.measures[SERIES_TRANSFER_RMW] = setup.measures[SERIES_TRANSFER];
    memset(&m, 0, sizeof m);
    memset(pages, 0xa5, LINES * 4096);
    m.setup = &setup;
    m.member[SIDE_TO] = to;
    m.seed = 42;
    m.page = pages;
    m.sample = samples;
    assert_true(measurement_room(&setup) <= PASSES_MAX);
    measurement_reset(&m);
}

static void run_side(void *context, int member)
{
    measurement_run(&m, member == m.member[SIDE_FROM] ? SIDE_FROM : SIDE_TO);
}

static void run_on(int one, int other)
{
    const int both[] = {one, other};
    struct fault fault = {0};
    struct team *team = team_new(both, 2, &fault);
    assert_non_null(team);
    assert_true(team_run(team, 2, run_side, NULL, DEADLINE_S));
    team_free(team);
}

static void need_two_cpus(void)
{
    if (cpu[0] == cpu[1])
        SKIP_BECAUSE("needs two CPUs");
}

static void assert_series(enum latency_series series, bool lines)
{
    const struct latency_result *result = &m.result[series];
    assert_true(isfinite(result->value));
    assert_true(result->samples > 0 && result->dropped <= result->samples);
    assert_true(lines ? result->line_low <= result->value && result->value <= result->line_high
                      : isnan(result->line_low) && isnan(result->line_high));
}

static void assert_nothing(void)
{
    assert_true(atomic_load(&m.failed));
    for (int series = 0; series < SERIES_COUNT; series++)
        assert_true(isnan(m.result[series].value));
}

TEST(all_benchmarks)
{
    need_two_cpus();
    prepare(ALL, 1, true);
    run_on(cpu[0], cpu[1]);
    assert_false(atomic_load(&m.failed));
    assert_series(SERIES_CAS, true);
    assert_series(SERIES_READWRITE, true);
    assert_series(SERIES_TRANSFER, false);
    assert_series(SERIES_TRANSFER_RMW, false);
    assert_int_equal(m.result[SERIES_CAS].samples, LINES * SAMPLES);
    assert_true(m.result[SERIES_CAS].value > 0);
    assert_true(isfinite(m.result[SERIES_TRANSFER].forward) && isfinite(m.result[SERIES_TRANSFER].backward));
    assert_true(isnan(m.result[SERIES_CAS].forward));
    assert_true(isnan(m.result[SERIES_OWN_LLSC].value)); /* of a CPU alone */
}

TEST(only_what_is_wanted_in_one_direction)
{
    need_two_cpus();
    prepare(1u << SERIES_TRANSFER, 1, true);
    setup.one_writer = true;
    run_on(cpu[0], cpu[1]);
    assert_true(isnan(m.result[SERIES_CAS].value));
    assert_series(SERIES_TRANSFER, false);
    assert_true(isnan(m.result[SERIES_TRANSFER].backward));
}

TEST(odd_iterations_keep_the_words_in_step)
{
    need_two_cpus();
    for (uint64_t iterations = 1; iterations < 6; iterations++) {
        prepare(1u << SERIES_READWRITE, 1, true);
        setup.effort.iterations = iterations;
        run_on(cpu[0], cpu[1]);
        assert_series(SERIES_READWRITE, true);
    }
}

/* Comes back all the same: this test would hang. From either side nobody comes, or one comes to the first meetings and is never seen
 * again, or the deadline is over. */
TEST(a_partner_who_leaves)
{
    for (unsigned series = 0; series <= SERIES_TRANSFER; series++)
        for (unsigned met = 0; met < 3; met++)
            for (int side = SIDE_FROM; side <= SIDE_TO; side++) {
                prepare(1u << series, 1, false);
                setup.deadline_ticks = met == 1;
                atomic_store(&m.met[1 - side], met);
                measurement_run(&m, (enum side)side);
                if (side == SIDE_FROM || met == 0)
                    assert_nothing();
            }
}

/* Time slices are far longer than the patience given here: no value, and no hang. */
TEST(two_sides_on_one_cpu)
{
    prepare(1u << SERIES_CAS | 1u << SERIES_READWRITE, 1, false);
    run_on(cpu[0], cpu[0]);
}

/* Two sides on one CPU can only take it from each other. */
TEST(switches_are_counted)
{
    prepare(1u << SERIES_TRANSFER, 1, true);
    run_on(cpu[0], cpu[0]);
    assert_true(m.switches[SIDE_FROM] + m.switches[SIDE_TO] > 0);
}

/* Where a side was moved, it gives up at once: next to its partner it would make progress once a time slice. */
TEST(a_side_that_was_moved)
{
    int nowhere[] = {cpu[0], CPU_SETSIZE};
    prepare(ALL, 1, true);
    setup.cpu = nowhere;
    run_on(cpu[0], cpu[0]);
    assert_nothing();
}

/* LL/SC next to LSE; whichever kernel: both values are there and do not mix. Loads and stores of two words have no meaning alone. */
TEST(a_cpu_alone)
{
    prepare(ALL, 0, false);
    measurement_run(&m, SIDE_FROM);
    assert_series(SERIES_CAS, true);
    assert_series(SERIES_TRANSFER, false);
    assert_series(SERIES_TRANSFER_RMW, false);
    assert_true(isnan(m.result[SERIES_READWRITE].value) && isnan(m.result[SERIES_OWN_LLSC].value));
    prepare(1u << SERIES_CAS, 0, false);
    setup.kernel[SERIES_OWN_LLSC] = setup.kernel[SERIES_CAS];
    setup.measures[SERIES_OWN_LLSC] = true;
    measurement_run(&m, SIDE_FROM);
    assert_series(SERIES_CAS, true);
    assert_series(SERIES_OWN_LLSC, true);
}

/* Words that two CPUs pass to and fro lie on lines of their own, however long lines (up to 256 bytes) and pages are. */
TEST(lines_stay_apart_on_every_page_size)
{
    for (uint64_t bytes = 4096; bytes <= 65536; bytes *= 4)
        for (int line = 0; line < LINES_MAX; line++) {
            uint64_t taken = 0; /* a bit for each line of 256 bytes at the begin of the page */
            setup.page_bytes = bytes;
            m = (struct measurement){.setup = &setup, .page = pages};
            for (int word = 0; word < 3; word++) {
                const enum latency_bench bench = word ? BENCH_READWRITE : BENCH_CAS;
                const uint64_t at =
                    (uint64_t)(pingpong_line(&m, line, bench) - pages) + (word == 2 ? WORD_BYTES : 0);
                assert_int_equal(at / bytes, line);
                assert_true(at % bytes + 2 * sizeof(uint64_t) <= bytes);
                assert_int_equal(taken >> at % bytes / 256 & 1, 0);
                taken |= UINT64_C(1) << at % bytes / 256;
            }
        }
}

TEST(the_state_is_that_of_both_sides)
{
    static const enum state rows[][3] = {{STATE_IDLE, STATE_IDLE, STATE_IDLE},
                                         {STATE_IDLE, STATE_ACTIVE, STATE_ACTIVE},
                                         {STATE_ACTIVE, STATE_MIXED, STATE_MIXED},
                                         {STATE_MIXED, STATE_UNKNOWN, STATE_UNKNOWN}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (int side = SIDE_FROM; side <= SIDE_TO; side++) {
            m = (struct measurement){.member = {0, 1}};
            m.state[side] = rows[i][0];
            m.state[1 - side] = rows[i][1];
            assert_int_equal(measurement_state(&m), rows[i][2]);
        }
    m = (struct measurement){.state = {STATE_IDLE, STATE_UNKNOWN}};
    assert_int_equal(measurement_state(&m), STATE_IDLE); /* a CPU alone */
}

/* Of one mode and then of another; not where directions differ, nor a burst, nor the last one alone. */
TEST(a_move_in_the_middle)
{
    static const struct {
        double value[8];
        bool switched;
    } rows[] = {{{4.1, 4.2, 4.1, 23, 24, 23.5, 23, 23}, true},
                {{4.1, 23, 4.2, 23, 4.1, 24, 4.2, 23}, false},
                {{23, 23, 24, 80, 81, 23, 23, 23}, false},
                {{23, 23, 24, 23, 23, 23, 23, 80}, false}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(values_switched(rows[i].value, 8), rows[i].switched);
    assert_false(values_switched(rows[0].value, 0));
}

TEST(samples_of_four_times_the_median_are_disturbed)
{
    static const double kept[] = {10, 11, 12, 10, 41};
    double value[] = {10, 11, 80000, 12, 10, 41, 50};
    assert_int_equal(drop_disturbed(value, 7, 12), 5);
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
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(
            own_laps(&(struct clock){.resolution_ns = rows[i].resolution_ns}, rows[i].operations),
            rows[i].laps);
}

AROUND_ALL(set_up, NULL)
