/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "compare/judge.h"

/* A rate of high trust whose parts and interval lie within 1 % of it. */
static struct finding rate(double value)
{
    struct finding finding = {.key = "k",
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
        finding.parts.value[i] = (float)(value * (0.995 + 0.01 * (double)((i * 7) % 12) / 12));
    return finding;
}

static enum answer answer(struct finding before, struct finding after, double threshold)
{
    return judge(&before, &after, NAN, threshold).answer;
}

static void units_have_a_direction(void **state)
{
    assert_int_equal(direction_of_unit("ns"), DIRECTION_LOWER);
    assert_int_equal(direction_of_unit("cycles"), DIRECTION_LOWER);
    assert_int_equal(direction_of_unit("Byte/s"), DIRECTION_HIGHER);
    assert_int_equal(direction_of_unit("GiByte/s"), DIRECTION_HIGHER);
    assert_int_equal(direction_of_unit("entries"), DIRECTION_NONE);
    assert_int_equal(direction_of_unit(""), DIRECTION_NONE);
    assert_int_equal(direction_of_unit(NULL), DIRECTION_NONE);
}

static void more_than_repeated_runs_is_a_difference(void **state)
{
    assert_int_equal(answer(rate(100), rate(97), NAN), ANSWER_SAME);
    assert_int_equal(answer(rate(100), rate(90), NAN), ANSWER_WORSE);
    assert_int_equal(answer(rate(100), rate(110), NAN), ANSWER_BETTER);
    struct finding before = rate(100), after = rate(110);
    before.unit = after.unit = "ns";
    assert_int_equal(answer(before, after, NAN), ANSWER_WORSE);
    assert_true(fabs(judge(&before, &after, NAN, NAN).loss - 0.1) < 1e-9);
}

static void a_threshold_tolerates_and_still_asks_for_more(void **state)
{
    assert_int_equal(answer(rate(100), rate(85), 0.2), ANSWER_SAME);
    assert_int_equal(answer(rate(100), rate(75), 0.2), ANSWER_WORSE);
    assert_int_equal(answer(rate(100), rate(97), 0.01), ANSWER_UNKNOWN); /* 6 % is what could be seen */
    assert_int_equal(answer(rate(100), rate(90), 0.01), ANSWER_WORSE);
}

/* The values differ by a quarter, their parts do not. */
static void a_rank_test_is_asked(void **state)
{
    struct finding before = rate(100), after = rate(100);
    after.value = REAL_CELL(75);
    after.low = REAL_CELL(74);
    after.high = REAL_CELL(76);
    assert_int_equal(answer(before, after, NAN), ANSWER_UNKNOWN);
    before.parts.count = after.parts.count = 0; /* then the intervals speak */
    assert_int_equal(answer(before, after, NAN), ANSWER_WORSE);
    after.high = REAL_CELL(101);
    assert_int_equal(answer(before, after, NAN), ANSWER_UNKNOWN);
}

/* Beyond the core it shows that others are at work, which explains some times as much. */
static void the_core_clock_explains_what_goes_with_it(void **state)
{
    struct finding before = rate(100), after = rate(80);
    after.ghz = 2.4;
    assert_int_equal(answer(before, after, NAN), ANSWER_SAME);
    before.within = after.within = 0.05;
    assert_int_equal(answer(before, after, NAN), ANSWER_UNKNOWN);
    assert_string_equal(judge(&before, &after, NAN, NAN).why, "another core clock");
    after.ghz = before.ghz;
    assert_int_equal(answer(before, after, NAN), ANSWER_WORSE);
}

/* Beyond the core others take from the value: where the better parts of both runs are alike, it is they. */
static void others_explain_what_the_better_parts_do_not_show(void **state)
{
    struct finding before = rate(100), after = rate(80);
    before.within = after.within = 0.05;
    after.parts.value[3] = after.parts.value[7] = 100;
    assert_int_equal(answer(before, after, NAN), ANSWER_UNKNOWN);
    assert_true(fabs(judge(&before, &after, NAN, NAN).loss) < 0.05);
    after = rate(80);
    after.within = 0.05;
    assert_int_equal(answer(before, after, NAN), ANSWER_WORSE);
    assert_int_equal(judge(&before, &after, 0.04, NAN).answer, ANSWER_UNKNOWN); /* one moment */
    assert_int_equal(judge(&before, &after, 2, NAN).answer, ANSWER_WORSE);
}

/* An interval of half the value says nothing; parts that are medians and whose better ends agree say it all the same. */
static void better_ends_of_medians_say_more_than_a_wide_interval(void **state)
{
    struct finding before = rate(100), after = rate(80);
    before.within = after.within = 0.05;
    before.trust = after.trust = TRUST_LOW;
    before.leg = after.leg = LEG_PRECISION;
    after.low = REAL_CELL(40);
    before.samples = after.samples = 12;
    assert_int_equal(answer(before, after, NAN), ANSWER_UNKNOWN);
    before.samples = after.samples = 200;
    assert_int_equal(answer(before, after, NAN), ANSWER_WORSE);
    after.parts.value[0] = after.parts.value[1] = 10; /* a quarter without a good part */
    after.parts.value[2] = 10;
    assert_int_equal(answer(before, after, NAN), ANSWER_UNKNOWN);
}

static void trust_decides_what_is_seen(void **state)
{
    struct finding before = rate(100), after = rate(88);
    after.trust = TRUST_MEDIUM;
    assert_int_equal(answer(before, after, NAN), ANSWER_UNKNOWN);
    assert_int_equal(answer(before, rate(80), NAN), ANSWER_WORSE);
    after = rate(50);
    after.trust = TRUST_LOW;
    after.leg = LEG_PLAUSIBILITY;
    assert_int_equal(answer(before, after, NAN), ANSWER_APART);
    after.leg = LEG_REPETITION; /* then not by itself, but among others */
    assert_int_equal(answer(before, after, NAN), ANSWER_UNKNOWN);
    assert_true(judge(&before, &after, NAN, NAN).counts);
    before.within = after.within = 0.05; /* unless others move it, beyond the core */
    assert_int_equal(answer(before, after, NAN), ANSWER_WORSE);
    before.within = after.within = 0.02;
    after.leg = LEG_PRECISION; /* then by itself too, if there are parts enough */
    assert_int_equal(answer(before, after, NAN), ANSWER_WORSE);
    after.parts.count = 6;
    assert_int_equal(answer(before, after, NAN), ANSWER_UNKNOWN);
    assert_true(judge(&before, &after, NAN, NAN).counts);
    after.state = before.state = state_names[STATE_ACTIVE];
    assert_int_equal(answer(before, after, NAN), ANSWER_APART);
}

static void states_are_not_mixed(void **state)
{
    struct finding before = rate(100), after = rate(50);
    after.state = state_names[STATE_ACTIVE];
    assert_int_equal(answer(before, after, NAN), ANSWER_APART);
}

static void counts_and_words_change(void **state)
{
    struct finding before = {.key = "k", .unit = "entries", .value = INTEGER_CELL(112), .trust = TRUST_HIGH};
    struct finding after = before;
    after.value = INTEGER_CELL(113);
    assert_int_equal(answer(before, after, NAN), ANSWER_SAME);
    after.value = INTEGER_CELL(56);
    assert_int_equal(answer(before, after, NAN), ANSWER_CHANGED);
    before.value = TEXT_CELL("mixed");
    assert_int_equal(answer(before, after, NAN), ANSWER_APART);
    after.value = TEXT_CELL("mixed");
    assert_int_equal(answer(before, after, NAN), ANSWER_SAME);
    after.value = TEXT_CELL("full");
    assert_int_equal(answer(before, after, NAN), ANSWER_CHANGED);
}

/* Neither way is better, and 1 is no small change of 2. */
static void ratios_change(void **state)
{
    struct finding before = rate(2), after = rate(2.2);
    before.unit = after.unit = "times";
    before.trust = after.trust = TRUST_MEDIUM;
    before.within = after.within = 0.05;
    assert_int_equal(answer(before, after, NAN), ANSWER_SAME);
    after.value = REAL_CELL(2.4);
    assert_int_equal(answer(before, after, NAN), ANSWER_CHANGED);
    after.trust = TRUST_LOW;
    after.leg = LEG_REPETITION;
    assert_int_equal(answer(before, after, NAN), ANSWER_APART);
}

/* One that is far off moves nothing; all by a tenth do. */
static void many_see_less_together(void **state)
{
    double loss[12] = {-0.3, 0.01, 0.0, -0.01, 0.005, 0.02, 0.4, 0.0, 0.01, -0.005, 0.0, 0.01};
    assert_int_equal(judge_together(loss, 12, NAN).answer, ANSWER_SAME);
    for (int i = 0; i < 12; i++)
        loss[i] += 0.1;
    assert_int_equal(judge_together(loss, 12, NAN).answer, ANSWER_WORSE);
    assert_int_equal(judge_together(loss, 12, 0.2).answer, ANSWER_SAME);
    assert_int_equal(judge_together(loss, 5, NAN).answer, ANSWER_APART);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_have_a_direction),
        cmocka_unit_test(more_than_repeated_runs_is_a_difference),
        cmocka_unit_test(a_threshold_tolerates_and_still_asks_for_more),
        cmocka_unit_test(a_rank_test_is_asked),
        cmocka_unit_test(the_core_clock_explains_what_goes_with_it),
        cmocka_unit_test(others_explain_what_the_better_parts_do_not_show),
        cmocka_unit_test(better_ends_of_medians_say_more_than_a_wide_interval),
        cmocka_unit_test(trust_decides_what_is_seen),
        cmocka_unit_test(states_are_not_mixed),
        cmocka_unit_test(counts_and_words_change),
        cmocka_unit_test(ratios_change),
        cmocka_unit_test(many_see_less_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
