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

/* One outlier raises the mean of "low" above that of the other class. */
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
    assert_string_equal(plot->class[0].name, "low");
    assert_true(plot->class[0].median == 2 && plot->class[1].median == 10);
    assert_int_equal(plot->class[1].cells, 3);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(plot_at(plot, 0, i)->class, i % 2 ? 0 : 1);
    assert_int_equal(plot_at(plot, 0, 6)->class, PLOT_BLANK);
}

/* Each tenth off the median of the class is a step of lightness, at most two; differences below two steps of the clock make none. */
TEST(a_class_is_lighter_or_darker_by_value)
{
    static const double values[] = {100, 100, 100, 104, 106, 130, 96, 91, 60};
    static const int steps[] = {0, 0, 0, 0, 1, 2, 0, -1, -2};
    for (int clock = 0; clock < 2; clock++) {
        struct table_spec spec = map_spec;
        struct column columns[5];
        memcpy(columns, map_columns, sizeof columns);
        columns[3].unit = "ns";
        spec.columns = columns;
        struct record *record = record_of(&spec);
        FACT(record, "clock.resolution_ns", REAL_CELL(clock ? 10 : 0));
        for (int i = 0; i < 9; i++)
            add(record, "only", i, values[i], "one");
        const struct plot *plot = plots_in(record, 1);
        for (size_t i = 0; i < 9; i++)
            assert_int_equal(plot_at(plot, 0, i)->step, clock && fabs(values[i] - 100) < 20 ? 0 : steps[i]);
        assert_true(color_luminance(plot_color(plot, 0, -1)) > color_luminance(plot_color(plot, 0, 1)));
    }
}

/* Maps without classes share ranges of values. */
TEST(ranges_are_those_of_all_maps)
{
    struct table_spec spec = map_spec;
    spec.view.class = 0;
    struct record *record = record_of(&spec);
    for (int x = 0; x < 6; x++) {
        add(record, "old", x, 20 + 0.1 * x, NULL);
        add(record, "new", x, x ? 20 * x : 20, NULL);
    }
    struct plot *plot = plots_in(record, 2);
    assert_int_equal(plot[0].class_count, 1);
    assert_true(plot[1].class_count >= 4);
    assert_true(same_color(plot_color(&plot[0], 0, 0), plot_color(&plot[1], 0, 0)));
    assert_string_equal(plot[0].class[0].name, plot[1].class[0].name);
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
    for (int i = 0; i < 2; i++)
        assert_true(same_color(plot_color(&plots[0], i + 1, 0), plot_color(&plots[1], i, 0)));
    assert_true(same_color(plot_color(&plots[0], 0, 0), color_at(0)));
}

/* A few far values do not take the colours from all others; too many classes become ranges. */
TEST(outliers_do_not_stretch_the_colors)
{
    struct record *record = record_of(&map_spec);
    for (int i = 0; i < 1000; i++) {
        char class[8];
        snprintf(class, sizeof class, "%d", i % 300);
        add(record, "only", i, i == 500 ? 1e6 : i % 100, class);
    }
    struct plot *plot = plots_in(record, 1);
    const size_t last = plot->class_count - 1;
    assert_in_range(plot->class_count, 6, 12);
    assert_int_equal(plot_at(plot, 0, 500)->class, last);
    assert_int_equal(plot_at(plot, 0, 99)->class, last);
    assert_int_equal(plot_at(plot, 0, 0)->class, 0);
}

/* One of eight CPUs takes a fifth more in each of its pairs; its partners are not named. */
TEST(a_slow_cpu_is_named)
{
    static const struct column columns[] = {{"from", "from CPU", NULL, CELL_CPU, ROLE_PARAMETER, 0},
                                            {"to", "to CPU", NULL, CELL_CPU, ROLE_PARAMETER, 0},
                                            {"ns", "latency", "ns", CELL_REAL, ROLE_MEASURE, 1},
                                            {"distance", "distance", NULL, CELL_TEXT, ROLE_LABEL, 0}};
    static const struct table_spec spec = {
        .name = "cas",
        .columns = columns,
        .column_count = 4,
        .view = {.kind = VIEW_MATRIX, .x = 1, .y = 0, .value = 2, .series = -1, .class = 3}};
    for (int slow = 0; slow < 2; slow++) {
        struct record *record = record_of(&spec);
        for (int from = 0; from < 8; from++)
            for (int to = 0; to < from; to++)
                ROW(record, INTEGER_CELL(from), INTEGER_CELL(to),
                    REAL_CELL((from == 5 || to == 5) && slow ? 60 : 50 + from % 2), TEXT_CELL("one L3"));
        const struct plot *plot = plots_in(record, 1);
        if (slow)
            assert_has(plot->outliers, "CPU 5: + ");
        assert_true(slow || !plot->outliers);
    }
}
