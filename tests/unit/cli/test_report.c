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

TEST(the_proof_of_one_part_counts_for_all)
{
    const struct answer unproved = {
        .key = "k", .trust = TRUST_MEDIUM, .proved_trust = TRUST_HIGH, .store_buffer = 64};
    struct record *report = record_new(), *first = record_child_add(report),
                  *second = record_child_add(report);
    record_answer(first, unproved);
    record_answer(second, unproved);
    report_prove(report);
    assert_int_equal(first->answers.of[0].trust, TRUST_MEDIUM);
    first->conditions.store_buffer = 64;
    report_prove(report);
    assert_int_equal(first->answers.of[0].trust, TRUST_HIGH);
    assert_int_equal(second->answers.of[0].trust, TRUST_HIGH);
    record_free(report);
}
