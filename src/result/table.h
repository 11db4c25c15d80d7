/* SPDX-License-Identifier: MIT */
/* What the functions of record.h do to a table. */
#ifndef RESULT_TABLE_H
#define RESULT_TABLE_H

#include "uarchprobe/table.h"

/* Where the name is, at the end if it is new; it is copied. */
int64_t names_index(struct names *names, const char *name);

struct record_table table_new(const struct record *record, const struct table_spec *spec);
void table_free(struct record_table *table);
void table_clear(struct record_table *table);
void table_row(struct record_table *table, const struct cell *cells);
void table_samples(struct record_table *table, int column, const struct samples *samples,
                   const struct summary *summary);

#endif
