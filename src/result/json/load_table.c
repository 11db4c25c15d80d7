/* SPDX-License-Identifier: MIT */
/* The reader of tables. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "load.h"
#include "names.h"
#include "result/record_internal.h"

enum { COLUMNS_MAX = 1024, DIGITS_MAX = 17, FLAGS_MAX = 62 };

/* NULL where it is no text. */
static char *own_text(struct loader *loader, const json_t *text)
{
    return json_is_string(text) ? record_own(loader->record, text_copy_valid(json_string_value(text))) : NULL;
}

/* Those of a column of classes or flags; false: they are none, or more than bits. */
static bool load_names(struct loader *loader, const json_t *from, struct column *column)
{
    const size_t count = json_array_size(from);
    if (column->type != CELL_CLASS && column->type != CELL_FLAGS)
        return true;
    if (!json_is_array(from) || (column->type == CELL_FLAGS && count > FLAGS_MAX))
        return false;
    const char **names = record_own(loader->record, memory_zeroed(count + 1, sizeof(*names)));
    for (size_t i = 0; i < count; i++) {
        names[i] = own_text(loader, json_array_get(from, i));
        for (size_t j = 0; j < i && names[i]; j++) {
            if (strcmp(names[i], names[j]) == 0)
                return false;
        }
        if (!names[i])
            return false;
    }
    column->names = names;
    return true;
}

static bool load_column(struct loader *loader, const char *where, const json_t *from, struct column *column)
{
    const json_t *key = json_object_get(from, "key");
    const json_t *title = json_object_get(from, "title");
    int type = loader_index(json_type_names, json_object_get(from, "type"));
    int role = loader_index(json_role_names, json_object_get(from, "role"));
    json_int_t digits = json_integer_value(json_object_get(from, "digits"));
    if (json_string_length(key) == 0 || type < 0)
        return loader_reject(loader, where, "is not a column with a key and a type");
    *column = (struct column){.key = own_text(loader, key),
                              .title = own_text(loader, json_is_string(title) ? title : key),
                              .unit = own_text(loader, json_object_get(from, "unit")),
                              .type = (enum cell_type)type,
                              .role = role < 0 ? ROLE_LABEL : (enum column_role)role,
                              .digits = digits < 0 || digits > DIGITS_MAX ? DIGITS_MAX : (int)digits};
    if (!load_names(loader, json_object_get(from, "names"), column))
        return loader_reject(loader, where, "has a column of classes or flags without fit names");
    return true;
}

static int column_of(const struct table_spec *spec, const json_t *key)
{
    for (int i = 0; json_is_string(key) && i < spec->column_count; i++) {
        if (strcmp(spec->columns[i].key, json_string_value(key)) == 0)
            return i;
    }
    return -1;
}

static void load_view(struct loader *loader, const json_t *from, struct table_spec *spec)
{
    const int kind = loader_index(json_view_names, json_object_get(from, "kind"));
    const int mark = loader_index(json_mark_names, json_object_get(from, "mark"));
    struct view *view = &spec->view;
    char *at = (char *)view;
    *view = (struct view){.kind = kind < 0 ? VIEW_LIST : (enum view_kind)kind,
                          .mark = mark < 0 ? MARK_NONE : (enum mark_rule)mark,
                          .scale = json_number_value(json_object_get(from, "scale")),
                          .scale_unit = own_text(loader, json_object_get(from, "scale_unit"))};
    for (const struct json_part *part = json_view_columns; part->key; part++)
        *(int *)(void *)(at + part->offset) = column_of(spec, json_object_get(from, part->key));
    for (const struct json_part *part = json_view_flags; part->key; part++)
        *(bool *)(void *)(at + part->offset) = json_is_true(json_object_get(from, part->key));
}

static struct table_spec *load_spec(struct loader *loader, const char *where, const json_t *from)
{
    const json_t *name = json_object_get(from, "name");
    const json_t *title = json_object_get(from, "title");
    const json_t *columns = json_object_get(from, "columns");
    size_t count = json_array_size(columns);
    if (!json_is_string(name) || count == 0 || count > COLUMNS_MAX) {
        loader_reject(loader, where, "is not a table with a name and columns");
        return NULL;
    }
    struct table_spec *spec = record_own(loader->record, memory_zeroed(1, sizeof(*spec)));
    struct column *column = record_own(loader->record, memory_zeroed(count, sizeof(*column)));
    for (size_t i = 0; i < count; i++) {
        if (!load_column(loader, where, json_array_get(columns, i), &column[i]))
            return NULL;
    }
    *spec = (struct table_spec){.name = own_text(loader, name),
                                .title = own_text(loader, title),
                                .note = own_text(loader, json_object_get(from, "note")),
                                .columns = column,
                                .column_count = (int)count};
    load_view(loader, json_object_get(from, "view"), spec);
    return spec;
}

static size_t names_in(const struct column *column)
{
    size_t count = 0;
    while (column->names[count])
        count++;
    return count;
}

/* The row takes an integer for a size, and so on: record_row. */
static bool load_cell(const struct column *column, const json_t *from, struct cell *cell)
{
    *cell = loader_cell(from);
    if (cell->type == CELL_INTEGER && column->type == CELL_REAL)
        *cell = REAL_CELL((double)cell->integer);
    if (cell->type == CELL_NULL)
        return json_is_null(from);
    switch (column->type) {
    case CELL_CLASS:
        return cell->type == CELL_INTEGER && cell->integer >= 0 && (size_t)cell->integer < names_in(column);
    case CELL_FLAGS:
        return cell->type == CELL_INTEGER && cell->integer >= 0 && cell->integer >> names_in(column) == 0;
    case CELL_SIZE:
    case CELL_CPU:
        return cell->type == CELL_INTEGER;
    case CELL_KERNEL:
        return cell->type == CELL_TEXT;
    default:
        return cell->type == column->type;
    }
}

/* from: an object with an array for the counts and for each quantile. */
static bool load_summary(const json_t *from, size_t row, struct summary *summary, struct cell *cell)
{
    const json_t *count = json_array_get(json_object_get(from, "n"), row);
    *cell = json_is_null(count) ? NO_CELL : SUMMARY_CELL(summary);
    *summary = (struct summary){.count = (size_t)json_integer_value(count), .mean = NAN, .mad = NAN};
    for (const struct json_part *part = json_quantiles; part->key && !json_is_null(count); part++) {
        const json_t *value = json_array_get(json_object_get(from, part->key), row);
        if (!json_is_number(value))
            return false;
        *(double *)(void *)((char *)summary + part->offset) = json_number_value(value);
    }
    return json_is_null(count) || summary->count > 0;
}

/* The values of each column, in the order of the columns; all as many as there are rows. */
static bool find_values(struct loader *loader, const char *where, const struct table_spec *spec,
                        const json_t *rows, json_t **values, size_t *count)
{
    char place[160];
    for (int i = 0; i < spec->column_count; i++) {
        values[i] = json_object_get(rows, spec->columns[i].key);
        snprintf(place, sizeof(place), "%s.rows.%.80s", where, spec->columns[i].key);
        const json_t *list = values[i];
        if (spec->columns[i].type == CELL_SUMMARY)
            list = json_object_get(list, "n");
        if (!json_is_array(list))
            return loader_reject(loader, place, "is missing or no array");
        if (i > 0 && json_array_size(list) != *count)
            return loader_reject(loader, place, "has not as many values as the columns before it");
        *count = json_array_size(list);
    }
    return true;
}

static bool load_rows(struct loader *loader, const char *where, const json_t *rows, size_t table)
{
    const struct table_spec *spec = record_table_at(loader->record, table)->spec;
    struct cell cells[COLUMNS_MAX];
    struct summary summaries[COLUMNS_MAX];
    json_t *values[COLUMNS_MAX];
    size_t count = 0;
    if (!find_values(loader, where, spec, rows, values, &count))
        return false;
    for (size_t row = 0; row < count; row++) {
        for (int i = 0; i < spec->column_count; i++) {
            const bool loaded = spec->columns[i].type == CELL_SUMMARY
                                    ? load_summary(values[i], row, &summaries[i], &cells[i])
                                    : load_cell(&spec->columns[i], json_array_get(values[i], row), &cells[i]);
            if (loaded)
                continue;
            char place[160];
            snprintf(place, sizeof(place), "%s.rows.%.80s.%zu", where, spec->columns[i].key, row);
            return loader_reject(loader, place, "is not of its column's type");
        }
        record_row(loader->record, table, cells);
    }
    return true;
}

bool load_table(struct loader *loader, size_t index, const json_t *from)
{
    char where[48];
    snprintf(where, sizeof(where), "tables.%zu", index);
    const struct table_spec *spec = load_spec(loader, where, from);
    if (!spec)
        return false;
    return load_rows(loader, where, json_object_get(from, "rows"), record_table_add(loader->record, spec));
}
