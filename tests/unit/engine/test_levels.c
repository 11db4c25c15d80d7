/* SPDX-License-Identifier: MIT */
/* Between which points given curves pass a level. */
#include "test.h"

#include "engine/claims.h"
#include "engine/engine_internal.h"

enum { POINTS = 10, ROUNDS = 24, PER_OCTAVE = 2, NONE = -1 };
static const struct series series = {.name = "x", .first = 1024, .last = 23170, .per_octave = PER_OCTAVE};
static const struct claim claim = {.kind = CLAIM_LEVEL, .from = "x", .level = 0.1};

/* Shares of the points before `size`, from there on, and from an octave further on. Every other round the next `unsure` points
 * lie as low as those before; in the second half the size is larger by `grown`; points from `taken` on were not taken. */
static const struct {
    double low, high, later;
    size_t size, unsure, grown, taken;
    int value, first, last; /* points: the value, and those surely below and above */
    enum trust trust;
} rows[] = {
    {0.05, 0.3, 0.5, 5, 0, 0, POINTS, 4, 4, 5, TRUST_HIGH},
    {0.05, 0.3, 0.5, 1, 0, 0, POINTS, 0, 0, 1, TRUST_HIGH},
    {0.05, 0.3, 0.5, 5, 0, 0, 6, 4, 4, 5, TRUST_HIGH},
    {0.05, 0.3, 0.5, 5, 1, 0, POINTS, 4, 4, 6, TRUST_MEDIUM},
    {0.05, 0.3, 0.5, 5, 2, 0, POINTS, 4, 4, 7, TRUST_LOW},
    {0.05, 0.3, 0.3, 5, 0, 1, POINTS, 4, 4, 6, TRUST_MEDIUM},
    {0.05, 0.3, 0.3, 5, 0, 2, POINTS, 4, 4, 7, TRUST_LOW},
    /* An octave further it is half as high again. */
    {0.05, 0.11, 0.155, 5, 0, 0, POINTS, 4, 4, 5, TRUST_HIGH},
    {0.05, 0.11, 0.145, 5, 0, 0, POINTS, 4, 4, 5, TRUST_LOW},
    {0.095, 0.105, 0.5, 5, 0, 0, POINTS, 4, 4, 5, TRUST_HIGH},
    /* It is passed between two points, or there is no value. */
    {0.05, 0.3, 0.5, 0, 0, 0, POINTS, NONE, 0, 0, TRUST_LOW},
    {0.05, 0.3, 0.5, POINTS, 0, 0, POINTS, NONE, 0, 0, TRUST_LOW},
    {0.05, 0.3, 0.5, 5, 0, 0, 5, NONE, 0, 0, TRUST_LOW},
    {0.05, 0.3, 0.5, 5, 0, 0, 0, NONE, 0, 0, TRUST_LOW},
};

static float share_of(size_t row, size_t round, size_t point)
{
    const size_t size = rows[row].size + (round >= ROUNDS / 2 ? rows[row].grown : 0);
    const bool is_low = point < size || (round % 2 && point < size + rows[row].unsure);
    if (point >= rows[row].taken)
        return NAN;
    return (float)(is_low ? rows[row].low : point < size + PER_OCTAVE ? rows[row].high : rows[row].later);
}

TEST(a_level_is_passed_between_two_points)
{
    const struct course course = {.series = &series, .count = POINTS};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct moment moment[ROUNDS + 1];
        uint32_t before[ROUNDS * POINTS];
        float value[ROUNDS * POINTS];
        const struct experiment experiment = {.series = &series};
        struct lab lab = {.experiment = &experiment,
                          .data = {.cells = POINTS,
                                   .points = POINTS,
                                   .kept = ROUNDS,
                                   .cycles = true,
                                   .value = value,
                                   .before = before,
                                   .moment = moment}};
        struct result result = {0};
        for (size_t round = 0; round <= ROUNDS; round++) {
            moment[round] = (struct moment){.ghz = 2, .reading = {64, 64, true}};
            lab.data.moments = round + 1;
            lab.data.sampled = true;
            state_count(&lab.data);
            for (size_t point = 0; round < ROUNDS && point < POINTS; point++) {
                before[round * POINTS + point] = (uint32_t)round;
                value[round * POINTS + point] = share_of(i, round, point);
            }
        }
        levels_answer(&lab, &claim, &course, STATE_IDLE, &result);
        print_message("row %zu\n", i);
        assert_int_equal(result.has_value, rows[i].value != NONE);
        if (!result.has_value)
            continue;
        assert_true(result.estimate.value == (double)course_x(&course, (size_t)rows[i].value));
        assert_true(result.estimate.summary.p10 == (double)course_x(&course, (size_t)rows[i].first));
        assert_true(result.estimate.summary.p90 == (double)course_x(&course, (size_t)rows[i].last));
        assert_int_equal(result.verdict.trust, rows[i].trust);
    }
    assert_int_equal(course_x(&course, 0), 1024);
    assert_int_equal(course_x(&course, 1), 1448);
    assert_int_equal(course_x(&course, 9), 23170);
}
