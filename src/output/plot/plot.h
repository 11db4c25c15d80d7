/* SPDX-License-Identifier: MIT */
/* The one model of a picture: what the terminal and SVG draw. It is made from a table and the view that the
 * table declares; who draws it asks neither. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "output/plot/scale.h"
#include "uarchprobe/record.h"

enum plot_kind { PLOT_CURVE, PLOT_HEAT_MAP, PLOT_BARS };

/* Classes that a map may have, one letter each; steps of colour without classes; the shade of a cell that
 * has no colour; the step for values that hardly differ; levels of brackets; room for a spelt value. */
enum {
    PLOT_CLASSES = 26,
    PLOT_STEPS = 64,
    PLOT_FLAT = 20,
    PLOT_BLANK = 255,
    PLOT_GROUPINGS = 3,
    PLOT_SPELT = 96
};

/* One row or column of a heat map or of bars. */
struct plot_label {
    char *name;
    double number; /* by which an axis of numbers is sorted; NaN: it is a name */
    int at;        /* row or column of the pivot; -1: none */
};

struct plot_axis {
    char *title;             /* "latency [ns]" */
    const char *name, *unit; /* borrowed; unit NULL: none, or each value is spelt with its own */
    int digits;
    bool size, whole; /* exact sizes; integers */
    struct scale scale;
    size_t count; /* of heat maps and bars */
    struct plot_label *label;
};

struct plot_cell {
    double value;        /* NaN: not measured */
    unsigned char shade; /* class, or step of colour; PLOT_BLANK: none */
    bool best, flagged;
    bool
        aside; /* counts for no scale and no number: of a CPU with itself, or of the reverse of another cell */
};

/* Ordered by the median of all cells of that class in the pictures of the table, which gives the colour too: the
 * same in all of them. */
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

struct plot_point {
    double x, y;
    size_t line;
    const char *flag; /* borrowed; NULL: plain */
};

/* Points of one value of the series lie side by side, by ascending x. */
struct plot_line {
    char *name;
    size_t first, count;
};

/* "L1, 48 KiB" on the axis of x. */
struct plot_mark {
    double x;
    char *label;
};

struct plot {
    enum plot_kind kind;
    const char *series_name;      /* "task"; borrowed */
    char *series;                 /* "copy"; NULL: the only one */
    struct plot_axis x, y, value; /* a curve is value over x */
    /* Heat maps and bars: y.count x x.count cells, row by row. */
    struct plot_cell *cell;
    size_t measured, shaded;    /* cells that have a value, a shade */
    double least, median, most; /* of the measured ones */
    bool flat;                  /* the values differ by less than 10 % or two steps of the clock */
    bool of_cpus;               /* both axes */
    bool classed, one_scale;    /* classes are asked for; bars of all columns may be compared */
    bool aside;                 /* each row of bars has a scale of its own, its bars below each other */
    size_t class_count;         /* 0: steps of the value's scale give the colours */
    struct plot_class class[PLOT_CLASSES];
    int grouping_count;
    struct plot_grouping grouping[PLOT_GROUPINGS];
    /* Curves. */
    size_t point_count, line_count, mark_count;
    struct plot_point *point;
    struct plot_line *line;
    struct plot_mark *mark;
};

/* None where the view asks for a list, or nothing can be drawn; one, or one per value of the series of a matrix.
 * Freed by plots_free; what is borrowed lives as long as the record. */
struct plot *plots_of(const struct record_table *table, size_t *count);
void plots_free(struct plot *plots, size_t count);
const struct plot_cell *plot_at(const struct plot *plot, size_t row, size_t column);
struct rgb plot_color(const struct plot *plot, int shade);
/* The share of the cells that count which are of a class. */
double plot_class_share(const struct plot *plot, size_t class);
/* How many shades there are: classes or steps. */
int plot_shades(const struct plot *plot);

/* Spelt into the caller's room, which is returned: "12.5"; "12.5 ns"; a tick, with as many digits as it needs. */
const char *plot_number(const struct plot_axis *axis, double value, char spelt[PLOT_SPELT]);
const char *plot_value(const struct plot_axis *axis, double value, char spelt[PLOT_SPELT]);
const char *plot_tick(const struct plot_axis *axis, double value, char spelt[PLOT_SPELT]);
/* Room for one of them, up to the end of the block. */
#define SPELT ((char[PLOT_SPELT]){0})
