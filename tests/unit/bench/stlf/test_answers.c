/* SPDX-License-Identifier: MIT */
/* Answers from estimates. */
#include "test.h"

#include "sets.h"

TEST(a_difference_is_as_unsure_as_both)
{
    struct estimate failed = sets_steady(19.0), forward = sets_steady(6.5);
    failed.high = 19.3;
    forward.low = 6.1;
    forward.second = 6.6;
    forward.summary.count = 30;
    const struct estimate penalty = stlf_difference(&failed, &forward);
    assert_true(fabs(penalty.value - 12.5) < 1e-9);
    assert_true(fabs(penalty.high - 13.0) < 1e-9);
    assert_true(fabs(penalty.second - 12.4) < 1e-9);
    assert_int_equal(penalty.summary.count, 30);
}

/* Is it below 3.6: in both halves, through the interval, by eight samples? */
TEST(a_side_is_sure_where_nothing_lies_on_the_other)
{
    static const struct {
        double high, second;
        size_t samples;
        bool unproved;
        struct verdict verdict;
    } rows[] = {{1, 1, 8, false, {TRUST_HIGH, LIMITED_BY_NONE}},
                {3.7, 1, 8, false, {TRUST_MEDIUM, LIMITED_BY_PRECISION}},
                {3.7, 3.7, 8, false, {TRUST_LOW, LIMITED_BY_REPETITION}},
                {1, 1, 7, false, {TRUST_LOW, LIMITED_BY_PRECISION}},
                {1, 1, 8, true, {TRUST_MEDIUM, LIMITED_BY_PRECISION}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct estimate e = sets_steady(1);
        e.high = rows[i].high;
        e.second = rows[i].second;
        e.summary.count = rows[i].samples;
        e.unproved = rows[i].unproved;
        const struct verdict verdict = stlf_judge_side(&e, 3.6, 0);
        assert_int_equal(verdict.trust, rows[i].verdict.trust);
        assert_int_equal(verdict.limited_by, rows[i].verdict.limited_by);
    }
    assert_int_equal(stlf_judge_side(&(struct estimate){.value = NAN}, 3.6, 0).trust, TRUST_LOW);
}
