/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "bench/ram/ram.h"

TEST(threads_of_equal_speed_take_their_time)
{
    const struct lane_time lane[] = {{100, 1100, 1000}, {110, 1110, 1000}};
    assert_true(fabs(lanes_ns(lane, 2) - 1000) < 1e-9);
}

TEST(the_rates_of_unequal_threads_add_up)
{
    const struct lane_time lane[] = {{0, 1000, 1000}, {0, 3000, 3000}};
    assert_true(fabs(lanes_ns(lane, 2) - 1500) < 1e-9);
}

TEST(a_late_thread_spoils_the_sample)
{
    const struct lane_time late[] = {{0, 1000, 1000}, {500, 1500, 1000}},
                           apart[] = {{0, 1000, 1000}, {2000, 3000, 1000}};
    assert_true(isnan(lanes_ns(late, 2)));
    assert_true(isnan(lanes_ns(apart, 2)));
}

TEST(nine_tenths_together_are_enough)
{
    const struct lane_time near[] = {{0, 1000, 1000}, {80, 1080, 1000}},
                           far[] = {{0, 1000, 1000}, {120, 1120, 1000}};
    assert_false(isnan(lanes_ns(near, 2)));
    assert_true(isnan(lanes_ns(far, 2)));
}
