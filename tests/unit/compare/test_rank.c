/* SPDX-License-Identifier: MIT */

#include "compare/rank.h"

#include "test.h"

TEST(what_lies_above_is_unlikely)
{
    const float low[] = {1, 2, 3, 4, 5, 6, 7, 8}, high[] = {11, 12, 13, 14, 15, 16, 17, 18};
    assert_true(rank_p(low, 8, high, 8) < 0.001);
    assert_true(rank_p(high, 8, low, 8) > 0.999);
    assert_true(rank_p(low, 8, low, 8) > 0.4);
}

TEST(few_or_equal_values_say_nothing)
{
    const float same[] = {5, 5, 5, 5}, other[] = {6, 6, 6, 6};
    assert_true(rank_p(same, 3, other, 4) == 1);
    assert_true(rank_p(same, 4, same, 4) == 1);
    assert_true(rank_p(same, 4, other, 4) < 0.01);
}

TEST(the_median_of_many_is_bounded)
{
    double value[100], low, high;
    for (int i = 0; i < 100; i++)
        value[i] = (i * 37) % 100;
    assert_true(rank_interval(value, 100, &low, &high));
    assert_true(low == 37 && high == 62);
    assert_false(rank_interval(value, 5, &low, &high));
    assert_true(rank_interval(value, 8, &low, &high));
    assert_true(low == 0 && high == 7);
}
