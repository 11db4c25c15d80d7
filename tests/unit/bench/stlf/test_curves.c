/* SPDX-License-Identifier: MIT */
/* Curves over pairs, each state by itself: with the knees and the ramp that were measured on Zen 4 (L1 4.0, contained 6.46, renamed
 * up to 24 pairs next to an idle sibling and up to 12 next to a busy one), and those of Zen 5. */
#include "test.h"

#include "sets.h"

enum { FAST_ADDRESS, FAST_DATA, NO_REUSE, ROWS, PAIRS = STLF_UNROLL_MAX };

static const struct kernel kernels_of_rows[] = {
    {.operation = OPERATION_FORWARD_FA, .sled = {.units = PAIRS}},
    {.operation = OPERATION_FORWARD_FD_POINTER, .sled = {.units = PAIRS}},
    {.operation = OPERATION_FORWARD_FD_POINTER_APART, .sled = {.units = PAIRS}}};

static double zen4(unsigned pairs, unsigned renamed)
{
    static const double beyond[] = {2.58, 4.10, 6.33};
    if (pairs <= renamed)
        return 0.996;
    return pairs <= renamed + 3 ? beyond[pairs - renamed - 1] : 6.4 + 0.5 * fmin(pairs - 27, 24) / 24;
}

/* All but the chain by fast address is one level. */
static void begin(void)
{
    sets_begin(&stlf_chains);
    for (int row = 0; row < ROWS; row++)
        for (unsigned pairs = 1; pairs <= PAIRS; pairs++)
            sets_add(row, &(struct stlf_point){.kernel = &kernels_of_rows[row], .pairs = pairs},
                     row == FAST_ADDRESS ? zen4(pairs, 24) : 1);
}

TEST(renamed_and_forwarded_are_two_answers)
{
    begin();
    assert_true(fabs(sets_number("stlf.renamed") - 0.996) < 1e-9);
    assert_int_equal(sets_answer("stlf.renamed")->trust, TRUST_HIGH);
    assert_int_equal(sets_number("stlf.renamed_pairs"), 24);
    assert_int_equal(sets_answer("stlf.renamed_pairs")->trust, TRUST_HIGH);
    assert_true(sets_answer("stlf.renamed_pairs")->within_absolute == 1);
    assert_true(sets_number("stlf.fast_address") > 6.8);
}

TEST(renamed_may_be_all_pairs_or_none_or_half_next_to_a_busy_sibling)
{
    begin();
    assert_int_equal(sets_number("stlf.fast_data.renamed_pairs"), PAIRS);
    assert_null(sets_answer("stlf.fast_data"));
    for (int i = 0; i < PAIRS; i++)
        sets_at(FAST_ADDRESS)[i].unproved = true;
    assert_int_equal(sets_answer("stlf.renamed_pairs")->trust, TRUST_MEDIUM);
    for (int i = 0; i < PAIRS; i++)
        sets_at(FAST_ADDRESS)[i] = sets_steady(5);
    assert_null(sets_answer("stlf.renamed"));
    assert_int_equal(sets_number("stlf.renamed_pairs"), 0);
    assert_true(fabs(sets_number("stlf.fast_address") - 5) < 1e-9);
}

/* The source's first table: each chain at one pair and at the most, also where all are renamed. */
TEST(chains_have_a_cell_at_one_pair_and_at_the_most)
{
    static const struct {
        const char *key, *sheet_cell;
        double value;
    } rows[] = {{"stlf.fast_address.one_pair", "/1_pair", 0.996},
                {"stlf.fast_address", "/64_pairs", 6.9},
                {"stlf.fast_data.one_pair", "/1_pair", 1.1},
                {"stlf.fast_data.all_renamed", "/64_pairs", 1},
                {"stlf.fast_data_no_reuse.one_pair", "/1_pair", 1},
                {"stlf.fast_data_no_reuse.all_renamed", "/64_pairs", 1}};
    begin();
    sets_at(FAST_DATA)[0] = sets_steady(1.1);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct answer *answer = sets_answer(rows[i].key);
        if (!answer)
            fail_msg("no %s", rows[i].key);
        assert_float_equal(cell_number(&answer->value), rows[i].value, 1e-6);
        assert_true(strncmp(answer->sheet_cell, "chains/", 7) == 0);
        assert_has(answer->sheet_cell, rows[i].sheet_cell);
        /* 99 values of 8 copies of one executable, and of three builds, had 1.02 to 1.10 cycles at one
         * pair. */
        assert_true(answer->trust == TRUST_HIGH || !strstr(rows[i].key, "one_pair"));
    }
}

/* Another build may find it elsewhere. */
TEST(what_a_flush_costs_is_never_high)
{
    begin();
    for (int i = 0; i < PAIRS; i++)
        sets_at(FAST_DATA)[i] = sets_at(FAST_ADDRESS)[i] = sets_steady(33);
    assert_int_equal(sets_answer("stlf.fast_data")->trust, TRUST_MEDIUM);
    assert_int_equal(sets_answer("stlf.fast_data.one_pair")->trust, TRUST_MEDIUM);
    assert_int_equal(sets_answer("stlf.fast_data.renamed_pairs")->trust, TRUST_MEDIUM);
    assert_int_equal(sets_answer("stlf.fast_address")->trust, TRUST_HIGH);
}

/* Which loads a predictor misses depends on where the code lies, so another copy of the program has other values.
 * The tenth of the rule lies between the two slopes. */
TEST(pairs_that_differ_with_their_number_are_low)
{
    for (double across = 0.11; across < 0.15; across += 0.03) {
        begin();
        for (int i = 24; i < PAIRS; i++)
            sets_at(NO_REUSE)[i] = sets_steady(15 * (1 + across * (i - 44) / 39));
        assert_int_equal(sets_answer("stlf.fast_data_no_reuse")->trust,
                         across < 0.12 ? TRUST_MEDIUM : TRUST_LOW);
    }
}

/* Two points beyond what is renamed take so much more in the second half of the run: a quarter is the height of a knee. */
TEST(a_knee_that_moves_costs_trust)
{
    for (double more = 1.55; more < 1.7; more += 0.1) {
        begin();
        for (int i = 27; i < PAIRS; i++)
            sets_at(FAST_ADDRESS)[i] = sets_steady(6.4);
        sets_at(FAST_ADDRESS)[40].second += more;
        sets_at(FAST_ADDRESS)[41].second += more;
        assert_int_equal(sets_answer("stlf.fast_address")->trust, more < 1.6 ? TRUST_HIGH : TRUST_MEDIUM);
    }
}

/* Each state has samples and trust of its own; "flush, 37 cycles a pair at any number of pairs" came of a few busy samples. */
TEST(a_second_state_is_told_where_it_is_trusted)
{
    for (int visits = 7; visits <= 8; visits++) {
        begin();
        sets_are(STATE_ACTIVE);
        sets.part.is_second = true;
        for (int i = 0; i < PAIRS; i++) {
            sets_at(FAST_ADDRESS)[i] = sets_steady(zen4((unsigned)i + 1, 12));
            sets_at(FAST_ADDRESS)[i].visits = (size_t)visits;
            sets_at(FAST_ADDRESS)[i].summary.count = 77;
        }
        const struct answer *pairs = sets_answer("stlf.renamed_pairs");
        assert_int_equal(pairs != NULL, visits == 8);
        assert_true(!pairs || (pairs->value.integer == 12 && pairs->samples == 77 && answer_is_busy(pairs)));
    }
}

/* Of the halves of a run: a pair apart is the promise, a tenth apart is medium, more is low. */
TEST(the_end_of_what_is_renamed_must_repeat)
{
    static const struct {
        unsigned second;
        enum trust trust;
    } cases[] = {{24, TRUST_HIGH}, {25, TRUST_HIGH}, {26, TRUST_MEDIUM}, {27, TRUST_LOW}, {0, TRUST_LOW}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        for (unsigned at = 0; at < PAIRS; at++)
            sets_at(FAST_ADDRESS)[at].second = cases[i].second ? zen4(at + 1, cases[i].second) : 6.4;
        assert_int_equal(sets_answer("stlf.renamed_pairs")->trust, cases[i].trust);
        assert_true(sets_answer("stlf.fast_address")->trust <= cases[i].trust);
    }
}

/* One value per number of pairs; the last is of Zen 3 next to a busy sibling, where single points hid the knee. */
static double zen5_same(int u)
{
    return u == 1 ? 1.02 : u <= 40 ? 0.5 : u == 41 ? 3.6 : u == 42 ? 6.1 : 7.0;
}

static double zen5_cliff(int u)
{
    return u == 1 ? 1.03 : u <= 15 ? 0.51 : 32 + 3.6 * (u - 16) / 48;
}

static double zen5_two(int u)
{
    return u <= 25 ? 0.51 : u < 32 ? 0.51 + 6.0 * (u - 25) / 7 : u <= 56 ? 6.6 : 9.7 + 4.7 * (u - 57) / 7;
}

static double spikes(int u)
{
    return u == 27 ? 64.7 : u == 56 ? 545.3 : u == 1 ? 2.2 : u <= 10 ? 1.25 : u == 11 ? 15.4 : 33.5;
}

static double noisy(int u)
{
    return u == 1 ? 1.1 : 0.5 + (double)((uint32_t)u * 2654435761u >> 24) / 2560;
}

TEST(knees_are_found_where_they_are)
{
    static const struct {
        double (*shape)(int u);
        int least, most, beyond; /* pairs that are renamed; the first of the level beyond, 0: there is none */
    } rows[] = {{zen5_same, 39, 41, 42},
                {zen5_cliff, 15, 15, 16},
                {zen5_two, 24, 27, 32},
                {spikes, 10, 10, 11},
                {noisy, PAIRS, PAIRS, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        for (int u = 1; u <= PAIRS; u++)
            sets_at(FAST_ADDRESS)[u - 1] = sets_steady(rows[i].shape(u) + 0.01 * (u % 3 - 1));
        assert_in_range(sets_number("stlf.renamed_pairs"), rows[i].least, rows[i].most);
        const struct answer *beyond = sets_answer("stlf.fast_address");
        assert_int_equal(beyond != NULL, rows[i].beyond > 0);
        const char *from = beyond ? strstr(beyond->remark, " from ") : NULL;
        assert_true(!from || abs(atoi(from + 6) - rows[i].beyond) <= 1);
    }
}
