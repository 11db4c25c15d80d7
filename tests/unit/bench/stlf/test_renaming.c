/* SPDX-License-Identifier: MIT */
/* Which widths are renamed, with the values that were measured on Zen 4 and on Golden Cove. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/stlf/points.h"

enum { WIDTHS = 2, POINTS = 4 * WIDTHS };

static const struct kernel kernel[2][WIDTHS] = {
    {{.operation = OPERATION_FORWARD_FA, .bits = 64, .load_bits = 32},
     {.operation = OPERATION_FORWARD_FA, .bits = 64, .load_bits = 64}},
    {{.operation = OPERATION_FORWARD_SAME_BASE, .bits = 64, .load_bits = 32},
     {.operation = OPERATION_FORWARD_SAME_BASE, .bits = 64, .load_bits = 64}}};
static struct stlf_point point[POINTS];
static struct estimate estimate[POINTS];

static struct estimate steady(double value)
{
    return (struct estimate){.state = STATE_IDLE,
                             .summary = {.count = 100},
                             .value = value,
                             .low = value - 0.01,
                             .high = value + 0.01,
                             .first = value,
                             .second = value};
}

/* Of each form, each width, at a few pairs and at many. */
static struct record *reported(const double value[POINTS])
{
    struct run run = {.record = record_new()};
    struct stlf stlf = {.run = &run, .levels = {[STATE_IDLE] = {.l1 = 4}}};
    const struct stlf_set set = {.count = POINTS, .point = point, .estimate = estimate, .state = STATE_IDLE};
    for (int i = 0; i < POINTS; i++) {
        point[i] = (struct stlf_point){.kernel = &kernel[i / 4][i / 2 % 2],
                                       .pairs = i % 2 ? STLF_UNROLL_MAX : STLF_FEW_PAIRS,
                                       .series = stlf_renaming.series[i / 4].name};
        estimate[i] = steady(value[i]);
    }
    stlf_renaming.report(&stlf, &set);
    assert_int_equal(record_finding_count(run.record), 2);
    return run.record;
}

static void one_register_may_stay_renamed_where_two_do_not(void **state)
{
    const double zen4[POINTS] = {1.0, 6.87, 1.0, 6.87, 1.0, 1.0, 1.0, 1.0};
    struct record *record = reported(zen4);
    assert_string_equal(
        record_finding_at(record, 0)->text,
        "two base registers: renamed for store/load bytes 8/4 8/8 at 8 pairs, at 64 none of them");
    assert_string_equal(
        record_finding_at(record, 1)->text,
        "one base register: the same widths are renamed at 8 pairs, and stay renamed at 64, as they "
        "do not with two registers");
    assert_int_equal(record_finding_at(record, 1)->trust, TRUST_HIGH);
    record_free(record);
}

static void where_both_stay_nothing_is_made_of_it(void **state)
{
    const double golden_cove[POINTS] = {0.5, 0.5, 7.3, 7.3, 0.5, 0.5, 7.3, 7.3};
    struct record *record = reported(golden_cove);
    assert_string_equal(
        record_finding_at(record, 0)->text,
        "two base registers: renamed for store/load bytes 8/4 (not for 8/8) at 8 and at 64 pairs");
    assert_string_equal(record_finding_at(record, 1)->text,
                        "one base register: the same widths are renamed at 8 and at 64 pairs");
    record_free(record);
}

static void nothing_renamed_is_said(void **state)
{
    const double none[POINTS] = {5, 5, 5, 5, 5, 5, 5, 5};
    struct record *record = reported(none);
    assert_string_equal(record_finding_at(record, 1)->text,
                        "one base register: nothing is renamed at 8 pairs");
    record_free(record);
}

static void what_changes_sides_is_not_trusted(void **state)
{
    const double value[POINTS] = {1.0, 6.87, 1.0, 6.87, 1.0, 1.0, 1.0, 1.0};
    struct record *record = reported(value);
    record_free(record);
    struct run run = {.record = record_new()};
    struct stlf stlf = {.run = &run, .levels = {[STATE_IDLE] = {.l1 = 4}}};
    const struct stlf_set set = {.count = POINTS, .point = point, .estimate = estimate, .state = STATE_IDLE};
    estimate[1].second = 1.0;
    stlf_renaming.report(&stlf, &set);
    assert_int_equal(record_finding_at(run.record, 0)->trust, TRUST_LOW);
    assert_int_equal(record_finding_at(run.record, 0)->leg, LEG_REPETITION);
    assert_int_equal(record_finding_at(run.record, 1)->trust, TRUST_HIGH);
    record_free(run.record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_register_may_stay_renamed_where_two_do_not),
        cmocka_unit_test(where_both_stay_nothing_is_made_of_it),
        cmocka_unit_test(nothing_renamed_is_said),
        cmocka_unit_test(what_changes_sides_is_not_trusted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
