/* SPDX-License-Identifier: MIT */
#include "../fixture.h"

TEST(names_are_bars_while_they_have_room)
{
    for (int sets = 2; sets < 40; sets += 30) {
        struct record *record = record_of(&bar_spec);
        for (int i = 0; i < 3 * sets; i++) {
            char kernel[16], set[16];
            snprintf(kernel, sizeof kernel, "k%d", i / sets);
            snprintf(set, sizeof set, "s%d", i % sets);
            ROW(record, TEXT_CELL(kernel), TEXT_CELL(set), REAL_CELL(i));
        }
        const struct plot *plot = plots_in(record, 1);
        assert_int_equal(plot->kind, sets == 2 ? PLOT_BARS : PLOT_HEAT_MAP);
        assert_int_equal(plot->y.count, 3);
        assert_int_equal(plot->x.count, sets);
        assert_string_equal(plot->x.label[1].name, "s1");
        for (int i = 0; i < 3 * sets; i++) {
            assert_true(plot->cell[i].value == i);
            assert_int_equal(plot->cell[i].best, i >= 2 * sets);
        }
        assert_true(sets != 2 || (plot->value.scale.low == 0 && plot->value.scale.high == 5));
    }
}

/* The table has only the pairs above the diagonal, in an order that is not that of the numbers. */
TEST(cpus_are_on_both_axes_in_order)
{
    struct record *record = record_of(&pair_spec);
    add_pair(record, 2, 10, 30, 0);
    add_pair(record, 0, 10, 20, 2);
    add_pair(record, 0, 2, 10, 0);
    const struct plot *plot = plots_in(record, 1);
    static const char *const names[] = {"0", "2", "10"};
    static const double values[] = {NAN, NAN, NAN, 10, NAN, NAN, 20, 30, NAN};
    assert_int_equal(plot->kind, PLOT_HEAT_MAP);
    assert_int_equal(plot->x.count, 3);
    assert_int_equal(plot->y.count, 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(plot->x.label[i].name, names[i]);
        assert_string_equal(plot->y.label[i].name, names[i]);
    }
    for (int i = 0; i < 9; i++) {
        assert_true(isnan(values[i]) ? isnan(plot->cell[i].value) : plot->cell[i].value == values[i]);
        assert_int_equal(plot->cell[i].flagged, i == 6);
        assert_int_equal(plot->cell[i].class == PLOT_BLANK, isnan(values[i]));
    }
}

/* A CPU with itself is off the scale, and a pair stands below the diagonal alone; values within a tenth, or two
 * steps of the clock, have one tint. */
TEST(pairs_count_once_and_noise_has_one_tint)
{
    static const struct {
        double from_0_to_2, step_ns;
        bool flat;
    } tries[] = {{74, 0, true}, {90, 0, false}, {90, 10, true}};
    for (size_t i = 0; i < COUNT_OF(tries); i++) {
        struct record *record = record_of(&pair_spec);
        FACT(record, "clock.resolution_ns", REAL_CELL(tries[i].step_ns));
        add_pair(record, 0, 0, 2, 0);
        add_pair(record, 0, 1, 70, 0);
        add_pair(record, 0, 2, tries[i].from_0_to_2, 0);
        add_pair(record, 1, 2, 72, 0);
        const struct plot *plot = plots_in(record, 1);
        assert_true(plot->of_cpus);
        assert_int_equal(plot->class_count == 1, tries[i].flat);
        assert_true(plot_at(plot, 0, 0)->aside && !plot_at(plot, 1, 0)->aside);
        assert_true(!plot->both_ways && !plot_at(plot, 0, 1)->row && isnan(plot_at(plot, 0, 1)->value));
        assert_int_equal(plot_at(plot, 2, 0)->class == plot_at(plot, 1, 0)->class, tries[i].flat);
    }
}

/* Each direction has its own number where both were measured, whichever column an older file has for the rows. */
TEST(both_ways_stand_on_both_sides)
{
    struct record *record = record_of(&pair_spec);
    add_pair(record, 0, 1, 70, 0);
    add_pair(record, 1, 0, 80, 0);
    add_pair(record, 2, 1, 90, 0);
    const struct plot *plot = plots_in(record, 1);
    assert_true(plot->both_ways);
    assert_true(plot_at(plot, 0, 1)->value == 70 && plot_at(plot, 1, 0)->value == 80);
    assert_true(plot_at(plot, 2, 1)->value == 90 && isnan(plot_at(plot, 1, 2)->value));
}
