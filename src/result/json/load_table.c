/* SPDX-License-Identifier: MIT */
/* The reader of tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "load.h"
#include "result/record_internal.h"
#include "schema.h"

/* A few bytes of runs must not become memory without end: RUN_ROWS_MAX. */
enum { COLUMNS_MAX = 1024, DIGITS_MAX = 17, FLAGS_MAX = 62, CLASSES_MAX = 4096, RUN_ROWS_MAX = 1 << 16 };

/* NULL where it is no text. */
static const char *own_text(struct loader *loader, const json_t *text)
{
    return record_own_text(loader->record, json_string_value(text));
}

/* Those of a column of classes or flags; false: they are none, not all different, or more than bits. */
static bool load_names(struct loader *loader, const json_t *from, struct column *column)
{
    const size_t count = json_array_size(from);
    if (column->type != CELL_CLASS && column->type != CELL_FLAGS)
        return true;
    if (!json_is_array(from) || count > (column->type == CELL_FLAGS ? FLAGS_MAX : CLASSES_MAX))
        return false;
    const char **names = record_own(loader->record, memory_zeroed(count + 1, sizeof(*names)));
    for (size_t i = 0; i < count; i++) {
        names[i] = own_text(loader, json_array_get(from, i));
        if (!names[i] || loader_index(names, json_array_get(from, i)) < (int)i)
            return false;
    }
    column->names = names;
    return true;
}

static bool load_column(struct loader *loader, size_t table, const json_t *from, struct column *column)
{
    const json_t *key = json_object_get(from, "key"), *title = json_object_get(from, "title");
    const int type = loader_index(json_type_names, json_object_get(from, "type"));
    const int role = loader_index(json_role_names, json_object_get(from, "role"));
    const json_int_t digits = json_integer_value(json_object_get(from, "digits"));
    if (json_string_length(key) == 0 || type < 0 || !loader_is_word(key, loader_key) ||
        !loader_is_word(json_object_get(from, "unit"), loader_unit))
        return loader_reject(loader, "is not a column with a key, a type and a unit", "tables.%zu", table);
    *column = (struct column){.key = own_text(loader, key),
                              .title = own_text(loader, json_is_string(title) ? title : key),
                              .unit = own_text(loader, json_object_get(from, "unit")),
                              .type = (enum cell_type)type,
                              .role = role < 0 ? ROLE_LABEL : (enum column_role)role,
                              .digits = digits < 0 || digits > DIGITS_MAX ? DIGITS_MAX : (int)digits};
    return load_names(loader, json_object_get(from, "names"), column) ||
           loader_reject(loader, "has a column of classes or flags without fit names", "tables.%zu", table);
}

/* key NULL: none. */
static int column_of(const struct column *column, int count, const char *key)
{
    for (int i = 0; key && i < count; i++) {
        if (strcmp(column[i].key, key) == 0)
            return i;
    }
    return -1;
}

static void load_view(struct loader *loader, const json_t *from, struct table_spec *spec)
{
    const int kind = loader_index(json_view_names, json_object_get(from, "kind"));
    const int mark = loader_index(json_mark_names, json_object_get(from, "mark"));
    struct view *view = &spec->view;
    *view = (struct view){.kind = kind < 0 ? VIEW_LIST : (enum view_kind)kind,
                          .mark = mark < 0 ? MARK_NONE : (enum mark_rule)mark,
                          .scale = json_number_value(json_object_get(from, "scale")),
                          .scale_unit = own_text(loader, json_object_get(from, "scale_unit"))};
    for (const struct json_part *part = json_view_columns; part->key; part++)
        *(int *)json_at(view, part) =
            column_of(spec->columns, spec->column_count, json_string_value(json_object_get(from, part->key)));
    for (const struct json_part *part = json_view_flags; part->key; part++)
        *(bool *)json_at(view, part) = json_is_true(json_object_get(from, part->key));
}

/* NULL: rejected. */
static const struct table_spec *load_spec(struct loader *loader, size_t table, const json_t *from)
{
    const json_t *name = json_object_get(from, "name"), *columns = json_object_get(from, "columns");
    const size_t count = json_array_size(columns);
    if (!json_is_string(name) || !loader_is_word(name, loader_key) || count == 0 || count > COLUMNS_MAX) {
        loader_reject(loader, "is not a table with a name and columns", "tables.%zu", table);
        return NULL;
    }
    struct table_spec *spec = record_own(loader->record, memory_zeroed(1, sizeof(*spec)));
    struct column *column = record_own(loader->record, memory_zeroed(count, sizeof(*column)));
    for (size_t i = 0; i < count; i++) {
        if (!load_column(loader, table, json_array_get(columns, i), &column[i]))
            return NULL;
        if (column_of(column, (int)i, column[i].key) >= 0) {
            loader_reject(loader, "has two columns of one key", "tables.%zu", table);
            return NULL;
        }
    }
    *spec = (struct table_spec){.name = own_text(loader, name),
                                .title = own_text(loader, json_object_get(from, "title")),
                                .note = own_text(loader, json_object_get(from, "note")),
                                .columns = column,
                                .column_count = (int)count};
    load_view(loader, json_object_get(from, "view"), spec);
    return spec;
}

/* The row takes an integer for a size, and so on: record_row. names: of the column. */
static bool load_cell(const struct column *column, size_t names, const json_t *from, struct cell *cell)
{
    *cell = loader_cell(from);
    if (cell->type == CELL_INTEGER && column->type == CELL_REAL)
        *cell = REAL_CELL((double)cell->integer);
    if (cell->type == CELL_NULL)
        return json_is_null(from);
    switch (column->type) {
    case CELL_CLASS:
        return cell->type == CELL_INTEGER && cell->integer >= 0 && (size_t)cell->integer < names;
    case CELL_FLAGS:
        return cell->type == CELL_INTEGER && cell->integer >= 0 && cell->integer >> names == 0;
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
        *(double *)json_at(summary, part) = json_number_value(value);
    }
    return json_is_null(count) || summary->count > 0;
}

/* Columns of runs, as a page has them, become arrays; what no page could have stays, and is rejected as no array. */
static void unpack_runs(json_t *rows)
{
    const char *key;
    json_t *column;
    json_object_foreach(rows, key, column)
    {
        const json_t *runs = json_object_get(column, "runs");
        json_t *values = json_is_array(runs) ? json_array() : NULL;
        for (size_t i = 0; i < json_array_size(runs) && values; i += 2) {
            const json_int_t count = json_integer_value(json_array_get(runs, i + 1));
            const bool fits = count >= 1 && count <= (json_int_t)(RUN_ROWS_MAX - json_array_size(values));
            for (json_int_t k = 0; k < count && fits; k++)
                json_array_append(values, json_array_get(runs, i));
            if (!fits) {
                json_decref(values);
                values = NULL;
            }
        }
        if (values)
            json_object_set_new(rows, key, values);
    }
}

/* A column on its way in. */
struct input {
    json_t *values;
    size_t names;
    struct summary summary;
};

/* All columns have as many values as there are rows. */
static bool find_inputs(struct loader *loader, size_t table, const json_t *rows, struct input *input,
                        size_t *count)
{
    const struct record_table *to = &loader->record->tables.of[table];
    for (int i = 0; i < to->spec->column_count; i++) {
        const struct column *column = &to->spec->columns[i];
        input[i].values = json_object_get(rows, column->key);
        input[i].names = to->names[i].count;
        const bool summary = column->type == CELL_SUMMARY;
        const json_t *list = summary ? json_object_get(input[i].values, "n") : input[i].values;
        const bool fits = i == 0 || json_array_size(list) == *count;
        if (!json_is_array(list) || !fits)
            return loader_reject(
                loader, fits ? "is missing or no array" : "has not as many values as the columns before it",
                "tables.%zu.rows.%.80s", table, column->key);
        *count = json_array_size(list);
    }
    return true;
}

static bool load_rows(struct loader *loader, size_t table, json_t *rows, struct input *input,
                      struct cell *cells)
{
    const struct table_spec *spec = loader->record->tables.of[table].spec;
    size_t count = 0;
    unpack_runs(rows);
    if (!find_inputs(loader, table, rows, input, &count))
        return false;
    for (size_t row = 0; row < count; row++) {
        for (int i = 0; i < spec->column_count; i++) {
            const struct column *column = &spec->columns[i];
            const bool loaded =
                column->type == CELL_SUMMARY
                    ? load_summary(input[i].values, row, &input[i].summary, &cells[i])
                    : load_cell(column, input[i].names, json_array_get(input[i].values, row), &cells[i]);
            if (!loaded)
                return loader_reject(loader, "is not of its column's type", "tables.%zu.rows.%.80s.%zu",
                                     table, column->key, row);
        }
        record_row(loader->record, table, cells);
    }
    return true;
}

bool load_table(struct loader *loader, size_t index, const json_t *from)
{
    const struct table_spec *spec = load_spec(loader, index, from);
    if (!spec)
        return false;
    const size_t table = record_table_add(loader->record, spec);
    struct input *input = memory_zeroed((size_t)spec->column_count, sizeof(*input));
    struct cell *cells = memory_zeroed((size_t)spec->column_count, sizeof(*cells));
    const bool loaded = load_rows(loader, table, json_object_get(from, "rows"), input, cells);
    free(input);
    free(cells);
    return loaded;
}
