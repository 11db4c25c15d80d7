/* SPDX-License-Identifier: MIT */
/* The curves are those that were measured on Zen 5 (family 26), one value per number of pairs from 1 to 64.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/stlf/plateaus.h"

enum { PAIRS = 64 };

static double wave(int pairs)
{
    return 0.01 * (pairs % 3 - 1);
}

static void test_same_address_has_one_knee(void **state)
{
    double value[PAIRS];
    for (int u = 1; u <= PAIRS; u++)
        value[u - 1] = (u == 1 ? 1.02 : u <= 40 ? 0.5 : u == 41 ? 3.6 : u == 42 ? 6.1 : 7.0) + wave(u);
    const struct stlf_plateaus plateaus = stlf_plateaus(value, PAIRS);
    assert_int_equal(plateaus.count, 2);
    assert_in_range(plateaus.of[0].first, 0, 1);
    assert_in_range(plateaus.of[0].last + 1, 39, 41);
    assert_true(fabs(plateaus.of[0].cycles - 0.5) < 0.05);
    assert_in_range(plateaus.of[1].first + 1, 41, 43);
    assert_int_equal(plateaus.of[1].last, PAIRS - 1);
    assert_true(fabs(plateaus.of[1].cycles - 7) < 0.05);
}

static void test_fast_data_falls_off_a_cliff(void **state)
{
    double value[PAIRS];
    for (int u = 1; u <= PAIRS; u++)
        value[u - 1] = (u == 1 ? 1.03 : u <= 15 ? 0.51 : 32 + 3.6 * (u - 16) / 48) + wave(u);
    const struct stlf_plateaus plateaus = stlf_plateaus(value, PAIRS);
    assert_int_equal(plateaus.count, 2);
    assert_int_equal(plateaus.of[0].last + 1, 15);
    assert_int_equal(plateaus.of[1].first + 1, 16);
    assert_true(plateaus.of[1].high > 35);
}

static void test_fast_data_without_reuse_has_two_knees(void **state)
{
    double value[PAIRS];
    for (int u = 1; u <= PAIRS; u++)
        value[u - 1] = (u <= 25   ? 0.51
                        : u < 32  ? 0.51 + 6.0 * (u - 25) / 7
                        : u <= 56 ? 6.6
                                  : 9.7 + 4.7 * (u - 57) / 7) +
                       wave(u);
    const struct stlf_plateaus plateaus = stlf_plateaus(value, PAIRS);
    const int count = plateaus.count;
    assert_true(count >= 3);
    assert_true(fabs(plateaus.of[0].cycles - 0.51) < 0.05);
    assert_in_range(plateaus.of[0].last + 1, 24, 27);
    assert_int_equal(plateaus.of[count - 1].last, PAIRS - 1);
    assert_true(plateaus.of[count - 1].cycles > 9);
}

static void test_flat_and_noisy_curves_have_none(void **state)
{
    double value[PAIRS];
    uint32_t random = 7;
    for (int u = 1; u <= PAIRS; u++)
        value[u - 1] = 14;
    assert_int_equal(stlf_plateaus(value, PAIRS).count, 1);
    for (int u = 1; u <= PAIRS; u++) {
        random = random * 1664525 + 1013904223;
        value[u - 1] = u == 1 ? 1.1 : 0.5 + (double)(random >> 24) / 2560;
    }
    assert_int_equal(stlf_plateaus(value, PAIRS).count, 1);
    assert_int_equal(stlf_plateaus(value, 0).count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_address_has_one_knee),
        cmocka_unit_test(test_fast_data_falls_off_a_cliff),
        cmocka_unit_test(test_fast_data_without_reuse_has_two_knees),
        cmocka_unit_test(test_flat_and_noisy_curves_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
