/* SPDX-License-Identifier: MIT */
#include "../fixture.h"

static void add(struct record *record, const char *map, int x, double value, const char *class)
{
    add_cell(record, map, 0, x, value, class);
}

static bool same_color(struct rgb a, struct rgb b)
{
    return a.red == b.red && a.green == b.green && a.blue == b.blue;
}

/* One value far out makes the mean of "low" the higher one. */
TEST(classes_rank_by_median)
{
    struct record *record = record_of(&map_spec);
    const double low[] = {1, 2, 1000}, high[] = {9, 10, 11};
    for (int i = 0; i < 3; i++) {
        add(record, "only", 2 * i, high[i], "high");
        add(record, "only", 2 * i + 1, low[i], "low");
    }
    add(record, "only", 6, 5, NULL);
    struct plot *plot = plots_in(record, 1);
    assert_int_equal(plot->class_count, 2);
    assert_int_equal(plot_shades(plot), 2);
    assert_string_equal(plot->class[0].name, "low");
    assert_true(plot->class[0].median == 2 && plot->class[1].median == 10);
    assert_int_equal(plot->class[1].cells, 3);
    assert_int_equal(plot->measured, 7);
    assert_int_equal(plot->shaded, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(plot_at(plot, 0, i)->shade, i % 2 ? 0 : 1);
    assert_int_equal(plot_at(plot, 0, 6)->shade, PLOT_BLANK);
}

/* Side by side, equal values have one shade, however little the map of one machine varies. */
TEST(maps_of_several_machines_have_one_scale)
{
    struct table_spec aside = map_spec;
    aside.view.aside = true;
    aside.view.class = 0;
    struct record *record = record_of(&aside);
    for (int x = 0; x < 6; x++) {
        add(record, "old", x, 20 + 0.1 * x, NULL);
        add(record, "new", x, x ? 20 * x : 20, NULL);
    }
    struct plot *plot = plots_in(record, 2);
    assert_false(plot[0].flat || plot[1].flat);
    assert_int_equal(plot_at(&plot[0], 0, 0)->shade, plot_at(&plot[1], 0, 0)->shade);
    assert_true(plot_at(&plot[0], 0, 5)->shade < plot_at(&plot[1], 0, 5)->shade);
}

/* "middle" is the first class of the second map, and keeps the colour that it has in the first. */
TEST(a_class_has_one_color_in_all_maps)
{
    struct record *record = record_of(&map_spec);
    add(record, "first", 0, 9, "slow");
    add(record, "first", 1, 5, "middle");
    add(record, "first", 2, 1, "fast");
    add(record, "second", 0, 20, "slow");
    add(record, "second", 1, 6, "middle");
    struct plot *plots = plots_in(record, 2);
    assert_int_equal(plots[1].class_count, 2);
    assert_string_equal(plots[1].class[0].name, "middle");
    assert_true(plots[1].class[0].median == 6);
    for (size_t i = 0; i < 2; i++)
        assert_true(same_color(plot_color(&plots[0], (int)i + 1), plot_color(&plots[1], (int)i)));
    assert_true(same_color(plot_color(&plots[0], 0), color_at(0)));
    assert_true(same_color(plot_color(&plots[0], 2), color_at(1)));
}

/* A few cells far out do not take the colours from all others. */
TEST(outliers_do_not_stretch_the_colors)
{
    struct table_spec plain = map_spec;
    plain.view.class = 0;
    struct record *record = record_of(&plain);
    for (int i = 0; i < 1000; i++)
        add(record, "only", i, i == 500 ? 1e6 : i % 100, NULL);
    struct plot *plot = plots_in(record, 1);
    assert_true(plot->most == 1e6);
    assert_true(plot->value.scale.high < 200);
    assert_int_equal(plot_at(plot, 0, 500)->shade, PLOT_STEPS - 1);
    assert_true(plot_at(plot, 0, 99)->shade > PLOT_STEPS / 2);
}
