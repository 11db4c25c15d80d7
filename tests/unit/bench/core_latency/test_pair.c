/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../../skip.h"
#include "bench/core_latency/matrix.h"

enum { LINES = 8, SAMPLES = 3, ITERATIONS = 11, ALL = (1 << BENCH_COUNT) - 1 };

/* No end is ever given up within the first; the second is soon over. */
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

static struct handover_setup setup_of(struct patience patience)
{
    return (struct handover_setup){.cas = kernel_for(OPERATION_PINGPONG_CAS),
                                   .words = kernel_for(OPERATION_PINGPONG_WORDS),
                                   .chase = kernel_for(OPERATION_LATENCY),
                                   .chase_rmw = kernel_for(OPERATION_CHASE_RMW),
                                   .message = kernel_for(OPERATION_MESSAGE),
                                   .clock = &clock_here,
                                   .lines = LINES,
                                   .samples = SAMPLES,
                                   .iterations = ITERATIONS,
                                   .cas_spins = patience.spins,
                                   .load_spins = patience.spins,
                                   .meet_ns = patience.ns,
                                   .page_bytes = 4096};
}

static struct handover *handover_new(const struct handover_setup *setup, unsigned wanted, int to)
{
    struct handover *handover = aligned_alloc(alignof(struct handover), sizeof *handover);

    assert_non_null(handover);
    memset(handover, 0, sizeof *handover);
    handover->setup = setup;
    handover->wanted = wanted;
    handover->to = to;
    handover->seed = 42;
    handover->page = aligned_alloc(4096, LINES * 4096);
    handover->sample = calloc(handover_room(setup), sizeof(double));
    assert_non_null(handover->page);
    assert_non_null(handover->sample);
    memset(handover->page, 0xa5, LINES * 4096);
    handover_reset(handover);
    return handover;
}

static void handover_delete(struct handover *handover)
{
    free(handover->page);
    free(handover->sample);
    free(handover);
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

static void run_end(void *context, int member)
{
    struct handover *handover = context;
    handover_run(handover, member == handover->from ? END_FROM : END_TO);
}

static void run_pair(struct handover *handover, const int cpu[2])
{
    struct fault fault = {0};
    struct team *team = team_new(cpu, 2, &fault);

    assert_non_null(team);
    assert_true(team_run(team, 2, run_end, handover, DEADLINE_S));
    team_free(team);
}

static void assert_series(const struct handover *handover, enum handover_series series, bool lines)
{
    const struct handover_result *result = &handover->result[series];

    assert_true(isfinite(result->round.value));
    assert_true(result->round.samples > 0);
    assert_true(result->round.dropped <= result->round.samples);
    /* A line of which every sample was disturbed has no value. */
    int finite = 0;
    for (int i = 0; i < LINES; i++)
        finite += isfinite(result->line[i]) != 0;
    assert_true(lines ? finite > LINES / 2 : finite == 0);
    for (int i = LINES; i < LINES_MAX; i++)
        assert_true(isnan(result->line[i]));
}

static void test_all_benchmarks(void **state)
{
    struct handover_setup setup = setup_of(ENDLESS);
    struct handover *handover = handover_new(&setup, ALL, 1);
    int cpu[2];

    (void)state;
    two_cpus(cpu);
    if (cpu[0] == cpu[1])
        SKIP_BECAUSE("needs two CPUs");
    run_pair(handover, cpu);
    assert_false(atomic_load(&handover->failed));
    assert_series(handover, SERIES_CAS, true);
    assert_series(handover, SERIES_READWRITE, true);
    assert_series(handover, SERIES_TRANSFER, false);
    assert_series(handover, SERIES_TRANSFER_RMW, false);
    assert_series(handover, SERIES_MESSAGE, true);
    assert_int_equal(handover->result[SERIES_CAS].round.samples, LINES * SAMPLES);
    assert_true(handover->result[SERIES_CAS].round.value > 0);
    assert_true(isfinite(handover->result[SERIES_TRANSFER].forward));
    assert_true(isfinite(handover->result[SERIES_TRANSFER].backward));
    assert_true(isnan(handover->result[SERIES_CAS].forward));
    handover_delete(handover);
}

static void test_only_what_is_wanted(void **state)
{
    struct handover_setup setup = setup_of(ENDLESS);
    struct handover *handover = handover_new(&setup, 1u << BENCH_TRANSFER, 1);
    int cpu[2];

    (void)state;
    two_cpus(cpu);
    if (cpu[0] == cpu[1])
        SKIP_BECAUSE("needs two CPUs");
    setup.one_toucher = true;
    run_pair(handover, cpu);
    assert_true(isnan(handover->result[SERIES_CAS].round.value));
    assert_series(handover, SERIES_TRANSFER, false);
    assert_true(isnan(handover->result[SERIES_TRANSFER].backward)); /* one direction only */
    handover_delete(handover);
}

static void test_odd_iterations_keep_the_words_in_step(void **state)
{
    struct handover_setup setup = setup_of(ENDLESS);
    int cpu[2];

    (void)state;
    two_cpus(cpu);
    if (cpu[0] == cpu[1])
        SKIP_BECAUSE("needs two CPUs");
    for (setup.iterations = 1; setup.iterations < 6; setup.iterations++) {
        struct handover *handover = handover_new(&setup, 1u << BENCH_READWRITE, 1);
        run_pair(handover, cpu);
        assert_series(handover, SERIES_READWRITE, true);
        handover_delete(handover);
    }
}

static void assert_nothing(const struct handover *handover)
{
    for (int series = 0; series < SERIES_COUNT; series++)
        assert_true(isnan(handover->result[series].round.value));
}

/* Comes back all the same, from either end: this test would hang. */
static void test_partner_never_comes(void **state)
{
    struct handover_setup setup = setup_of(SHORT);

    (void)state;
    for (int end = END_FROM; end <= END_TO; end++) {
        struct handover *handover = handover_new(&setup, ALL, 1);
        handover_run(handover, (enum handover_end)end);
        assert_true(atomic_load(&handover->failed));
        assert_nothing(handover);
        handover_delete(handover);
    }
}

/* The partner comes to the first meeting and is never seen again. */
static void test_partner_leaves(void **state)
{
    struct handover_setup setup = setup_of(SHORT);
    const unsigned each[] = {1u << BENCH_CAS, 1u << BENCH_READWRITE, 1u << BENCH_TRANSFER,
                             1u << BENCH_MESSAGE};

    (void)state;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        struct handover *handover = handover_new(&setup, each[i], 1);
        atomic_store(&handover->met[END_TO], 2);
        handover_run(handover, END_FROM);
        assert_true(atomic_load(&handover->failed));
        assert_nothing(handover);
        handover_delete(handover);
    }
}

/* Time slices are far longer than the patience given here: no value, and no hang. */
static void test_two_ends_on_one_cpu(void **state)
{
    struct handover_setup setup = setup_of(SHORT);
    struct handover *handover = handover_new(&setup, 1u << BENCH_CAS | 1u << BENCH_READWRITE, 1);
    int cpu[2];

    (void)state;
    two_cpus(cpu);
    cpu[1] = cpu[0];
    run_pair(handover, cpu);
    handover_delete(handover);
}

static void test_alone(void **state)
{
    struct handover_setup setup = setup_of(SHORT);
    struct handover *handover = handover_new(&setup, ALL, 0);

    (void)state;
    handover_run(handover, END_FROM);
    assert_series(handover, SERIES_CAS, true);
    assert_series(handover, SERIES_TRANSFER, false);
    assert_series(handover, SERIES_TRANSFER_RMW, false);
    assert_true(isnan(handover->result[SERIES_READWRITE].round.value)); /* has no meaning alone */
    assert_true(isnan(handover->result[SERIES_MESSAGE].round.value));
    handover_delete(handover);
}

static int set_up(void **state)
{
    (void)state;
    clock_calibrate(&clock_here);
    return 0;
}

/* Two ends on one CPU can only take it from each other. */
static void test_switches_are_counted(void **state)
{
    (void)state;
    int cpu[2];
    const struct handover_setup setup = setup_of(SHORT);
    struct handover *handover = handover_new(&setup, 1u << BENCH_TRANSFER, 1);

    two_cpus(cpu);
    cpu[1] = cpu[0];
    run_pair(handover, cpu);
    assert_true(handover->switches[END_FROM] + handover->switches[END_TO] > 0);
    handover_reset(handover);
    assert_int_equal(handover->switches[END_FROM] + handover->switches[END_TO], 0);
    handover_delete(handover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_benchmarks),
        cmocka_unit_test(test_only_what_is_wanted),
        cmocka_unit_test(test_odd_iterations_keep_the_words_in_step),
        cmocka_unit_test(test_partner_never_comes),
        cmocka_unit_test(test_partner_leaves),
        cmocka_unit_test(test_two_ends_on_one_cpu),
        cmocka_unit_test(test_switches_are_counted),
        cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
