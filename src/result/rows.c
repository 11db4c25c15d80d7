/* SPDX-License-Identifier: MIT */
/* Tables of a record: rows, and the names of classes and flags. */
#include <stdlib.h>
#include <string.h>

#include "result/record_internal.h"

/* Where the name is, at the end if it is new. From the last one, because rows that follow each other are mostly of one class. */
static int64_t names_index(struct names *names, const char *name)
{
    for (size_t i = names->count; i-- > 0;) {
        if (strcmp(names->name[i], name) == 0)
            return (int64_t)i;
    }
    names->name = memory_grow(names->name, (names->count + 1) * sizeof(*names->name));
    names->name[names->count] = text_copy_valid(name);
    return (int64_t)names->count++;
}

size_t record_table_add(struct record *record, const struct table_spec *spec)
{
    struct names *names = memory_zeroed((size_t)spec->column_count, sizeof(*names));
    for (int i = 0; i < spec->column_count; i++) {
        for (const char *const *name = spec->columns[i].names; name && *name; name++)
            names_index(&names[i], *name);
    }
    const struct record_table table = {.record = record, .spec = spec, .names = names};
    LIST_ADD(record->tables, table);
    return record->tables.count - 1;
}

int64_t record_class(struct record *record, size_t table, int column, const char *name)
{
    return names_index(&record->tables.of[table].names[column], name);
}

void table_free(struct record_table *table)
{
    const size_t columns = (size_t)table->spec->column_count;
    for (size_t i = 0; i < table->row_count * columns; i++) {
        cell_free(&table->cells[i]);
        if (table->samples[i / columns])
            samples_free(&table->samples[i / columns][i % columns]);
    }
    for (size_t row = 0; row < table->row_count; row++)
        free(table->samples[row]);
    for (size_t i = 0; i < columns; i++) {
        for (size_t j = 0; j < table->names[i].count; j++)
            free((void *)(uintptr_t)table->names[i].name[j]);
        free(table->names[i].name);
    }
    free(table->cells);
    free(table->samples);
    free(table->names);
}

/* A cell on its way into a column. */
static struct cell cell_typed(struct record_table *table, size_t column, struct cell cell)
{
    const enum cell_type type = table->spec->columns[column].type;
    const bool number = type == CELL_SIZE || type == CELL_CPU || type == CELL_CLASS || type == CELL_FLAGS;
    if (cell.type == CELL_TEXT && type == CELL_CLASS && cell.text)
        cell = INTEGER_CELL(names_index(&table->names[column], cell.text));
    if ((cell.type == CELL_INTEGER && number) || (cell.type == CELL_TEXT && type == CELL_KERNEL))
        cell.type = type;
    if (cell.type == CELL_CLASS || cell.type == CELL_FLAGS)
        cell.names = &table->names[column];
    return cell_copy(cell);
}

void record_row(struct record *record, size_t index, const struct cell *cells)
{
    struct record_table *table = &record->tables.of[index];
    const size_t columns = (size_t)table->spec->column_count;
    if (table->row_count == table->capacity) {
        table->capacity = table->capacity ? 2 * table->capacity : 8;
        table->cells = memory_grow(table->cells, table->capacity * columns * sizeof(*table->cells));
        table->samples = memory_grow(table->samples, table->capacity * sizeof(*table->samples));
    }
    for (size_t i = 0; i < columns; i++)
        table->cells[table->row_count * columns + i] = cell_typed(table, i, cells[i]);
    table->samples[table->row_count++] = NULL;
}

void record_samples(struct record *record, size_t index, int column, const struct samples *samples,
                    const struct summary *summary)
{
    const struct record_table *table = &record->tables.of[index];
    const size_t columns = (size_t)table->spec->column_count, row = table->row_count - 1;
    const bool whole = table->spec->columns[column].type == CELL_SUMMARY;
    struct cell *cell = &table->cells[row * columns + (size_t)column];
    if (!table->samples[row])
        table->samples[row] = memory_zeroed(columns, sizeof(struct samples));
    for (size_t i = 0; i < samples->count; i++)
        samples_add(&table->samples[row][column], samples->value[i]);
    cell_free(cell);
    *cell = cell_copy(whole ? SUMMARY_CELL(summary) : REAL_CELL(summary->median));
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
