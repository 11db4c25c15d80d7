/* SPDX-License-Identifier: MIT */
/* What is shown of a table, as text or as a picture: which of its rows falls on which row and column of the matrix, or is which point of
 * the curve, that its view asks for. Who draws it asks neither the table nor the view. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/plot/scale.h"
#include "uarchprobe/record.h"

/* A list, and a table whose values are no picture, are text alone. */
enum plot_kind { PLOT_LIST, PLOT_TABLE, PLOT_CURVE, PLOT_HEAT_MAP, PLOT_BARS };

/* Classes that a map may have, one letter each; the class of a cell that has none; lighter or darker steps within a class; levels of
 * brackets; points that a line is drawn through: it says what lies between them; room for a spelt value. */
enum {
    PLOT_CLASSES = 26,
    PLOT_BLANK = 255,
    PLOT_STEPS = 2,
    PLOT_GROUPINGS = 3,
    PLOT_LINE = 20,
    PLOT_SPELT = 96
};

/* One row or column of a matrix, one place on the axis of a curve. */
struct plot_label {
    char *name;
    double number; /* by which an axis of numbers is sorted; NaN: it is a name */
    size_t key;    /* of its value in the table, in the order of the rows */
    struct cell raw;
};

struct plot_axis {
    char *title;             /* "latency [ns]" */
    const char *name, *unit; /* borrowed; unit NULL: none, or each value is spelt with its own */
    int digits;
    bool size, whole; /* exact sizes; integers */
    struct scale scale;
    bool number; /* to be aligned right */
    size_t count;
    struct plot_label *label;
};

struct plot_cell {
    uint32_t row;        /* 1 + row of the table; 0: none */
    double value;        /* NaN: not measured */
    unsigned char class; /* PLOT_BLANK: none */
    signed char step;    /* -PLOT_STEPS (lighter) to PLOT_STEPS: below or above the median of its class */
    bool best, flagged;
    bool aside; /* counts for no number: of a CPU with itself, or of the reverse of another cell */
};

/* Those that the table names, else ranges of values. Ordered by the median of all cells of that class in the plots of the table, which
 * gives the colour, too: the same in all of them. */
struct plot_class {
    char *name;
    size_t cells;
    double median;
    struct rgb color;
};

/* What CPUs on the axes share, outermost first: "L3" and the group of each label, -1: none. */
struct plot_grouping {
    const char *word;
    int *group_of;
};

/* "L1, 48 KiB" on the axis of x. */
struct plot_mark {
    double x;
    char *label;
};

struct plot {
    enum plot_kind kind;
    const struct record_table *table;
    uint32_t *list; /* the rows of the table that are shown, in their order */
    size_t list_count;
    const char *series_name;      /* "task"; borrowed */
    char *series;                 /* "copy"; NULL: the only one */
    struct plot_axis x, y, value; /* a curve is value over x, y its series */
    /* A matrix, y.count x x.count cells, row by row; of a curve x.count x y.count, a column per series. NULL: it is seen as a list, because
     * its view says so, names columns that do not exist, or would make a matrix with next to nothing in it. */
    struct plot_cell *cell;
    bool marked, flagged; /* some cell is best; is flagged */
    bool of_cpus;         /* both axes */
    size_t class_count;
    struct plot_class class[PLOT_CLASSES];
    char *outliers; /* "CPU 5: + 22 %, one L3"; NULL: none */
    int grouping_count;
    struct plot_grouping grouping[PLOT_GROUPINGS];
    size_t mark_count; /* of a curve */
    struct plot_mark *mark;
};

/* None if the table is hidden, one, or one per value of the series of a matrix. Freed by plots_free; what is borrowed lives as long as the
 * record. */
struct plot *plots_of(const struct record_table *table, size_t *count);
void plots_free(struct plot *plots, size_t count);
/* The axes of rows and columns of the cells. */
const struct plot_axis *plot_rows(const struct plot *plot);
const struct plot_axis *plot_columns(const struct plot *plot);
const struct plot_cell *plot_at(const struct plot *plot, size_t row, size_t column);
/* How many points the line of a series has; a point is a cell with a value, ascending by x. */
size_t plot_points(const struct plot *plot, size_t line);
/* What a flagged cell is called: the text of the view's column, or the title of a truth; borrowed, NULL: it is plain. */
const char *plot_flag(const struct record_table *table, size_t row);
/* Of a class, and of a step within it. */
struct rgb plot_color(const struct plot *plot, int class, int step);
/* The share of the cells that count which are of a class. */
double plot_class_share(const struct plot *plot, size_t class);

/* A value as the view scales it, NaN: it is no number; as it is shown, freed by the caller; "latency [ns]", freed likewise. */
double plot_scaled(const struct table_spec *spec, int column, const struct cell *cell);
char *plot_cell_text(const struct table_spec *spec, int column, const struct cell *cell);
char *plot_heading(const struct table_spec *spec, int column);

/* "3 (L3 1)": where a CPU lies, as far as CPUs differ in it; freed by the caller. */
char *plot_cpu_text(const struct record *record, int64_t cpu);

/* Spelt into the caller's room, which is returned: "12.5"; "12.5 ns"; a tick, with as many digits as it needs. */
const char *plot_number(const struct plot_axis *axis, double value, char spelt[PLOT_SPELT]);
const char *plot_value(const struct plot_axis *axis, double value, char spelt[PLOT_SPELT]);
const char *plot_tick(const struct plot_axis *axis, double value, char spelt[PLOT_SPELT]);
/* Room for one of them, up to the end of the block. */
#define SPELT ((char[PLOT_SPELT]){0})
