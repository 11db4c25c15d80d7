/* SPDX-License-Identifier: MIT */
/* Histograms of knees, on either side of what makes a peak. */
#include "test.h"

#include "uarchprobe/knee.h"

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
    assert_true(knee_agreement(&counts, 192, 0).least < 0.01);
    assert_true(fabs(knee_agreement(&counts, 192, 0).share - 0.5) < 0.001);
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

static struct verdict judged(const struct knee_counts *counts, size_t value, size_t half)
{
    const struct agreement agreement = knee_agreement(counts, value, half);

    return count_judge(&agreement, counts->sweeps);
}

TEST(few_sweeps_are_trusted_less)
{
    struct knee_counts counts = {0};

    add(&counts, 104, 99);
    assert_int_equal(judged(&counts, 104, 0).trust, TRUST_MEDIUM);
    add(&counts, 104, 1);
    assert_int_equal(judged(&counts, 104, 0).trust, TRUST_HIGH);
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
    const struct verdict verdict = judged(&counts, 104, 0);

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
    assert_int_equal(judged(&counts, 192, 0).trust, TRUST_LOW);
    assert_int_equal(judged(&counts, 192, 0).leg, LEG_REPETITION);
    assert_true(knee_agreement(&counts, 192, 0).least == 0.2);
    counts = (struct knee_counts){0};
    add(&counts, 0, 250);
    add(&counts, 192, 750);
    assert_int_equal(judged(&counts, 192, 0).trust, TRUST_MEDIUM);
    assert_int_equal(judged(&counts, 192, 0).leg, LEG_REPETITION);
    counts = (struct knee_counts){0};
    add(&counts, 192, 500);
    add(&counts, 96, 500); /* the sibling woke up */
    assert_int_equal(judged(&counts, 192, 96).trust, TRUST_HIGH);
}

TEST(another_peak_keeps_it_from_high)
{
    struct knee_counts counts = interleaved(192, 850, 174, 100);

    assert_int_equal(judged(&counts, 192, 96).trust, TRUST_MEDIUM);
    assert_int_equal(judged(&counts, 192, 96).leg, LEG_REPETITION);
    assert_int_equal(knee_agreement(&counts, 192, 96).other, 174);
    assert_true(knee_agreement(&counts, 192, 96).other_share == 0.1);
    counts = interleaved(192, 850, 174, 99);
    assert_int_equal(judged(&counts, 192, 96).trust, TRUST_HIGH);
    assert_int_equal(knee_agreement(&counts, 192, 96).other, 0);
    counts = interleaved(192, 750, 96, 200);
    assert_int_equal(judged(&counts, 192, 96).trust, TRUST_HIGH); /* the half is known */
    assert_int_equal(judged(&counts, 192, 0).trust, TRUST_MEDIUM);
}
