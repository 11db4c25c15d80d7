/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/clock_fit.h"

static void test_steady_counter_fits(void **state)
{
    const uint64_t ticks[] = {1000, 26000, 51000, 76000}, ns[] = {500, 10500, 20500, 30500};
    double rate = 0;

    assert_true(clock_fit(ticks, ns, 4, 1e-3, &rate));
    assert_true(rate > 0.3999 && rate < 0.4001);
}

static void test_rate_that_changes_does_not_fit(void **state)
{
    const uint64_t ticks[] = {0, 25000, 45000, 70000}, ns[] = {0, 10000, 20000, 30000};
    double rate = 0;

    assert_false(clock_fit(ticks, ns, 4, 1e-3, &rate));
    assert_true(clock_fit(ticks, ns, 4, 0.5, &rate));
}

static void test_stopped_or_backward_counter_does_not_fit(void **state)
{
    const uint64_t ns[] = {0, 10000, 20000};
    double rate = 0;

    assert_false(clock_fit((const uint64_t[]){5, 5, 5}, ns, 3, 1, &rate));
    assert_false(clock_fit((const uint64_t[]){0, 30000, 20000}, ns, 3, 1, &rate));
    assert_false(clock_fit((const uint64_t[]){90000, 30000, 20000}, ns, 3, 1, &rate));
    assert_false(clock_fit(ns, (const uint64_t[]){7, 7, 7}, 3, 1, &rate));
    assert_false(clock_fit(ns, ns, 1, 1, &rate));
}

static void test_smallest_step(void **state)
{
    assert_int_equal(clock_smallest_step((const uint64_t[]){100, 100, 140, 120, 145, 245}, 6), 25);
    assert_int_equal(clock_smallest_step((const uint64_t[]){9, 9, 9}, 3), 0);
    assert_int_equal(clock_smallest_step((const uint64_t[]){9}, 1), 0);
}

static void test_median_step(void **state)
{
    uint64_t reading[] = {0, 50, 101, 9000, 9052, 9104};

    assert_int_equal(clock_median_step(reading, 6), 52);
    assert_int_equal(clock_median_step(reading, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steady_counter_fits),
        cmocka_unit_test(test_rate_that_changes_does_not_fit),
        cmocka_unit_test(test_stopped_or_backward_counter_does_not_fit),
        cmocka_unit_test(test_smallest_step),
        cmocka_unit_test(test_median_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
