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

TEST(quantiles_interpolate_between_order_statistics)
{
    const double value[] = {4, 1, 3, 2};
    near(quantile_of(value, 4, 0), 1);
    near(quantile_of(value, 4, 1), 4);
    near(quantile_of(value, 4, 0.5), 2.5);
    near(quantile_of(value, 4, 0.1), 1.3);
    near(median_of(value, 3), 3);
    near(value[0], 4); /* the caller's order is untouched */
}

TEST(quantiles_leave_out_what_is_not_a_number)
{
    const double value[] = {NAN, 4, NAN, 1, 3, 2};
    near(median_of(value, 6), 2.5);
    near(quantile_of(value, 6, 1), 4);
    assert_true(isnan(median_of(value, 1)));
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

TEST(a_summary_of_nothing_is_not_a_number)
{
    const struct summary s = summary_of(NULL, 0);
    assert_int_equal(s.count, 0);
    assert_true(isnan(s.min) && isnan(s.median) && isnan(s.mean) && isnan(s.mad));
    assert_true(isnan(median_of(NULL, 0)));
}

TEST(one_sample_is_all_of_its_summary)
{
    const double value[] = {7};
    const struct summary s = summary_of(value, 1);
    near(s.min, 7);
    near(s.p10, 7);
    near(s.p90, 7);
    near(s.mean, 7);
    near(s.mad, 0);
}

TEST(an_outlier_moves_the_mean_but_not_median_and_mad)
{
    const double value[] = {10, 11, 9, 10, 1000};
    const struct summary s = summary_of(value, 5);
    near(s.median, 10);
    near(s.mad, 1);
    near(s.mean, 208);
}

TEST(what_varies_on_its_own_adds_in_squares)
{
    near(root_of_squares(3, -4), 5);
    near(root_of_squares(0, 2), 2);
    assert_true(isnan(root_of_squares(NAN, 1)));
}
