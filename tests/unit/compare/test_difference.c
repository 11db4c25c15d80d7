/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "compare/difference.h"

static struct estimate within(double value, double share)
{
    return (struct estimate){value, value * (1 - share / 2), value * (1 + share / 2)};
}

static void units_have_a_direction(void **state)
{
    assert_int_equal(direction_of_unit("ns"), DIRECTION_LOWER);
    assert_int_equal(direction_of_unit("cycles"), DIRECTION_LOWER);
    assert_int_equal(direction_of_unit("Byte/s"), DIRECTION_HIGHER);
    assert_int_equal(direction_of_unit("GiByte/s"), DIRECTION_HIGHER);
    assert_int_equal(direction_of_unit("entries"), DIRECTION_NONE);
    assert_int_equal(direction_of_unit(""), DIRECTION_NONE);
    assert_int_equal(direction_of_unit(NULL), DIRECTION_NONE);
}

static void within_both_spreads_is_no_difference(void **state)
{
    struct estimate before = within(100, 0.1), after = within(90, 0.1), far = within(70, 0.1);
    assert_int_equal(difference_of(&before, &after, DIRECTION_HIGHER, NAN, 0), DIFFERENCE_NONE);
    assert_int_equal(difference_of(&before, &far, DIRECTION_HIGHER, NAN, 0), DIFFERENCE_WORSE);
    assert_int_equal(difference_of(&before, &far, DIRECTION_LOWER, NAN, 0), DIFFERENCE_BETTER);
    assert_int_equal(difference_of(&far, &before, DIRECTION_HIGHER, NAN, 0), DIFFERENCE_BETTER);
    assert_int_equal(difference_of(&before, &far, DIRECTION_NONE, NAN, 0), DIFFERENCE_CHANGED);
}

static void exact_values_still_have_the_least(void **state)
{
    struct estimate before = within(100, 0), near = within(91, 0), far = within(88, 0);
    assert_int_equal(difference_of(&before, &near, DIRECTION_HIGHER, NAN, 0), DIFFERENCE_NONE);
    assert_int_equal(difference_of(&before, &far, DIRECTION_HIGHER, NAN, 0), DIFFERENCE_WORSE);
    /* A count that differs by one has changed. */
    assert_int_equal(difference_of(&before, &near, DIRECTION_NONE, NAN, 0), DIFFERENCE_CHANGED);
    assert_int_equal(difference_of(&before, &before, DIRECTION_NONE, NAN, 0), DIFFERENCE_NONE);
}

static void a_threshold_takes_the_place_of_spreads(void **state)
{
    struct estimate before = within(100, 0.5), after = within(90, 0.5);
    assert_int_equal(difference_of(&before, &after, DIRECTION_HIGHER, 0.05, 0), DIFFERENCE_WORSE);
    assert_int_equal(difference_of(&before, &after, DIRECTION_HIGHER, 0.2, 0), DIFFERENCE_NONE);
}

static void an_unknown_spread_is_assumed(void **state)
{
    struct estimate before = {100, NAN, NAN}, after = {85, NAN, NAN};
    assert_true(estimate_spread(&before, 0.07) == 0.07);
    assert_int_equal(difference_of(&before, &after, DIRECTION_HIGHER, NAN, 0.1), DIFFERENCE_NONE);
    assert_int_equal(difference_of(&before, &after, DIRECTION_HIGHER, NAN, 0.05), DIFFERENCE_WORSE);
}

static void no_value_is_no_difference(void **state)
{
    struct estimate before = {0, 0, 0}, none = {NAN, NAN, NAN}, after = within(5, 0.1);
    assert_true(estimate_spread(&before, 0.1) == 0);
    assert_int_equal(difference_of(&before, &none, DIRECTION_HIGHER, NAN, 0.1), DIFFERENCE_NONE);
    assert_int_equal(difference_of(&before, &after, DIRECTION_LOWER, NAN, 0.1), DIFFERENCE_WORSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_have_a_direction),
        cmocka_unit_test(within_both_spreads_is_no_difference),
        cmocka_unit_test(exact_values_still_have_the_least),
        cmocka_unit_test(a_threshold_takes_the_place_of_spreads),
        cmocka_unit_test(an_unknown_spread_is_assumed),
        cmocka_unit_test(no_value_is_no_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
