/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "uarchprobe/clock.h"

static void test_calibration_is_whole(void **state)
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

static void test_ticks_never_go_back(void **state)
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
static void test_ticks_agree_with_the_kernel(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calibration_is_whole),
        cmocka_unit_test(test_ticks_never_go_back),
        cmocka_unit_test(test_ticks_agree_with_the_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
