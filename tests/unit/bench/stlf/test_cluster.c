/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/stlf/cluster.h"

static void test_cut_at_gaps(void **state)
{
    const double value[] = {7.01, 4.0, 14.0, 7.0, 13.9, 4.02, 7.02};
    const int expected[] = {1, 0, 2, 1, 2, 0, 1};
    struct clusters clusters;
    int label[7];
    assert_true(cluster_by_gaps(value, 7, &gap_rule_cycles, &clusters, label));
    assert_int_equal(clusters.count, 3);
    for (int i = 0; i < 7; i++)
        assert_int_equal(label[i], expected[i]);
    assert_true(fabs(clusters.cluster[1].value - 7.01) < 1e-12);
    assert_int_equal(clusters.cluster[1].count, 3);
}

static void test_limit_grows_with_the_value(void **state)
{
    const double near_30[] = {30, 30, 30.8, 30.8}, near_10[] = {10, 10, 10.8, 10.8};
    struct clusters clusters;
    int label[4];
    assert_true(cluster_by_gaps(near_30, 4, &gap_rule_cycles, &clusters, label));
    assert_int_equal(clusters.count, 1);
    assert_true(cluster_by_gaps(near_10, 4, &gap_rule_cycles, &clusters, label));
    assert_int_equal(clusters.count, 2);
}

static void test_fine_plateaus_share_a_family(void **state)
{
    const double value[] = {0.49, 0.5, 0.74, 0.75, 1.0, 1.02, 7, 7};
    struct clusters clusters;
    int label[8];
    assert_true(cluster_by_gaps(value, 8, &gap_rule_cycles, &clusters, label));
    assert_int_equal(clusters.count, 4);
    assert_int_equal(clusters.cluster[0].family, clusters.cluster[2].family);
    assert_int_not_equal(clusters.cluster[2].family, clusters.cluster[3].family);
    assert_int_equal(cluster_family_size(&clusters, 0), 6);
    assert_int_equal(cluster_family_size(&clusters, 1), 2);
}

static void test_lone_values_are_outliers(void **state)
{
    const double value[] = {7, 7, 7, 11, 14, 14};
    struct clusters clusters;
    int label[6];
    assert_true(cluster_by_gaps(value, 6, &gap_rule_cycles, &clusters, label));
    assert_int_equal(clusters.count, 3);
    assert_false(clusters.cluster[0].outlier);
    assert_true(clusters.cluster[1].outlier);
    assert_false(clusters.cluster[2].outlier);
}

static void test_nothing_and_nan(void **state)
{
    const double value[] = {NAN, 5, NAN};
    struct clusters clusters;
    int label[3];
    assert_true(cluster_by_gaps(value, 0, &gap_rule_cycles, &clusters, label));
    assert_int_equal(clusters.count, 0);
    assert_true(cluster_by_gaps(value, 3, &gap_rule_cycles, &clusters, label));
    assert_int_equal(clusters.count, 1);
    assert_int_equal(label[0], -1);
    assert_int_equal(label[1], 0);
}

static void test_more_plateaus_than_room(void **state)
{
    double value[CLUSTER_MAX + 10];
    int label[CLUSTER_MAX + 10];
    struct clusters clusters;
    for (int i = 0; i < CLUSTER_MAX + 10; i++)
        value[i] = 10 * pow(1.1, i);
    assert_true(cluster_by_gaps(value, CLUSTER_MAX + 10, &gap_rule_cycles, &clusters, label));
    assert_int_equal(clusters.count, CLUSTER_MAX);
    size_t total = 0;
    for (int i = 0; i < clusters.count; i++)
        total += clusters.cluster[i].count;
    assert_int_equal(total, CLUSTER_MAX + 10);
}

static void test_agreement_is_of_levels(void **state)
{
    const double first[] = {5, 5, 5, 20, 20, 20, 8, 8}, second[] = {5.1, 5.1, 5.1, 20.2, 20.2, 5.1, 9, 9};
    struct clusters a, b;
    int in_a[8], in_b[8];
    assert_true(cluster_by_gaps(first, 8, &gap_rule_cycles, &a, in_a));
    assert_true(cluster_by_gaps(second, 8, &gap_rule_cycles, &b, in_b));
    assert_true(cluster_agreement(&a, in_a, &a, in_a, 8, &gap_rule_cycles) == 1);
    assert_true(cluster_agreement(&a, in_a, &b, in_b, 8, &gap_rule_cycles) == 5.0 / 8);
    assert_true(cluster_agreement(&a, in_a, &b, in_b, 0, &gap_rule_cycles) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_at_gaps),
        cmocka_unit_test(test_limit_grows_with_the_value),
        cmocka_unit_test(test_fine_plateaus_share_a_family),
        cmocka_unit_test(test_lone_values_are_outliers),
        cmocka_unit_test(test_nothing_and_nan),
        cmocka_unit_test(test_more_plateaus_than_room),
        cmocka_unit_test(test_agreement_is_of_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
