/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "uarchprobe/engine.h"

static void threads_of_equal_speed_take_their_time(void **state)
{
    const struct lane_time lane[] = {{100, 1100}, {110, 1110}};
    assert_true(fabs(lanes_ns(lane, 2) - 1000) < 1e-9);
}

static void the_rates_of_unequal_threads_add_up(void **state)
{
    const struct lane_time lane[] = {{0, 1000}, {0, 3000}};
    assert_true(fabs(lanes_ns(lane, 2) - 1500) < 1e-9);
}

static void a_late_thread_spoils_the_sample(void **state)
{
    const struct lane_time late[] = {{0, 1000}, {500, 1500}}, apart[] = {{0, 1000}, {2000, 3000}};
    assert_true(isnan(lanes_ns(late, 2)));
    assert_true(isnan(lanes_ns(apart, 2)));
}

static void nine_tenths_together_are_enough(void **state)
{
    const struct lane_time near[] = {{0, 1000}, {80, 1080}}, far[] = {{0, 1000}, {120, 1120}};
    assert_false(isnan(lanes_ns(near, 2)));
    assert_true(isnan(lanes_ns(far, 2)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_of_equal_speed_take_their_time),
        cmocka_unit_test(the_rates_of_unequal_threads_add_up),
        cmocka_unit_test(a_late_thread_spoils_the_sample),
        cmocka_unit_test(nine_tenths_together_are_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
