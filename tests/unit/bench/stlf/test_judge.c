/* SPDX-License-Identifier: MIT */
/* The curves are those that were measured on Zen 4, with its true values: L1 4.0, contained 6.46, same address 6.87
 * from 27 pairs on, renamed up to 24 with an idle sibling and up to 12 with an active one. */

#include "bench/stlf/judge.h"

#include "test.h"

enum { PAIRS = STLF_CURVE_MAX };

static struct estimate steady(double value)
{
    return (struct estimate){
        .state = STATE_IDLE,
        .summary = {.count = 100, .min = value, .p10 = value, .median = value, .p90 = value},
        .value = value,
        .low = value - 0.01,
        .high = value + 0.01,
        .first = value,
        .second = value,
        .placements = 8,
        .placement_low = value,
        .placement_high = value,
        .visits = 1};
}

static double same_address(int pairs, int renamed)
{
    static const double transition[] = {2.73, 4.90};
    return pairs <= renamed ? 1.0 : pairs <= renamed + 2 ? transition[pairs - renamed - 1] : 6.87;
}

static void make_curve(struct estimate curve[PAIRS], int renamed)
{
    for (int i = 0; i < PAIRS; i++)
        curve[i] = steady(same_address(i + 1, renamed));
}

TEST(a_forward_is_no_point_between_two_plateaus)
{
    struct estimate curve[PAIRS];
    const struct estimate contained = steady(6.46);
    make_curve(curve, 24);
    assert_ptr_equal(stlf_forwarded(&contained, curve, PAIRS, 4.0), &contained);
}

/* Cores that forward from the same address only block what is merely contained. */
TEST(a_forward_may_be_the_same_address_only)
{
    struct estimate curve[PAIRS];
    const struct estimate contained = steady(10.5);
    for (int i = 0; i < PAIRS; i++)
        curve[i] = steady(5.0);
    const struct estimate *forwarded = stlf_forwarded(&contained, curve, PAIRS, 4.0);
    assert_true(forwarded >= curve && forwarded < curve + PAIRS);
}

TEST(a_ramp_is_no_forward)
{
    struct estimate curve[PAIRS];
    const struct estimate contained = steady(7.0);
    for (int i = 0; i < PAIRS; i++)
        curve[i] = steady(i < 20 ? 1 : i < 36 ? 1 + 6.0 * (i - 19) / 17 : 7.0);
    const struct estimate *forwarded = stlf_forwarded(&contained, curve, PAIRS, 4.0);
    assert_non_null(forwarded);
    assert_true(fabs(forwarded->value - 7) < 0.01);
}

TEST(where_all_is_renamed_there_is_no_forward)
{
    struct estimate curve[PAIRS];
    const struct estimate contained = steady(1.0);
    for (int i = 0; i < PAIRS; i++)
        curve[i] = steady(1.0);
    assert_null(stlf_forwarded(&contained, curve, PAIRS, 4.0));
}

TEST(a_difference_is_as_unsure_as_both)
{
    struct estimate failed = steady(19.0), forward = steady(6.5);
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

TEST(knees_that_stay_are_trusted)
{
    struct estimate curve[PAIRS];
    make_curve(curve, 24);
    assert_int_equal(stlf_judge_knees(curve, PAIRS).trust, TRUST_HIGH);
    for (int i = 0; i < PAIRS; i++)
        curve[i].second = same_address(i + 1, 12);
    const struct verdict moved = stlf_judge_knees(curve, PAIRS);
    assert_int_equal(moved.trust, TRUST_LOW);
    assert_int_equal(moved.leg, LEG_REPETITION);
    for (int i = 0; i < PAIRS; i++)
        curve[i].second = 1.0;
    assert_int_equal(stlf_judge_knees(curve, PAIRS).trust, TRUST_LOW);
}

TEST(a_value_of_another_state_is_not_trusted)
{
    const struct stlf_set set = {.state = STATE_IDLE};
    struct estimate e = steady(5);
    assert_int_equal(stlf_judge(&set, &e).trust, TRUST_HIGH);
    e.state = STATE_MIXED;
    assert_int_equal(stlf_judge(&set, &e).trust, TRUST_LOW);
}

/* In some placements of a run, loads at one distance took 3.1 cycles more. */
TEST(what_depends_on_pages_must_hold_at_several_placements)
{
    const struct stlf_set set = {.state = STATE_IDLE};
    struct estimate e = steady(0.67);
    assert_int_equal(stlf_judge_placed(&set, &e).trust, TRUST_HIGH);
    e.placements = 3;
    assert_int_equal(stlf_judge_placed(&set, &e).trust, TRUST_LOW);
    e.placements = 8;
    e.placement_high = 3.73;
    assert_int_equal(stlf_judge_placed(&set, &e).trust, TRUST_LOW);
    assert_int_equal(stlf_judge(&set, &e).trust, TRUST_HIGH);
}

/* Renamed up to 24 pairs in one half of the run, up to so many in the other. */
static enum trust trust_of_knees(int renamed)
{
    struct estimate curve[PAIRS];
    make_curve(curve, 24);
    for (int i = 0; i < PAIRS; i++)
        curve[i].second = same_address(i + 1, renamed);
    return stlf_judge_knees(curve, PAIRS).trust;
}

TEST(a_knee_may_move_by_a_pair_or_a_tenth)
{
    assert_int_equal(trust_of_knees(25), TRUST_HIGH);
    assert_int_equal(trust_of_knees(26), TRUST_MEDIUM);
    assert_int_equal(trust_of_knees(27), TRUST_LOW);
}
