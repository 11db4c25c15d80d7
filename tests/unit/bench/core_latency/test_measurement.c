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
    assert_true(team_run(team, NULL, 2, run_side, NULL, DEADLINE_S));
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

/* Of a transfer both directions count, unless one CPU is to write all. */
TEST(all_series_and_what_is_wanted_alone)
{
    need_two_cpus();
    prepare(ALL, 1, true);
    run_on(cpu[0], cpu[1]);
    assert_false(atomic_load(&m.failed));
    for (enum latency_series series = SERIES_CAS; series <= SERIES_TRANSFER_RMW; series++) {
        const bool transfer = series >= SERIES_TRANSFER;
        assert_series(series, !transfer);
        assert_int_equal(isfinite(m.result[series].forward) && isfinite(m.result[series].backward), transfer);
    }
    assert_int_equal(m.result[SERIES_CAS].samples, LINES * SAMPLES);
    assert_true(m.result[SERIES_CAS].value > 0);
    assert_true(isnan(m.result[SERIES_OWN_LLSC].value)); /* of a CPU alone */
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

/* Time slices are far longer than the patience given first: no value, and no hang. They can only take the CPU from each other. */
TEST(two_sides_on_one_cpu)
{
    prepare(1u << SERIES_CAS | 1u << SERIES_READWRITE, 1, false);
    run_on(cpu[0], cpu[0]);
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

AROUND_ALL(set_up, NULL)
