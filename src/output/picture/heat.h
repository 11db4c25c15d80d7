/* SPDX-License-Identifier: MIT */
/* Parts of the heat map that lie in files of their own. */
#ifndef OUTPUT_PICTURE_HEAT_H
#define OUTPUT_PICTURE_HEAT_H

#include "picture.h"
#include "scale.h"

/* Colours of a heat map: steps of a range of values, or one per class. */
enum { HEAT_STEPS = 64, HEAT_CLASSES = 16 };

struct heat_class {
    const char *name;
    double median;
    size_t cells;
};

/* One row or column of the map. */
struct heat_label {
    const char *name; /* borrowed from the grid; NULL: the number */
    char number[16];
    struct cell value; /* that it stands for */
    int at;            /* row or column of the grid; -1: none */
};
const char *heat_label_name(const struct heat_label *label);

struct heat_axis {
    size_t count;
    struct heat_label *label; /* by value, where values are numbers */
};

struct heat {
    const struct record *record;
    const struct record_table *table;
    const struct table_spec *spec;
    const struct grid *grid;
    struct text *out;
    struct heat_axis x, y;
    size_t rows, columns;
    double *value; /* rows x columns; NaN: not measured */
    size_t measured;
    double least, median, most; /* of the measured ones */
    struct scale scale;         /* of values to the colour map; not for classes */
    int colors;
    struct rgb color[HEAT_STEPS];
    int *color_of; /* of each cell; -1: not measured */
    size_t class_count;
    struct heat_class class[HEAT_CLASSES];
    double left, top, cell; /* the map's corner and the side of its cells */
};

/* Puts the axes into order, both the same where they are CPUs. */
void heat_make_axes(struct heat *heat);
/* The cell behind a place of the map; that of the other direction where only it was measured between two
 * CPUs; NULL: none. */
const struct grid_cell *heat_cell(const struct heat *heat, size_t index);
/* Fills axes, value and what follows from it, colours included; the lists are freed by heat_clear. */
void heat_read(struct heat *heat);
void heat_clear(struct heat *heat);
/* Draws what the colours mean from (x, y) down; returns where it ends. */
double heat_legend(const struct heat *heat, double x, double y);
/* Brackets on both axes over CPUs that share something (host.topology.*_cpus). Their depth in pixels is that
 * of heat_bracket_levels, which is asked first, each level HEAT_BRACKET deep. */
enum { HEAT_BRACKET = 18 };
int heat_bracket_levels(const struct heat *heat);
void heat_brackets(const struct heat *heat);
/* The cells themselves. */
void heat_cells(const struct heat *heat);

#endif
