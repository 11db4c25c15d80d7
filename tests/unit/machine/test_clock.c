/* SPDX-License-Identifier: MIT */

#include "uarchprobe/clock.h"

#include "machine/clock_internal.h"

#include "test.h"

TEST(test_calibration_is_whole)
{
    struct clock clock = {0};

    clock_calibrate(&clock);
    assert_non_null(clock.source);
    assert_true(clock.ns_per_tick > 0);
    assert_true(clock.resolution_ns > 0);
    assert_true(clock.overhead_ns > 0);
    if (strcmp(clock.source, "clock_gettime") == 0)
        assert_true(clock.ns_per_tick == 1);
}

TEST(test_ticks_never_go_back)
{
    uint64_t before = clock_ticks(), ns = clock_now_ns();

    for (int i = 0; i < 100000; i++) {
        const uint64_t now = clock_ticks();
        assert_true(now >= before);
        before = now;
    }
    assert_true(clock_now_ns() > ns);
}

/* Shape only: an interval in ticks, once converted, lies within the one that the kernel's clock saw around
 * it. */
TEST(test_ticks_agree_with_the_kernel)
{
    struct clock clock = {0};

    clock_calibrate(&clock);
    const uint64_t outer = clock_now_ns(), ticks = clock_ticks();
    while (clock_now_ns() - outer < 2000000)
        ;
    const double inside = (double)(clock_ticks() - ticks) * clock.ns_per_tick;
    const double around = (double)(clock_now_ns() - outer);
    assert_true(inside <= around * 1.01);
}

TEST(test_steady_counter_fits)
{
    const uint64_t ticks[] = {1000, 26000, 51000, 76000}, ns[] = {500, 10500, 20500, 30500};
    double rate = 0;

    assert_true(clock_fit(ticks, ns, 4, 1e-3, &rate));
    assert_true(rate > 0.3999 && rate < 0.4001);
}

TEST(test_rate_that_changes_does_not_fit)
{
    const uint64_t ticks[] = {0, 25000, 45000, 70000}, ns[] = {0, 10000, 20000, 30000};
    double rate = 0;

    assert_false(clock_fit(ticks, ns, 4, 1e-3, &rate));
    assert_true(clock_fit(ticks, ns, 4, 0.5, &rate));
}

TEST(test_stopped_or_backward_counter_does_not_fit)
{
    const uint64_t ns[] = {0, 10000, 20000};
    double rate = 0;

    assert_false(clock_fit((const uint64_t[]){5, 5, 5}, ns, 3, 1, &rate));
    assert_false(clock_fit((const uint64_t[]){0, 30000, 20000}, ns, 3, 1, &rate));
    assert_false(clock_fit((const uint64_t[]){90000, 30000, 20000}, ns, 3, 1, &rate));
    assert_false(clock_fit(ns, (const uint64_t[]){7, 7, 7}, 3, 1, &rate));
    assert_false(clock_fit(ns, ns, 1, 1, &rate));
}

TEST(test_granularity_is_finer_than_any_step)
{
    assert_int_equal(clock_granularity((const uint64_t[]){100, 140, 120, 180, 280}, 5), 20);
    assert_int_equal(clock_granularity((const uint64_t[]){0, 46, 93}, 3), 1);
    assert_int_equal(clock_granularity((const uint64_t[]){9, 9, 9}, 3), 0);
    assert_int_equal(clock_granularity((const uint64_t[]){9}, 1), 0);
}

TEST(test_granularity_is_the_least_step_of_a_clock_that_stands)
{
    assert_int_equal(clock_granularity((const uint64_t[]){100, 100, 140, 120, 180, 280}, 6), 40);
    assert_int_equal(clock_granularity((const uint64_t[]){0, 0, 62, 62, 62, 125, 125, 187}, 8), 62);
    assert_int_equal(clock_granularity((const uint64_t[]){7, 7, 8, 8, 10}, 5), 1);
}

/* Readings that take 25 to 56 ns, of a counter that moves on by `step` ticks at a time. */
static uint64_t granularity_by(double step, double ghz, double faster)
{
    enum { COUNT = 1001 };
    uint64_t reading[COUNT], random = 7;
    double now_ns = 12345.6;

    for (int i = 0; i < COUNT; i++) {
        reading[i] = (uint64_t)(floor(now_ns * ghz / step) * step);
        random = random * 6364136223846793005u + 1442695040888963407u;
        now_ns += (25 + (double)(random >> 59) + (i == 700 ? 30000 : 0)) / faster;
    }
    return clock_granularity(reading, COUNT);
}

TEST(test_granularity_of_all_kinds_of_counters)
{
    assert_int_equal(granularity_by(1, 2.445, 1), 1);
    assert_int_equal(granularity_by(2, 2.1, 1), 2);
    assert_int_equal(granularity_by(26, 2.6, 1), 26);           /* 10 ns */
    assert_in_range(granularity_by(24.454, 2.4454, 1), 24, 25); /* 10 ns, no whole number */
    assert_int_equal(granularity_by(40, 1, 1), 40);             /* 40 ns, of which a reading takes most */
    assert_int_equal(granularity_by(40, 1, 5), 40);
    assert_int_equal(granularity_by(1, 0.025, 1), 1);
    assert_in_range(granularity_by(41.667, 1, 1), 41, 42); /* 24 MHz counted in ns */
}

/* Two differences may have any distance. */
TEST(test_granularity_of_too_few_differences)
{
    assert_int_equal(clock_granularity((const uint64_t[]){0, 46, 116, 162, 232}, 5), 2);
    assert_int_equal(clock_granularity((const uint64_t[]){0, 46, 117, 163, 234}, 5), 1);
    assert_int_equal(clock_granularity((const uint64_t[]){0, 46, 117, 214, 285}, 5), 25);
}

TEST(test_step_cost_of_a_coarse_clock)
{
    const uint64_t coarse[] = {0, 0, 0, 0, 1, 1, 1, 1, 2};

    assert_true(clock_step_cost(coarse, 9, 4) == 0.25);
}

TEST(test_step_cost_passes_over_preemption)
{
    const uint64_t reading[] = {0, 50, 100, 9150, 9200, 9252, 9304};

    assert_true(clock_step_cost(reading, 7, 2) == 50);
    assert_true(clock_step_cost(reading, 2, 2) == 0);
}
