/* SPDX-License-Identifier: MIT */

#include "compare/judge.h"

#include "test.h"

/* A rate of high trust whose parts and interval lie within 1 % of it. */
static struct answer rate(double value)
{
    struct answer answer = {.key = "k",
                            .unit = "Byte/s",
                            .value = REAL_CELL(value),
                            .low = REAL_CELL(0.99 * value),
                            .high = REAL_CELL(1.01 * value),
                            .trust = TRUST_HIGH,
                            .within = 0.02,
                            .ghz = 3,
                            .state = state_names[STATE_IDLE],
                            .parts.count = 12};
    for (size_t i = 0; i < 12; i++)
        answer.parts.value[i] = (float)(value * (0.995 + 0.01 * (double)((i * 7) % 12) / 12));
    return answer;
}

static enum outcome outcome(struct answer before, struct answer after, double threshold)
{
    return judge(&before, &after, NAN, threshold).outcome;
}

TEST(units_have_a_direction)
{
    assert_int_equal(direction_of_unit("ns"), DIRECTION_LOWER);
    assert_int_equal(direction_of_unit("cycles"), DIRECTION_LOWER);
    assert_int_equal(direction_of_unit("Byte/s"), DIRECTION_HIGHER);
    assert_int_equal(direction_of_unit("GiByte/s"), DIRECTION_HIGHER);
    assert_int_equal(direction_of_unit("entries"), DIRECTION_NONE);
    assert_int_equal(direction_of_unit(""), DIRECTION_NONE);
    assert_int_equal(direction_of_unit(NULL), DIRECTION_NONE);
}

TEST(more_than_repeated_runs_is_a_difference)
{
    assert_int_equal(outcome(rate(100), rate(97), NAN), OUTCOME_SAME);
    assert_int_equal(outcome(rate(100), rate(90), NAN), OUTCOME_WORSE);
    assert_int_equal(outcome(rate(100), rate(110), NAN), OUTCOME_BETTER);
    struct answer before = rate(100), after = rate(110);
    before.unit = after.unit = "ns";
    assert_int_equal(outcome(before, after, NAN), OUTCOME_WORSE);
    assert_true(fabs(judge(&before, &after, NAN, NAN).loss - 0.1) < 1e-9);
}

TEST(a_threshold_tolerates_and_still_asks_for_more)
{
    assert_int_equal(outcome(rate(100), rate(85), 0.2), OUTCOME_SAME);
    assert_int_equal(outcome(rate(100), rate(75), 0.2), OUTCOME_WORSE);
    assert_int_equal(outcome(rate(100), rate(97), 0.01), OUTCOME_UNKNOWN); /* 6 % is what could be seen */
    assert_int_equal(outcome(rate(100), rate(90), 0.01), OUTCOME_WORSE);
}

/* The values differ by a quarter, their parts do not. */
TEST(a_rank_test_is_asked)
{
    struct answer before = rate(100), after = rate(100);
    after.value = REAL_CELL(75);
    after.low = REAL_CELL(74);
    after.high = REAL_CELL(76);
    assert_int_equal(outcome(before, after, NAN), OUTCOME_UNKNOWN);
    before.parts.count = after.parts.count = 0; /* then the intervals speak */
    assert_int_equal(outcome(before, after, NAN), OUTCOME_WORSE);
    after.high = REAL_CELL(101);
    assert_int_equal(outcome(before, after, NAN), OUTCOME_UNKNOWN);
}

/* Beyond the core it shows that others are at work, which explains some times as much. */
TEST(the_core_clock_explains_what_goes_with_it)
{
    struct answer before = rate(100), after = rate(80);
    after.ghz = 2.4;
    assert_int_equal(outcome(before, after, NAN), OUTCOME_SAME);
    before.within = after.within = 0.05;
    assert_int_equal(outcome(before, after, NAN), OUTCOME_UNKNOWN);
    assert_string_equal(judge(&before, &after, NAN, NAN).why, "another core clock");
    after.ghz = before.ghz;
    assert_int_equal(outcome(before, after, NAN), OUTCOME_WORSE);
}

/* Beyond the core others take from the value: where the better parts of both runs are alike, it is they. */
TEST(others_explain_what_the_better_parts_do_not_show)
{
    struct answer before = rate(100), after = rate(80);
    before.within = after.within = 0.05;
    after.parts.value[3] = after.parts.value[7] = 100;
    assert_int_equal(outcome(before, after, NAN), OUTCOME_UNKNOWN);
    assert_true(fabs(judge(&before, &after, NAN, NAN).loss) < 0.05);
    after = rate(80);
    after.within = 0.05;
    assert_int_equal(outcome(before, after, NAN), OUTCOME_WORSE);
    assert_int_equal(judge(&before, &after, 0.04, NAN).outcome, OUTCOME_UNKNOWN); /* one moment */
    assert_int_equal(judge(&before, &after, 2, NAN).outcome, OUTCOME_WORSE);
}

static struct answer low(double value, enum leg leg)
{
    struct answer answer = rate(value);
    answer.trust = TRUST_LOW;
    answer.leg = leg;
    return answer;
}

TEST(trust_decides_what_is_seen)
{
    struct answer after = rate(86);
    after.trust = TRUST_MEDIUM;
    assert_int_equal(outcome(rate(100), after, NAN), OUTCOME_SAME); /* within 15 % */
    after = rate(84);
    after.trust = TRUST_MEDIUM;
    assert_int_equal(outcome(rate(100), after, NAN), OUTCOME_WORSE);
    after = low(50, LEG_PLAUSIBILITY);
    assert_int_equal(outcome(rate(100), after, NAN), OUTCOME_APART);
    after.leg = LEG_PRECISION;
    assert_int_equal(outcome(rate(100), after, NAN), OUTCOME_WORSE);
    struct answer before = rate(100);
    after.state = before.state = state_names[STATE_ACTIVE];
    assert_int_equal(outcome(before, after, NAN), OUTCOME_APART);
}

/* Same is what would have been seen by 15 %, or by the threshold. */
TEST(what_could_not_be_seen_is_not_same)
{
    struct answer before = rate(100), after = rate(100);
    before.low = after.low = REAL_CELL(89.5);
    assert_int_equal(outcome(before, after, NAN), OUTCOME_SAME); /* the root of 10.5 and 10.5 squared */
    before.low = after.low = REAL_CELL(89.3);
    assert_int_equal(outcome(before, after, NAN), OUTCOME_UNKNOWN);
    assert_int_equal(outcome(before, after, 0.2), OUTCOME_SAME);
}

/* Whatever the trust: in the core, beyond both intervals and 25 %, and only where the parts confirm it. */
TEST(half_the_speed_of_the_core_is_worse)
{
    assert_int_equal(outcome(low(100, LEG_REPETITION), low(52, LEG_REPETITION), NAN), OUTCOME_WORSE);
    assert_int_equal(outcome(rate(100), low(74, LEG_REPETITION), NAN), OUTCOME_WORSE);
    assert_int_equal(outcome(rate(100), low(76, LEG_REPETITION), NAN), OUTCOME_UNKNOWN);
    assert_int_equal(outcome(low(74, LEG_REPETITION), rate(100), NAN), OUTCOME_BETTER);
    struct answer before = low(100, LEG_REPETITION), after = low(52, LEG_REPETITION);
    assert_true(judge(&before, &after, NAN, NAN).counts);
    after.high = REAL_CELL(80);
    assert_int_equal(outcome(before, after, NAN), OUTCOME_UNKNOWN);
    after = low(52, LEG_PRECISION);
    after.parts.count = 5;
    assert_int_equal(outcome(before, after, NAN), OUTCOME_WORSE);
    after.low = after.high = NO_CELL; /* then all of the parts are the interval */
    assert_int_equal(outcome(before, after, NAN), OUTCOME_WORSE);
    after.parts.value[4] = 90;
    assert_int_equal(outcome(before, after, NAN), OUTCOME_UNKNOWN);
    for (size_t i = 0; i < 5; i++)
        after.parts.value[i] = i < 3 ? 100 : 52;
    assert_int_equal(outcome(before, after, NAN), OUTCOME_UNKNOWN);
    after = low(52, LEG_PRECISION);
    after.parts.count = 3;
    assert_int_equal(outcome(before, after, NAN), OUTCOME_UNKNOWN);
    assert_true(isnan(judge(&before, &after, NAN, NAN).allowed)); /* nothing would be seen */
}

/* Beyond the core a difference of low trust is one of now, whatever the trust is low for. */
TEST(ranges_apart_are_said)
{
    struct answer before = low(100, LEG_REPETITION), after = low(52, LEG_REPETITION);
    before.within = after.within = 0.05;
    struct judgement j = judge(&before, &after, NAN, NAN);
    assert_int_equal(j.outcome, OUTCOME_UNKNOWN);
    assert_true(j.differs_now && isnan(j.allowed));
    before.leg = after.leg = LEG_PRECISION;
    assert_int_equal(outcome(before, after, NAN), OUTCOME_UNKNOWN);
    after.parts.value[2] = 99; /* within the range of the other */
    j = judge(&before, &after, NAN, NAN);
    assert_int_equal(j.outcome, OUTCOME_UNKNOWN);
    assert_false(j.differs_now);
    before = after = rate(100);
    before.within = after.within = 0.05;
    assert_int_equal(judge(&before, &after, 0.9, NAN).outcome, OUTCOME_UNKNOWN);
    assert_int_equal(judge(&before, &after, 1.1, NAN).outcome, OUTCOME_SAME);
}

/* What differs by less than is allowed is not worse, however far the best tenth of its parts is off. */
TEST(what_is_shown_is_judged)
{
    struct answer before = rate(100), after = rate(80);
    before.within = after.within = 0.05;
    after.value = REAL_CELL(90.3);
    after.low = REAL_CELL(89.5);
    after.high = REAL_CELL(91);
    struct judgement j = judge(&before, &after, NAN, NAN);
    assert_int_equal(j.outcome, OUTCOME_SAME);
    assert_true(!j.basis && fabs(j.change + 0.097) < 1e-6);
    after = rate(80);
    after.within = 0.05;
    after.value = REAL_CELL(70);
    after.low = REAL_CELL(69);
    after.high = REAL_CELL(71);
    j = judge(&before, &after, NAN, NAN);
    assert_int_equal(j.outcome, OUTCOME_WORSE);
    assert_true(j.basis && fabs(j.change + 0.2) < 0.001);
    before = rate(100);
    after = rate(100);
    after.ghz = 2.7;
    j = judge(&before, &after, NAN, NAN);
    assert_int_equal(j.outcome, OUTCOME_BETTER);
    assert_true(j.basis && fabs(j.change - 1 / 0.9 + 1) < 1e-9);
}

TEST(states_are_not_mixed)
{
    struct answer before = rate(100), after = rate(50);
    after.state = state_names[STATE_ACTIVE];
    assert_int_equal(outcome(before, after, NAN), OUTCOME_APART);
}

static struct judgement counted(struct answer before, double value, double threshold)
{
    struct answer after = before;
    after.value = before.value.type == CELL_INTEGER ? INTEGER_CELL((int64_t)value) : REAL_CELL(value);
    return judge(&before, &after, NAN, threshold);
}

/* A count of high trust promises an entry; a result that says nothing of it promises one entry too. */
TEST(counts_keep_their_promise)
{
    struct answer count = {.key = "k", .unit = "entries", .value = INTEGER_CELL(64), .trust = TRUST_HIGH};
    assert_int_equal(counted(count, 65, NAN).outcome, OUTCOME_SAME);
    assert_int_equal(counted(count, 62, NAN).outcome, OUTCOME_CHANGED);
    assert_true(counted(count, 62, NAN).broken && counted(count, 32, NAN).broken);
    assert_int_equal(counted(count, 32, 0.6).outcome, OUTCOME_SAME);
    assert_true(counted(count, 32, 0.4).broken);
    count.within_absolute = 3;
    assert_int_equal(counted(count, 61, NAN).outcome, OUTCOME_SAME);
    assert_true(counted(count, 60, NAN).broken);
    count.within_absolute = 0;
    count.trust = TRUST_MEDIUM;
    assert_int_equal(counted(count, 58, NAN).outcome, OUTCOME_SAME); /* within a tenth */
    assert_int_equal(counted(count, 57, NAN).outcome, OUTCOME_CHANGED);
    assert_false(counted(count, 32, NAN).broken);
    /* Where one is everything, one more is not the same; where nobody promised anything, nothing is broken. */
    count = (struct answer){.key = "k", .unit = "Byte", .value = INTEGER_CELL(1), .trust = TRUST_HIGH};
    assert_int_equal(counted(count, 1, NAN).outcome, OUTCOME_SAME);
    assert_int_equal(counted(count, 2, NAN).outcome, OUTCOME_CHANGED);
    assert_false(counted(count, 2, NAN).broken);
    count.value = INTEGER_CELL(0);
    assert_int_equal(counted(count, 0, NAN).outcome, OUTCOME_SAME);
    assert_int_equal(counted(count, 1, NAN).outcome, OUTCOME_CHANGED);
}

TEST(words_change)
{
    struct answer before = {.key = "k", .value = TEXT_CELL("mixed"), .trust = TRUST_HIGH}, after = before;
    assert_int_equal(outcome(before, after, NAN), OUTCOME_SAME);
    after.value = TEXT_CELL("full");
    assert_int_equal(outcome(before, after, NAN), OUTCOME_CHANGED);
    assert_false(judge(&before, &after, NAN, NAN).broken);
    after.value = INTEGER_CELL(1);
    assert_int_equal(outcome(before, after, NAN), OUTCOME_APART);
}

/* Neither way is better, and 1 is no small change of 2. */
TEST(ratios_change)
{
    struct answer ratio = rate(2);
    ratio.unit = "times";
    ratio.trust = TRUST_MEDIUM;
    ratio.within = 0.05;
    assert_int_equal(counted(ratio, 2.2, NAN).outcome, OUTCOME_SAME);
    assert_int_equal(counted(ratio, 2.4, NAN).outcome, OUTCOME_CHANGED);
    assert_false(counted(ratio, 4, NAN).broken);
    struct answer after = ratio;
    after.trust = TRUST_LOW;
    after.leg = LEG_REPETITION;
    assert_int_equal(outcome(ratio, after, NAN), OUTCOME_APART);
}

/* One that is far off moves nothing; all by a tenth do. */
TEST(many_see_less_together)
{
    double loss[12] = {-0.3, 0.01, 0.0, -0.01, 0.005, 0.02, 0.4, 0.0, 0.01, -0.005, 0.0, 0.01};
    assert_int_equal(judge_together(loss, 12, NAN).outcome, OUTCOME_SAME);
    for (int i = 0; i < 12; i++)
        loss[i] += 0.1;
    assert_int_equal(judge_together(loss, 12, NAN).outcome, OUTCOME_WORSE);
    assert_int_equal(judge_together(loss, 12, 0.2).outcome, OUTCOME_SAME);
    assert_int_equal(judge_together(loss, 5, NAN).outcome, OUTCOME_APART);
}

static struct answer beyond(double value, double ghz)
{
    struct answer answer = rate(value);
    answer.within = 0.05;
    answer.ghz = ghz;
    return answer;
}

/* Three times the promise: 6 % in the core. Above 2 % it is a promise of what lies beyond. */
TEST(promises_are_allowed_three_times)
{
    assert_int_equal(outcome(rate(100), rate(94.5), NAN), OUTCOME_SAME);
    assert_int_equal(outcome(rate(100), rate(93.5), NAN), OUTCOME_WORSE);
    struct answer before = rate(100), after = rate(80);
    before.within = after.within = 0.025;
    after.ghz = 2.4;
    assert_int_equal(outcome(before, after, NAN), OUTCOME_UNKNOWN);
}

/* A clock that is 5 % lower explains 20 % beyond the core. */
TEST(a_clock_explains_four_times_as_much)
{
    assert_int_equal(outcome(beyond(100, 3), beyond(82, 2.85), NAN), OUTCOME_UNKNOWN);
    assert_int_equal(outcome(beyond(100, 3), beyond(78, 2.85), NAN), OUTCOME_WORSE);
}

static struct answer wide(double value)
{
    struct answer answer = low(value, LEG_REPETITION);
    answer.low = REAL_CELL(0.86 * value);
    answer.high = REAL_CELL(1.14 * value);
    return answer;
}

/* One and a half times the root of 14 % and 14 % squared: 30 %. */
TEST(wide_intervals_are_taken_for_wider)
{
    assert_int_equal(outcome(wide(100), wide(72), NAN), OUTCOME_UNKNOWN);
    assert_int_equal(outcome(wide(100), wide(67), NAN), OUTCOME_WORSE);
}

/* One part in twelve is not the better end; eight parts have one, seven have none. */
TEST(the_better_end_is_a_tenth_of_eight_parts)
{
    struct answer before = beyond(100, 3), after = beyond(80, 3);
    after.parts.value[3] = 100;
    assert_int_equal(outcome(before, after, NAN), OUTCOME_WORSE);
    for (size_t count = 7; count <= 8; count++) {
        before = beyond(100, 3);
        after = beyond(80, 3);
        before.parts.count = after.parts.count = count;
        after.parts.value[3] = after.parts.value[6] = 100;
        const double loss = judge(&before, &after, NAN, NAN).loss;
        assert_true(count < 8 ? loss > 0.19 : loss < 0.05);
    }
}

TEST(together_five_percent_are_seen)
{
    double loss[12];
    for (int i = 0; i < 12; i++)
        loss[i] = 0.045 + 0.0001 * i;
    assert_int_equal(judge_together(loss, 12, NAN).outcome, OUTCOME_SAME);
    for (int i = 0; i < 12; i++)
        loss[i] += 0.01;
    assert_int_equal(judge_together(loss, 12, NAN).outcome, OUTCOME_WORSE);
}

/* All parts of one run lie above all of the other: by chance in 6 of 1,000 cases of five parts, in 15 of four. */
TEST(one_in_a_hundred_is_significant)
{
    for (size_t count = 4; count <= 5; count++) {
        struct answer before = rate(100), after = rate(80);
        before.parts.count = after.parts.count = count;
        assert_int_equal(outcome(before, after, NAN), count < 5 ? OUTCOME_UNKNOWN : OUTCOME_WORSE);
    }
}
