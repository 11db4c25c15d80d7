/* SPDX-License-Identifier: MIT */
/* The verdict on histograms of knees: recorded ones, and ones built after the shares that other machines
 * showed. */
#include "test.h"

#include "engine/capacity.h"

static void add(struct knee_counts *counts, size_t value, size_t sweeps)
{
    for (size_t i = 0; i < sweeps; i++)
        knee_count(counts, value);
}

/* Every value of the range once in a while, as a noisy machine has it. */
static void add_background(struct knee_counts *counts, size_t first, size_t last, size_t sweeps)
{
    for (size_t value = first; value <= last; value++)
        add(counts, value, sweeps);
}

/* Sweeps of a recording; a step that has no factor in common with their number. */
enum { MOST = 100000, STEP = 10007 };

static struct knee_counts load(const char *name)
{
    char path[512], line[256];
    struct knee_counts counts = {0};
    size_t value, sweeps, all = 0, count = 0;
    unsigned short *knee = calloc(MOST, sizeof *knee);
    FILE *file;

    assert_non_null(knee);
    snprintf(path, sizeof path, "%s/sb/%s", TEST_DATA, name);
    file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "%zu %zu", &value, &sweeps) == 2) {
            for (size_t i = 0; i < sweeps && value > 0 && count < MOST; i++)
                knee[count++] = (unsigned short)value;
            all = value == 0 ? sweeps : all;
        }
    fclose(file);
    assert_in_range(all, count, MOST);
    /* The file has them by value; in the run they came mixed. */
    for (size_t i = 0; i < all; i++)
        knee_count(&counts, knee[i * STEP % all]);
    free(knee);
    return counts;
}

/* A published number, where there is one, is that of this very core. */
static struct capacity capacity_of(const struct knee_counts *counts, size_t minimum_knee, size_t published)
{
    return knee_capacity(counts, minimum_knee,
                         (struct published_size){.entries = published, .certain = true});
}

/* Of a size of which nothing leaves room for twice as many. */
static enum trust trust_of(struct capacity capacity)
{
    capacity.opinion = OPINION_AGREES;
    capacity.proved = true;
    return capacity_judge(&capacity).trust;
}

static enum trust trust_of_histogram(const struct knee_counts *counts, size_t minimum_knee, size_t published)
{
    return trust_of(capacity_of(counts, minimum_knee, published));
}

TEST(full)
{
    struct knee_counts counts = {0};
    struct capacity capacity;

    add(&counts, 104, 470);
    add_background(&counts, 60, 75, 1);
    add(&counts, 0, 14);
    capacity = capacity_of(&counts, 104, 104);
    assert_int_equal(capacity.entries, 104);
    assert_int_equal(capacity.state, BUFFER_FULL);
    assert_int_equal(trust_of(capacity), TRUST_HIGH);
    assert_true(capacity.halved_share == 0 && !capacity.half_seen);
}

TEST(recorded_and_halved_now_and_then)
{
    struct knee_counts counts = load("knees-mixed.txt");
    struct capacity capacity = capacity_of(&counts, 112, 0);

    assert_int_equal(capacity.entries, 112);
    assert_int_equal(capacity.state, BUFFER_MIXED);
    assert_true(capacity.half_seen);
    assert_true(capacity.halved_share > 0 && capacity.halved_share < 0.05);
    assert_int_equal(trust_of(capacity), TRUST_HIGH);
}

/* 20,000 sweeps of a Zen 5 guest with a busy neighbour: full in 0.8 %, half in 96 %, any other in 0.1 % at
 * most. */
TEST(full_size_in_one_sweep_of_a_hundred)
{
    struct knee_counts counts = {0};
    struct capacity capacity;

    add(&counts, 104, 160);
    add(&counts, 52, 19200);
    add_background(&counts, 1, 140, 4);
    capacity = capacity_of(&counts, 104, 104);
    assert_int_equal(capacity.entries, 104);
    assert_int_equal(capacity.state, BUFFER_MIXED);
    assert_true(capacity.halved_share > 0.98);
    assert_int_equal(trust_of(capacity), TRUST_HIGH);
}

TEST(halved_throughout)
{
    struct knee_counts counts = {0};
    struct capacity capacity;

    add(&counts, 52, 960);
    add_background(&counts, 60, 99, 1);
    capacity = capacity_of(&counts, 52, 104);
    assert_int_equal(capacity.entries, 52); /* what was measured, never 104 */
    assert_int_equal(capacity.state, BUFFER_HALVED);
    assert_true(capacity.halved_share == 1 && capacity.full == 0);
    capacity = capacity_of(&counts, 52, 0);
    assert_int_equal(capacity.state, BUFFER_FULL);
    assert_false(capacity.half_seen);
}

TEST(odd_sizes_halve_downwards)
{
    struct knee_counts counts = {0};

    add(&counts, 57, 500);
    add(&counts, 28, 100);
    assert_int_equal(capacity_of(&counts, 57, 57).state, BUFFER_MIXED);
    assert_int_equal(capacity_of(&counts, 57, 115).state, BUFFER_HALVED);
}

TEST(noise_is_not_resolved)
{
    struct knee_counts counts = {0};
    struct capacity capacity;

    add_background(&counts, 1, 140, 3);
    add(&counts, 77, 2);
    capacity = capacity_of(&counts, 77, 104);
    assert_int_equal(capacity.state, BUFFER_UNRESOLVED);
    assert_int_equal(capacity.entries, 0);
    assert_true(isnan(capacity.halved_share));
    assert_int_equal(trust_of(capacity), TRUST_LOW);
}

/* As under an emulator, which has no store buffer: a small peak among thousands of sweeps without a knee. */
TEST(an_accident_is_not_resolved)
{
    struct knee_counts counts = {0};

    add(&counts, 251, 9);
    add(&counts, 0, 9991);
    assert_int_equal(knee_largest_peak(&counts), 251);
    assert_int_equal(capacity_of(&counts, 251, 0).state, BUFFER_UNRESOLVED);
}

TEST(an_accident_above_the_size_is_passed_over)
{
    struct knee_counts counts = {0};

    add(&counts, 104, 9000);
    add(&counts, 131, 12);
    assert_int_equal(knee_size(&counts), 104);
    assert_int_equal(capacity_of(&counts, knee_size(&counts), 0).entries, 104);
}

TEST(nothing_is_not_resolved)
{
    struct knee_counts counts = {0};

    assert_int_equal(capacity_of(&counts, 0, 104).state, BUFFER_UNRESOLVED);
    add(&counts, 0, 500);
    assert_int_equal(capacity_of(&counts, 0, 104).state, BUFFER_UNRESOLVED);
}

TEST(smeared_knees_are_not_trusted)
{
    struct knee_counts counts = load("knees-streaming.txt");
    struct capacity capacity = capacity_of(&counts, 112, 112);

    assert_int_equal(trust_of(capacity), TRUST_LOW);
}

TEST(a_minimum_that_disagrees_leaves_it_open)
{
    struct knee_counts counts = {0};

    add(&counts, 104, 500);
    assert_int_equal(capacity_of(&counts, 103, 104).state, BUFFER_UNRESOLVED);
    assert_int_equal(capacity_of(&counts, 0, 104).state, BUFFER_UNRESOLVED);
    assert_int_equal(trust_of_histogram(&counts, 104, 104), TRUST_HIGH);
}

/* The whole size in too few sweeps for a peak, but in enough for a minimum. */
TEST(a_minimum_at_twice_the_peak_is_the_whole)
{
    struct knee_counts counts = {0};

    add(&counts, 32, 990);
    add(&counts, 64, 2);
    const struct capacity capacity = capacity_of(&counts, 64, 64);
    assert_int_equal(capacity.entries, 64);
    assert_int_equal(capacity.state, BUFFER_MIXED);
    assert_true(capacity.by_minimum && capacity.half_seen && capacity.halved == 990);
    assert_int_equal(trust_of(capacity), TRUST_MEDIUM);
}

TEST(what_could_be_a_half_is_trusted_less)
{
    struct knee_counts counts = {0};
    const struct published_size guest = {.entries = 56, .certain = false};
    struct capacity capacity;

    add(&counts, 56, 1000);
    capacity = knee_capacity(&counts, 56, guest);
    capacity.opinion = OPINION_AGREES;
    assert_int_equal(capacity_judge(&capacity).trust, TRUST_MEDIUM);
    assert_int_equal(capacity_judge(&capacity).leg, LEG_PLAUSIBILITY);
    add(&counts, 28, 200);
    capacity = knee_capacity(&counts, 56, guest);
    capacity.opinion = OPINION_AGREES;
    assert_int_equal(capacity_judge(&capacity).trust, TRUST_HIGH);
}

/* Published sizes stand two to one to each other. */
TEST(a_published_number_proves_only_its_own_core)
{
    struct knee_counts counts = {0};

    add(&counts, 56, 1000);
    assert_true(knee_capacity(&counts, 56, (struct published_size){56, true}).proved);
    assert_true(knee_capacity(&counts, 56, (struct published_size){112, true}).proved);
    assert_false(knee_capacity(&counts, 56, (struct published_size){56, false}).proved);
    assert_false(knee_capacity(&counts, 56, (struct published_size){64, true}).proved);
    assert_false(knee_capacity(&counts, 56, (struct published_size){0}).proved);
}

/* Of a core with one thread no sibling halves anything, so a half is another core or no capacity. */
TEST(a_core_of_one_thread_is_never_halved)
{
    const struct published_size alone = {.entries = 48, .certain = true, .threads = 1};
    struct knee_counts counts = {0};

    assert_false(knee_is_half(24, alone));
    assert_true(knee_is_half(24, (struct published_size){.entries = 48}));
    assert_false(knee_is_half(0, (struct published_size){0}));
    add(&counts, 24, 900);
    assert_int_equal(knee_capacity(&counts, 24, alone).state, BUFFER_FULL);
    assert_int_equal(knee_capacity(&counts, 48, alone).state, BUFFER_UNRESOLVED);
    add(&counts, 48, 100);
    assert_int_equal(knee_capacity(&counts, 48, alone).state, BUFFER_FULL);
    assert_false(knee_capacity(&counts, 48, alone).half_seen);
    assert_true(knee_capacity(&counts, 48, alone).agreement.share < 0.2);
}

TEST(a_whole_size_in_few_sweeps_needs_its_half)
{
    struct knee_counts counts = {0};

    add(&counts, 104, 8);
    add(&counts, 52, 900);
    assert_int_equal(trust_of_histogram(&counts, 104, 0), TRUST_HIGH);
    counts = (struct knee_counts){0};
    add(&counts, 104, 7);
    add(&counts, 52, 900);
    assert_int_equal(trust_of_histogram(&counts, 104, 0), TRUST_MEDIUM);
    counts = (struct knee_counts){0};
    add(&counts, 104, 15);
    add(&counts, 0, 30);
    assert_int_equal(trust_of_histogram(&counts, 104, 104), TRUST_LOW);
}

TEST(another_chain_has_a_say)
{
    struct knee_counts counts = {0};

    add(&counts, 64, 1000);
    struct capacity capacity = capacity_of(&counts, 64, 64);
    assert_int_equal(capacity_judge(&capacity).trust, TRUST_MEDIUM);
    capacity.opinion = OPINION_CONTRADICTS;
    assert_int_equal(capacity_judge(&capacity).trust, TRUST_LOW);
}

static enum trust trust_of_sweeps(size_t full)
{
    return trust_of((struct capacity){.state = BUFFER_FULL,
                                      .entries = 104,
                                      .sweeps = 100,
                                      .full = full,
                                      .agreement = {.share = 1, .least = 1}});
}

TEST(a_size_without_its_half_needs_more_sweeps)
{
    assert_int_equal(trust_of_sweeps(20), TRUST_HIGH);
    assert_int_equal(trust_of_sweeps(19), TRUST_LOW);
}

TEST(few_sweeps_are_trusted_less)
{
    struct knee_counts counts = {0};

    add(&counts, 104, 99);
    assert_int_equal(trust_of_histogram(&counts, 104, 104), TRUST_MEDIUM);
    add(&counts, 104, 1);
    assert_int_equal(trust_of_histogram(&counts, 104, 104), TRUST_HIGH);
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

static struct verdict judged(const struct knee_counts *counts, size_t value, size_t half)
{
    const struct agreement agreement = knee_agreement(counts, value, half);

    return count_judge(&agreement, counts->sweeps);
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
    assert_int_equal(capacity_of(&counts, 192, 192).agreement.other, 0);
}
