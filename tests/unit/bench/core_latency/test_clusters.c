/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/core_latency/clusters.h"

enum { MAX = 16 };

/* All pairs of n objects, near (10) where same(i, j), else far (100). */
static size_t pairs_of(int n, bool (*same)(int, int), struct near_pair *pair)
{
    size_t count = 0;

    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            pair[count++] = (struct near_pair){i, j, same(i, j) ? 10 : 100};
    return count;
}

static bool by_fours(int i, int j)
{
    return i / 4 == j / 4;
}

static bool by_parity(int i, int j)
{
    return i % 2 == j % 2;
}

static bool neighbours(int i, int j)
{
    return j - i == 1;
}

static void test_blocks(void **state)
{
    (void)state;
    struct near_pair pair[MAX * MAX];
    int label[MAX];
    size_t pairs = pairs_of(12, by_fours, pair);
    const int expected[] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};

    assert_int_equal(clusters_find(pair, pairs, 12, 20, label), 3);
    assert_memory_equal(label, expected, sizeof expected);
    assert_int_equal(clusters_find(pair, pairs, 12, 100, label), 1);
    assert_int_equal(clusters_find(pair, pairs, 12, 5, label), 12);
}

static void test_interleaved(void **state)
{
    (void)state;
    struct near_pair pair[MAX * MAX];
    int label[MAX];
    size_t pairs = pairs_of(6, by_parity, pair);
    const int expected[] = {0, 1, 0, 1, 0, 1};

    assert_int_equal(clusters_find(pair, pairs, 6, 20, label), 2);
    assert_memory_equal(label, expected, sizeof expected);
}

/* A chain of near neighbours is no group: its ends are far from each other. */
static void test_chain_is_no_group(void **state)
{
    (void)state;
    struct near_pair pair[MAX * MAX];
    int label[MAX];
    size_t pairs = pairs_of(8, neighbours, pair);

    assert_int_equal(clusters_find(pair, pairs, 8, 20, label), 0);
}

static void test_same(void **state)
{
    (void)state;
    const int a[] = {0, 0, 1, 1}, b[] = {7, 7, 3, 3}, c[] = {0, 1, 0, 1}, d[] = {0, 0, 0, 0};

    assert_true(clusters_same(a, b, 4));
    assert_false(clusters_same(a, c, 4));
    assert_false(clusters_same(a, d, 4));
    assert_false(clusters_same(d, a, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_interleaved),
        cmocka_unit_test(test_chain_is_no_group),
        cmocka_unit_test(test_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
