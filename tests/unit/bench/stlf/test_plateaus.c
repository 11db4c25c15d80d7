/* SPDX-License-Identifier: MIT */
/* The curves are those that were measured on Zen 5 (family 26), one value per number of pairs from 1 to 64.
 */

#include "bench/stlf/plateaus.h"

#include "test.h"

enum { PAIRS = 64 };

static double wave(int pairs)
{
    return 0.01 * (pairs % 3 - 1);
}

TEST(test_same_address_has_one_knee)
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

TEST(test_fast_data_falls_off_a_cliff)
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

TEST(test_fast_data_without_reuse_has_two_knees)
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

TEST(test_flat_and_noisy_curves_have_none)
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

/* Fast data on Zen 3 beside an active sibling: "flush at any number of pairs" came of single points. */
TEST(test_spikes_hide_no_knee)
{
    double value[PAIRS];
    for (int u = 1; u <= PAIRS; u++)
        value[u - 1] = (u == 1 ? 2.2 : u <= 10 ? 1.25 : u == 11 ? 15.4 : 33.5) + wave(u);
    value[26] = 64.7;
    value[55] = 545.3;
    const struct stlf_plateaus plateaus = stlf_plateaus(value, PAIRS);
    assert_int_equal(plateaus.count, 2);
    assert_int_equal(plateaus.of[0].last + 1, 10);
    assert_true(fabs(plateaus.of[1].end - 33.5) < 0.1);
}

/* 6.41 to 6.88 is a ramp on Zen 4, whatever its median; 2 % to either side of a level are none. */
TEST(test_a_ramp_is_no_level)
{
    static const struct {
        double begin, end;
        bool ramp;
    } cases[] = {{6.41, 6.88, true}, {6.88, 6.41, true}, {10, 10.39, false}, {10, 10.45, true},
                 {0.5, 0.69, false}, {0.5, 0.71, true},  {12.9, 20.8, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value[PAIRS];
        for (int u = 0; u < PAIRS; u++)
            value[u] = u < 22 ? cases[i].begin : u < 42 ? (cases[i].begin + cases[i].end) / 2 : cases[i].end;
        const struct stlf_plateau plateau = {.begin = value[0], .end = value[PAIRS - 1], .cycles = value[30]};
        assert_int_equal(stlf_is_ramp(&plateau), cases[i].ramp);
        const struct stlf_plateaus all = stlf_plateaus(value, PAIRS);
        if (all.count == 1)
            assert_int_equal(stlf_is_ramp(&all.of[0]), cases[i].ramp);
    }
}
