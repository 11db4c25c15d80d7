/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/report.h"

static void later_parts_have_what_is_left_over(void **state)
{
    assert_true(report_share_s(8, 0, 4, 4) == 2);
    assert_true(report_share_s(8, 1, 1, 4) == 7);
    assert_true(report_share_s(8, 6.9, 1, 4) > 1);
}

static void each_part_has_a_floor_of_time(void **state)
{
    assert_true(report_share_s(8, 7.1, 1, 4) == 1);
    assert_true(report_share_s(8, 100, 1, 4) == 1);
    assert_true(report_share_s(8, 7.1, 2, 4) == 1);
}

static void without_a_limit_each_has_its_own(void **state)
{
    assert_true(report_share_s(0, 0, 4, 4) == 0);
    assert_true(report_share_s(0, 100, 1, 4) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_parts_have_what_is_left_over),
        cmocka_unit_test(each_part_has_a_floor_of_time),
        cmocka_unit_test(without_a_limit_each_has_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
