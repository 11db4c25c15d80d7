/* SPDX-License-Identifier: MIT */
#include "output/plot/plot.h"

#include "../fixture.h"

static const struct column columns[] = {
    {"experiment", "experiment", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
    {"size", "size", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    {"cycles", "time", "cycles", CELL_REAL, ROLE_MEASURE, 1},
    {"knee", "last that fits", NULL, CELL_BOOL, ROLE_LABEL, 0},
};

static const struct table_spec sizes = {
    .name = "sizes",
    .title = "Sizes",
    .columns = columns,
    .column_count = 4,
    .view = {.kind = VIEW_CURVE, .x = 1, .y = 2, .value = 2, .series = 0, .flag = 3, .log_x = true}};

static void add(struct record *record, const char *experiment, int64_t size, double cycles, bool knee)
{
    record_row(
        record, 0,
        (struct cell[]){TEXT_CELL(experiment), INTEGER_CELL(size), REAL_CELL(cycles), BOOL_CELL(knee)});
}

static struct record *record_of(const struct table_spec *spec)
{
    struct record *record = record_new();
    record_table_add(record, spec);
    return record;
}

static struct plot *only_plot(const struct record *record)
{
    size_t count;
    struct plot *plot = plots_of(record_table_at(record, 0), &count);
    assert_int_equal(count, 1);
    return plot;
}

TEST(points_lie_by_series_and_x)
{
    struct record *record = record_of(&sizes);
    for (int i = 14; i >= 10; i--) {
        add(record, "far", 1 << i, 2 * i, false);
        add(record, "near", 1 << i, i, i == 12);
    }
    struct plot *plot = only_plot(record);
    assert_int_equal(plot->kind, PLOT_CURVE);
    assert_int_equal(plot->point_count, 10);
    assert_int_equal(plot->line_count, 2);
    assert_string_equal(plot->line[0].name, "far");
    assert_string_equal(plot->line[1].name, "near");
    assert_int_equal(plot->line[1].first, 5);
    assert_int_equal(plot->line[1].count, 5);
    for (size_t i = 0; i < 10; i++) {
        const int power = 10 + (int)(i % 5);
        assert_true(plot->point[i].x == 1 << power);
        assert_true(plot->point[i].y == (i < 5 ? 2 * power : power));
        if (i == 7)
            assert_string_equal(plot->point[i].flag, "last that fits");
        else
            assert_null(plot->point[i].flag);
    }
    plots_free(plot, 1);
    record_free(record);
}

/* Differences are honest only where the axis begins at nothing; a logarithmic one has no nothing. */
TEST(a_linear_axis_begins_at_nothing)
{
    for (int log = 0; log < 2; log++) {
        struct table_spec spec = sizes;
        spec.view.log_value = log;
        struct record *record = record_of(&spec);
        add(record, "a", 1024, 100, false);
        add(record, "a", 4096, 120, false);
        add(record, "a", 8192, 0, false);
        add(record, "a", 0, 7, false);
        struct plot *plot = only_plot(record);
        assert_int_equal(plot->point_count, log ? 2 : 3);
        assert_true(plot->value.scale.low == (log ? 100 : 0));
        assert_true(plot->value.scale.high >= 120);
        plots_free(plot, 1);
        record_free(record);
    }
}

TEST(what_cannot_be_drawn_is_no_plot)
{
    struct table_spec list = sizes, absent = sizes, hidden = sizes;
    list.view.kind = VIEW_LIST;
    absent.view.value = 17;
    hidden.view.kind = VIEW_HIDDEN;
    const struct table_spec *const specs[] = {&list, &absent, &hidden, &sizes};
    for (int i = 0; i < 4; i++) {
        size_t count = 7;
        struct record *record = record_of(specs[i]);
        add(record, "a", 1024, i == 3 ? NAN : 1, false);
        struct plot *plots = plots_of(record_table_at(record, 0), &count);
        assert_int_equal(count, 0);
        plots_free(plots, count);
        record_free(record);
    }
}
