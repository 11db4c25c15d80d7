/* SPDX-License-Identifier: MIT */
/* What comparisons become in the result of `compare`: a row a pair as it is read, the same for machines, what differs besides values,
 * and the verdict; of a fleet the tables alone, which its judge fills. */
#pragma once

#include "comparison.h"

enum { ROWS, SETTINGS, ANSWERS, OUTLIERS, FAMILIES, GROUPS, MACHINES };
extern const struct table_spec table_specs[];

struct tables {
    struct record *record;
    const char *names[2];  /* of the two that are compared; NULL: there are more */
    const char *labels[2]; /* of the two side by side; NULL: before and after */
    const char *file;      /* that is held against the first */
    size_t of[ANSWERS + 1];
};

/* Declares a table; the names and labels are there already and last as long as the record. */
void tables_add(struct tables *tables, int which);
/* Rows, and the verdict of this file. */
void tables_fill(const struct tables *tables, const struct comparison *comparison);
