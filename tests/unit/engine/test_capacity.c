/* SPDX-License-Identifier: MIT */
/* The verdict on counts that rounds give. */
#include "test.h"

#include "engine/capacity.h"

static void add(struct knee_counts *counts, size_t value, size_t rounds)
{
    for (size_t i = 0; i < rounds; i++)
        knee_count(counts, value);
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
    expect_share(290, TRUST_LOW);
    expect_share(310, TRUST_MEDIUM);
    expect_share(650, TRUST_MEDIUM);
    expect_share(690, TRUST_MEDIUM);
    expect_share(710, TRUST_HIGH);
    assert_int_equal(count_judge(&(struct agreement){.share = 0.3, .least = 0.3}, 100).trust, TRUST_MEDIUM);
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

TEST(the_half_of_a_published_size_may_be_the_whole_of_another)
{
    assert_true(knee_is_half(56, (struct published_size){.entries = 112}));
    assert_false(knee_is_half(57, (struct published_size){.entries = 112}));
    assert_false(knee_is_half(56, (struct published_size){.entries = 112, .threads = 1}));
    assert_false(knee_is_half(0, (struct published_size){.entries = 0}));
}
