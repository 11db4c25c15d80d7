/* SPDX-License-Identifier: MIT */
/* Sentences about both states of the sibling, with the knees that were measured on Zen 4. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/stlf/parts.h"

enum { PAIRS = STLF_UNROLL_MAX };

static struct estimate estimate[PAIRS], active[PAIRS];
static struct stlf_set set;
static const struct stlf stlf = {.levels = {.l1 = 4, .independent = 0.67, .blocked = 19, .forwarded = 6.46}};
static const struct kernel kernel = {.operation = OPERATION_FORWARD_FA, .bits = 64, .load_bits = 32};
static struct stlf_point point[PAIRS] = {{.kernel = &kernel}};

static void make_curve(struct estimate curve[PAIRS], int renamed)
{
    for (int pairs = 1; pairs <= PAIRS; pairs++)
        curve[pairs - 1].value = pairs <= renamed ? 1 : pairs <= renamed + 2 ? 4 : 6.87;
}

static void script(enum state state, bool both)
{
    set = (struct stlf_set){
        .count = PAIRS, .point = point, .estimate = estimate, .active = active, .state = state, .both = both};
    make_curve(estimate, 24);
    make_curve(active, 12);
}

static void check_knees(const char *expected)
{
    struct text text = {0};
    stlf_spell_knees(&stlf, &set, 0, &text);
    assert_string_equal(text.data, expected);
    text_free(&text);
}

static void both_states_stand_in_one_sentence(void **state)
{
    script(STATE_IDLE, true);
    check_knees(
        "renamed, 1.00 cycles a pair up to 24 pairs; forwarded, 7 cycles a pair from 27 pairs; "
        "up to 12 pairs while the sibling works");
}

/* The sentence about a value of that state. */
static void check_said(struct stlf *of, enum state now, const char *expected)
{
    stlf_say(of, stlf_found("stlf.key", REAL_CELL(5), NULL, now, (struct verdict){TRUST_HIGH, LEG_NONE}),
             "5");
    assert_string_equal(record_finding_at(of->run->record, record_finding_count(of->run->record) - 1)->text,
                        expected);
}

static void a_state_is_named_when_it_changes(void **state)
{
    struct run run = {.record = record_new()};
    struct stlf of = {.run = &run};

    check_said(&of, STATE_IDLE, "5"); /* it was never seen to work */
    of.lab.active = 1;
    check_said(&of, STATE_UNKNOWN, "5");
    check_said(&of, STATE_IDLE, "5 (the sibling idles where nothing else is said)");
    check_said(&of, STATE_IDLE, "5");
    check_said(&of, STATE_ACTIVE, "5 (the sibling works where nothing else is said)");
    check_said(&of, STATE_ACTIVE, "5");
    check_said(&of, STATE_IDLE, "5 (the sibling idles where nothing else is said)");
    record_free(run.record);
}

/* The value of the state that is named stands first, whichever it is. */
static void the_knee_of_an_active_sibling_stands_first(void **state)
{
    script(STATE_ACTIVE, false);
    make_curve(estimate, 12);
    check_knees("renamed, 1.00 cycles a pair up to 12 pairs; forwarded, 7 cycles a pair from 15 pairs");
}

static void what_has_no_knee_in_the_other_state_is_spelt_out(void **state)
{
    script(STATE_IDLE, true);
    make_curve(active, 0);
    active[0].value = active[1].value = 6.87;
    check_knees(
        "renamed, 1.00 cycles a pair up to 24 pairs; forwarded, 7 cycles a pair from 27 pairs; "
        "forwarded, 7 cycles a pair at any number of pairs up to 64 while the sibling works");
}

static void a_level_has_both_values_where_they_differ(void **state)
{
    char text[STLF_ALSO];
    script(STATE_IDLE, true);
    estimate[0].value = 5;
    active[0].value = 5.76;
    stlf_also(&set, 0, text);
    assert_string_equal(text, "; 5.8 while the sibling works");
    active[0].value = 5.12; /* prints as 5, too */
    stlf_also(&set, 0, text);
    assert_string_equal(text, "");
    active[0].value = 5.05;
    stlf_also(&set, 0, text);
    assert_string_equal(text, "");
    active[0].value = NAN;
    stlf_also(&set, 0, text);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_states_stand_in_one_sentence),
        cmocka_unit_test(a_state_is_named_when_it_changes),
        cmocka_unit_test(the_knee_of_an_active_sibling_stands_first),
        cmocka_unit_test(what_has_no_knee_in_the_other_state_is_spelt_out),
        cmocka_unit_test(a_level_has_both_values_where_they_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
