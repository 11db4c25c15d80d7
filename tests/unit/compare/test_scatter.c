/* SPDX-License-Identifier: MIT */

#include "compare/scatter.h"

#include "test.h"

TEST(one_that_is_far_moves_nothing)
{
    double value[] = {10, 10.1, 9.9, 10.2, 9.8, 10, 10, 100};
    struct scatter scatter;
    assert_true(scatter_of(value, 8, 0, &scatter));
    assert_true(scatter.median == 10);
    assert_true(scatter.deviation > 0.05 && scatter.deviation < 0.2);
    assert_true(scatter_z(&scatter, 100) > 100);
    assert_true(scatter_z(&scatter, 9.9) < 0);
    assert_true(scatter_of(value, 8, 0.5, &scatter) && scatter.deviation == 0.5);
    assert_false(scatter_of(value, 4, 0, &scatter));
}

/* n values of a distribution whose quantile at a share is given. */
static double far_of(double (*quantile)(double share), size_t n, double p)
{
    static double off[4000];
    for (size_t i = 0; i < n; i++)
        off[i] = quantile(((double)i + 0.5) / (double)n);
    return scatter_far(off, n, p, 0);
}

static double exponential(double share)
{
    return -log(1 - share);
}

/* About that of |x| where x is normal. */
static double half_normal(double share)
{
    double low = 0, high = 9;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        *(erf(middle / sqrt(2)) < share ? &low : &high) = middle;
    }
    return low;
}

TEST(noise_says_itself_what_is_far)
{
    const double at = exponential(1 - 1e-6);
    assert_true(fabs(far_of(exponential, 4000, 1e-6) / at - 1) < 0.05);
    assert_true(far_of(half_normal, 4000, 1e-6) > 4.8 && far_of(half_normal, 4000, 1e-6) < 6);
    assert_true(far_of(exponential, 40, 1e-6) > at / 2 && far_of(exponential, 40, 1e-6) < 2 * at);
    double few[] = {0, 0, 0, 0, 0, 0};
    assert_true(isinf(scatter_far(few, 4, 1e-6, 5)));
    assert_true(scatter_far(few, 6, 1e-6, 5) == 5);
}

TEST(ranks_of_chance_lie_in_the_middle)
{
    assert_true(scatter_rank_p(0.5, 6) == 1);
    assert_true(scatter_rank_p(0.99, 6) < 1e-4 && scatter_rank_p(0.01, 6) < 1e-4);
}
