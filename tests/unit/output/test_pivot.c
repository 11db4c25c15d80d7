/* SPDX-License-Identifier: MIT */
#include "output/pivot.h"

#include "fixture.h"

static const struct column columns[] = {
    {"y", "y", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    {"x", "x", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    {"value", "value", NULL, CELL_REAL, ROLE_MEASURE, 1},
    {"noisy", "noisy one", NULL, CELL_BOOL, ROLE_LABEL, 0},
    {"why", "why", NULL, CELL_TEXT, ROLE_LABEL, 0},
};

static const struct table_spec spec = {
    .name = "matrix",
    .columns = columns,
    .column_count = 5,
    .view = {
        .kind = VIEW_MATRIX, .x = 1, .y = 0, .value = 2, .series = -1, .flag = 3, .mark = MARK_COLUMN_MIN}};

static void add(struct record *record, int y, int x, double value, bool noisy, const char *why)
{
    ROW(record, INTEGER_CELL(y), INTEGER_CELL(x), REAL_CELL(value), BOOL_CELL(noisy),
        why ? TEXT_CELL(why) : NO_CELL);
}

static struct record *filled(const struct table_spec *of)
{
    struct record *record = record_of(of);
    add(record, 7, 1, 30, false, "a");
    add(record, 7, 2, 10, true, "b");
    add(record, 5, 2, 20, false, NULL);
    return record;
}

TEST(rows_fall_on_their_cells)
{
    const struct pivot *pivot = pivots_in(filled(&spec), 1);
    assert_int_equal(pivot->row_count, 2);
    assert_int_equal(pivot->column_count, 2);
    assert_int_equal(pivot_at(pivot, 0, 0)->row, 1);
    assert_int_equal(pivot_at(pivot, 0, 1)->row, 2);
    assert_int_equal(pivot_at(pivot, 1, 1)->row, 3);
    assert_null(pivot_at(pivot, 1, 0));
    assert_true(pivot_get(pivot, pivot_at(pivot, 0, 1), 2)->real == 10);
    assert_true(pivot_at(pivot, 0, 1)->flagged && pivot_at(pivot, 0, 1)->best);
    assert_false(pivot_at(pivot, 1, 1)->flagged || pivot_at(pivot, 1, 1)->best);
    assert_true(pivot->flagged && pivot->marked && !pivot->overlaid);
}

/* Rows of one point that differ in nothing but their state. */
TEST(the_first_state_of_a_point_is_shown)
{
    struct table_spec of_states = spec;
    of_states.view.state = 4;
    struct record *record = filled(&of_states);
    add(record, 5, 2, 90, false, "other");
    const struct pivot *pivot = pivots_in(record, 1);
    assert_int_equal(pivot->list_count, 3);
    assert_true(pivot_get(pivot, pivot_at(pivot, 1, 1), 2)->real == 20);
    assert_false(pivot->overlaid);
}

/* Each holds its own rows and no more, however many there are. */
TEST(a_row_is_in_the_list_of_its_series)
{
    enum { SERIES = 30000 };
    struct table_spec many = spec;
    many.view.series = 4;
    struct record *record = record_of(&many);
    for (int i = 0; i < 2 * SERIES; i++) {
        char why[16];
        snprintf(why, sizeof(why), "%d", i % SERIES);
        add(record, i / SERIES, 1, i, false, why);
    }
    const struct pivot *pivots = pivots_in(record, SERIES);
    assert_string_equal(pivots[7].series.text, "7");
    for (size_t i = 0; i < SERIES; i++) {
        assert_int_equal(pivots[i].list_count, 2);
        assert_int_equal(pivots[i].list[0], i);
        assert_int_equal(pivots[i].list[1], SERIES + i);
    }
}
