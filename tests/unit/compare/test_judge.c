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

TEST(cycles_follow_no_clock)
{
    struct answer before = rate(100), after = rate(100);
    before.unit = after.unit = "cycles";
    after.ghz = 2.4;
    assert_int_equal(outcome(before, after, NAN), OUTCOME_SAME);
}

/* Two results of a rate: what the second is and how far it may be trusted, what the first is where that is no rate of high trust. */
struct population {
    double value;
    double within, half, ghz; /* 0: 2 % of the value, 1 % of the value, 3 GHz */
    enum trust trust;
    enum leg leg;
};

static struct answer answer_of(const struct population *population)
{
    struct answer answer = rate(population->value);
    answer.trust = population->trust;
    answer.leg = population->leg;
    answer.within = population->within > 0 ? population->within : answer.within;
    answer.ghz = population->ghz > 0 ? population->ghz : answer.ghz;
    if (population->half > 0) {
        answer.low = REAL_CELL((1 - population->half) * population->value);
        answer.high = REAL_CELL((1 + population->half) * population->value);
    }
    return answer;
}

#define HIGH(...)                                                                                            \
    {                                                                                                        \
        .trust = TRUST_HIGH, .value = __VA_ARGS__                                                            \
    }
#define LOW(...)                                                                                             \
    {                                                                                                        \
        .trust = TRUST_LOW, .leg = LEG_REPETITION, .value = __VA_ARGS__                                      \
    }

static const struct {
    const char *promise;
    struct population before, after;
    double threshold; /* 0: none */
    enum outcome outcome;
} cases[] = {
    {"three times 2 % in the core", HIGH(100), HIGH(94.5), 0, OUTCOME_SAME},
    {"three times 2 % in the core", HIGH(100), HIGH(93.5), 0, OUTCOME_WORSE},
    {"three times 2 % in the core", HIGH(100), HIGH(110), 0, OUTCOME_BETTER},
    {"a threshold tolerates", HIGH(100), HIGH(85), 0.2, OUTCOME_SAME},
    {"a threshold tolerates", HIGH(100), HIGH(75), 0.2, OUTCOME_WORSE},
    {"6 % is what could be seen", HIGH(100), HIGH(97), 0.01, OUTCOME_UNKNOWN},
    {"6 % is what could be seen", HIGH(100), HIGH(90), 0.01, OUTCOME_WORSE},
    {"medium trust allows 15 %", HIGH(100), {.value = 86, .trust = TRUST_MEDIUM}, 0, OUTCOME_SAME},
    {"medium trust allows 15 %", HIGH(100), {.value = 84, .trust = TRUST_MEDIUM}, 0, OUTCOME_WORSE},
    {"what cannot be is not judged", HIGH(100), {.value = 50, .leg = LEG_PLAUSIBILITY}, 0, OUTCOME_APART},
    {"low trust in the core allows 25 %", HIGH(100), LOW(74), 0, OUTCOME_WORSE},
    {"low trust in the core allows 25 %", HIGH(100), LOW(76), 0, OUTCOME_UNKNOWN},
    {"low trust in the core allows 25 %", LOW(74), HIGH(100), 0, OUTCOME_BETTER},
    {"low trust in both", LOW(100), LOW(52), 0, OUTCOME_WORSE},
    {"the intervals together", HIGH(100, .half = 0.105), HIGH(100, .half = 0.105), 0, OUTCOME_SAME},
    {"the intervals together", HIGH(100, .half = 0.107), HIGH(100, .half = 0.107), 0, OUTCOME_UNKNOWN},
    {"the intervals together", HIGH(100, .half = 0.107), HIGH(100, .half = 0.107), 0.2, OUTCOME_SAME},
    {"wide intervals are taken for wider", LOW(100, .half = 0.14), LOW(72, .half = 0.14), 0, OUTCOME_UNKNOWN},
    {"wide intervals are taken for wider", LOW(100, .half = 0.14), LOW(67, .half = 0.14), 0, OUTCOME_WORSE},
    {"the core follows its clock", HIGH(100), HIGH(80, .ghz = 2.4), 0, OUTCOME_SAME},
    {"what promises more than 2 % does not", HIGH(100, .within = 0.025),
     HIGH(80, .within = 0.025, .ghz = 2.4), 0, OUTCOME_UNKNOWN},
    {"beyond the core a clock explains four times as much", HIGH(100, .within = 0.05),
     HIGH(82, .within = 0.05, .ghz = 2.85), 0, OUTCOME_UNKNOWN},
    {"beyond the core a clock explains four times as much", HIGH(100, .within = 0.05),
     HIGH(78, .within = 0.05, .ghz = 2.85), 0, OUTCOME_WORSE},
    {"beyond the core at one clock", HIGH(100, .within = 0.05), HIGH(80, .within = 0.05), 0, OUTCOME_WORSE},
};

TEST(differences_are_what_repeated_runs_do_not_show)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const enum outcome is = outcome(answer_of(&cases[i].before), answer_of(&cases[i].after),
                                        cases[i].threshold > 0 ? cases[i].threshold : NAN);
        if (is != cases[i].outcome)
            fail_msg("%s: %g, %g", cases[i].promise, cases[i].before.value, cases[i].after.value);
    }
}

/* Of a time less is better. */
TEST(a_loss_has_its_direction)
{
    struct answer before = rate(100), after = rate(110);
    before.unit = after.unit = "ns";
    const struct judgement j = judge(&before, &after, NAN, NAN);
    assert_int_equal(j.outcome, OUTCOME_WORSE);
    assert_true(fabs(j.loss - 0.1) < 1e-9);
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

/* Whatever the trust: in the core, beyond both intervals and 25 %, and only where the parts confirm it. */
TEST(half_the_speed_of_the_core_is_worse)
{
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
    before = low(100, LEG_PRECISION);
    before.state = after.state; /* of low trust next to a busy sibling nothing is known */
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
