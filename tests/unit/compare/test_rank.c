/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare/rank.h"

static void what_lies_above_is_unlikely(void **state)
{
    const float low[] = {1, 2, 3, 4, 5, 6, 7, 8}, high[] = {11, 12, 13, 14, 15, 16, 17, 18};
    assert_true(rank_p(low, 8, high, 8) < 0.001);
    assert_true(rank_p(high, 8, low, 8) > 0.999);
    assert_true(rank_p(low, 8, low, 8) > 0.4);
}

static void few_or_equal_values_say_nothing(void **state)
{
    const float same[] = {5, 5, 5, 5}, other[] = {6, 6, 6, 6};
    assert_true(rank_p(same, 3, other, 4) == 1);
    assert_true(rank_p(same, 4, same, 4) == 1);
    assert_true(rank_p(same, 4, other, 4) < 0.01);
}

static void the_median_of_many_is_bounded(void **state)
{
    double value[100], low, high;
    for (int i = 0; i < 100; i++)
        value[i] = (i * 37) % 100;
    assert_true(rank_interval(value, 100, &low, &high));
    assert_true(low == 37 && high == 62);
    assert_false(rank_interval(value, 5, &low, &high));
    assert_true(rank_interval(value, 8, &low, &high));
    assert_true(low == 0 && high == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lies_above_is_unlikely),
        cmocka_unit_test(few_or_equal_values_say_nothing),
        cmocka_unit_test(the_median_of_many_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
