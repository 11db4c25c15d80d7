/* SPDX-License-Identifier: MIT */

#include "cli/report.h"

#include "test.h"

TEST(later_parts_have_what_is_left_over)
{
    assert_true(report_share_s(8, 0, 4, 4) == 2);
    assert_true(report_share_s(8, 1, 1, 4) == 7);
    assert_true(report_share_s(8, 6.9, 1, 4) > 1);
}

TEST(each_part_has_a_floor_of_time)
{
    assert_true(report_share_s(8, 7.1, 1, 4) == 1);
    assert_true(report_share_s(8, 100, 1, 4) == 1);
    assert_true(report_share_s(8, 7.1, 2, 4) == 1);
}

TEST(without_a_limit_each_has_its_own)
{
    assert_true(report_share_s(0, 0, 4, 4) == 0);
    assert_true(report_share_s(0, 100, 1, 4) == 0);
}
