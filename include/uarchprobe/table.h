/* SPDX-License-Identifier: MIT */
/* A table of a record: columns, how it wants to be seen, rows of cells. */
#ifndef UARCHPROBE_TABLE_H
#define UARCHPROBE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "uarchprobe/cell.h"

/* parameter: what was varied; measure: what was measured; label: what a reader needs next to them. */
enum column_role { ROLE_PARAMETER, ROLE_MEASURE, ROLE_LABEL };

struct column {
    const char *key;   /* snake_case, the name in JSON */
    const char *title; /* heading of TSV, CSV and people's tables, without the unit */
    const char *unit;  /* "Byte", "s", "ns", "cycles", ... or NULL */
    enum cell_type type;
    enum column_role role;
    int digits;               /* decimals in tables; machine formats print every digit */
    const char *const *names; /* of classes and flags, ended by NULL; NULL: those that record_row meets */
    bool is_clocked;          /* needs the core clock read after a sample, which fits an extreme one least */
};

/* How a table wants to be seen. Machine formats ignore it. */
enum view_kind {
    VIEW_LIST,   /* as it is */
    VIEW_CURVE,  /* y over x, one line per value of series */
    VIEW_MATRIX, /* one row per value of `y`, one column per value of `x`, `value` in the cells */
    VIEW_HIDDEN  /* raw material for machines: people see only the answers drawn from it */
};

enum mark_rule { MARK_NONE, MARK_COLUMN_MAX, MARK_COLUMN_MIN };

struct view {
    enum view_kind kind;
    int x, y, value, series; /* column indices; -1: none */
    enum mark_rule mark;     /* which cell of a matrix column is marked as the best */
    int state;    /* column of states, 0: none. Rows that differ in nothing else that was varied follow
                                each other; the first of them is drawn, the others are for machines */
    int shown;    /* column, 0: none. Rows without a value in it are for machines */
    double scale; /* factor in tables and pictures, 0: none; bytes/s shown as GiB/s, say */
    const char *scale_unit; /* unit after scaling, NULL: the column's own */
    bool log_x, log_value;
    bool
        aside; /* repeats results of several machines for pictures, which have one scale; all else leaves it out */
    bool shade;   /* a matrix is coloured by value, low to high */
    bool lead;    /* on a page before the answers */
    bool derived; /* says in another way what the rows of an earlier table say: TSV and CSV leave it out */
    /* For pictures; 0 and -1: none (column 0 is always a parameter). */
    int class;  /* matrix: puts cells into classes, each drawn in one colour */
    int spread; /* how far off a value may be: in the value's unit, or a share of it where the column has no
                   unit; what `compare` takes for noise */
    int flag;   /* cells to be marked. Curve: a bool (its title is the label) or a text (the label). Matrix:
                 flags, or null where the value is plain */
    /* For TSV and CSV. > 0: a row is written as a line for each of its samples, and AVG, MIN, MED and MAX of
     * them, the word in front of this column; least and most are of `value`. The samples of the column
     * `duration` weigh the others in the average; 0: all alike. */
    int lines, duration;
};

/* Lives as long as the program: benches keep theirs const at the foot of their file. */
struct table_spec {
    const char *name; /* key in JSON */
    const char *title;
    const char *note; /* printed under the table: what is counted, how a value is defined; or NULL */
    const struct column *columns;
    int column_count;
    struct view view;
};

struct record;

struct record_table {
    const struct record *record;
    const struct table_spec *spec;
    size_t row_count, capacity;
    struct cell *cells;       /* row_count x spec->column_count, row by row */
    struct names *names;      /* of each column; none but for classes and flags */
    struct samples **samples; /* of each row: NULL, or those of each column */
};

const struct cell *record_cell(const struct record_table *table, size_t row, int column);
/* NULL: none were added. */
const struct samples *record_samples_at(const struct record_table *table, size_t row, int column);

#endif
