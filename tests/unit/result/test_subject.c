/* SPDX-License-Identifier: MIT */
#include "result/subject.h"

#include "test.h"

/* In a file anything may stand there: only a bool is an answer. */
TEST(facts_are_true_false_or_neither)
{
    const struct {
        struct cell value;
        bool is_true, is_false;
    } cases[] = {{BOOL_CELL(true), true, false},
                 {BOOL_CELL(false), false, true},
                 {TEXT_CELL("true"), false, false},
                 {INTEGER_CELL(1), false, false},
                 {NO_CELL, false, false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct record *record = record_new();
        RECORD_FACTS(record, {"run.complete", .value = cases[i].value});
        assert_int_equal(fact_is(record, "run.complete", true), cases[i].is_true);
        assert_int_equal(fact_is(record, "run.complete", false), cases[i].is_false);
        assert_int_equal(fact_is(record, "run.complete", false), cases[i].is_false);
        assert_false(fact_is(record, "run.none", true) || fact_is(record, "run.none", false));
        record_free(record);
    }
}
