/* SPDX-License-Identifier: MIT */
/* Detectors on recorded and on drawn curves, and histograms of knees on either side of what makes a peak. */

#include "uarchprobe/knee.h"

#include "test.h"

enum { CURVES_MOST = 8, POINTS_MOST = 200 };

struct curves {
    size_t count, points;
    double value[CURVES_MOST][POINTS_MOST];
};

/* One curve a line; lines that begin with # are comments. */
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

static const double chain = 200; /* ticks, as it was read when the curves were recorded: 188 to 208 */

/* Those of streaming stores end at a limit of the rate, which is no chain. */
TEST(sweeps_have_their_knee)
{
    static const struct {
        const char *name;
        size_t size; /* 0: none */
    } files[] = {{"sweeps-full.txt", 112}, {"sweeps-halved.txt", 56}, {"sweeps-streaming.txt", 0}};
    for (size_t file = 0; file < sizeof files / sizeof *files; file++) {
        struct curves curves;
        load(&curves, files[file].name);
        for (size_t i = 0; i < curves.count; i++) {
            const struct knee knee = knee_sweep(curves.value[i], curves.points, chain);
            assert_int_equal(knee.found ? knee.last + 1 : 0, files[file].size);
        }
    }
}

/* A sweep during which the buffer was halved on the way has its step anywhere: single sweeps may mislead,
 * which is why their histogram is asked. */
TEST(disturbed_sweeps_give_no_peak)
{
    struct knee_counts counts = {0};
    struct curves curves;

    load(&curves, "sweeps-disturbed.txt");
    for (size_t i = 0; i < curves.count; i++) {
        struct knee knee = knee_sweep(curves.value[i], curves.points, chain);

        assert_true(!knee.found || (knee.jump >= 0.4 * chain && knee.jump <= 1.6 * chain));
        if (knee.found)
            knee_count(&counts, knee.last + 1);
    }
    assert_true(counts.sweeps > 0);
    assert_int_equal(knee_largest_peak(&counts), 0);
}

TEST(too_short_a_range_has_no_knee)
{
    struct curves curves;

    load(&curves, "sweeps-full.txt");
    for (size_t i = 0; i < curves.count; i++)
        for (size_t points = 10; points <= 113; points++)
            assert_false(knee_sweep(curves.value[i], points, chain).found);
}

TEST(a_knee_at_the_edge_is_not_taken)
{
    struct curves curves;

    load(&curves, "sweeps-full.txt");
    assert_false(knee_sweep(curves.value[0] + 110, curves.points - 110, chain).found);
    assert_true(knee_sweep(curves.value[0] + 100, curves.points - 100, chain).found);
}

TEST(a_drain_hides_the_knee)
{
    struct curves once, twice;
    struct knee a, b;

    load(&once, "nops-500.txt");
    load(&twice, "nops-1000.txt");
    a = knee_line2(once.value[0], once.points);
    b = knee_line2(twice.value[0], twice.points);
    /* What the check with twice the no-operations is for: a clear break, and yet no capacity. */
    assert_true(a.found && b.found);
    assert_int_not_equal(a.last, b.last);
    assert_true(a.jump < 5 && b.jump < 5);
}

static void draw(double *value, size_t count, size_t left, double jump, double slope)
{
    for (size_t i = 0; i < count; i++)
        value[i] = 100 + slope * (double)i + (i >= left ? jump : 0) + (double)(i * 7 % 5) * 0.1;
}

TEST(all_find_a_step)
{
    double value[100];

    for (size_t left = 10; left <= 90; left += 5) {
        draw(value, 100, left, 50, 0.1);
        assert_int_equal(knee_step(value, 100).last, left - 1);
        assert_int_equal(knee_line2(value, 100).last, left - 1);
    }
}

TEST(heights_leave_the_slope_out)
{
    double value[100];

    draw(value, 100, 40, 50, 1);
    assert_true(knee_line2(value, 100).jump > 48 && knee_line2(value, 100).jump < 52);
    assert_true(knee_step(value, 100).jump > 50 && knee_step(value, 100).jump < 60);
}

/* Not a slope, nor a step of another height or downwards; outliers move nothing. */
TEST(a_sweep_knee_is_a_step_of_a_chain)
{
    static const struct {
        size_t left;
        double jump, slope, outlier;
        bool found;
    } rows[] = {{100, 0, 2, 0, false},
                {40, 70, 0.1, 0, false},
                {40, 400, 0.1, 0, false},
                {40, -200, 0.1, 0, false},
                {40, 200, 0.1, 1e6, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value[100];
        draw(value, 100, rows[i].left, rows[i].jump, rows[i].slope);
        value[20] += rows[i].outlier;
        value[70] += rows[i].outlier / 2;
        const struct knee knee = knee_sweep(value, 100, 200);
        assert_int_equal(knee.found, rows[i].found);
        assert_true(!knee.found || knee.last == rows[i].left - 1);
    }
}

TEST(few_points_and_flat_curves_are_survived)
{
    double flat[64] = {0};

    for (size_t count = 0; count < 64; count++) {
        assert_false(knee_step(flat, count).found);
        assert_false(knee_sweep(flat, count, 0).found && flat[0] > 0);
        assert_true(knee_line2(flat, count).found == (count >= 8));
    }
}

/* Ten points at 100, then ten higher by `step`. */
static bool is_sweep_knee(double step)
{
    double value[20];

    for (int i = 0; i < 20; i++)
        value[i] = i < 10 ? 100 : 100 + step;
    return knee_sweep(value, 20, 100).found;
}

TEST(a_step_is_four_to_sixteen_tenths_of_a_chain)
{
    assert_false(is_sweep_knee(38));
    assert_true(is_sweep_knee(42));
    assert_true(is_sweep_knee(158));
    assert_false(is_sweep_knee(162));
}

/* Of eight points on each side, so that what is further away does not count. */
TEST(a_height_is_of_eight_points)
{
    double value[40];

    for (int i = 0; i < 40; i++)
        value[i] = i < 20 ? 100 : i < 24 ? 200 : i < 26 ? 210 : 220;
    const struct knee knee = knee_step(value, 40);
    assert_int_equal(knee.last, 19);
    assert_true(knee.jump == 105); /* the median of four at 200, two at 210 and two at 220 */
}

TEST(four_points_are_a_side)
{
    const double line[] = {0, 0, 0, 0, 9, 9, 9, 9}, first[] = {0, 0, 0, 9, 9, 9, 9, 9, 9};

    assert_true(knee_line2(line, 8).found && knee_line2(line, 8).last == 3);
    assert_false(knee_line2(line, 7).found);
    assert_true(knee_line2(first, 9).last > 2); /* three points are none */
}

static void add(struct knee_counts *counts, size_t value, size_t sweeps)
{
    for (size_t i = 0; i < sweeps; i++)
        knee_count(counts, value);
}

/* The highest of its neighbourhood, four on each side, and higher than chance explains: the mean of sixteen on each side or, where
 * they are empty, a quarter of a sweep, with one accident in a million. */
TEST(a_peak_stands_out)
{
    static const struct {
        size_t value[2], sweeps[2], at;
        bool is_peak;
    } rows[] = {{{112, 116}, {400, 200}, 116, false}, {{112, 117}, {400, 200}, 117, true},
                {{112, 114}, {400, 200}, 114, false}, {{112, 114}, {400, 200}, 112, true},
                {{100, 116}, {12, 320}, 100, false},  {{100, 117}, {12, 320}, 100, true},
                {{100, 0}, {5, 0}, 100, false},       {{100, 0}, {6, 0}, 100, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct knee_counts counts = {0};
        add(&counts, rows[i].value[0], rows[i].sweeps[0]);
        add(&counts, rows[i].value[1], rows[i].sweeps[1]);
        assert_int_equal(knee_is_peak(&counts, rows[i].at), rows[i].is_peak);
    }
}

TEST(a_size_needs_a_tenth_of_the_sweeps)
{
    struct knee_counts counts = {0};

    add(&counts, 64, 900);
    add(&counts, 104, 99);
    add(&counts, 0, 1);
    assert_int_equal(knee_size(&counts), 64);
    counts = (struct knee_counts){0};
    add(&counts, 64, 900);
    add(&counts, 104, 100);
    assert_int_equal(knee_size(&counts), 104);
}

/* More sweeps than are kept in order: the halves stay those of the whole run. */
TEST(long_runs_keep_their_halves)
{
    struct knee_counts counts = {0};

    add(&counts, 192, 5 * KNEE_ORDER);
    add(&counts, 174, 5 * KNEE_ORDER + 3);
    assert_in_range(counts.kept, KNEE_ORDER / 2, KNEE_ORDER);
    assert_true(knee_agreement(&counts, 192).least < 0.01);
    assert_true(fabs(knee_agreement(&counts, 192).share - 0.5) < 0.001);
    for (size_t i = 1; i < counts.kept; i++)
        assert_true(counts.in_order[i] <= counts.in_order[i - 1]);
}

TEST(the_largest_peak_need_not_be_the_top)
{
    struct knee_counts counts = {0};

    add(&counts, 52, 500);
    add(&counts, 104, 30);
    assert_int_equal(knee_largest_peak(&counts), 104);
    assert_int_equal(knee_top_peak(&counts), 52);
}

TEST(values_outside_are_counted_as_none)
{
    struct knee_counts counts = {0};

    knee_count(&counts, KNEE_VALUES + 5);
    knee_count(&counts, 0);
    assert_int_equal(counts.sweeps, 2);
    assert_int_equal(knee_largest_peak(&counts), 0);
    assert_false(knee_is_peak(&counts, 0));
    assert_false(knee_is_peak(&counts, KNEE_VALUES));
}

static struct verdict judged(const struct knee_counts *counts, size_t value)
{
    const struct agreement agreement = knee_agreement(counts, value);

    return count_judge(&agreement, counts->sweeps);
}

TEST(few_sweeps_are_trusted_less)
{
    struct knee_counts counts = {0};

    add(&counts, 104, 99);
    assert_int_equal(judged(&counts, 104).trust, TRUST_MEDIUM);
    add(&counts, 104, 1);
    assert_int_equal(judged(&counts, 104).trust, TRUST_HIGH);
}

/* Of 1000 sweeps, in turn all along the run: `most` of them at `value`, `fewer` at `other`, the rest without a knee. */
static struct knee_counts interleaved(size_t value, size_t most, size_t other, size_t fewer)
{
    enum { SWEEPS = 1000, COPRIME = 389 };
    struct knee_counts counts = {0};

    for (size_t i = 0; i < SWEEPS; i++) {
        const size_t rank = i * COPRIME % SWEEPS;
        knee_count(&counts, rank < most ? value : rank < most + fewer ? other : 0);
    }
    return counts;
}

static void expect_share(size_t most, enum trust trust)
{
    const struct knee_counts counts = interleaved(104, most, 0, 0);
    const struct verdict verdict = judged(&counts, 104);

    assert_int_equal(verdict.trust, trust);
    assert_int_equal(verdict.leg, trust == TRUST_HIGH ? LEG_NONE : LEG_PRECISION);
    assert_true(verdict.within_absolute == 1);
}

/* Where a share lies near a bound, so do those of the halves, which may lie beyond it. */
TEST(trust_is_in_the_share_that_agrees)
{
    expect_share(490, TRUST_LOW);
    expect_share(510, TRUST_MEDIUM);
    expect_share(650, TRUST_MEDIUM);
    expect_share(690, TRUST_MEDIUM);
    expect_share(710, TRUST_HIGH);
    assert_int_equal(count_judge(&(struct agreement){.share = 0.5, .least = 0.5}, 100).trust, TRUST_MEDIUM);
    assert_int_equal(count_judge(&(struct agreement){.share = 0.7, .least = 0.7}, 100).trust, TRUST_HIGH);
    assert_int_equal(count_judge(&(struct agreement){.share = NAN, .least = NAN}, 100).trust, TRUST_LOW);
}

/* Another size in the other half of the run is one that a later run may find. */
TEST(the_halves_of_the_run_must_agree)
{
    struct knee_counts counts = {0};

    add(&counts, 192, 500);
    add(&counts, 0, 400);
    add(&counts, 192, 100);
    assert_int_equal(judged(&counts, 192).trust, TRUST_LOW);
    assert_int_equal(judged(&counts, 192).leg, LEG_REPETITION);
    assert_true(knee_agreement(&counts, 192).least == 0.2);
    counts = (struct knee_counts){0};
    add(&counts, 0, 250);
    add(&counts, 192, 750);
    assert_int_equal(judged(&counts, 192).trust, TRUST_MEDIUM);
    assert_int_equal(judged(&counts, 192).leg, LEG_REPETITION);
}

TEST(another_peak_keeps_it_from_high)
{
    struct knee_counts counts = interleaved(192, 850, 174, 100);

    assert_int_equal(judged(&counts, 192).trust, TRUST_MEDIUM);
    assert_int_equal(judged(&counts, 192).leg, LEG_REPETITION);
    assert_int_equal(knee_agreement(&counts, 192).other, 174);
    counts = interleaved(192, 850, 174, 99);
    assert_int_equal(judged(&counts, 192).trust, TRUST_HIGH);
    assert_int_equal(knee_agreement(&counts, 192).other, 0);
}
