/* SPDX-License-Identifier: MIT */
/* A table as people see it: turned into rows and columns and spelt, but not yet drawn. */
#ifndef OUTPUT_VIEW_H
#define OUTPUT_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "uarchprobe/record.h"

struct grid_cell {
    char *text;      /* without control characters; "" where the matrix has no such cell, "-" for null */
    struct cell raw; /* as recorded, unscaled (its text is the record's); for shading and plots */
    size_t row;      /* 1 + index of the table's row that it is from; 0: none */
    bool best;
};

struct grid_column {
    char *heading;     /* "speed [ns]", or the x value that the column stands for: "16 KiB" */
    bool number;       /* to be aligned right */
    struct cell value; /* of a matrix: what x is in this column */
};

struct grid {
    char *caption;    /* what the cells of a matrix are; NULL for a list */
    char *series;     /* "task = copy": which of several matrices this is; NULL: the only one */
    int column_count; /* label column included */
    struct grid_column *column;
    size_t row_count;
    struct grid_cell *cell; /* row by row */
    int label_columns;      /* leading columns that name the row: 1 in a matrix, 0 in a list */
    bool shaded;            /* values are to be coloured between low and high */
    double low, high;
    bool marked;   /* some cells are marked as best of their column */
    bool overlaid; /* several rows of the table fell on one cell, which shows the last: say so */
};

/* How a table is seen: none if it is hidden, one grid, or one per value of the series of a matrix. A view
 * that cannot be drawn as asked (too sparse, columns that do not exist) becomes a list. Freed by grids_free.
 */
struct grid *view_grids(const struct record_table *table, size_t *count);
void grids_free(struct grid *grids, size_t count);

/* The rows that are drawn, in their order: one of each point; freed by the caller. */
size_t *view_rows(const struct record_table *table, size_t *count);
/* The column that the view names, -1 where it names none that can be meant. */
int view_series(const struct table_spec *spec);
/* The unit in which a column is shown, NULL: none or told by each cell. */
const char *view_unit(const struct table_spec *spec, int column);
char *view_heading(const struct table_spec *spec, int column);
/* A cell as people see it, scaled; freed by the caller. */
char *view_cell_text(const struct table_spec *spec, int column, const struct cell *cell);
const struct grid_cell *grid_at(const struct grid *grid, size_t row, int column);

#endif
