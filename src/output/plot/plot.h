/* SPDX-License-Identifier: MIT */
/* Assigns each row of a table to a cell of a matrix or a point of a curve. Those who draw it, as text or
 * picture, need no table and no view. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/plot/scale.h"
#include "uarchprobe/record.h"

/* Lists, and tables whose values make no picture, are only text. */
enum plot_kind { PLOT_TEXT, PLOT_CURVE, PLOT_HEAT_MAP, PLOT_BARS };

/* Most classes of a map, one letter each; the class of a cell without one; lighter or darker steps within
 * a class; most levels of brackets; least points for a line, which metrics that values lie between them. */
enum { PLOT_CLASSES = 26, PLOT_BLANK = 255, PLOT_STEPS = 2, PLOT_GROUPINGS = 3, PLOT_LINE = 20 };

/* One row or column of a matrix, one place on the axis of a curve. */
struct plot_label {
    const char *name;
    double number; /* sorts an axis of numbers; NaN: a name */
    size_t key;    /* index of its value in the order of the rows */
    struct cell raw;
};

struct plot_axis {
    const char *title;       /* "latency [ns]" */
    const char *name, *unit; /* borrowed; unit NULL: none, or spelt with each value */
    int digits;
    bool size, whole; /* exact sizes; integers */
    struct scale scale;
    bool number; /* aligned right */
    size_t count;
    struct plot_label *label;
};

struct plot_cell {
    uint32_t row;        /* 1 + row of the table; 0: none */
    double value;        /* NaN: not measured */
    unsigned char class; /* PLOT_BLANK: none */
    signed char step;    /* -PLOT_STEPS (lighter) to PLOT_STEPS: below or above the median of its class */
    bool best, flagged;
    bool aside; /* left out of all statistics: a CPU with itself */
};

/* Classes that the table names, else ranges of values; ordered by the median of each class over all plots of
 * the table, which also gives the colour: the same in all of them. */
struct plot_class {
    const char *name;
    size_t cells;
    double median;
    struct rgb color;
};

/* Groups of the CPUs on the axes, outermost first: "L3" and the group of each label, -1: none. */
struct plot_grouping {
    const char *word;
    int *group_of;
    size_t brackets; /* groups that lie side by side */
    bool of_kinds;   /* of cores, which have letters */
};

/* A mark on the axis of x, "L1, 48 KiB". */
struct plot_mark {
    double x;
    const char *label;
};

struct plot {
    enum plot_kind kind;
    const struct record_table *table;
    uint32_t *list; /* the rows of the table that are shown, in order */
    size_t list_count;
    const char *series;           /* "copy", "copy, threads: 2"; NULL: the only one */
    struct plot_axis x, y, value; /* a curve is value over x, y holds its series */
    /* A matrix, y.count x x.count cells, row by row; for a curve x.count x y.count, a column per series.
     * NULL: a list, because its view asks for one, names columns that do not exist, or would fill next to no
     * cell of a matrix. */
    struct plot_cell *cell;
    bool marked, flagged; /* some cell is best; some cell is flagged */
    bool of_cpus;         /* both axes are */
    bool
        both_ways; /* of CPUs: some pair has a value above the diagonal, that from its first CPU to its second */
    size_t class_count;
    struct plot_class class[PLOT_CLASSES];
    const char *outliers; /* "CPU 5: + 22 %, one L3"; NULL: none */
    int grouping_count;
    struct plot_grouping grouping[PLOT_GROUPINGS];
    size_t mark_count; /* of a curve */
    struct plot_mark *mark;
};

/* Makes no plot of a hidden table, else one, or one per panel and per value of the series of a matrix, in
 * scratch memory, as all texts are. */
struct plot *plots_of(const struct record_table *table, size_t *count);
/* Whether there is a row to draw: a table without one is drawn nowhere. */
bool plot_has_rows(const struct record_table *table);
/* The axis of the cells' rows, and that of their columns. */
const struct plot_axis *plot_rows(const struct plot *plot);
const struct plot_axis *plot_columns(const struct plot *plot);
const struct plot_cell *plot_at(const struct plot *plot, size_t row, size_t column);
/* Counts the points of a series, which are its cells with a value, ascending by x. */
size_t plot_points(const struct plot *plot, size_t line);
/* Names the flag of a row: the text of the view's column, or the title of a boolean column; borrowed,
 * NULL: not flagged. */
const char *plot_flag(const struct record_table *table, size_t row);
/* Of a matrix of CPUs, whose values are snapshots: where the pair was found and what is wrong with it,
 * "one L3 (regime)"; the same as a sign behind the number, a letter of the place, a capital where there is a
 * flag; and what the signs mean, "a one core, b one L3; capital: regime". "": nothing is known of it. */
const char *plot_place(const struct plot *plot, const struct plot_cell *cell);
const char *plot_place_sign(const struct plot *plot, const struct plot_cell *cell);
const char *plot_place_signs(const struct plot *plot);
/* All flags that some value has; "": there is none. */
const char *plot_flags(const struct plot *plot);
/* The colour of a class, at a step within it. */
struct rgb plot_color(const struct plot *plot, int class, int step);

/* Give a value as the view scales it (NaN: no number), its text, and the heading of its column, "latency
 * [ns]". */
double plot_scaled(const struct table_spec *spec, int column, const struct cell *cell);
const char *plot_cell_text(const struct table_spec *spec, int column, const struct cell *cell);
const char *plot_heading(const struct table_spec *spec, int column);

/* The title of a table, else its name, with the kind of core that was measured: "time by size, Gracemont". */
const char *plot_title(const struct record_table *table);
/* Spells where a CPU lies, "3 (L3 1)", by the levels at which CPUs differ. */
const char *plot_cpu_text(const struct record *record, int64_t cpu);
/* "L3 1", or "P core". */
const char *plot_group_name(const struct plot *plot, const struct plot_grouping *grouping, int group);

/* Spell "12.5"; "12.5 ns"; a tick, with as many digits as it needs. */
const char *plot_number(const struct plot_axis *axis, double value);
const char *plot_value(const struct plot_axis *axis, double value);
const char *plot_tick(const struct plot_axis *axis, double value);
