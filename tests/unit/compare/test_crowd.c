/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "compare/crowd.h"

static void one_that_is_far_moves_nothing(void **state)
{
    double value[9] = {10, 10.1, 9.9, 10.2, 9.8, 10, 10, 100, NAN};
    struct crowd crowd;
    assert_true(crowd_of(value, 9, 0, &crowd));
    assert_int_equal(crowd.count, 8);
    assert_true(crowd.median == 10);
    assert_true(crowd.deviation > 0.05 && crowd.deviation < 0.2);
    assert_true(crowd_z(&crowd, 100) > 100);
    assert_true(crowd_z(&crowd, 9.9) < 0);
    assert_true(crowd_of(value, 9, 0.05, &crowd) && crowd.deviation == 0.5);
    assert_false(crowd_of(value, 4, 0, &crowd));
}

static void ranks_are_shares(void **state)
{
    const double sorted[] = {1, 2, 2, 3};
    assert_true(crowd_rank(sorted, 4, 0) == 0);
    assert_true(crowd_rank(sorted, 4, 2) == 0.5);
    assert_true(crowd_rank(sorted, 4, 4) == 1);
    assert_true(crowd_rank_p(0.5, 6) == 1);
    assert_true(crowd_rank_p(0.99, 6) < 1e-4 && crowd_rank_p(0.01, 6) < 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_is_far_moves_nothing),
        cmocka_unit_test(ranks_are_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
