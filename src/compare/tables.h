/* SPDX-License-Identifier: MIT */
/* The tables of `compare`: a row of each pair for people and for machines, the settings, and the verdict. The judge of a fleet fills its
 * tables itself. */
#pragma once

#include "comparison.h"

enum { ROWS, SETTINGS, ANSWERS, OUTLIERS, FAMILIES, GROUPS, MACHINES };
extern const struct table_spec table_specs[];

struct tables {
    struct record *record;
    const char *names[2];  /* of the two results; NULL: there are more */
    const char *labels[2]; /* of two side by side; NULL: before and after */
    const char *file;      /* compared with the first */
    size_t of[ANSWERS + 1];
};

/* Declares a table; names and labels are set and last as long as the record. */
void tables_add(struct tables *tables, int which);
/* Adds the rows and the verdict of this file. */
void tables_fill(const struct tables *tables, const struct comparison *comparison);
