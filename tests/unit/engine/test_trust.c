/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "uarchprobe/engine.h"

static struct estimate narrow(void)
{
    return (struct estimate){.state = STATE_IDLE,
                             .summary = {.count = 100},
                             .value = 100,
                             .low = 99.9,
                             .high = 100.1,
                             .first = 100,
                             .second = 100,
                             .placement_low = 100,
                             .placement_high = 100};
}

static struct verdict judge(const struct estimate *e)
{
    return trust_judge(e, &promise_core);
}

TEST(a_narrow_steady_value_is_high)
{
    const struct estimate e = narrow();
    assert_int_equal(judge(&e).trust, TRUST_HIGH);
    assert_int_equal(judge(&e).leg, LEG_NONE);
}

TEST(a_wide_interval_fails_in_precision)
{
    struct estimate e = narrow();
    e.high = 105;
    assert_int_equal(judge(&e).trust, TRUST_MEDIUM);
    assert_int_equal(judge(&e).leg, LEG_PRECISION);
    assert_int_equal(
        trust_judge(&e, &(struct promise){.relative = 0.1, .at_least = NAN, .at_most = NAN}).trust,
        TRUST_HIGH);
    e.low = 80;
    assert_int_equal(judge(&e).trust, TRUST_LOW);
    e = narrow();
    e.summary.count = 7;
    assert_int_equal(judge(&e).trust, TRUST_LOW);
}

/* Of a value of so much, whose interval is so wide on either side. */
static enum trust of_width(const struct promise *promise, double value, double half)
{
    struct estimate e = narrow();
    e.value = e.first = e.second = e.placement_low = e.placement_high = value;
    e.low = value - half;
    e.high = value + half;
    return trust_judge(&e, promise).trust;
}

/* Two runs lie 1.41 times as far apart as one from the truth: 1.84 and 2.12, 9.9 and 10.2 of 100. */
TEST(each_promise_is_kept_on_either_side)
{
    assert_int_equal(of_width(&promise_core, 100, 1.3), TRUST_HIGH);
    assert_int_equal(of_width(&promise_core, 100, 1.5), TRUST_MEDIUM);
    assert_int_equal(of_width(&promise_core, 100, 7.0), TRUST_MEDIUM);
    assert_int_equal(of_width(&promise_core, 100, 7.2), TRUST_LOW);
    assert_int_equal(of_width(&promise_core, 2, 0.065), TRUST_HIGH);
    assert_int_equal(of_width(&promise_core, 2, 0.075), TRUST_MEDIUM);
    assert_int_equal(of_width(&promise_beyond, 100, 3.4), TRUST_HIGH);
    assert_int_equal(of_width(&promise_beyond, 100, 3.6), TRUST_MEDIUM);
    assert_int_equal(of_width(&promise_beyond, 1.5, 0.065), TRUST_HIGH);
    assert_int_equal(of_width(&promise_beyond, 1.5, 0.075), TRUST_MEDIUM);
}

TEST(eight_samples_are_an_interval)
{
    struct estimate e = narrow();
    e.summary.count = 8;
    assert_int_equal(judge(&e).trust, TRUST_HIGH);
    e.summary.count = 7;
    assert_int_equal(judge(&e).trust, TRUST_LOW);
}

TEST(a_small_value_may_move_by_the_absolute_tolerance)
{
    struct estimate e = narrow();
    e.value = e.first = 0.5;
    e.second = 0.55;
    e.low = 0.45;
    e.high = 0.55;
    assert_int_equal(judge(&e).trust, TRUST_HIGH);
}

TEST(halves_and_placements_must_agree)
{
    struct estimate e = narrow();
    e.second = 101.9;
    assert_int_equal(judge(&e).trust, TRUST_HIGH);
    e.second = 102.1;
    assert_int_equal(judge(&e).trust, TRUST_MEDIUM);
    assert_int_equal(judge(&e).leg, LEG_REPETITION);
    e.second = 110.1;
    assert_int_equal(judge(&e).trust, TRUST_LOW);
    e = narrow();
    struct promise placed = promise_core;
    placed.placements = 3;
    assert_int_equal(trust_judge(&e, &placed).trust, TRUST_LOW);
    e.placements = 3;
    assert_int_equal(trust_judge(&e, &placed).trust, TRUST_HIGH);
    e.placement_high = 104;
    assert_int_equal(trust_judge(&e, &placed).trust, TRUST_MEDIUM);
}

TEST(what_cannot_be_is_low)
{
    const struct estimate e = narrow();
    struct promise promise = promise_core;
    promise.at_most = 99;
    assert_int_equal(trust_judge(&e, &promise).leg, LEG_PLAUSIBILITY);
    promise = promise_core;
    promise.contradicted = true;
    assert_int_equal(trust_judge(&e, &promise).trust, TRUST_LOW);
}

TEST(one_spell_of_a_sibling_is_no_state)
{
    struct estimate e = narrow();
    e.state = STATE_ACTIVE;
    e.visits = 1;
    assert_int_equal(judge(&e).trust, TRUST_LOW);
    e.indifferent = true;
    assert_int_equal(judge(&e).trust, TRUST_HIGH);
    e.indifferent = false;
    e.visits = 7;
    assert_int_equal(judge(&e).trust, TRUST_LOW);
    e.visits = 8;
    assert_int_equal(judge(&e).trust, TRUST_HIGH);
}

TEST(a_answer_is_as_good_as_its_worse_part)
{
    const struct verdict high = {TRUST_HIGH, LEG_NONE}, low = {TRUST_LOW, LEG_PRECISION};
    assert_int_equal(verdict_lesser(high, low).trust, TRUST_LOW);
    assert_int_equal(verdict_lesser(low, high).leg, LEG_PRECISION);
}

TEST(a_answer_says_what_its_estimate_knows)
{
    struct estimate e;
    double value[100];
    for (int i = 0; i < 100; i++)
        value[i] = i < 50 ? 10 : 20;
    assert_true(estimate_of(value, 100, 0.5, &e));
    e.state = STATE_IDLE;
    const struct answer answer = answer_of(&e, (struct verdict){TRUST_LOW, LEG_REPETITION});
    assert_int_equal(answer.samples, 100);
    assert_int_equal(answer.leg, LEG_REPETITION);
    assert_string_equal(answer.state, state_names[STATE_IDLE]);
    assert_int_equal(answer.parts.count, PARTS_MOST);
    for (int i = 0; i < PARTS_MOST; i++)
        assert_true(answer.parts.value[i] == (i < PARTS_MOST / 2 ? 10 : 20));
    e.state = STATE_MIXED;
    assert_null(answer_of(&e, (struct verdict){TRUST_LOW, LEG_NONE}).state);
}
