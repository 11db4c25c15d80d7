/* SPDX-License-Identifier: MIT */
/* The reorder bound from rates like those that machines showed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/sb_capacity/sb_capacity.h"

enum { TRIALS = 10000 };

static struct sb_bound bound_of(const size_t *stores, const size_t *hits, size_t count)
{
    size_t trials[64];

    for (size_t i = 0; i < count; i++)
        trials[i] = TRIALS;
    return sb_bound_of(stores, hits, trials, count);
}

static void a_clean_fall(void **state)
{
    const size_t stores[] = {1, 56, 110, 111, 112, 113, 114, 115, 116, 120, 128};
    const size_t hits[] = {1500, 1600, 1500, 1610, 1580, 1600, 0, 0, 0, 0, 0};
    struct sb_bound bound = bound_of(stores, hits, 11);

    assert_true(bound.found);
    assert_int_equal(bound.stores, 113);
    assert_int_equal(bound.next_stores, 114);
    assert_true(bound.fall > 1000 && bound.floor == 0);
}

static void a_fall_to_a_floor(void **state)
{
    const size_t stores[] = {1, 50, 99, 104, 105, 106, 110, 125};
    const size_t hits[] = {2700, 2600, 4100, 3000, 20, 22, 18, 20};
    struct sb_bound bound = bound_of(stores, hits, 8);

    assert_true(bound.found);
    assert_int_equal(bound.stores, 104);
    assert_true(bound.floor > 0.001 && bound.floor < 0.003);
    assert_true(bound.fall > 100);
}

/* Halved for a part of the time: the larger of the two capacities shows. */
static void the_later_of_two_falls(void **state)
{
    const size_t stores[] = {1, 50, 52, 53, 80, 104, 105, 110, 120, 125};
    const size_t hits[] = {2700, 2600, 2600, 1000, 900, 300, 0, 0, 0, 0};
    struct sb_bound bound = bound_of(stores, hits, 10);

    assert_int_equal(bound.stores, 104);
}

static void no_fall_is_no_bound(void **state)
{
    const size_t stores[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const size_t level[] = {1500, 1600, 1500, 1400, 1500, 1600, 1700, 1500};
    const size_t nothing[] = {0, 0, 0, 0, 0, 0, 0, 0};
    const size_t too_late[] = {1500, 1600, 1500, 1400, 1500, 1600, 0, 0};

    assert_false(bound_of(stores, level, 8).found);
    assert_false(bound_of(stores, nothing, 8).found);
    assert_false(bound_of(stores, too_late, 8).found);
    assert_false(bound_of(stores, level, 0).found);
}

static void a_few_hits_are_no_rate(void **state)
{
    const size_t stores[] = {1, 2, 3, 4, 5, 6};
    const size_t hits[] = {10, 9, 0, 0, 0, 0};

    assert_false(bound_of(stores, hits, 6).found);
}

/* A bracket is no bound. */
static void a_gap_before_or_behind_is_not_tight(void **state)
{
    const size_t stores[] = {1, 36, 48, 49, 50, 51}, close[] = {1, 35, 36, 37, 38, 39, 40};
    const size_t hits[] = {1500, 1600, 0, 0, 0, 0}, late[] = {1500, 1600, 1500, 0, 0, 0, 0};
    const size_t whole[] = {34, 35, 36, 37, 38, 39, 40}, three[] = {1500, 1600, 1500, 0, 0, 0, 0};

    assert_false(bound_of(stores, hits, 6).tight);
    assert_false(bound_of(close, late, 7).tight);
    assert_true(bound_of(whole, three, 7).tight);
}

static void a_bound_is_trusted_next_to_a_capacity(void **state)
{
    struct sb_bound bound = {.found = true, .stores = 64, .next_stores = 65, .tight = true, .fall = 1000};

    assert_int_equal(sb_bound_judge(&bound, 64).trust, TRUST_HIGH);
    assert_int_equal(sb_bound_judge(&bound, 63).trust, TRUST_HIGH);
    assert_int_equal(sb_bound_judge(&bound, 62).trust, TRUST_MEDIUM);
    assert_int_equal(sb_bound_judge(&bound, 104).trust, TRUST_LOW);
    assert_int_equal(sb_bound_judge(&bound, 0).trust, TRUST_LOW);
    bound.tight = false;
    assert_int_equal(sb_bound_judge(&bound, 64).trust, TRUST_LOW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clean_fall),
        cmocka_unit_test(a_fall_to_a_floor),
        cmocka_unit_test(the_later_of_two_falls),
        cmocka_unit_test(no_fall_is_no_bound),
        cmocka_unit_test(a_few_hits_are_no_rate),
        cmocka_unit_test(a_gap_before_or_behind_is_not_tight),
        cmocka_unit_test(a_bound_is_trusted_next_to_a_capacity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
