/* SPDX-License-Identifier: MIT */
#include "output/view.h"

#include "fixture.h"

static struct grid *grids_of(struct record *record, size_t *count)
{
    return view_grids(record_table_at(record, 0), count);
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
