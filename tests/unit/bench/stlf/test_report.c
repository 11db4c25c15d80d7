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

static void script(enum state state, bool both, bool seen)
{
    set = (struct stlf_set){.count = PAIRS,
                            .point = point,
                            .estimate = estimate,
                            .active = active,
                            .state = state,
                            .both = both,
                            .sibling_seen = seen};
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
    script(STATE_IDLE, true, true);
    check_knees(
        "renamed, 1.00 cycles a pair up to 24 pairs; forwarded, 7 cycles a pair from 27 pairs, "
        "while the sibling idles; up to 12 pairs while it works");
}

static void a_state_that_was_not_there_is_not_named(void **state)
{
    script(STATE_IDLE, false, true);
    check_knees(
        "renamed, 1.00 cycles a pair up to 24 pairs; forwarded, 7 cycles a pair from 27 pairs, "
        "while the sibling idles");
    script(STATE_IDLE, false, false);
    check_knees("renamed, 1.00 cycles a pair up to 24 pairs; forwarded, 7 cycles a pair from 27 pairs");
    script(STATE_UNKNOWN, false, false);
    assert_string_equal(stlf_while(&set), "");
}

/* The value of the state that is named stands first, whichever it is. */
static void an_active_sibling_is_named(void **state)
{
    script(STATE_ACTIVE, false, true);
    make_curve(estimate, 12);
    check_knees(
        "renamed, 1.00 cycles a pair up to 12 pairs; forwarded, 7 cycles a pair from 15 pairs, "
        "while the sibling works");
}

static void what_has_no_knee_in_the_other_state_is_spelt_out(void **state)
{
    script(STATE_IDLE, true, true);
    make_curve(active, 0);
    active[0].value = active[1].value = 6.87;
    check_knees(
        "renamed, 1.00 cycles a pair up to 24 pairs; forwarded, 7 cycles a pair from 27 pairs, "
        "while the sibling idles; forwarded, 7 cycles a pair at any number of pairs up to 64 "
        "while it works");
}

static void a_level_has_both_values_where_they_differ(void **state)
{
    char text[STLF_ALSO];
    script(STATE_IDLE, true, true);
    estimate[0].value = 5;
    active[0].value = 5.76;
    stlf_also(&set, 0, text);
    assert_string_equal(text, "; 5.8 while it works");
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
        cmocka_unit_test(a_state_that_was_not_there_is_not_named),
        cmocka_unit_test(an_active_sibling_is_named),
        cmocka_unit_test(what_has_no_knee_in_the_other_state_is_spelt_out),
        cmocka_unit_test(a_level_has_both_values_where_they_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
