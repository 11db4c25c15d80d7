/* SPDX-License-Identifier: MIT */
/* What estimates say. */
#include "test.h"

#include "sets.h"

TEST(a_difference_is_as_unsure_as_both)
{
    struct estimate failed = sets_steady(19.0), forward = sets_steady(6.5);
    failed.high = 19.3;
    forward.low = 6.1;
    forward.second = 6.6;
    forward.summary.count = 30;
    const struct estimate penalty = stlf_difference(&failed, &forward);
    assert_true(fabs(penalty.value - 12.5) < 1e-9);
    assert_true(fabs(penalty.high - 13.0) < 1e-9);
    assert_true(fabs(penalty.second - 12.4) < 1e-9);
    assert_int_equal(penalty.summary.count, 30);
}

/* In some placements of a run, loads at one distance took 3.1 cycles more. */
TEST(what_depends_on_pages_must_hold_at_several_placements)
{
    struct estimate e = sets_steady(0.67);
    assert_int_equal(stlf_judge(&e, STLF_PLACEMENTS_LEAST).trust, TRUST_HIGH);
    e.placements = 3;
    assert_int_equal(stlf_judge(&e, STLF_PLACEMENTS_LEAST).trust, TRUST_LOW);
    e.placements = 8;
    e.placement_high = 3.73;
    assert_int_equal(stlf_judge(&e, STLF_PLACEMENTS_LEAST).trust, TRUST_LOW);
    assert_int_equal(stlf_judge(&e, 0).trust, TRUST_HIGH);
}

/* Is it below 3.6: in both halves, through the interval, by eight samples? */
TEST(a_side_is_sure_where_nothing_lies_on_the_other)
{
    struct estimate e = sets_steady(1);
    assert_int_equal(stlf_judge_side(&e, 3.6, 0).trust, TRUST_HIGH);
    e.high = 3.7;
    assert_int_equal(stlf_judge_side(&e, 3.6, 0).trust, TRUST_MEDIUM);
    e.second = 3.7;
    assert_int_equal(stlf_judge_side(&e, 3.6, 0).leg, LEG_REPETITION);
    e = sets_steady(1);
    e.summary.count = 8;
    assert_int_equal(stlf_judge_side(&e, 3.6, 0).trust, TRUST_HIGH);
    e.summary.count = 7;
    assert_int_equal(stlf_judge_side(&e, 3.6, 0).trust, TRUST_LOW);
    e = sets_steady(1);
    e.unproved = true;
    assert_int_equal(stlf_judge_side(&e, 3.6, 0).trust, TRUST_MEDIUM);
    e = sets_steady(NAN);
    assert_int_equal(stlf_judge_side(&e, 3.6, 0).trust, TRUST_LOW);
}
