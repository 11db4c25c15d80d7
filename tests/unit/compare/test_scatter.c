/* SPDX-License-Identifier: MIT */
#include "compare/scatter.h"

#include "test.h"

static const double CHANCE = 3e-5;
static const struct scatter_terms strict = {.chance = 3e-5, .least = NAN};

/* The outcome of a value by runs that lie 0.1 % around 100. */
static enum outcome outcome_of(double value, const char *unit, size_t runs, double within, double least)
{
    double values[60], far;
    const struct answer answer = {.key = "k", .unit = unit, .value = REAL_CELL(value), .within = within};
    for (size_t i = 0; i < runs; i++)
        values[i] = 100 + 0.1 * (double)(i % 3) - 0.1;
    const struct scatter_terms terms = {.chance = CHANCE, .least = least};
    return scatter_judge(&answer, values, runs, &terms, &far);
}

TEST(five_runs_have_a_scatter)
{
    assert_int_equal(outcome_of(1000, "ns", 4, 0.02, NAN), OUTCOME_UNKNOWN);
    assert_int_equal(outcome_of(1000, "ns", 5, 0.02, NAN), OUTCOME_WORSE);
    assert_int_equal(outcome_of(100, "ns", 5, 0.02, NAN), OUTCOME_SAME);
}

TEST(only_a_loss_is_worse)
{
    assert_int_equal(outcome_of(10, "ns", 5, 0.02, NAN), OUTCOME_SAME);
    assert_int_equal(outcome_of(10, "Byte/s", 5, 0.02, NAN), OUTCOME_WORSE);
    assert_int_equal(outcome_of(1000, "Byte/s", 5, 0.02, NAN), OUTCOME_SAME);
    assert_int_equal(outcome_of(1000, "times", 5, 0.02, NAN), OUTCOME_WORSE);
    assert_int_equal(outcome_of(10, "times", 5, 0.02, NAN), OUTCOME_WORSE);
}

/* A few runs in a row may lie closer together than those of another day; many may not. */
TEST(the_promise_is_the_least_scatter_of_few_runs)
{
    assert_int_equal(outcome_of(110, "ns", 5, 0.02, NAN), OUTCOME_SAME);
    assert_int_equal(outcome_of(110, "ns", 50, 0.02, NAN), OUTCOME_WORSE);
    assert_int_equal(outcome_of(101, "ns", 50, 0.02, NAN), OUTCOME_SAME);
    assert_int_equal(outcome_of(110, "ns", 50, 0.02, 0.2), OUTCOME_SAME);
}

TEST(a_count_differs_by_more_than_an_entry)
{
    static const double values[] = {64, 64, 64, 64, 64};
    double far;
    for (int entries = 60; entries <= 68; entries++) {
        const struct answer answer = {.key = "k", .unit = "entries", .value = INTEGER_CELL(entries)};
        assert_int_equal(scatter_judge(&answer, values, 5, &strict, &far) == OUTCOME_SAME,
                         entries >= 63 && entries <= 65);
    }
}

TEST(what_is_no_value_is_unknown)
{
    static const double values[] = {64, 64, 64, 64, 64};
    double far;
    struct answer answer = {.key = "k", .unit = "ns", .value = REAL_CELL(640), .leg = LEG_PLAUSIBILITY};
    assert_int_equal(scatter_judge(&answer, values, 5, &strict, &far), OUTCOME_UNKNOWN);
    answer.leg = LEG_NONE;
    answer.low = REAL_CELL(640); /* at least so many */
    assert_int_equal(scatter_judge(&answer, values, 5, &strict, &far), OUTCOME_UNKNOWN);
}
