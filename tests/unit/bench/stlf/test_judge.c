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
    assert_true(stlf_forwarded(&contained, curve, PAIRS, 4.0) == 6.46);
}

/* Cores that forward from the same address only block what is merely contained. */
TEST(a_forward_may_be_the_same_address_only)
{
    struct estimate curve[PAIRS];
    const struct estimate contained = steady(10.5);
    for (int i = 0; i < PAIRS; i++)
        curve[i] = steady(5.0);
    assert_true(stlf_forwarded(&contained, curve, PAIRS, 4.0) == 5.0);
}

TEST(a_ramp_is_no_forward)
{
    struct estimate curve[PAIRS];
    const struct estimate contained = steady(7.0);
    for (int i = 0; i < PAIRS; i++)
        curve[i] = steady(i < 20 ? 1 : i < 36 ? 1 + 6.0 * (i - 19) / 17 : 7.0);
    assert_true(fabs(stlf_forwarded(&contained, curve, PAIRS, 4.0) - 7) < 0.01);
}

TEST(where_all_is_renamed_there_is_no_forward)
{
    struct estimate curve[PAIRS];
    const struct estimate contained = steady(1.0);
    for (int i = 0; i < PAIRS; i++)
        curve[i] = steady(1.0);
    assert_true(isnan(stlf_forwarded(&contained, curve, PAIRS, 4.0)));
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
    assert_int_equal(stlf_judge(&set, &e, 0).trust, TRUST_HIGH);
    e.state = STATE_MIXED;
    assert_int_equal(stlf_judge(&set, &e, 0).trust, TRUST_LOW);
}

/* In some placements of a run, loads at one distance took 3.1 cycles more. */
TEST(what_depends_on_pages_must_hold_at_several_placements)
{
    const struct stlf_set set = {.state = STATE_IDLE};
    struct estimate e = steady(0.67);
    assert_int_equal(stlf_judge(&set, &e, STLF_PLACEMENTS_LEAST).trust, TRUST_HIGH);
    e.placements = 3;
    assert_int_equal(stlf_judge(&set, &e, STLF_PLACEMENTS_LEAST).trust, TRUST_LOW);
    e.placements = 8;
    e.placement_high = 3.73;
    assert_int_equal(stlf_judge(&set, &e, STLF_PLACEMENTS_LEAST).trust, TRUST_LOW);
    assert_int_equal(stlf_judge(&set, &e, 0).trust, TRUST_HIGH);
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

static struct stlf_plateaus plateaus_of(const double *value, size_t count)
{
    struct estimate curve[PAIRS] = {{0}};
    for (size_t i = 0; i < count; i++)
        curve[i] = steady(value[i]);
    return stlf_plateaus(curve, count, STLF_WHOLE);
}

/* Zen 5's curves (family 26), one value per number of pairs. */
static double wave(int pairs)
{
    return 0.01 * (pairs % 3 - 1);
}

TEST(same_address_has_one_knee)
{
    double value[PAIRS];
    for (int u = 1; u <= PAIRS; u++)
        value[u - 1] = (u == 1 ? 1.02 : u <= 40 ? 0.5 : u == 41 ? 3.6 : u == 42 ? 6.1 : 7.0) + wave(u);
    const struct stlf_plateaus plateaus = plateaus_of(value, PAIRS);
    assert_int_equal(plateaus.count, 2);
    assert_in_range(plateaus.of[0].first, 0, 1);
    assert_in_range(plateaus.of[0].last + 1, 39, 41);
    assert_true(fabs(plateaus.of[0].cycles - 0.5) < 0.05);
    assert_in_range(plateaus.of[1].first + 1, 41, 43);
    assert_int_equal(plateaus.of[1].last, PAIRS - 1);
    assert_true(fabs(plateaus.of[1].cycles - 7) < 0.05);
}

TEST(fast_data_falls_off_a_cliff)
{
    double value[PAIRS];
    for (int u = 1; u <= PAIRS; u++)
        value[u - 1] = (u == 1 ? 1.03 : u <= 15 ? 0.51 : 32 + 3.6 * (u - 16) / 48) + wave(u);
    const struct stlf_plateaus plateaus = plateaus_of(value, PAIRS);
    assert_int_equal(plateaus.count, 2);
    assert_int_equal(plateaus.of[0].last + 1, 15);
    assert_int_equal(plateaus.of[1].first + 1, 16);
    assert_true(plateaus.of[1].high > 35);
}

TEST(fast_data_without_reuse_has_two_knees)
{
    double value[PAIRS];
    for (int u = 1; u <= PAIRS; u++)
        value[u - 1] = (u <= 25   ? 0.51
                        : u < 32  ? 0.51 + 6.0 * (u - 25) / 7
                        : u <= 56 ? 6.6
                                  : 9.7 + 4.7 * (u - 57) / 7) +
                       wave(u);
    const struct stlf_plateaus plateaus = plateaus_of(value, PAIRS);
    const int count = plateaus.count;
    assert_true(count >= 3);
    assert_true(fabs(plateaus.of[0].cycles - 0.51) < 0.05);
    assert_in_range(plateaus.of[0].last + 1, 24, 27);
    assert_int_equal(plateaus.of[count - 1].last, PAIRS - 1);
    assert_true(plateaus.of[count - 1].cycles > 9);
}

TEST(flat_and_noisy_curves_have_none)
{
    double value[PAIRS];
    uint32_t random = 7;
    for (int u = 1; u <= PAIRS; u++)
        value[u - 1] = 14;
    assert_int_equal(plateaus_of(value, PAIRS).count, 1);
    for (int u = 1; u <= PAIRS; u++) {
        random = random * 1664525 + 1013904223;
        value[u - 1] = u == 1 ? 1.1 : 0.5 + (double)(random >> 24) / 2560;
    }
    assert_int_equal(plateaus_of(value, PAIRS).count, 1);
    assert_int_equal(plateaus_of(value, 0).count, 0);
}

/* Fast data on Zen 3 beside an active sibling: "flush at any number of pairs" came of single points. */
TEST(spikes_hide_no_knee)
{
    double value[PAIRS];
    for (int u = 1; u <= PAIRS; u++)
        value[u - 1] = (u == 1 ? 2.2 : u <= 10 ? 1.25 : u == 11 ? 15.4 : 33.5) + wave(u);
    value[26] = 64.7;
    value[55] = 545.3;
    const struct stlf_plateaus plateaus = plateaus_of(value, PAIRS);
    assert_int_equal(plateaus.count, 2);
    assert_int_equal(plateaus.of[0].last + 1, 10);
    assert_true(fabs(plateaus.of[1].cycles - 33.5) < 0.1);
}

/* Is it below 3.6: in both halves, through the interval, by eight samples of the state? */
TEST(a_side_is_sure_where_nothing_lies_on_the_other)
{
    const struct stlf_set set = {.state = STATE_IDLE};
    struct estimate e = steady(1);
    assert_int_equal(stlf_judge_side(&set, &e, 3.6).trust, TRUST_HIGH);
    e.high = 3.7;
    assert_int_equal(stlf_judge_side(&set, &e, 3.6).trust, TRUST_MEDIUM);
    e.second = 3.7;
    assert_int_equal(stlf_judge_side(&set, &e, 3.6).leg, LEG_REPETITION);
    e = steady(1);
    e.summary.count = 8;
    assert_int_equal(stlf_judge_side(&set, &e, 3.6).trust, TRUST_HIGH);
    e.summary.count = 7;
    assert_int_equal(stlf_judge_side(&set, &e, 3.6).trust, TRUST_LOW);
    e = steady(1);
    e.state = STATE_MIXED;
    assert_int_equal(stlf_judge_side(&set, &e, 3.6).trust, TRUST_LOW);
    e = steady(1);
    e.unproved = true;
    assert_int_equal(stlf_judge_side(&set, &e, 3.6).trust, TRUST_MEDIUM);
    e = steady(NAN);
    assert_int_equal(stlf_judge_side(&set, &e, 3.6).trust, TRUST_LOW);
}

/* Of the halves of a run: a pair apart is the promise, a tenth apart is medium, more is low. */
TEST(the_end_of_what_is_renamed_must_repeat)
{
    static const struct {
        int second;
        enum trust trust;
    } cases[] = {{24, TRUST_HIGH}, {25, TRUST_HIGH}, {26, TRUST_MEDIUM}, {27, TRUST_LOW}, {0, TRUST_LOW}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct estimate estimate[PAIRS];
        make_curve(estimate, 24);
        for (int at = 0; at < PAIRS; at++)
            estimate[at].second = cases[i].second ? same_address(at + 1, cases[i].second) : 6.4;
        assert_int_equal(stlf_judge_renamed_pairs(estimate, PAIRS, 4).trust, cases[i].trust);
    }
}
