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

/* Shape only: an interval in ticks, once converted, lies within the one that the kernel's clock saw around
 * it. */
TEST(test_ticks_agree_with_the_kernel)
{
    struct clock clock = {0};

    clock_calibrate(&clock);
    const uint64_t outer = clock_now_ns(), ticks = clock_ticks();
    for (uint64_t before = ticks, now; clock_now_ns() - outer < 2000000; before = now) {
        now = clock_ticks();
        assert_true(now >= before); /* and none goes back */
    }
    const double inside = (double)(clock_ticks() - ticks) * clock.ns_per_tick;
    const double around = (double)(clock_now_ns() - outer);
    assert_true(inside <= around * 1.01);
}

/* ticks and ns of each reading, how far they may lie off the line, whether they fit. */
static const struct {
    int count;
    uint64_t ticks[4], ns[4];
    double within;
    bool fits;
} counters[] = {
    {4, {1000, 26000, 51000, 76000}, {500, 10500, 20500, 30500}, 1e-3, true},
    {4, {0, 25000, 45000, 70000}, {0, 10000, 20000, 30000}, 1e-3, false}, /* its rate changes */
    {4, {0, 25000, 45000, 70000}, {0, 10000, 20000, 30000}, 0.5, true},
    {3, {5, 5, 5}, {0, 10000, 20000}, 1, false}, /* it has stopped, goes back, */
    {3, {0, 30000, 20000}, {0, 10000, 20000}, 1, false},
    {3, {90000, 30000, 20000}, {0, 10000, 20000}, 1, false},
    {3, {0, 10000, 20000}, {7, 7, 7}, 1, false}, /* no time passes, one reading */
    {1, {0}, {0}, 1, false},
};

TEST(test_steady_counters_fit)
{
    for (size_t i = 0; i < COUNT_OF(counters); i++) {
        double rate = 0;
        assert_int_equal(
            clock_fit(counters[i].ticks, counters[i].ns, counters[i].count, counters[i].within, &rate),
            counters[i].fits);
        assert_true(i > 0 || (rate > 0.3999 && rate < 0.4001));
    }
}

/* Finer than any step of a counter that runs, the least step of one that stands between two readings; two differences may have any distance. */
TEST(test_granularity)
{
    static const struct {
        int count;
        uint64_t reading[8], granularity;
    } rows[] = {
        {5, {100, 140, 120, 180, 280}, 20},
        {3, {0, 46, 93}, 1},
        {3, {9, 9, 9}, 0},
        {1, {9}, 0},
        {6, {100, 100, 140, 120, 180, 280}, 40},
        {8, {0, 0, 62, 62, 62, 125, 125, 187}, 62},
        {5, {7, 7, 8, 8, 10}, 1},
        {5, {0, 46, 116, 162, 232}, 2},
        {5, {0, 46, 117, 163, 234}, 1},
        {5, {0, 46, 117, 214, 285}, 25},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(clock_granularity(rows[i].reading, rows[i].count), rows[i].granularity);
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
