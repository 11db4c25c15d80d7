/* SPDX-License-Identifier: MIT */
/* Aliases, with the latencies that were measured on Zen 4, and silent stores. */
#include "test.h"

#include "bench/stlf/judge.h"

enum { DISTANCES = 15, POINTS = 2 * DISTANCES, FROM_4K = 6 };

static struct stlf_point point[POINTS];
static struct estimate estimate[POINTS];

static struct estimate steady(double value)
{
    return (struct estimate){.state = STATE_IDLE,
                             .summary = {.count = 300},
                             .value = value,
                             .low = value - 0.003,
                             .high = value + 0.003,
                             .first = value,
                             .second = value,
                             .placements = 8,
                             .placement_low = value,
                             .placement_high = value};
}

static void script(void)
{
    for (int i = 0; i < POINTS; i++) {
        const bool shifted = i >= DISTANCES;
        point[i] = (struct stlf_point){.load = (64L << i % DISTANCES) + (shifted ? 32 : 0),
                                       .series = stlf_alias.series[shifted].name};
        estimate[i] = steady(5.05);
    }
}

/* The newest answer. */
static const struct answer *reported(struct record *record, const struct stlf_sweep *sweep)
{
    struct run run = {.record = record};
    struct stlf stlf = {.run = &run, .levels = {[STATE_IDLE] = {.l1 = 5}}};
    const struct stlf_set set = {
        .stlf = &stlf, .count = POINTS, .point = point, .estimate = estimate, .state = STATE_IDLE};
    sweep->report(&set);
    return &record->answers.of[record->answers.count - 1];
}

TEST(aliases_from_a_distance_on)
{
    struct record *record = record_new();
    script();
    for (int i = FROM_4K; i < DISTANCES; i++)
        estimate[i] = steady(9.77);
    const struct answer *answer = reported(record, &stlf_alias);
    assert_true(fabs(cell_number(&answer->value) - 4.72) < 1e-9);
    assert_non_null(strstr(answer->remark, "4096 bytes on"));
    assert_int_equal(answer->trust, TRUST_HIGH);
    record_free(record);
}

TEST(one_distance_may_alias)
{
    struct record *record = record_new();
    script();
    estimate[10] = steady(9.77);
    const struct answer *answer = reported(record, &stlf_alias);
    assert_true(fabs(cell_number(&answer->value) - 4.72) < 1e-9);
    assert_non_null(strstr(answer->remark, "65536 bytes above"));
    record_free(record);
}

/* In another placement the same distance costs something: then nothing is promised of any. */
TEST(a_distance_that_depends_on_the_placement_is_not_trusted)
{
    struct record *record = record_new();
    script();
    estimate[8].placement_high = 9.73;
    assert_int_equal(reported(record, &stlf_alias)->trust, TRUST_LOW);
    script();
    for (int i = 0; i < POINTS; i++)
        estimate[i].placements = STLF_PLACEMENTS_LEAST - 1;
    assert_int_equal(reported(record, &stlf_alias)->trust, TRUST_LOW);
    record_free(record);
}

/* Of many distances that wait alike, one may be disturbed; two may not. */
TEST(one_disturbed_distance_costs_no_trust)
{
    struct record *record = record_new();
    script();
    for (int i = FROM_4K; i < DISTANCES; i++)
        estimate[i] = steady(9.77);
    estimate[12].value = 14;
    estimate[12].placement_high = 24;
    const struct answer *answer = reported(record, &stlf_alias);
    assert_true(fabs(cell_number(&answer->value) - 4.72) < 1e-9);
    assert_int_equal(answer->trust, TRUST_HIGH);
    estimate[3].placement_high = 24;
    assert_int_equal(reported(record, &stlf_alias)->trust, TRUST_LOW);
    record_free(record);
}

/* An interval that reaches zero makes a wait doubtful; that nothing waits is another answer. */
TEST(a_noisy_wait_is_no_proof_of_none)
{
    struct record *record = record_new();
    script();
    for (int i = FROM_4K; i < DISTANCES; i++) {
        estimate[i] = steady(9.77);
        estimate[i].low = 4;
    }
    const struct answer *answer = reported(record, &stlf_alias);
    assert_non_null(strstr(answer->remark, "4096 bytes on"));
    assert_int_equal(answer->trust, TRUST_LOW);
    record_free(record);
}

/* A wait of a twentieth is one, a shorter one is none. */
TEST(a_twentieth_more_is_a_wait)
{
    struct record *record = record_new();
    script();
    estimate[10] = steady(1.04 * 5.05);
    assert_non_null(strstr(reported(record, &stlf_alias)->remark, "no distance"));
    estimate[10] = steady(1.06 * 5.05);
    assert_null(strstr(reported(record, &stlf_alias)->remark, "no distance"));
    record_free(record);
}

/* Points of the same value and of a new one follow each other. */
TEST(silent_stores_are_the_greatest_difference)
{
    struct record *record = record_new();
    script();
    assert_true(cell_number(&reported(record, &stlf_silent)->value) == 0);
    estimate[3] = steady(7.05);
    const struct answer *answer = reported(record, &stlf_silent);
    assert_true(fabs(cell_number(&answer->value) - 2) < 1e-9);
    assert_int_equal(answer->trust, TRUST_HIGH);
    record_free(record);
}

/* Behind so many instructions a contained load costs 3 cycles more than one without overlap, then `last` more. */
static const struct answer *hidden(struct record *record, double last)
{
    static const struct kernel gaps[] = {{.gap = 8}, {.gap = 16}};
    for (int i = 0; i < 4; i++) {
        point[i] =
            (struct stlf_point){.kernel = &gaps[i % 2], .series = stlf_distance.series[i < 2 ? 0 : 2].name};
        estimate[i] = steady(i == 0 ? 9 : i == 1 ? 6 + last : 6);
    }
    for (int i = 4; i < POINTS; i++)
        point[i] = (struct stlf_point){.series = "none"};
    return reported(record, &stlf_distance);
}

TEST(half_a_cycle_more_is_hidden)
{
    struct record *record = record_new();
    const struct answer *answer = hidden(record, 0.45);
    assert_int_equal(cell_number(&answer->value), 16);
    assert_int_equal(answer->trust, TRUST_HIGH);
    record_free(record);
    record = record_new();
    answer = hidden(record, 0.55);
    assert_false(cell_has_value(&answer->value));
    assert_int_equal(answer->trust, TRUST_LOW);
    record_free(record);
}
