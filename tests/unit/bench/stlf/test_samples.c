/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/stlf/samples.h"

enum { POINTS = 130, PASSES = 40, ROWS = 3 };

static const struct stlf_selection all = {-1, -1};

/* Point i takes i + 1 cycles a pair, 100 pairs, 20 ticks of overhead, and a clock that rises by a fifth. */
static struct stlf_samples scripted(double *pairs)
{
    struct stlf_samples samples;
    assert_true(stlf_samples_init(&samples, POINTS, PASSES));
    assert_int_equal(samples.rows, ROWS);
    for (size_t pass = 0; pass < PASSES; pass++) {
        for (size_t point = 0; point < POINTS; point++) {
            const size_t row = pass * ROWS + point / STLF_ROW;
            const double clock = 0.7 * (1 + 0.2 * (double)row / (PASSES * ROWS));
            samples.clock[row] = (float)clock;
            samples.overhead[row] = 20;
            samples.ticks[pass * POINTS + point] = (float)(20 + (double)(point + 1) * 100 * clock);
            pairs[point] = 100;
        }
        samples.passes++;
    }
    return samples;
}

static void test_the_clock_is_followed(void **state)
{
    double pairs[POINTS], cycles[POINTS], spread[POINTS];
    struct stlf_samples samples = scripted(pairs);
    assert_true(stlf_cycles_and_spread(&samples, all, pairs, cycles, spread));
    for (int i = 0; i < POINTS; i++) {
        assert_true(fabs(cycles[i] / (i + 1) - 1) < 0.01);
        assert_true(spread[i] < 0.01 * (i + 1));
    }
    stlf_samples_free(&samples);
}

static void test_bursts_do_not_move_the_low_quantile(void **state)
{
    double pairs[POINTS], clean[POINTS], noisy[POINTS];
    struct stlf_samples samples = scripted(pairs);
    assert_true(stlf_cycles(&samples, all, pairs, clean));
    for (size_t i = 5 * POINTS; i < 25 * POINTS; i++)
        samples.ticks[i] *= 3;
    assert_true(stlf_cycles(&samples, all, pairs, noisy));
    for (int i = 0; i < POINTS; i++)
        assert_true(fabs(noisy[i] / clean[i] - 1) < 0.01);
    stlf_samples_free(&samples);
}

static void test_samples_beside_a_bad_clock_reading_are_left_out(void **state)
{
    double pairs[POINTS], cycles[POINTS];
    struct stlf_samples samples = scripted(pairs);
    for (size_t pass = 0; pass < PASSES; pass += 4) {
        samples.clock[pass * ROWS] *= 1.3f;
        for (size_t point = 0; point < STLF_ROW; point++)
            samples.ticks[pass * POINTS + point] *= 0.5f;
    }
    assert_true(stlf_cycles(&samples, all, pairs, cycles));
    for (int i = 0; i < POINTS; i++)
        assert_true(fabs(cycles[i] / (i + 1) - 1) < 0.02);
    stlf_samples_free(&samples);
}

static void test_samples_without_a_clock_reading_are_left_out(void **state)
{
    double pairs[POINTS], cycles[POINTS];
    struct stlf_samples samples = scripted(pairs);
    for (size_t pass = 0; pass < PASSES; pass += 4) {
        samples.clock[pass * ROWS] = NAN;
        for (size_t point = 0; point < STLF_ROW; point++)
            samples.ticks[pass * POINTS + point] *= 0.5f;
    }
    assert_true(stlf_cycles(&samples, all, pairs, cycles));
    for (int i = 0; i < POINTS; i++)
        assert_true(fabs(cycles[i] / (i + 1) - 1) < 0.02);
    stlf_samples_free(&samples);
}

static void test_without_any_clock_there_are_no_cycles(void **state)
{
    double pairs[POINTS], cycles[POINTS];
    struct stlf_samples samples = scripted(pairs);
    for (size_t row = 0; row < PASSES * ROWS; row++)
        samples.clock[row] = NAN;
    assert_true(stlf_cycles(&samples, all, pairs, cycles));
    for (int i = 0; i < POINTS; i++)
        assert_true(isnan(cycles[i]));
    stlf_samples_free(&samples);
}

static void test_states_are_kept_apart(void **state)
{
    double pairs[POINTS], idle[POINTS], active[POINTS];
    struct stlf_samples samples = scripted(pairs);
    for (size_t pass = 0; pass < PASSES; pass++) {
        samples.state[pass] = pass % 4 == 3 ? 2 : 1;
        for (size_t point = 0; point < POINTS && pass % 4 == 3; point++)
            samples.ticks[pass * POINTS + point] = 2 * samples.ticks[pass * POINTS + point] - 20;
    }
    assert_int_equal(stlf_passes_of(&samples, (struct stlf_selection){2, -1}), PASSES / 4);
    assert_true(stlf_cycles(&samples, (struct stlf_selection){1, -1}, pairs, idle));
    assert_true(stlf_cycles(&samples, (struct stlf_selection){2, -1}, pairs, active));
    for (int i = 0; i < POINTS; i++)
        assert_true(fabs(active[i] / idle[i] - 2) < 0.02);
    assert_false(stlf_cycles(&samples, (struct stlf_selection){3, -1}, pairs, idle));
    stlf_samples_free(&samples);
}

static void test_nothing_taken(void **state)
{
    double pairs[POINTS] = {1}, cycles[POINTS];
    struct stlf_samples samples = scripted(pairs);
    samples.passes = 0;
    assert_false(stlf_cycles(&samples, all, pairs, cycles));
    stlf_samples_free(&samples);
}

static void test_same_reading(void **state)
{
    assert_true(stlf_same_reading(0.5, 0.58));
    assert_false(stlf_same_reading(0.5, 0.75));
    assert_true(stlf_same_reading(7, 7.2));
    assert_false(stlf_same_reading(7, 7.5));
    assert_true(stlf_same_reading(30, 31));
    assert_false(stlf_same_reading(NAN, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_clock_is_followed),
        cmocka_unit_test(test_bursts_do_not_move_the_low_quantile),
        cmocka_unit_test(test_samples_beside_a_bad_clock_reading_are_left_out),
        cmocka_unit_test(test_samples_without_a_clock_reading_are_left_out),
        cmocka_unit_test(test_without_any_clock_there_are_no_cycles),
        cmocka_unit_test(test_states_are_kept_apart),
        cmocka_unit_test(test_nothing_taken),
        cmocka_unit_test(test_same_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
