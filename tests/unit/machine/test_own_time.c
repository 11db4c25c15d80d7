/* SPDX-License-Identifier: MIT */
#include "uarchprobe/own_time.h"

#include "test.h"

TEST(waiting_is_no_time_of_ones_own_up_to_two_thirds)
{
    assert_float_equal(own_seconds(9, 0), 9, 1e-9);
    assert_float_equal(own_seconds(9, 4), 5, 1e-9);
    assert_float_equal(own_seconds(9, 5.99), 3.01, 1e-9);
    assert_float_equal(own_seconds(9, 6.01), 3, 1e-9);
    assert_float_equal(own_seconds(9, 9), 3, 1e-9);
}

TEST(waited_time_never_decreases)
{
    uint64_t last = 0;
    for (int i = 0; i < 100; i++) {
        const uint64_t now = clock_waited_ns();
        assert_true(now >= last);
        last = now;
    }
}

/* A thread that only works has waited for what its CPU time lacks; a typed limit does not ask. */
TEST(limits_end)
{
    const struct stopwatch begin = stopwatch_start_thread(), of_all = stopwatch_start();
    const struct time_limit none = {.since = of_all}, own = {0.02, false, of_all},
                            typed = {0.02, true, of_all};
    assert_true(isinf(time_left_s(&none)));
    while (stopwatch_thread_s(&begin) < 0.06)
        continue;
    assert_true(time_left_s(&own) <= 0 && time_left_s(&typed) <= 0);
}
