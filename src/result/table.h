/* SPDX-License-Identifier: MIT */
/* The tables of a record; what the functions of record.h do to them. */
#ifndef RESULT_TABLE_H
#define RESULT_TABLE_H

#include "uarchprobe/table.h"

struct record_table table_new(const struct record *record, const struct table_spec *spec);
void table_free(struct record_table *table);
void table_row(struct record_table *table, const struct cell *cells);
void table_samples(struct record_table *table, int column, const struct samples *samples,
                   const struct summary *summary);

#endif
