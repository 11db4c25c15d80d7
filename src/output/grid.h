/* SPDX-License-Identifier: MIT */
/* Rows and columns of texts, spelt but not yet drawn. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "output/plot/plot.h"

enum { GRID_SHADES = 5 };

struct grid_cell {
    const char *text; /* without control characters; "" where the matrix has no such cell, "-" for null */
    int shade;        /* shade of its class, 1 (lowest) to GRID_SHADES; 0: none */
    bool best;
};

struct grid_column {
    const char *heading; /* "speed [ns]", or the x value of the column: "16 KiB" */
    bool number;         /* aligned right */
    bool spare;          /* the first to go where a screen has no room for remarks */
    bool names;          /* in a list: one of the leading columns that identify the row */
};

struct grid {
    const char *caption; /* names one of several matrices or explains the signs; or NULL */
    int column_count;    /* label column included */
    struct grid_column *column;
    size_t row_count;
    struct grid_cell *cell; /* row by row */
    int label_columns;      /* leading columns that name the row: 1 in a matrix, 0 in a list */
    bool remarks;           /* the last column holds remarks, which may stand below their rows */
    bool brief;             /* for a screen, which has no room for further blocks of columns */
    bool marked;            /* some cells are marked as best of their column */
};

/* Returns a grid with zeroed columns (label columns included) and cells, in scratch memory. */
struct grid grid_new(size_t columns, size_t rows);
/* Drops the columns that are not `kept`. */
void grid_keep(struct grid *grid, const bool *kept);
struct grid grid_of_plot(const struct plot *plot);
/* Returns how many cells grid_of_plot would make, label column included. */
size_t grid_cells(const struct plot *plot);
/* Makes the grid of each plot of a table. */
struct grid *grids_of(const struct record_table *table, size_t *count);
const struct grid_cell *grid_at(const struct grid *grid, size_t row, int column);
