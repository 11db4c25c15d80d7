/* SPDX-License-Identifier: MIT */
#include "output/view.h"

#include "fixture.h"

static struct grid *grids_of(struct record *record, size_t *count)
{
    return view_grids(record_table_at(record, 0), count);
}

TEST(matrix_is_scaled_and_marked)
{
    size_t count;
    struct record *record = record_new();
    add_matrix(record);
    struct grid *grid = grids_of(record, &count);
    assert_int_equal(count, 1);
    assert_int_equal(grid->row_count, 2);
    assert_int_equal(grid->column_count, 4);
    assert_string_equal(grid->column[0].heading, "kernel");
    assert_string_equal(grid->column[1].heading, "16 KiB");
    assert_string_equal(grid->column[3].heading, "16 GiB");
    assert_string_equal(grid_at(grid, 0, 0)->text, "scalar64");
    assert_string_equal(grid_at(grid, 0, 1)->text, "3.0");
    assert_string_equal(grid_at(grid, 1, 1)->text, "6.0");
    assert_false(grid_at(grid, 0, 1)->best);
    assert_true(grid_at(grid, 1, 1)->best);
    assert_false(grid->overlaid);
    assert_null(grid->caption); /* the table has a title */
    grids_free(grid, count);
    record_free(record);
}

TEST(smallest_is_marked_and_ties_are)
{
    struct table_spec spec = matrix_spec;
    spec.view.mark = MARK_COLUMN_MIN;
    size_t count;
    struct record *record = record_new();
    size_t table = record_table_add(record, &spec);
    for (int i = 0; i < 4; i++) {
        char kernel[2] = {(char)('a' + i), 0};
        const struct cell row[] = {INTEGER_CELL(1), TEXT_CELL(kernel), INTEGER_CELL(1),
                                   i == 3 ? REAL_CELL(NAN) : REAL_CELL(i == 0 ? 9 : 8), NO_CELL};
        record_row(record, table, row);
    }
    struct grid *grid = grids_of(record, &count);
    assert_false(grid_at(grid, 0, 1)->best);
    assert_true(grid_at(grid, 1, 1)->best);
    assert_true(grid_at(grid, 2, 1)->best);
    assert_false(grid_at(grid, 3, 1)->best);
    assert_string_equal(grid_at(grid, 3, 1)->text, "-");
    grids_free(grid, count);
    record_free(record);
}

TEST(one_matrix_per_series)
{
    struct table_spec spec = matrix_spec;
    spec.view.series = 2;
    size_t count;
    struct record *record = record_new();
    record_table_add(record, &spec);
    for (int threads = 1; threads <= 2; threads++)
        record_row(record, 0,
                   (const struct cell[]){INTEGER_CELL(1), TEXT_CELL("a"), INTEGER_CELL(threads),
                                         REAL_CELL(1.5 * threads * (1 << 30)), NO_CELL});
    struct grid *grids = grids_of(record, &count);
    assert_int_equal(count, 2);
    assert_string_equal(grids[0].caption, "1");
    assert_string_equal(grids[1].caption, "2");
    assert_string_equal(grid_at(&grids[0], 0, 1)->text, "1.5");
    assert_string_equal(grid_at(&grids[1], 0, 1)->text, "3.0");
    grids_free(grids, count);
    record_free(record);
}

/* Of the states of a point the first is drawn, whichever it is. */
TEST(one_state_of_each_point_is_drawn)
{
    static const struct column columns[] = {
        {"kernel", "kernel", NULL, CELL_KERNEL, ROLE_PARAMETER, 0},
        {"size", "size", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
        {"state", "state", NULL, CELL_CLASS, ROLE_PARAMETER, 0, state_names},
        {"time", "time", "ns", CELL_SUMMARY, ROLE_MEASURE, 1}};
    static const struct table_spec spec = {
        .name = "states",
        .columns = columns,
        .column_count = 4,
        .view = {.kind = VIEW_MATRIX, .x = 1, .y = 0, .value = 3, .series = -1, .state = 2}};
    static const struct {
        const char *kernel;
        int64_t size;
        enum state state;
        double median;
    } rows[] = {{"a", 4096, STATE_IDLE, 1},   {"a", 4096, STATE_ACTIVE, 2}, {"a", 8192, STATE_ACTIVE, 3},
                {"b", 4096, STATE_ACTIVE, 4}, {"b", 4096, STATE_MIXED, 5},  {"b", 8192, STATE_IDLE, 6}};
    size_t count;
    struct record *record = record_new();
    size_t table = record_table_add(record, &spec);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct summary summary = {.count = 3, .median = rows[i].median};
        record_row(record, table,
                   (const struct cell[]){TEXT_CELL(rows[i].kernel), INTEGER_CELL(rows[i].size),
                                         INTEGER_CELL(rows[i].state), SUMMARY_CELL(&summary)});
    }
    struct grid *grid = grids_of(record, &count);
    assert_false(grid->overlaid);
    assert_string_equal(grid_at(grid, 0, 1)->text, "1.0");
    assert_string_equal(grid_at(grid, 0, 2)->text, "3.0");
    assert_string_equal(grid_at(grid, 1, 1)->text, "4.0");
    assert_string_equal(grid_at(grid, 1, 2)->text, "6.0");
    grids_free(grid, count);
    record_free(record);
}

TEST(rows_on_one_cell_are_reported)
{
    struct table_spec spec = matrix_spec;
    size_t count;
    struct record *record = record_new();
    size_t table = record_table_add(record, &spec);
    for (int i = 0; i < 2; i++) {
        const struct cell row[] = {INTEGER_CELL(1), TEXT_CELL("a"), NO_CELL, REAL_CELL(i), NO_CELL};
        record_row(record, table, row);
    }
    struct grid *grid = grids_of(record, &count);
    assert_true(grid->overlaid);
    grids_free(grid, count);
    record_free(record);
}

TEST(absent_cells_are_blank)
{
    struct table_spec spec = matrix_spec;
    size_t count;
    struct record *record = record_new();
    size_t table = record_table_add(record, &spec);
    for (int i = 0; i < 2; i++) {
        const struct cell row[] = {INTEGER_CELL(1024 << i), TEXT_CELL(i ? "a" : "b"), INTEGER_CELL(1),
                                   REAL_CELL(1), NO_CELL};
        record_row(record, table, row);
    }
    struct grid *grid = grids_of(record, &count);
    assert_string_equal(grid_at(grid, 0, 2)->text, "");
    assert_string_equal(grid_at(grid, 1, 1)->text, "");
    assert_int_equal(grid_at(grid, 0, 2)->raw.type, CELL_NULL);
    grids_free(grid, count);
    record_free(record);
}

TEST(curve_has_a_column_per_series)
{
    size_t count;
    struct record *record = record_new();
    add_curve(record);
    struct grid *grid = grids_of(record, &count);
    assert_int_equal(grid->row_count, 4);
    assert_int_equal(grid->column_count, 3);
    assert_string_equal(grid->column[2].heading, "500");
    assert_string_equal(grid_at(grid, 3, 0)->text, "57");
    assert_string_equal(grid_at(grid, 3, 2)->text, "165.2");
    grids_free(grid, count);
    record_free(record);
}

TEST(columns_that_do_not_exist_make_a_list)
{
    struct table_spec spec = matrix_spec;
    spec.view.value = 17;
    size_t count;
    struct record *record = record_new();
    record_table_add(record, &spec);
    struct grid *grid = grids_of(record, &count);
    assert_int_equal(grid->column_count, 5);
    assert_int_equal(grid->label_columns, 0);
    assert_null(grid->caption);
    grids_free(grid, count);
    record_free(record);
}

TEST(hidden_is_not_seen)
{
    size_t count = 7;
    struct record *record = record_new();
    record_table_add(record, &hidden_spec);
    assert_null(grids_of(record, &count));
    assert_int_equal(count, 0);
    record_free(record);
}

static struct record *diagonal(const struct table_spec *spec, int side, bool full)
{
    struct record *record = record_new();
    size_t table = record_table_add(record, spec);
    for (int i = 0; i < side; i++) {
        for (int j = full ? 0 : i; j < (full ? side : i + 1); j++) {
            char kernel[16];
            snprintf(kernel, sizeof(kernel), "%d", i);
            const struct cell row[] = {INTEGER_CELL(j), TEXT_CELL(kernel), INTEGER_CELL(1), REAL_CELL(i + j),
                                       NO_CELL};
            record_row(record, table, row);
        }
    }
    return record;
}

TEST(large_matrix_is_whole)
{
    enum { SIDE = TEST_SLOW ? 200 : 1000 };
    size_t count;
    struct record *record = diagonal(&matrix_spec, SIDE, true);
    struct grid *grid = grids_of(record, &count);
    assert_int_equal(grid->row_count, SIDE);
    assert_int_equal(grid->column_count, SIDE + 1);
    assert_true(grid_at(grid, SIDE - 1, SIDE)->best);
    grids_free(grid, count);
    record_free(record);
}

/* A matrix of 20,000 x 20,000 with 20,000 values would take gigabytes to say little. */
TEST(sparse_matrix_becomes_a_list)
{
    size_t count;
    struct record *record = diagonal(&matrix_spec, 20000, false);
    struct grid *grid = grids_of(record, &count);
    assert_int_equal(grid->label_columns, 0);
    assert_int_equal(grid->row_count, 20000);
    grids_free(grid, count);
    record_free(record);
}

/* Which of the flags the signs are, each once. */
TEST(flags_are_named)
{
    static const char *const names[] = {"noisy", "moved", "unused", NULL};
    static const struct column columns[] = {{"y", "y", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
                                            {"x", "x", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
                                            {"value", "value", "ns", CELL_REAL, ROLE_MEASURE, 1},
                                            {"flags", "flags", NULL, CELL_FLAGS, ROLE_LABEL, 0, names}};
    static const struct table_spec spec = {
        .name = "flagged",
        .columns = columns,
        .column_count = 4,
        .view = {.kind = VIEW_MATRIX, .y = 0, .x = 1, .value = 2, .series = -1, .flag = 3}};
    struct record *record = record_new();
    const size_t table = record_table_add(record, &spec);
    for (int i = 0; i < 4; i++)
        record_row(record, table,
                   (const struct cell[]){INTEGER_CELL(i / 2), INTEGER_CELL(i % 2), REAL_CELL(7.5),
                                         INTEGER_CELL(i % 3)});
    size_t count;
    struct grid *grids = view_grids(record_table_at(record, 0), &count);
    assert_int_equal(count, 1);
    assert_non_null(grids[0].caption);
    assert_int_equal(strncmp(grids[0].caption, "! = noisy", 9), 0);
    assert_non_null(strstr(grids[0].caption, "moved"));
    assert_null(strstr(grids[0].caption, "unused"));
    assert_string_equal(grid_at(&grids[0], 0, 1)->text, "7.5");
    assert_string_equal(grid_at(&grids[0], 0, 2)->text, "7.5!");
    grids_free(grids, count);
    record_free(record);
}

TEST(rows_that_say_nothing_have_their_headings)
{
    size_t count;
    struct record *record = record_new();
    record_row(record, record_table_add(record, &list_spec),
               (const struct cell[]){NO_CELL, NO_CELL, NO_CELL});
    struct grid *grids = view_grids(record_table_at(record, 0), &count);
    assert_int_equal(grids[0].column_count, 3);
    assert_string_equal(grids[0].column[2].heading, "latency [ns]");
    assert_string_equal(grid_at(&grids[0], 0, 2)->text, "-");
    grids_free(grids, count);
    record_free(record);
}
