/* SPDX-License-Identifier: MIT */
/* Loads that cost more than others, and which widths are renamed, with the values of Zen 4 and of Golden Cove. */
#include "test.h"

#include "sets.h"

enum { DISTANCES = 15, FROM_4K = 6 };

/* Both series take so many cycles, 64 bytes from the store and further on. Returns the estimates of those that may cost more. */
static struct estimate *begin(const struct stlf_sweep *sweep, double cycles)
{
    sets_begin(sweep);
    for (int i = 0; i < 2 * DISTANCES; i++)
        sets_add(i / DISTANCES, &(struct stlf_point){.load = 64L << i % DISTANCES}, cycles);
    return sets_at(strcmp(sweep->series[0].name, sweep->extra.series) != 0);
}

/* More than a twentieth; a cycle and a quarter, of what is renamed falsely; a fifth of a cycle at least, of values. */
TEST(a_cost_begins_at_its_limit)
{
    static const struct {
        const struct stlf_sweep *sweep;
        double base, dear, cost;
    } rows[] = {
        {&stlf_alias, 5, 5.2, 0},        {&stlf_alias, 5, 5.3, 0.3},    {&stlf_renaming, 6.5, 8, 0},
        {&stlf_renaming, 6.5, 8.3, 1.8}, {&stlf_renaming, 1, 1.98, 0},  {&stlf_renaming, 1, 2.03, 1.03},
        {&stlf_silent, 2, 2.18, 0},      {&stlf_silent, 2, 2.22, 0.22}, {&stlf_silent, 2, 1, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(rows[i].sweep, rows[i].base)[2] = sets_steady(rows[i].dear);
        const struct answer *of = sets_answer(rows[i].sweep->extra.key);
        assert_true(fabs(cell_number(&of->value) - rows[i].cost) < 1e-9);
        assert_int_equal(of->remark != NULL, rows[i].cost > 0);
        /* What ends in a flush repeats in one run, and costs more or less in the next. */
        const bool has_flush = rows[i].sweep == &stlf_renaming && rows[i].cost > 0;
        assert_int_equal(of->trust, has_flush ? TRUST_MEDIUM : TRUST_HIGH);
    }
}

/* Loads of Zen 4, of which some wait, and one is disturbed. Among many that wait alike that costs nothing; one that waits at some
 * placements alone leaves no trust, nor does an interval that reaches those that do not wait. */
TEST(each_load_must_be_on_its_side)
{
    static const struct {
        int from, to, disturbed;
        double value, low, placement_high; /* of the disturbed one; 0: as they are */
        unsigned placements;
        enum trust trust;
        const char *remark;
    } rows[] = {{FROM_4K, 14, 0, 0, 0, 0, 12, TRUST_HIGH, "from 4096 bytes on"},
                {10, 10, 0, 0, 0, 0, 12, TRUST_HIGH, "at 65536 bytes"},
                {14, 14, 0, 0, 0, 0, 12, TRUST_HIGH, "at 1048576 bytes"},
                {FROM_4K, 14, 12, 14, 0, 24, 12, TRUST_HIGH, "from 4096 bytes on"},
                {FROM_4K, 14, 3, 0, 0, 24, 12, TRUST_LOW, "from 4096 bytes on"},
                {FROM_4K, 14, 12, 0, 5, 0, 12, TRUST_MEDIUM, "from 4096 bytes on"},
                {15, 14, 8, 0, 0, 9.73, 12, TRUST_LOW, NULL},
                {15, 14, 8, 0, 0, 0, STLF_PLACEMENTS_LEAST, TRUST_HIGH, NULL},
                {15, 14, 8, 0, 0, 0, STLF_PLACEMENTS_LEAST - 1, TRUST_LOW, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct estimate *same = begin(&stlf_alias, 5.05), *one = &same[rows[i].disturbed];
        for (int at = rows[i].from; at <= rows[i].to; at++)
            same[at] = sets_steady(9.77);
        one->value = rows[i].value > 0 ? rows[i].value : one->value;
        one->low = rows[i].low > 0 ? rows[i].low : one->low;
        one->placement_high = fmax(one->placement_high, rows[i].placement_high);
        one->placements = rows[i].placements;
        const struct answer *of = sets_answer("stlf.alias");
        assert_true(fabs(cell_number(&of->value) - (rows[i].remark ? 4.72 : 0)) < 1e-9);
        assert_int_equal(of->trust, rows[i].trust);
        assert_true(of->remark ? strcmp(of->remark, rows[i].remark) == 0 : !rows[i].remark);
    }
}

enum { WIDTHS = 2, POINTS = 4 * WIDTHS };

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
    assert_int_equal(sets_answer("stlf.renamed_two_registers")->limited_by, LIMITED_BY_REPETITION);
    assert_int_equal(sets_answer("stlf.renamed_same_register")->trust, TRUST_HIGH);
}

/* Cycles of a pair with 0, 4, 8 and 16 more loads: next to a failed forward, next to a forward, and the loads alone. */
TEST(loads_next_to_one_that_waits)
{
    static const struct kernel with[] = {{.gap = 0}, {.gap = 4}, {.gap = 8}, {.gap = 16}};
    static const char *const keys[] = {"stlf.loads_next_to_failed", "stlf.loads_next_to_forward"};
    static const struct {
        double value[3][4];
        double on_top[2]; /* NaN: no answer */
        long loads[2];    /* in the remark */
    } rows[] = {
        /* Zen 3: a third of the time of 16 loads, none of 8; a forward without loads has a rhythm of its own */
        {{{18, 18, 19, 20}, {6.6, 6.01, 6.05, 7.66}, {0.7, 2, 3.38, 6}}, {2, 0.04}, {16, 8}},
        {{{18, 20, 21.4, 24}, {6, 8, 9.4, 12}, {0.7, 2, 3.38, 6}}, {6, 3.4}, {16, 8}}, /* all held up */
        {{{18, 18, 18, 18}, {6, 6, 6, 6.8}, {0.7, 1.7, 3, 4.5}}, {0, 0.8}, {16, 16}},  /* at three quarters */
        {{{18, 18, 18, 18}, {6, 6, 6, 6.8}, {0.7, 1.7, 3, 4.51}}, {0, 0}, {16, 8}},    /* and beyond */
        {{{18, 18, 18, 18}, {1, 2, 3.4, 6}, {0.7, 2, 3.4, 6}}, {0, NAN}, {16}},        /* renamed: no wait */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        sets_begin(&stlf_waits);
        for (int k = 0; k < 12; k++)
            sets_add(k / 4, &(struct stlf_point){.kernel = &with[k % 4]}, rows[i].value[k / 4][k % 4]);
        for (int k = 0; k < 2; k++) {
            const struct answer *of = sets_answer(keys[k]);
            assert_int_equal(of != NULL, !isnan(rows[i].on_top[k]));
            if (!of)
                continue;
            assert_true(fabs(cell_number(&of->value) - rows[i].on_top[k]) < 1e-9);
            assert_int_equal(strtol(of->remark, NULL, 10), rows[i].loads[k]);
            assert_int_equal(of->trust, TRUST_HIGH);
        }
    }
}
