/* SPDX-License-Identifier: MIT */
/* What becomes of readings, on whatever machine this is. */

#include "uarchprobe/cycles.h"

#include "test.h"

static struct clock calibrated;

static int calibrate(void **state)
{
    clock_calibrate(&calibrated);
    return 0;
}

static const struct cell *fact(const struct record *record, const char *path)
{
    const struct fact *found = record_fact_find(record, path);
    return found ? &found->value : NULL;
}

TEST(a_reading_is_a_clock_or_nothing)
{
    struct core_clock core_clock;
    core_clock_init(&core_clock, &calibrated);
    assert_true(core_clock.multiply >= 0 && core_clock.multiply == round(core_clock.multiply));
    assert_false(core_clock_was_read(&core_clock));
    for (int i = 0; i < 20; i++) {
        const double ghz = core_clock_read(&core_clock);
        assert_true(isnan(ghz) || (isfinite(ghz) && ghz > 0));
        assert_int_equal(core_clock.ghz.count + core_clock.thrown_away, i + 1);
    }
    core_clock_free(&core_clock);
}

static void count_call(void *context)
{
    ++*(int *)context;
}

TEST(a_load_goes_before_every_round_and_nothing_is_kept)
{
    struct core_clock core_clock = {.clock = &calibrated};
    int calls = 0;
    const double ghz = core_clock_ghz_under(&core_clock, count_call, &calls);
    assert_true(isnan(ghz) || ghz > 0);
    assert_int_equal(calls, 5);
    assert_false(core_clock_was_read(&core_clock));
}

TEST(quantiles_are_reported_and_never_the_extremes)
{
    struct core_clock core_clock = {.clock = &calibrated};
    struct record *record = record_new();
    for (int i = 0; i < 100; i++)
        core_clock_keep(&core_clock, 3 + (i % 2) * 0.01);
    core_clock_keep(&core_clock, 5.4);
    core_clock_keep(&core_clock, 0.3);
    core_clock_keep(&core_clock, NAN);
    core_clock_record(&core_clock, record);
    assert_true(fabs(fact(record, "clock.core_ghz.p5")->real - 3) < 1e-9);
    assert_true(fabs(fact(record, "clock.core_ghz.p95")->real - 3.01) < 1e-9);
    assert_int_equal(fact(record, "clock.core_ghz.median")->type, CELL_REAL);
    assert_int_equal(fact(record, "clock.core_ghz.thrown_away")->integer, 1);
    assert_null(fact(record, "clock.core_ghz.min"));
    assert_null(fact(record, "clock.core_ghz.max"));
    assert_int_equal(record_warning_count(record), 0);
    record_free(record);
    core_clock_free(&core_clock);
}

TEST(a_clock_that_moves_for_long_is_warned_of)
{
    struct core_clock core_clock = {.clock = &calibrated};
    struct record *record = record_new();
    for (int i = 0; i < 100; i++)
        core_clock_keep(&core_clock, i < 90 ? 3 : 3.6);
    core_clock_record(&core_clock, record);
    assert_int_equal(record_warning_count(record), 1);
    record_free(record);
    core_clock_free(&core_clock);
}

TEST(readings_that_were_all_thrown_away_leave_an_unknown_clock)
{
    struct core_clock core_clock = {.clock = &calibrated};
    struct record *record = record_new();
    core_clock_keep(&core_clock, NAN);
    assert_true(core_clock_was_read(&core_clock));
    core_clock_record(&core_clock, record);
    assert_int_equal(fact(record, "clock.core_ghz.median")->type, CELL_NULL);
    assert_int_equal(record_warning_count(record), 1);
    record_free(record);
    core_clock_free(&core_clock);
}

TEST(drift_is_of_the_readings_that_stand)
{
    const double ghz[] = {3, NAN, 3, 3.3, NAN, 3.3};
    assert_true(fabs(core_clock_drift(ghz, 6) - 0.3 / 3.15) < 0.02);
    assert_true(isnan(core_clock_drift(ghz + 1, 1)));
}

AROUND_ALL(calibrate, NULL)
