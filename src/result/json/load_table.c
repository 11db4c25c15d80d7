/* SPDX-License-Identifier: MIT */
/* The reader of tables. */
#include <math.h>
#include <string.h>

#include "load.h"
#include "result/record_internal.h"
#include "schema.h"

enum { COLUMNS_MAX = 1024, DIGITS_MAX = 17, FLAGS_MAX = 62, CLASSES_MAX = 4096 };

/* Names of a column of classes or flags; false: no names, some equal, or more than bits. */
static bool load_names(struct record *record, const json_t *from, struct column *column)
{
    const size_t count = json_array_size(from);
    if (column->type != CELL_CLASS && column->type != CELL_FLAGS)
        return true;
    if (!json_is_array(from) || count > (column->type == CELL_FLAGS ? FLAGS_MAX : CLASSES_MAX))
        return false;
    const char **names = record_own(record, memory_zeroed(count + 1, sizeof(*names)));
    for (size_t i = 0; i < count; i++) {
        const char *name = record_own_text(record, json_string_value(json_array_get(from, i)));
        for (size_t k = 0; name && k < i; k++)
            name = strcmp(name, names[k]) == 0 ? NULL : name;
        if (!name)
            return false;
        names[i] = name;
    }
    column->names = names;
    return true;
}

static int column_of(const struct table_spec *spec, const char *key)
{
    for (int i = 0; key && i < spec->column_count; i++) {
        if (strcmp(spec->columns[i].key, key) == 0)
            return i;
    }
    return -1;
}

/* Behind the columns that are there already. */
static bool load_column(struct loader *loader, size_t table, json_t *from, struct table_spec *spec,
                        struct column *column)
{
    const char *key, *title = NULL, *unit = NULL, *type, *role = NULL;
    int digits = 0;
    if (!loader_unpack(loader, "tables", table, from, "{s:s, s?s, s?s, s:s, s?s, s?i}", "key", &key, "title",
                       &title, "unit", &unit, "type", &type, "role", &role, "digits", &digits))
        return false;
    if (strcmp(type, "kernel") == 0) /* of earlier versions */
        type = "text";
    if (!*key || loader_index(json_type_names, type, -1) < 0 || column_of(spec, key) >= 0)
        return loader_reject(loader, "has a column without a key and a type, or two columns of one key",
                             "tables.%zu", table);
    *column = (struct column){.key = record_own_text(loader->record, key),
                              .title = record_own_text(loader->record, title ? title : key),
                              .unit = record_own_text(loader->record, unit),
                              .type = (enum cell_type)loader_index(json_type_names, type, 0),
                              .role = (enum column_role)loader_index(json_role_names, role, ROLE_LABEL),
                              .digits = digits < 0 || digits > DIGITS_MAX ? DIGITS_MAX : digits};
    spec->column_count++;
    return load_names(loader->record, json_object_get(from, "names"), column) ||
           loader_reject(loader, "has a column of classes or flags without fit names", "tables.%zu", table);
}

/* NULL: rejected. */
static const struct table_spec *load_spec(struct loader *loader, size_t table, json_t *from)
{
    const char *name, *title = NULL, *note = NULL, *kind = NULL, *scale_unit = NULL;
    json_t *list, *view = NULL;
    double scale = 0;
    struct record *record = loader->record;
    struct table_spec *spec = record_own(record, memory_zeroed(1, sizeof(*spec)));
    if (!loader_unpack(loader, "tables", table, from, "{s:s, s?s, s?s, s:o, s?o, s?{s?s, s?F, s?s}}", "name",
                       &name, "title", &title, "note", &note, "columns", &list, "view", &view, "view", "kind",
                       &kind, "scale", &scale, "scale_unit", &scale_unit))
        return NULL;
    const size_t count = json_array_size(list);
    if (count == 0 || count > COLUMNS_MAX) {
        loader_reject(loader, "has no columns, or too many", "tables.%zu", table);
        return NULL;
    }
    struct column *columns = record_own(record, memory_zeroed(count, sizeof(*columns)));
    *spec =
        (struct table_spec){.name = record_own_text(record, name),
                            .title = record_own_text(record, title),
                            .note = record_own_text(record, note),
                            .columns = columns,
                            .view = {.kind = (enum view_kind)loader_index(json_view_names, kind, VIEW_LIST),
                                     .scale = scale,
                                     .scale_unit = record_own_text(record, scale_unit)}};
    for (size_t i = 0; i < count; i++) {
        if (!load_column(loader, table, json_array_get(list, i), spec, &columns[i]))
            return NULL;
    }
    for (const struct json_part *part = json_view_columns; part->key; part++)
        *JSON_PART(int, &spec->view, part) =
            column_of(spec, json_string_value(json_object_get(view, part->key)));
    for (const struct json_part *part = json_view_flags; part->key; part++)
        *JSON_PART(bool, &spec->view, part) = json_is_true(json_object_get(view, part->key));
    /* As earlier versions wrote it. */
    const char *mark = json_string_value(json_object_get(view, "mark"));
    spec->view.mark |= mark && strcmp(mark, "max") == 0;
    return spec;
}

/* The row takes an integer for a size, and so on: record_row. names: of the column. */
static bool load_cell(const struct column *column, size_t names, const json_t *from, struct cell *cell)
{
    const bool numbered = column->type == CELL_CLASS || column->type == CELL_FLAGS;
    *cell = loader_cell(from);
    if (cell->type == CELL_INTEGER && column->type == CELL_REAL)
        *cell = REAL_CELL((double)cell->integer);
    if (cell->type == CELL_NULL || cell->type != record_given_as(column->type))
        return json_is_null(from);
    return !numbered || (cell->integer >= 0 && (column->type == CELL_CLASS ? (size_t)cell->integer < names
                                                                           : cell->integer >> names == 0));
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
        *JSON_PART(double, summary, part) = json_number_value(value);
    }
    return json_is_null(count) || summary->count > 0;
}

static bool load_values(struct loader *loader, size_t index, int column, const json_t *values)
{
    const struct record_table *table = &loader->record->tables.of[index];
    const struct column *of = &table->spec->columns[column];
    for (size_t row = 0; row < table->row_count; row++) {
        struct summary summary;
        struct cell cell;
        if (!(of->type == CELL_SUMMARY
                  ? load_summary(values, row, &summary, &cell)
                  : load_cell(of, table->names[column].count, json_array_get(values, row), &cell)))
            return loader_reject(loader, "is not of its column's type", "tables.%zu.rows.%.80s.%zu", index,
                                 of->key, row);
        record_cell_set(loader->record, index, row, column, cell);
    }
    return true;
}

bool load_table(struct loader *loader, size_t index, json_t *from)
{
    const struct table_spec *spec = load_spec(loader, index, from);
    json_t *rows = json_object_get(from, "rows");
    size_t count = 0;
    for (int i = 0; spec && i < spec->column_count; i++) {
        const struct column *column = &spec->columns[i];
        const json_t *values = json_object_get(rows, column->key);
        const json_t *list = column->type == CELL_SUMMARY ? json_object_get(values, "n") : values;
        if (!json_is_array(list) || (i > 0 && json_array_size(list) != count))
            return loader_reject(loader, "is no array, or has not as many values as the columns before it",
                                 "tables.%zu.rows.%.80s", index, column->key);
        count = json_array_size(list);
    }
    if (!spec)
        return false;
    record_table_add(loader->record, spec);
    loader->record->tables.of[index].kind =
        record_own_text(loader->record, json_string_value(json_object_get(from, "kind")));
    record_rows_add(loader->record, index, count);
    for (int i = 0; i < spec->column_count; i++) {
        if (!load_values(loader, index, i, json_object_get(rows, spec->columns[i].key)))
            return false;
    }
    return true;
}
