/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "uarchprobe/random.h"
#include "uarchprobe/stats.h"

static void near(double got, double wanted)
{
    assert_true(fabs(got - wanted) < 1e-9);
}

TEST(samples_keep_every_value_in_order)
{
    struct samples samples = {0};
    for (int i = 0; i < 1000; i++)
        samples_add(&samples, 1000 - i);
    assert_int_equal(samples.count, 1000);
    for (int i = 0; i < 1000; i++)
        near(samples.value[i], 1000 - i);
    samples_free(&samples);
    assert_int_equal(samples.count, 0);
    assert_null(samples.value);
}

/* NaN is left out, the caller's order is untouched. */
TEST(quantiles_interpolate_between_order_statistics)
{
    const double value[] = {NAN, 4, NAN, 1, 3, 2};
    near(quantile_of(value, 6, 0), 1);
    near(quantile_of(value, 6, 1), 4);
    near(quantile_of(value, 6, 0.1), 1.3);
    near(median_of(value, 6), 2.5);
    near(median_of(value, 5), 3);
    near(value[1], 4);
    assert_true(isnan(median_of(value, 1)) && isnan(median_of(NULL, 0)));
}

TEST(selecting_gives_what_sorting_does)
{
    enum { MOST = 40 };
    static const double share[] = {0, 0.1, 0.25, 0.5, 0.9, 0.995, 1};
    uint64_t random = 3;
    for (size_t count = 1; count <= MOST; count++) {
        for (size_t i = 0; i < sizeof share / sizeof *share; i++) {
            double value[MOST], sorted[MOST];
            for (size_t j = 0; j < count; j++)
                value[j] = sorted[j] = (double)random_below(&random, count); /* some twice */
            values_sort(sorted, count);
            near(quantile_reordering(value, count, share[i]), quantile_of_sorted(sorted, count, share[i]));
            values_sort(value, count);
            assert_memory_equal(value, sorted, count * sizeof *value);
        }
    }
}

TEST(a_value_that_is_no_number_ends_too)
{
    double value[] = {3, NAN, 1, NAN, 2};
    for (int i = 0; i <= 4; i++)
        quantile_reordering(value, 5, i / 4.0);
}

TEST(summaries_have_moments_and_quantiles)
{
    const double one[] = {7}, outlier[] = {10, 11, 9, 10, 1000};
    struct summary s = summary_of(NULL, 0);
    assert_true(s.count == 0 && isnan(s.min) && isnan(s.median) && isnan(s.mean) && isnan(s.mad));
    s = summary_of(one, 1);
    assert_true(s.min == 7 && s.p10 == 7 && s.p90 == 7 && s.mean == 7 && s.mad == 0);
    s = summary_of(outlier, 5);
    assert_true(s.median == 10 && s.mad == 1 && s.mean == 208);
}

TEST(what_varies_on_its_own_adds_in_squares)
{
    near(root_of_squares(3, -4), 5);
    near(root_of_squares(0, 2), 2);
    assert_true(isnan(root_of_squares(NAN, 1)));
}
