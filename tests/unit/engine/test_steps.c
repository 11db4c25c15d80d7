/* SPDX-License-Identifier: MIT */
/* Steps of recorded and simulated curves; histograms on either side of the limits for a peak, a size and trust. */

#include "engine/steps.h"

#include "test.h"

enum { CURVES_MOST = 8, POINTS_MOST = 200 };

struct curves {
    size_t count, points;
    double value[CURVES_MOST][POINTS_MOST];
};

/* Loads one curve per line; lines that begin with # are comments. */
static void load(struct curves *curves, const char *name)
{
    char path[512], line[8192];
    FILE *file;
    *curves = (struct curves){0};
    snprintf(path, sizeof path, "%s/sb/%s", TEST_DATA, name);
    file = fopen(path, "r");
    assert_non_null(file);
    while (curves->count < CURVES_MOST && fgets(line, sizeof line, file) != NULL) {
        char *at = line, *end;
        if (line[0] == '#')
            continue;
        for (curves->points = 0; curves->points < POINTS_MOST; at = end) {
            double value = strtod(at, &end);
            if (end == at)
                break;
            curves->value[curves->count][curves->points++] = value;
        }
        curves->count++;
    }
    fclose(file);
    assert_true(curves->count > 0 && curves->points > 100);
}

static const double chain = 200; /* ticks; readings during the recording were 188 to 208 */

/* Curves of streaming stores end at a limit of the rate, which is no chain. A round in which the buffer was halved midway has its step
 * anywhere, so the histogram has no peak. */
TEST(recorded_rounds_have_their_step)
{
    static const struct {
        const char *name;
        size_t size; /* 0: none */
        bool anywhere;
    } files[] = {{"rounds-full.txt", 112, false},
                 {"rounds-halved.txt", 56, false},
                 {"rounds-streaming.txt", 0, false},
                 {"rounds-disturbed.txt", 0, true}};
    struct curves curves;
    for (size_t file = 0; file < COUNT_OF(files); file++) {
        struct step_counts counts = {0};
        load(&curves, files[file].name);
        for (size_t i = 0; i < curves.count; i++) {
            const size_t at = step_find(curves.value[i], curves.points, chain);
            assert_true(files[file].anywhere || at == files[file].size);
            step_count(&counts, at);
        }
        assert_true(files[file].size > 0 || step_size(&counts) == 0);
    }
    /* A step needs three points on each side. */
    load(&curves, "rounds-full.txt");
    for (size_t points = 10; points <= 113; points++)
        assert_int_equal(step_find(curves.value[0], points, chain), 0);
    assert_int_equal(step_find(curves.value[0] + 110, curves.points - 110, chain), 0);
    assert_int_equal(step_find(curves.value[0] + 100, curves.points - 100, chain), 12);
}

/* A step has from 0.4 to 1.6 times the height of a chain; slopes, other heights and falls are none, and outliers move nothing. The height
 * comes from eight points on each side: here 105, the median of four at 200, two at 210 and two at 220, which is 0.4 of a chain of 262. */
TEST(a_step_has_the_height_of_a_chain)
{
    static const struct {
        size_t left;
        double jump, slope, outlier;
        bool found;
    } rows[] = {{100, 0, 2, 0, false}, {40, -200, 0.1, 0, false}, {40, 200, 0.1, 1e6, true},
                {10, 78, 0, 0, false}, {10, 82, 0, 0, true},      {90, 318, 0, 0, true},
                {90, 322, 0, 0, false}};
    double value[100];
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (size_t x = 0; x < 100; x++)
            value[x] = 100 + rows[i].slope * (double)x + (x >= rows[i].left ? rows[i].jump : 0);
        value[20] += rows[i].outlier;
        value[70] += rows[i].outlier / 2;
        assert_int_equal(step_find(value, 100, chain), rows[i].found ? rows[i].left : 0);
    }
    for (int i = 0; i < 40; i++)
        value[i] = i < 20 ? 100 : i < 24 ? 200 : i < 26 ? 210 : 220;
    assert_int_equal(step_find(value, 40, 105 / 0.401), 20);
    assert_int_equal(step_find(value, 40, 105 / 0.399), 0);
}

/* A bend needs four points on each side: a curve that steps bends there, whatever its slope. Where draining hides the
 * buffer, the bend moves with the no-operations. test_metrics.c and test_laboratory.c check how far a bend must rise. */
TEST(a_bend_parts_two_lines)
{
    const double line[] = {0, 0, 0, 0, 9, 9, 9, 9}, early[] = {0, 0, 0, 9, 9, 9, 9, 9, 9};
    struct curves once, twice;
    for (size_t left = 10; left <= 90; left += 5) {
        double value[100];
        for (size_t i = 0; i < 100; i++)
            value[i] = 100 + (double)i + (i >= left ? 50 : 0) + (double)(i * 7 % 5) * 0.1;
        assert_int_equal(bend_find(value, 100), left);
    }
    for (size_t points = 0; points < 8; points++)
        assert_int_equal(bend_find(line, points), 0);
    assert_int_equal(bend_find(line, 8), 4);
    assert_int_not_equal(bend_find(early, 9), 3);
    load(&once, "nops-500.txt");
    load(&twice, "nops-1000.txt");
    assert_int_not_equal(bend_find(once.value[0], once.points), bend_find(twice.value[0], twice.points));
}

/* The curves of those who ask for a bend: calls within each other, and stores between no-operations that hide their drain. Noise
 * is within `noise` cycles; point `knee` lies on both lines, unless the curve jumps behind it. */
static const struct {
    double before, behind, jump, noise;
    size_t points, off; /* off: entries that the noise may move it */
} bends[] = {
    {4.6, 20.6, 0, 0, 79, 0}, {4.6, 20.6, 0, 0.5, 79, 0}, {4.6, 20.6, 0, 4, 79, 0},
    {0, 1, 0, 0.1, 112, 0},   {0.02, 1, 0, 0.3, 180, 0},  {0.02, 1, 0, 1, 180, 1},
    {1, 1, 50, 0.4, 100, 0},  {0.5, 2, 1, 0.1, 100, 0},   {0.5, 2, 1.5, 0.1, 100, 0},
};

static double bend_cycles(size_t row, size_t knee, size_t point)
{
    const double beyond = point > knee ? (double)(point - knee) : 0;
    const double noise = (double)((point * 7919 + knee * 104729) % 101) / 50 - 1;
    return 100 + bends[row].before * (double)point + (bends[row].behind - bends[row].before) * beyond +
           (beyond > 0 ? bends[row].jump : 0) + bends[row].noise * noise;
}

TEST(a_bend_is_found_at_each_point)
{
    for (size_t row = 0; row < COUNT_OF(bends); row++)
        for (size_t knee = 8; knee + 8 <= bends[row].points; knee++) {
            double value[POINTS_MOST];
            for (size_t i = 0; i < bends[row].points; i++)
                value[i] = bend_cycles(row, knee, i + 1);
            const size_t found = bend_find(value, bends[row].points);
            if (found + bends[row].off < knee || found > knee + bends[row].off)
                fail_msg("row %zu: %zu instead of %zu", row, found, knee);
        }
}

/* Noise of 1.03 cycles around a curve that is level up to its fiftieth point: lines that are six times as
 * far apart at the split, or that cross further from it than four points, are those of a jump. Where they
 * cross within a point, they may be further apart: the crossing behind the split is then the next point. */
TEST(a_curve_that_jumps_does_not_bend_before)
{
    static const struct {
        double apart, beyond; /* sigmas, and points from the crossing to the split */
        bool jumps;
    } rows[] = {{5.6, 2, false},  {6.4, 2, true},      {5.5, 3.6, false},
                {5.5, 4.4, true}, {-12, -0.95, false}, {-12, -1.05, true}};
    enum { KNEE = 50, POINTS = 100 };
    for (size_t row = 0; row < COUNT_OF(rows); row++) {
        double value[POINTS];
        const double apart = 1.026 * rows[row].apart, slope = apart / rows[row].beyond;
        for (size_t i = 0; i < POINTS; i++)
            value[i] = (i < KNEE ? 0 : apart + slope * ((double)i - KNEE + 0.5)) + (i % 2 ? 1 : -1);
        print_message("row %zu: %zu\n", row, bend_find(value, POINTS));
        assert_int_equal(bend_find(value, POINTS) == KNEE, rows[row].jumps);
        assert_in_range(bend_find(value, POINTS), KNEE - 4, KNEE + 1);
    }
}

static void add(struct step_counts *counts, size_t value, size_t rounds)
{
    for (size_t i = 0; i < rounds; i++)
        step_count(counts, value);
}

/* A peak is the highest of four neighbours on each side, and higher than chance explains with one error in a
 * million: chance gives the mean of sixteen on each side or, where they are empty, a quarter of a round. */
TEST(a_peak_stands_out)
{
    static const struct {
        size_t value[2], rounds[2], at;
        bool is_peak;
    } rows[] = {{{112, 116}, {400, 200}, 116, false}, {{112, 117}, {400, 200}, 117, true},
                {{112, 114}, {400, 200}, 114, false}, {{112, 114}, {400, 200}, 112, true},
                {{100, 116}, {12, 320}, 100, false},  {{100, 117}, {12, 320}, 100, true},
                {{100, 0}, {5, 0}, 100, false},       {{100, 0}, {6, 0}, 100, true},
                {{0, 0}, {9, 9}, 0, false},           {{STEP_VALUES + 5, 0}, {9, 0}, STEP_VALUES, false}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct step_counts counts = {0};
        add(&counts, rows[i].value[0], rows[i].rounds[0]);
        add(&counts, rows[i].value[1], rows[i].rounds[1]);
        assert_int_equal(counts.rounds, rows[i].rounds[0] + rows[i].rounds[1]);
        assert_int_equal(step_is_peak(&counts, rows[i].at), rows[i].is_peak);
    }
}

/* The size is the greatest peak, if it or its half was seen in a tenth of the rounds. */
TEST(the_top_and_the_size_are_peaks)
{
    static const struct {
        size_t value[2], rounds[2], none, top, size;
    } rows[] = {{{64, 104}, {900, 99}, 1, 64, 64},
                {{64, 104}, {900, 100}, 0, 64, 104},
                {{52, 104}, {500, 30}, 0, 52, 104},
                {{0, 0}, {1, 1}, 0, 0, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct step_counts counts = {0};
        add(&counts, rows[i].value[0], rows[i].rounds[0]);
        add(&counts, rows[i].value[1], rows[i].rounds[1]);
        add(&counts, 0, rows[i].none);
        assert_int_equal(step_top(&counts), rows[i].top);
        assert_int_equal(step_size(&counts), rows[i].size);
    }
}

/* Rounds mixed over the whole run: `most` at 192, `fewer` at `second`, `next` at one above that, the others
 * without a step; and first some more without one. Where a share lies near a bound, the shares of the halves may
 * lie beyond it. Another size in half of the run, or in a tenth of its rounds, may come up in a later run, but
 * five rounds of fifty are chance; a size further off than medium trust promises leaves low trust. */
TEST(trust_is_in_the_share_that_agrees)
{
    static const struct {
        size_t rounds, most, second, fewer, next, before;
        enum trust trust;
        enum limited_by limited_by;
        size_t other;
    } rows[] = {{1000, 490, 0, 0, 0, 0, TRUST_LOW, LIMITED_BY_PRECISION, 0},
                {1000, 510, 0, 0, 0, 0, TRUST_MEDIUM, LIMITED_BY_PRECISION, 0},
                {1000, 690, 0, 0, 0, 0, TRUST_MEDIUM, LIMITED_BY_PRECISION, 0},
                {1000, 710, 0, 0, 0, 0, TRUST_HIGH, LIMITED_BY_NONE, 0},
                {99, 99, 0, 0, 0, 0, TRUST_MEDIUM, LIMITED_BY_PRECISION, 0},
                {100, 100, 0, 0, 0, 0, TRUST_HIGH, LIMITED_BY_NONE, 0},
                {1000, 600, 193, 400, 0, 0, TRUST_HIGH, LIMITED_BY_NONE, 0},
                {1000, 850, 174, 100, 0, 0, TRUST_MEDIUM, LIMITED_BY_REPETITION, 174},
                {1000, 850, 173, 100, 0, 0, TRUST_MEDIUM, LIMITED_BY_REPETITION, 173},
                {1000, 850, 172, 100, 0, 0, TRUST_LOW, LIMITED_BY_REPETITION, 172},
                {1000, 850, 174, 99, 0, 0, TRUST_HIGH, LIMITED_BY_NONE, 0},
                {1000, 850, 174, 60, 40, 0, TRUST_MEDIUM, LIMITED_BY_REPETITION, 174},
                {1000, 850, 174, 60, 39, 0, TRUST_HIGH, LIMITED_BY_NONE, 0},
                {1000, 850, 196, 100, 0, 0, TRUST_MEDIUM, LIMITED_BY_REPETITION, 196},
                {1000, 850, 193, 60, 99, 0, TRUST_HIGH, LIMITED_BY_NONE, 0},
                {50, 45, 174, 5, 0, 0, TRUST_MEDIUM, LIMITED_BY_PRECISION, 0},
                {60, 54, 174, 6, 0, 0, TRUST_MEDIUM, LIMITED_BY_PRECISION, 174},
                {750, 750, 0, 0, 0, 250, TRUST_MEDIUM, LIMITED_BY_REPETITION, 0},
                {600, 600, 0, 0, 0, 400, TRUST_LOW, LIMITED_BY_REPETITION, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct step_counts counts = {.firsts = (rows[i].before + rows[i].rounds) / 2};
        const size_t most = rows[i].most, second = most + rows[i].fewer, third = second + rows[i].next;
        add(&counts, 0, rows[i].before);
        for (size_t k = 0; k < rows[i].rounds; k++) {
            const size_t rank = k * 389 % rows[i].rounds;
            step_count(&counts, rank < most     ? 192
                                : rank < second ? rows[i].second
                                : rank < third  ? rows[i].second + 1
                                                : 0);
        }
        const struct agreement agreement = step_agreement(&counts, 192, 1);
        const struct verdict verdict = count_judge(&agreement, counts.rounds);
        print_message("row %zu\n", i);
        assert_int_equal(verdict.trust, rows[i].trust);
        assert_int_equal(verdict.limited_by, rows[i].limited_by);
        assert_int_equal(agreement.other, rows[i].other);
        assert_true(verdict.within_absolute == 1);
    }
    assert_int_equal(count_judge(&(struct agreement){.share = 0.5, .least = 0.5}, 100).trust, TRUST_MEDIUM);
    assert_int_equal(count_judge(&(struct agreement){.share = 0.7, .least = 0.7}, 100).trust, TRUST_HIGH);
    assert_int_equal(count_judge(&(struct agreement){.share = NAN, .least = NAN}, 100).trust, TRUST_LOW);
}
