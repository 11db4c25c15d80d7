/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <sched.h>

#include "bench/core_latency/core_latency.h"

enum { LINES = 8, SAMPLES = 3, ALL = (1 << SERIES_TRANSFER_RMW) - 1, BYTES = LINES_MAX * 65536 };
static const double DEADLINE_S = 250;

static struct clock clock_here;
static struct latency_setup setup;
static struct measurement *m;
static _Alignas(4096) unsigned char pages[BYTES];
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

static void release(void *measurement, size_t count)
{
    measurement_free(measurement);
}

/* A patient side never gives the other up. */
static void prepare(unsigned series_set, bool alone, bool patient)
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
    for (int series = 0; series < SERIES_COUNT; series++) {
        setup.measures[series] = series_set >> series & 1;
        if (series >= SERIES_SHARING)
            setup.kernel[series] = setup.kernel[SERIES_TRANSFER_RMW];
    }
    setup.measures[SERIES_TRANSFER_RMW] = setup.measures[SERIES_TRANSFER];
    memset(pages, 0xa5, LINES * 4096);
    m = own(measurement_new(&setup), 1, release);
    m->alone = alone;
    m->seed = 42;
    m->page = pages;
}

static void run_side(void *context, int member)
{
    measurement_run(m, member == 0 ? SIDE_FROM : SIDE_TO);
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

static void assert_series(enum latency_series series)
{
    const struct latency_result *result = &m->result[series];
    assert_true(isfinite(result->value) && result->value >= 0);
    assert_true(result->samples > 0 && result->dropped <= result->samples);
}

static void assert_nothing(void)
{
    assert_true(atomic_load(&m->failed));
    for (int series = 0; series < SERIES_COUNT; series++)
        assert_true(isnan(m->result[series].value));
}

TEST(all_series_and_what_is_wanted_alone)
{
    need_two_cpus();
    prepare(ALL, false, true);
    run_on(cpu[0], cpu[1]);
    assert_false(atomic_load(&m->failed));
    for (enum latency_series series = SERIES_CAS; series <= SERIES_TRANSFER_RMW; series++)
        assert_series(series);
    assert_int_equal(m->result[SERIES_CAS].samples, LINES * SAMPLES);
    assert_true(isnan(m->result[SERIES_OWN_LLSC].value)); /* of a CPU alone */
    prepare(1u << SERIES_TRANSFER, false, true);
    run_on(cpu[0], cpu[1]);
    assert_true(isnan(m->result[SERIES_CAS].value));
    assert_series(SERIES_TRANSFER);
}

/* Both sides count where both write, the owner alone where the other one reads. */
TEST(words_of_two_cpus)
{
    need_two_cpus();
    prepare(1u << SERIES_SHARING | 1u << (SERIES_COUNT - 1), false, true);
    run_on(cpu[0], cpu[1]);
    assert_false(atomic_load(&m->failed));
    assert_series(SERIES_SHARING);
    assert_series(SERIES_COUNT - 1);
    assert_int_equal(m->result[SERIES_SHARING].samples, 2 * m->result[SERIES_COUNT - 1].samples);
}

TEST(odd_iterations_keep_the_words_in_step)
{
    need_two_cpus();
    for (uint64_t iterations = 1; iterations < 6; iterations++) {
        prepare(1u << SERIES_READWRITE, false, true);
        setup.effort.iterations = iterations;
        run_on(cpu[0], cpu[1]);
        assert_series(SERIES_READWRITE);
    }
}

/* A side returns (else this test hangs) where its partner never comes, stops coming after the first meetings, or the deadline is over. */
TEST(a_partner_who_leaves)
{
    static const unsigned of[] = {SERIES_CAS, SERIES_READWRITE, SERIES_TRANSFER, SERIES_SHARING};
    for (const unsigned *series = of; series < of + COUNT_OF(of); series++)
        for (unsigned met = 0; met < 3; met++)
            for (int side = SIDE_FROM; side <= SIDE_TO; side++) {
                prepare(1u << *series, false, false);
                setup.deadline_ticks = met == 1;
                atomic_store(&m->met[1 - side], met);
                measurement_run(m, (enum side)side);
                if (side == SIDE_FROM || met == 0)
                    assert_nothing();
            }
}

/* Time slices are far longer than the patience given first, and both sides have one CPU: no value, and no hang. */
TEST(two_sides_on_one_cpu)
{
    prepare(1u << SERIES_CAS | 1u << SERIES_READWRITE, false, false);
    run_on(cpu[0], cpu[0]);
    prepare(1u << SERIES_TRANSFER, false, true);
    run_on(cpu[0], cpu[0]);
    assert_true(m->switches[SIDE_FROM] + m->switches[SIDE_TO] > 0);
}

/* Where a side was moved, it gives up at once: next to its partner it would make progress once a time slice. */
TEST(a_side_that_was_moved)
{
    prepare(ALL, false, true);
    m->cpu[SIDE_TO] = CPU_SETSIZE;
    run_on(cpu[0], cpu[0]);
    assert_nothing();
}

/* LL/SC next to LSE; whichever kernel: both values are there and do not mix. Loads and stores of two words have no meaning alone. */
TEST(a_cpu_alone)
{
    prepare(ALL, true, false);
    measurement_run(m, SIDE_FROM);
    assert_series(SERIES_CAS);
    assert_series(SERIES_TRANSFER);
    assert_series(SERIES_TRANSFER_RMW);
    assert_true(isnan(m->result[SERIES_READWRITE].value) && isnan(m->result[SERIES_OWN_LLSC].value));
    prepare(1u << SERIES_CAS, true, false);
    setup.kernel[SERIES_OWN_LLSC] = setup.kernel[SERIES_CAS];
    setup.measures[SERIES_OWN_LLSC] = true;
    measurement_run(m, SIDE_FROM);
    assert_series(SERIES_CAS);
    assert_series(SERIES_OWN_LLSC);
}

AROUND_ALL(set_up, NULL)
