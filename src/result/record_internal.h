/* SPDX-License-Identifier: MIT */
#pragma once

#include "base/text.h"
#include "uarchprobe/record.h"

static inline void *list_grow(void *of, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return of;
    *capacity = *capacity ? 2 * *capacity : 8;
    return memory_grow(of, *capacity * size);
}

#define LIST_ADD(list, item)                                                                                 \
    ((list).of = list_grow((list).of, (list).count, &(list).capacity, sizeof(*(list).of)),                   \
     (list).of[(list).count++] = (item))

/* Takes memory (from malloc) over; returns it. For the specs of a record that was loaded: those of a
 * measured one are borrowed. */
void *record_own(struct record *record, void *memory);
/* The same of a copy. */
void *record_own_bytes(struct record *record, const void *from, size_t bytes);
/* A copy, mended as all texts of a record are; NULL stays NULL. */
const char *record_own_text(struct record *record, const char *text);
/* Its text becomes the record's; a cell without a value becomes CELL_NULL. */
struct cell record_own_cell(struct record *record, struct cell cell);
/* Moves the newest answer before that index. */
void record_answer_first(struct record *record, size_t index);
/* At a path that is not taken: nothing is searched. */
void record_fact_new(struct record *record, struct fact fact);
/* So many rows more, empty. */
void record_rows_add(struct record *record, size_t table, size_t rows);
/* The type in which record_row is given a cell of that type. */
enum cell_type record_given_as(enum cell_type type);
void record_cell_set(struct record *record, size_t table, size_t row, int column, struct cell cell);
void table_free(struct record_table *table);
