/* SPDX-License-Identifier: MIT */
/* Aliases, with the latencies that were measured on Zen 4, silent stores, forwards that are hidden, and which widths are renamed,
 * with the values of Zen 4 and of Golden Cove. */
#include "test.h"

#include "sets.h"

enum { FROM_4K = 6, DISTANCES = 15 };

/* All loads take 5.05 cycles; those at the same offset come first. */
static void begin(void)
{
    sets_begin(&stlf_alias);
    for (int i = 0; i < 2 * DISTANCES; i++)
        sets_add(i / DISTANCES,
                 &(struct stlf_point){.load = (64L << i % DISTANCES) + (i < DISTANCES ? 0 : 32)}, 5.05);
}

static void wait_from_4k(void)
{
    begin();
    for (int i = FROM_4K; i < DISTANCES; i++)
        sets.estimate[i] = sets_steady(9.77);
}

static void check_alias(enum trust trust, const char *remark)
{
    const struct answer *of = sets_answer("stlf.alias");
    assert_true(fabs(cell_number(&of->value) - 4.72) < 1e-9);
    assert_non_null(strstr(of->remark, remark));
    assert_int_equal(of->trust, trust);
}

TEST(aliases_from_a_distance_on_or_at_one)
{
    wait_from_4k();
    check_alias(TRUST_HIGH, "4096 bytes on");
    begin();
    sets.estimate[10] = sets_steady(9.77);
    check_alias(TRUST_HIGH, "at 65536 bytes");
}

/* In another placement the same distance costs something: then nothing is promised of any. */
TEST(a_distance_that_depends_on_the_placement_is_not_trusted)
{
    begin();
    sets.estimate[8].placement_high = 9.73;
    assert_int_equal(sets_answer("stlf.alias")->trust, TRUST_LOW);
    begin();
    for (size_t i = 0; i < sets.part.count; i++)
        sets.estimate[i].placements = STLF_PLACEMENTS_LEAST - 1;
    assert_int_equal(sets_answer("stlf.alias")->trust, TRUST_LOW);
}

/* Of many distances that wait alike, one may be disturbed; two may not. */
TEST(one_disturbed_distance_costs_no_trust)
{
    wait_from_4k();
    sets.estimate[12].value = 14;
    sets.estimate[12].placement_high = 24;
    check_alias(TRUST_HIGH, "4096 bytes on");
    sets.estimate[3].placement_high = 24;
    check_alias(TRUST_LOW, "4096 bytes on");
}

/* An interval that reaches zero makes a wait doubtful; that nothing waits is another answer. */
TEST(a_noisy_wait_is_no_proof_of_none)
{
    wait_from_4k();
    for (int i = FROM_4K; i < DISTANCES; i++)
        sets.estimate[i].low = 4;
    check_alias(TRUST_LOW, "4096 bytes on");
}

/* A wait of a twentieth is one, a shorter one is none. */
TEST(a_twentieth_more_is_a_wait)
{
    for (double more = 1.04; more < 1.07; more += 0.02) {
        begin();
        sets.estimate[10] = sets_steady(more * 5.05);
        const struct answer *of = sets_answer("stlf.alias");
        assert_int_equal(of->remark == NULL, more < 1.05);
    }
}

/* A fifth of a cycle, or a twentieth, is no gain; nor is what a new value costs less. */
TEST(a_new_value_may_cost_more)
{
    static const struct {
        double new, gain;
    } rows[] = {{5.05, 0}, {7.05, 2}, {5.25, 0}, {3, 0}};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        sets_begin(&stlf_silent);
        for (int i = 0; i < 8; i++)
            sets_add(i / 4, &(struct stlf_point){0}, i == 5 ? rows[row].new : 5.05);
        assert_true(fabs(sets_number("stlf.silent_store_gain") - rows[row].gain) < 1e-9);
        assert_int_equal(sets_answer("stlf.silent_store_gain")->trust, TRUST_HIGH);
    }
}

enum { WIDTHS = 2, POINTS = 4 * WIDTHS, ABOVE = 4 };

/* Of each form, each width, at a few pairs and at many. */
static void give_widths(const double value[POINTS])
{
    static const struct kernel kernels_of_test[WIDTHS] = {{.bits = 64, .load_bits = 32},
                                                          {.bits = 64, .load_bits = 64}};
    sets_begin(&stlf_renaming);
    for (int i = 0; i < POINTS; i++)
        sets_add(2 + i / 4,
                 &(struct stlf_point){.kernel = &kernels_of_test[i / 2 % 2],
                                      .pairs = i % 2 ? STLF_UNROLL_MAX : STLF_FEW_PAIRS},
                 value[i]);
}

TEST(widths_are_renamed_at_a_few_pairs)
{
    static const struct {
        double value[POINTS];
        const char *two, *one;
    } rows[] = {{{1.0, 6.87, 1.0, 6.87, 1.0, 1.0, 1.0, 1.0}, "8/4 8/8", "8/4 8/8"}, /* Zen 4 */
                {{0.5, 0.5, 7.3, 7.3, 0.5, 0.5, 7.3, 7.3}, "8/4", "8/4"},           /* Golden Cove */
                {{5, 5, 5, 5, 5, 5, 5, 5}, "", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        give_widths(rows[i].value);
        assert_string_equal(cell_text(&sets_answer("stlf.renamed_two_registers")->value), rows[i].two);
        assert_string_equal(cell_text(&sets_answer("stlf.renamed_same_register")->value), rows[i].one);
        assert_int_equal(sets_answer("stlf.renamed_same_register")->trust, TRUST_HIGH);
    }
    give_widths(rows[0].value);
    sets.estimate[1].second = 1.0;
    assert_int_equal(sets_answer("stlf.renamed_two_registers")->trust, TRUST_LOW);
    assert_int_equal(sets_answer("stlf.renamed_two_registers")->leg, LEG_REPETITION);
    assert_int_equal(sets_answer("stlf.renamed_same_register")->trust, TRUST_HIGH);
}

/* Loads above the store, with one base register and with two. */
static const struct answer *above(const double one[ABOVE], const double two[ABOVE], double second)
{
    sets_begin(&stlf_renaming);
    for (int i = 0; i < 2 * ABOVE; i++)
        sets_add(i / ABOVE, &(struct stlf_point){.load = stlf_renaming.series[0].above[i % ABOVE]},
                 (i < ABOVE ? two : one)[i % ABOVE]);
    sets.estimate[ABOVE + 1].second += second;
    return sets_answer("stlf.false_renaming");
}

TEST(false_renaming_is_named)
{
    static const double one[ABOVE] = {18.3, 18.3, 6.4, 25}, two[ABOVE] = {6.46, 6.46, 6.46, 19}; /* Zen 4 */
    const struct answer *of = above(one, two, 0);
    assert_true(cell_number(&of->value) > 11.8 && cell_number(&of->value) < 11.9);
    assert_int_equal(of->trust, TRUST_HIGH);
    assert_int_equal(above(one, two, -12)->trust, TRUST_LOW);
}

/* More than a cycle, and a quarter. */
TEST(a_cycle_more_is_no_false_renaming)
{
    static const struct {
        double one, two;
        bool is_false;
    } cases[] = {{6.7, 6.5, false}, {8.0, 6.5, false}, {8.3, 6.5, true}, {1.98, 1, false}, {2.03, 1, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double one[ABOVE] = {6.5, cases[i].one, 6.5, 19}, two[ABOVE] = {6.5, cases[i].two, 6.5, 19};
        assert_int_equal(cell_number(&above(one, two, 0)->value) > 0, cases[i].is_false);
    }
}
