/* SPDX-License-Identifier: MIT */
#include "../fixture.h"
#include "output/plot/plot.h"

enum { C_MAP, C_Y, C_X, C_VALUE, C_CLASS, COUNT };

static const struct column columns[COUNT] = {
    [C_MAP] = {"map", "map", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
    [C_Y] = {"y", "y", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [C_X] = {"x", "x", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [C_VALUE] = {"value", "value", "cycles", CELL_REAL, ROLE_MEASURE, 1},
    [C_CLASS] = {"class", "class", NULL, CELL_CLASS, ROLE_LABEL, 0},
};

static const struct table_spec spec = {
    .name = "map",
    .columns = columns,
    .column_count = COUNT,
    .view = {.kind = VIEW_MATRIX, .x = C_X, .y = C_Y, .value = C_VALUE, .series = C_MAP, .class = C_CLASS}};

static void add(struct record *record, const char *map, int x, double value, const char *class)
{
    record_row(record, 0,
               (struct cell[COUNT]){TEXT_CELL(map), INTEGER_CELL(0), INTEGER_CELL(x), REAL_CELL(value),
                                    class ? TEXT_CELL(class) : NO_CELL});
}

static bool same_color(struct rgb a, struct rgb b)
{
    return a.red == b.red && a.green == b.green && a.blue == b.blue;
}

/* One value far out makes the mean of "low" the higher one. */
TEST(classes_rank_by_median)
{
    size_t count;
    struct record *record = record_new();
    record_table_add(record, &spec);
    const double low[] = {1, 2, 1000}, high[] = {9, 10, 11};
    for (int i = 0; i < 3; i++) {
        add(record, "only", 2 * i, high[i], "high");
        add(record, "only", 2 * i + 1, low[i], "low");
    }
    add(record, "only", 6, 5, NULL);
    struct plot *plot = plots_of(record_table_at(record, 0), &count);
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
    plots_free(plot, count);
    record_free(record);
}

/* Side by side, equal values have one shade, however little the map of one machine varies. */
TEST(maps_of_several_machines_have_one_scale)
{
    size_t count;
    struct table_spec aside = spec;
    struct record *record = record_new();
    aside.view.aside = true;
    aside.view.class = 0;
    record_table_add(record, &aside);
    for (int x = 0; x < 6; x++) {
        add(record, "old", x, 20 + 0.1 * x, NULL);
        add(record, "new", x, x ? 20 * x : 20, NULL);
    }
    struct plot *plot = plots_of(record_table_at(record, 0), &count);
    assert_int_equal(count, 2);
    assert_false(plot[0].flat || plot[1].flat);
    assert_int_equal(plot_at(&plot[0], 0, 0)->shade, plot_at(&plot[1], 0, 0)->shade);
    assert_true(plot_at(&plot[0], 0, 5)->shade < plot_at(&plot[1], 0, 5)->shade);
    plots_free(plot, count);
    record_free(record);
}

/* "middle" is the first class of the second map, and keeps the colour that it has in the first. */
TEST(a_class_has_one_color_in_all_maps)
{
    size_t count;
    struct record *record = record_new();
    record_table_add(record, &spec);
    add(record, "first", 0, 9, "slow");
    add(record, "first", 1, 5, "middle");
    add(record, "first", 2, 1, "fast");
    add(record, "second", 0, 20, "slow");
    add(record, "second", 1, 6, "middle");
    struct plot *plots = plots_of(record_table_at(record, 0), &count);
    assert_int_equal(count, 2);
    assert_int_equal(plots[1].class_count, 2);
    assert_string_equal(plots[1].class[0].name, "middle");
    assert_true(plots[1].class[0].median == 6);
    for (size_t i = 0; i < 2; i++)
        assert_true(same_color(plot_color(&plots[0], (int)i + 1), plot_color(&plots[1], (int)i)));
    assert_true(same_color(plot_color(&plots[0], 0), color_at(0)));
    assert_true(same_color(plot_color(&plots[0], 2), color_at(1)));
    plots_free(plots, count);
    record_free(record);
}

/* A few cells far out do not take the colours from all others. */
TEST(outliers_do_not_stretch_the_colors)
{
    struct table_spec plain = spec;
    size_t count;
    struct record *record = record_new();
    plain.view.class = 0;
    record_table_add(record, &plain);
    for (int i = 0; i < 1000; i++)
        add(record, "only", i, i == 500 ? 1e6 : i % 100, NULL);
    struct plot *plot = plots_of(record_table_at(record, 0), &count);
    assert_true(plot->most == 1e6);
    assert_true(plot->value.scale.high < 200);
    assert_int_equal(plot_at(plot, 0, 500)->shade, PLOT_STEPS - 1);
    assert_true(plot_at(plot, 0, 99)->shade > PLOT_STEPS / 2);
    plots_free(plot, count);
    record_free(record);
}
