/* SPDX-License-Identifier: MIT */
/* Which row of a table falls on which row and column of the matrix that its view asks for. What is shown of a
 * table, as text or as a picture, is made from this. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/keys.h"
#include "uarchprobe/record.h"

struct pivot_cell {
    uint32_t row; /* 1 + row of the table; 0: none */
    bool best, flagged;
};

struct pivot {
    const struct record_table *table;
    const struct table_spec *spec;
    struct cell series; /* which of several matrices this is; null: the only one */
    uint32_t *list;     /* the rows that are shown, in their order */
    size_t list_count;
    /* The matrix; cell is NULL where the table is seen as a list: because its view says so, names columns
     * that do not exist, or would make a matrix with next to nothing in it. */
    int row_column, column_column, value_column; /* column_column -1: one column for the value */
    struct keys rows, columns;
    size_t row_count, column_count;
    struct pivot_cell *cell; /* row by row */
    bool overlaid, marked, flagged;
};

/* None if the table is hidden, one, or one per value of the series of a matrix. Freed by pivots_free. */
struct pivot *pivots_of(const struct record_table *table, size_t *count);
void pivots_free(struct pivot *pivots, size_t count);

/* NULL: no row of the table falls there. */
const struct pivot_cell *pivot_at(const struct pivot *pivot, size_t row, size_t column);
/* What the table has in that column behind a cell of the matrix. */
const struct cell *pivot_get(const struct pivot *pivot, const struct pivot_cell *cell, int column);

bool spec_has_column(const struct table_spec *spec, int column);
/* The column that the view names as series, -1 where it names none that can be meant. */
int spec_series(const struct table_spec *spec);
/* Why the view flags a row: its text, or the title of the column of a truth. NULL: it does not. */
const char *row_flag(const struct record_table *table, size_t row);
