/* SPDX-License-Identifier: MIT */
/* Tables of a record: rows, and the names of classes and flags. */
#include <stdlib.h>
#include <string.h>

#include "result/record_internal.h"

/* From the last one, because rows that follow each other are mostly of one class. */
int64_t record_class(struct record *record, size_t table, int column, const char *name)
{
    struct names *names = &record->tables.of[table].names[column];
    for (size_t i = names->count; i-- > 0;) {
        if (strcmp(names->name[i], name) == 0)
            return (int64_t)i;
    }
    names->name = memory_grow(names->name, (names->count + 1) * sizeof(*names->name));
    names->name[names->count] = record_own_text(record, name);
    return (int64_t)names->count++;
}

size_t record_table_add(struct record *record, const struct table_spec *spec)
{
    const size_t index = record->tables.count;
    struct names *names = memory_zeroed((size_t)spec->column_count, sizeof(*names));
    const struct record_table table = {.record = record, .spec = spec, .names = names};
    LIST_ADD(record->tables, table);
    for (int i = 0; i < spec->column_count; i++) {
        for (const char *const *name = spec->columns[i].names; name && *name; name++)
            record_class(record, index, i, *name);
    }
    return index;
}

void table_free(struct record_table *table)
{
    for (int i = 0; i < table->spec->column_count; i++)
        free(table->names[i].name);
    free(table->cells);
    free(table->samples);
    free(table->names);
}

enum cell_type record_given_as(enum cell_type type)
{
    const bool number = type == CELL_SIZE || type == CELL_CPU || type == CELL_CLASS || type == CELL_FLAGS;
    return number ? CELL_INTEGER : type;
}

void record_cell_set(struct record *record, size_t index, size_t row, int column, struct cell cell)
{
    const struct record_table *table = &record->tables.of[index];
    const enum cell_type type = table->spec->columns[column].type;
    if (cell.type == CELL_TEXT && type == CELL_CLASS && cell.text)
        cell = INTEGER_CELL(record_class(record, index, column, cell.text));
    if (cell.type == record_given_as(type))
        cell.type = type;
    if (cell.type == CELL_CLASS || cell.type == CELL_FLAGS)
        cell.names = &table->names[column];
    table->cells[row * (size_t)table->spec->column_count + (size_t)column] = record_own_cell(record, cell);
}

void record_rows_add(struct record *record, size_t index, size_t rows)
{
    struct record_table *table = &record->tables.of[index];
    const size_t columns = (size_t)table->spec->column_count, count = table->row_count + rows;
    if (count > table->capacity) {
        table->capacity = count > 2 * table->capacity ? count : 2 * table->capacity;
        table->cells = memory_grow(table->cells, table->capacity * columns * sizeof(*table->cells));
        table->samples = memory_grow(table->samples, table->capacity * sizeof(*table->samples));
    }
    for (; table->row_count < count; table->row_count++) {
        memset(&table->cells[table->row_count * columns], 0, columns * sizeof(*table->cells));
        table->samples[table->row_count] = NULL;
    }
}

void record_row(struct record *record, size_t index, const struct cell *cells)
{
    const struct record_table *table = &record->tables.of[index];
    record_rows_add(record, index, 1);
    for (int i = 0; i < table->spec->column_count; i++)
        record_cell_set(record, index, table->row_count - 1, i, cells[i]);
}

void record_samples(struct record *record, size_t index, int column, const struct samples *samples,
                    const struct summary *summary)
{
    const struct record_table *table = &record->tables.of[index];
    const size_t columns = (size_t)table->spec->column_count, row = table->row_count - 1;
    const bool whole = table->spec->columns[column].type == CELL_SUMMARY;
    if (!table->samples[row])
        table->samples[row] = record_own(record, memory_zeroed(columns, sizeof(struct samples)));
    for (size_t i = 0; i < samples->count; i++)
        samples_add(&table->samples[row][column], samples->value[i]);
    record_own(record, table->samples[row][column].value);
    record_cell_set(record, index, row, column, whole ? SUMMARY_CELL(summary) : REAL_CELL(summary->median));
}

const struct samples *record_samples_at(const struct record_table *table, size_t row, int column)
{
    const struct samples *of = table->samples[row];
    return of && of[column].count > 0 ? &of[column] : NULL;
}

const struct cell *record_cell(const struct record_table *table, size_t row, int column)
{
    return &table->cells[row * (size_t)table->spec->column_count + (size_t)column];
}
