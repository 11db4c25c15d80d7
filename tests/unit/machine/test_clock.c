/* SPDX-License-Identifier: MIT */

#include "uarchprobe/clock.h"

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
