/* SPDX-License-Identifier: MIT */
#include "../fixture.h"

TEST(points_lie_by_series_and_x)
{
    struct record *record = record_of(&size_spec);
    for (int i = 14; i >= 10; i--) {
        add_size(record, "far", 1 << i, 2 * i, false);
        add_size(record, "near", 1 << i, i == 10 ? NAN : i, i == 12);
    }
    struct plot *plot = plots_in(record, 1);
    assert_int_equal(plot->kind, PLOT_CURVE);
    assert_string_equal(plot->y.label[0].name, "far");
    assert_string_equal(plot->y.label[1].name, "near");
    assert_int_equal(plot_points(plot, 0), 5);
    assert_int_equal(plot_points(plot, 1), 4);
    for (size_t i = 0; i < 5; i++) {
        const struct plot_cell *near = plot_at(plot, i, 1);
        assert_true(plot->x.label[i].number == 1 << (10 + i));
        assert_true(plot_at(plot, i, 0)->value == 2 * (10 + (int)i));
        assert_int_equal(near->flagged, i == 2);
        if (near->flagged)
            assert_string_equal(plot_flag(plot->table, near->row - 1), "last that fits");
    }
}

/* Only an axis from 0 shows differences true to scale; a logarithmic one has no 0. */
TEST(a_linear_axis_begins_at_nothing)
{
    for (int log = 0; log < 2; log++) {
        struct table_spec spec = size_spec;
        spec.view.log_value = log;
        struct record *record = record_of(&spec);
        add_size(record, "a", 1024, 100, false);
        add_size(record, "a", 4096, 120, false);
        add_size(record, "a", 8192, 0, false);
        add_size(record, "a", 0, 7, false);
        struct plot *plot = plots_in(record, 1);
        assert_int_equal(plot_points(plot, 0), log ? 2 : 3);
        assert_true(plot->value.scale.low == (log ? 100 : 0));
        assert_true(plot->value.scale.high >= 120);
    }
}

TEST(what_cannot_be_drawn_is_text)
{
    struct table_spec list = size_spec, absent = size_spec, hidden = size_spec;
    list.view.kind = VIEW_LIST;
    absent.view.value = 17;
    hidden.view.kind = VIEW_HIDDEN;
    const struct table_spec *const specs[] = {&list, &absent, &size_spec, &hidden};
    for (int i = 0; i < 4; i++) {
        struct record *record = record_of(specs[i]);
        add_size(record, "a", 1024, i == 2 ? NAN : 1, false);
        const struct plot *plot = plots_in(record, i < 3);
        assert_true(i == 3 || plot->kind == PLOT_TEXT);
    }
}

/* Each series holds its own rows only, however many there are. */
TEST(a_row_is_in_the_list_of_its_series)
{
    enum { SERIES = 30000 };
    struct record *record = record_of(&map_spec);
    for (int i = 0; i < 2 * SERIES; i++) {
        char map[16];
        snprintf(map, sizeof(map), "%d", i % SERIES);
        add_cell(record, map, i / SERIES, 1, i, NULL);
    }
    const struct plot *plots = plots_in(record, SERIES);
    assert_string_equal(plots[7].series, "7");
    for (size_t i = 0; i < SERIES; i++) {
        assert_int_equal(plots[i].list_count, 2);
        assert_int_equal(plots[i].list[0], i);
        assert_int_equal(plots[i].list[1], SERIES + i);
    }
}

/* Two rows of one point differ only in their state. */
TEST(the_first_state_of_a_point_is_shown)
{
    struct table_spec of_states = map_spec;
    of_states.view.state = 4;
    of_states.view.class = 0;
    struct record *record = record_of(&of_states);
    add_cell(record, "a", 0, 0, 20, "idle");
    add_cell(record, "a", 0, 0, 90, "busy");
    add_cell(record, "a", 0, 1, 30, "idle");
    const struct plot *plot = plots_in(record, 1);
    assert_int_equal(plot->list_count, 2);
    assert_int_equal(plot_at(plot, 0, 1)->row, 3);
    assert_true(plot_at(plot, 0, 0)->value == 20);
}
