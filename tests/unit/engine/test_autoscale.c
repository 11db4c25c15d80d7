/* SPDX-License-Identifier: MIT */

#include "engine/autoscale.h"

#include "test.h"

struct scaled {
    double ns_per_iteration;
    uint64_t largest;
    int calls;
};

static double scripted_time(void *context, uint64_t iterations)
{
    struct scaled *scaled = context;
    scaled->calls++;
    if (iterations > scaled->largest)
        scaled->largest = iterations;
    return scaled->ns_per_iteration * (double)iterations;
}

TEST(autoscale_reaches_its_target_but_not_four_times_it)
{
    for (double ns = 0.5; ns < 1e5; ns *= 3) {
        struct scaled scaled = {.ns_per_iteration = ns};
        const uint64_t n = autoscale(scripted_time, &scaled, 1, UINT64_C(1) << 40, 1e6);
        assert_true(ns * (double)n >= 1e6);
        assert_true(ns * (double)n < 4e6 || n == 1);
        assert_int_equal(scaled.largest, n);
    }
}

TEST(autoscale_stays_at_start_when_one_is_enough_and_below_its_limit)
{
    struct scaled slow = {.ns_per_iteration = 1e9};
    assert_int_equal(autoscale(scripted_time, &slow, 1, 1000, 1e6), 1);
    assert_int_equal(slow.calls, 2);
    struct scaled stopped = {.ns_per_iteration = 0};
    assert_true(autoscale(scripted_time, &stopped, 1, 1000, 1e6) <= 1000);
}
