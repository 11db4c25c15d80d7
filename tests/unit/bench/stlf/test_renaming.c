/* SPDX-License-Identifier: MIT */
/* Which widths are renamed, with the values that were measured on Zen 4 and on Golden Cove. */
#include "test.h"

#include "sets.h"

enum { WIDTHS = 2, POINTS = 4 * WIDTHS, ABOVE = 4 };

/* Of each form, each width, at a few pairs and at many. */
static void give_widths(const double value[POINTS])
{
    static const struct kernel kernels_of_test[WIDTHS] = {{.bits = 64, .load_bits = 32},
                                                          {.bits = 64, .load_bits = 64}};
    sets_begin();
    for (int i = 0; i < POINTS; i++)
        sets_add(&(struct stlf_point){.kernel = &kernels_of_test[i / 2 % 2],
                                      .pairs = i % 2 ? STLF_UNROLL_MAX : STLF_FEW_PAIRS,
                                      .series = stlf_renaming.series[i / 4].name},
                 value[i]);
}

static const struct answer *answer(const char *key)
{
    return sets_answer(stlf_renaming.report, key);
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
        assert_string_equal(cell_text(&answer("stlf.renamed_two_registers")->value), rows[i].two);
        assert_string_equal(cell_text(&answer("stlf.renamed_same_register")->value), rows[i].one);
        assert_int_equal(answer("stlf.renamed_same_register")->trust, TRUST_HIGH);
    }
    give_widths(rows[0].value);
    sets.estimate[1].second = 1.0;
    assert_int_equal(answer("stlf.renamed_two_registers")->trust, TRUST_LOW);
    assert_int_equal(answer("stlf.renamed_two_registers")->leg, LEG_REPETITION);
    assert_int_equal(answer("stlf.renamed_same_register")->trust, TRUST_HIGH);
}

/* Loads above the store, with one base register and with two. */
static const struct answer *above(const double one[ABOVE], const double two[ABOVE], double second)
{
    static const struct kernel displaced[ABOVE] = {{.gap = 1}, {.gap = 2}, {.gap = 4}, {.gap = 6}};
    sets_begin();
    for (int i = 0; i < 2 * ABOVE; i++)
        sets_add(&(struct stlf_point){.kernel = &displaced[i % ABOVE],
                                      .load = displaced[i % ABOVE].gap,
                                      .series = stlf_renaming.series[2 + i / ABOVE].name},
                 (i < ABOVE ? one : two)[i % ABOVE]);
    sets.estimate[1].second += second;
    return answer("stlf.false_renaming");
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
