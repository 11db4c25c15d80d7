/* SPDX-License-Identifier: MIT */
#include "output/grid.h"

#include "fixture.h"

TEST(the_greatest_is_marked_and_ties_are)
{
    static const double values[] = {8, 9, 9, NAN};
    struct table_spec spec = bar_spec;
    spec.view.mark = true;
    struct record *record = record_of(&spec);
    for (int i = 0; i < 4; i++) {
        const char kernel[2] = {(char)('a' + i), 0};
        ROW(record, TEXT_CELL(kernel), TEXT_CELL("L1"), REAL_CELL(values[i]));
    }
    const struct grid *grid = grids_in(record, 1);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(grid_at(grid, i, 1)->best, values[i] == 9);
    assert_string_equal(grid_at(grid, 3, 1)->text, "-");
}

TEST(columns_that_do_not_exist_make_a_list)
{
    struct table_spec spec = matrix_spec;
    spec.view.value = 17;
    struct record *record = record_of(&spec);
    size_t count = 9;
    grids_of(&record->tables.of[0], &count);
    assert_int_equal(count, 0); /* a table without rows is drawn nowhere */
    ROW(record, INTEGER_CELL(1), TEXT_CELL("a"), INTEGER_CELL(1), REAL_CELL(2), INTEGER_CELL(1));
    const struct grid *grid = grids_in(record, 1);
    assert_int_equal(grid->column_count, 5);
    assert_int_equal(grid->label_columns, 0);
    assert_null(grid->caption);
}

/* A matrix of 20,000 x 20,000 with 20,000 values would take gigabytes to say little. */
TEST(sparse_matrix_becomes_a_list)
{
    struct record *record = record_of(&matrix_spec);
    for (int i = 0; i < 20000; i++) {
        char kernel[16];
        snprintf(kernel, sizeof(kernel), "%d", i);
        ROW(record, INTEGER_CELL(i), TEXT_CELL(kernel), INTEGER_CELL(1), REAL_CELL(2 * i), NO_CELL);
    }
    const struct grid *grid = grids_in(record, 1);
    assert_int_equal(grid->label_columns, 0);
    assert_int_equal(grid->row_count, 20000);
}

/* The caption names each flag once. */
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
    struct record *record = record_of(&spec);
    for (int i = 0; i < 4; i++)
        ROW(record, INTEGER_CELL(i / 2), INTEGER_CELL(i % 2), REAL_CELL(7.5), INTEGER_CELL(i % 3));
    const struct grid *grid = grids_in(record, 1);
    assert_int_equal(strncmp(grid->caption, "! = noisy", 9), 0);
    assert_has(grid->caption, "moved");
    assert_lacks(grid->caption, "unused");
    ASSERT_CELLS(grid, 0, "0", "7.5", "7.5!");
}
