/* SPDX-License-Identifier: MIT */
/* The writer. */
#include "result/json/json.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema.h"

/* More digits would print 0.1 as 0.10000000000000001; no measurement has as many. */
enum { DIGITS = 15 };

static void *allocate(size_t bytes)
{
    return memory_grow(NULL, bytes);
}

/* Without memory jansson leaves values out, and few of its callers would see it. */
__attribute__((constructor)) static void take_memory_or_end(void)
{
    json_set_alloc_funcs(allocate, free);
}

static int add_bytes(const char *bytes, size_t length, void *out)
{
    text_add_bytes(out, bytes, length);
    return 0;
}

/* A line for each member or item of the outermost levels, but a list of numbers or texts has one. */
static void add_value(struct text *out, json_t *value, int levels, size_t depth)
{
    const bool is_array = json_is_array(value);
    const size_t count = is_array ? json_array_size(value) : json_object_size(value);
    void *at = is_array ? NULL : json_object_iter(value);
    if (levels == 0 || count == 0 || (is_array && !json_is_object(json_array_get(value, 0)))) {
        json_dump_callback(value, add_bytes, out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(DIGITS));
        return;
    }
    text_add(out, is_array ? "[" : "{");
    for (size_t i = 0; i < count; i++, at = is_array ? NULL : json_object_iter_next(value, at)) {
        const char *key = is_array ? "" : json_object_iter_key(at);
        const bool two = strcmp(key, "tables") == 0 || strcmp(key, "rows") == 0;
        const int more = strcmp(key, "commands") == 0  ? 3
                         : two                         ? 2
                         : strcmp(key, "columns") == 0 ? 1
                                                       : levels - 1;
        text_add(out, i ? ",\n" : "\n");
        text_repeat(out, ' ', 2 * depth + 2);
        if (!is_array) {
            json_t *name = json_string(key);
            json_dump_callback(name, add_bytes, out, JSON_ENCODE_ANY);
            text_add(out, ": ");
            json_decref(name);
        }
        add_value(out, is_array ? json_array_get(value, i) : json_object_iter_value(at), more, depth + 1);
    }
    text_add(out, "\n");
    text_repeat(out, ' ', 2 * depth);
    text_add(out, is_array ? "]" : "}");
}

/* Of classes and flags their numbers: the names are in the column. */
static json_t *value_of(const struct cell *cell)
{
    if (!cell_has_value(cell))
        return json_null();
    return cell->type == CELL_REAL   ? json_real(cell->real)
           : cell->type == CELL_BOOL ? json_boolean(cell_is(cell, true))
           : cell->type == CELL_TEXT ? json_string(cell->text)
                                     : json_integer(cell->integer);
}

/* path is cut at its dots; a component that is a number makes its parent an array. */
static void put_fact(json_t *parent, char *path, json_t *value)
{
    const char *key = strsep(&path, ".");
    const size_t index = strtoul(key, NULL, 10);
    const bool in_array = json_is_array(parent);
    json_t *child = in_array ? json_array_get(parent, index) : json_object_get(parent, key);
    if (path && (json_is_object(child) || json_is_array(child))) {
        put_fact(child, path, value);
        return;
    }
    const char *behind = path ? path + strspn(path, "0123456789") : NULL;
    child = !path ? value : behind > path && (!*behind || *behind == '.') ? json_array() : json_object();
    for (size_t filled = json_array_size(parent); in_array && filled <= index; filled++)
        json_array_append_new(parent, json_null());
    if (in_array)
        json_array_set_new(parent, index, child);
    else
        json_object_set_new(parent, key, child);
    if (path)
        put_fact(child, path, value);
}

static json_t *places_of(const struct record *record)
{
    const struct record *whole = record_whole(record);
    json_t *object = json_object();
    for (int i = 0; i <= LEVEL_COUNT; i++) {
        json_t *list = json_array();
        for (size_t cpu = 0; cpu < whole->places.count; cpu++) {
            const struct place *place = &whole->places.of[cpu];
            const int number = i == 0 ? place->cpu : place->group[i - 1];
            json_array_append_new(list, number < 0 ? json_null() : json_integer(number));
        }
        json_object_set_new(object, json_place_names[i], list);
    }
    return object;
}

/* of: a member of the summaries, NULL: how many samples. */
static json_t *summaries_of(const struct record_table *table, size_t rows, int column,
                            const struct json_part *of)
{
    json_t *list = json_array();
    for (size_t row = 0; row < rows; row++) {
        const struct cell *cell = record_cell(table, row, column);
        json_array_append_new(list, cell->type != CELL_SUMMARY ? json_null()
                                    : !of ? json_integer((json_int_t)cell->summary->count)
                                          : json_real(*JSON_PART(const double, cell->summary, of)));
    }
    return list;
}

/* An array of the values; of summaries one for the counts and for each quantile. */
static json_t *column_of(const struct record_table *table, int column, size_t rows_most)
{
    const size_t rows = table->row_count <= rows_most ? table->row_count : 0;
    json_t *values;
    if (table->spec->columns[column].type == CELL_SUMMARY) {
        values = json_pack("{s:o}", "n", summaries_of(table, rows, column, NULL));
        for (const struct json_part *part = json_quantiles; part->key; part++)
            json_object_set_new(values, part->key, summaries_of(table, rows, column, part));
        return values;
    }
    values = json_array();
    for (size_t row = 0; row < rows; row++)
        json_array_append_new(values, value_of(record_cell(table, row, column)));
    return values;
}

static json_t *view_of(const struct table_spec *spec)
{
    const struct view *view = &spec->view;
    const bool drawn = view->kind == VIEW_CURVE || view->kind == VIEW_MATRIX;
    json_t *object = json_pack("{s:s}", "kind", json_view_names[view->kind]);
    for (const struct json_part *part = json_view_columns; drawn && part->key; part++) {
        const int column = *JSON_PART(const int, view, part);
        if (column >= part->least && column < spec->column_count)
            json_object_set_new(object, part->key, json_string(spec->columns[column].key));
    }
    for (const struct json_part *part = json_view_flags; part->key; part++) {
        if (*JSON_PART(const bool, view, part))
            json_object_set_new(object, part->key, json_true());
    }
    if (view->scale != 0)
        json_object_set_new(object, "scale", json_real(view->scale));
    if (view->scale_unit)
        json_object_set_new(object, "scale_unit", json_string(view->scale_unit));
    return object;
}

static json_t *table_of(const struct record_table *table, size_t rows_most)
{
    const struct table_spec *spec = table->spec;
    json_t *columns = json_array(), *rows = json_object();
    for (int i = 0; i < spec->column_count; i++) {
        const struct column *column = &spec->columns[i];
        const bool named = column->type == CELL_CLASS || column->type == CELL_FLAGS;
        json_t *names = named ? json_array() : NULL;
        for (size_t k = 0; k < table->names[i].count && named; k++)
            json_array_append_new(names, json_string(table->names[i].name[k]));
        json_array_append_new(columns,
                              json_pack("{s:s, s:s, s:s?, s:s, s:s, s:i, s:o*}", "key", column->key, "title",
                                        column->title, "unit", column->unit, "type",
                                        json_type_names[column->type], "role", json_role_names[column->role],
                                        "digits", column->digits, "names", names));
        json_object_set_new(rows, column->key, column_of(table, i, rows_most));
    }
    return json_pack("{s:s, s:s*, s:s?, s:s?, s:o, s:o, s:o}", "name", spec->name, "kind", table->kind,
                     "title", spec->title, "note", spec->note, "view", view_of(spec), "columns", columns,
                     "rows", rows);
}

/* Six digits: more than a part of a run is worth. null: there are none, or none that is a number. */
static json_t *parts_of(const struct parts *parts)
{
    json_t *list = json_array();
    for (size_t i = 0; i < parts->count; i++) {
        char digits[24];
        snprintf(digits, sizeof(digits), "%.6g", (double)parts->value[i]);
        json_array_append_new(list, json_real(strtod(digits, NULL)));
    }
    if (json_array_size(list) > 0)
        return list;
    json_decref(list);
    return json_null();
}

/* NULL: unknown. */
static json_t *positive(double value)
{
    return value > 0 ? json_real(value) : NULL;
}

static json_t *answer_of(const struct answer *answer)
{
    const struct quote *quote = &answer->published;
    json_t *interval = cell_has_value(&answer->low)
                           ? json_pack("[o, o]", value_of(&answer->low), value_of(&answer->high))
                           : NULL;
    json_t *published = quote->agreement == AGREEMENT_UNKNOWN
                            ? NULL
                            : json_pack("{s:s, s:o, s:s?, s:s?, s:o, s:o}", "agreement",
                                        json_agreement_names[quote->agreement], "value",
                                        value_of(&quote->value), "unit", quote->unit, "source", quote->source,
                                        "least", value_of(&quote->least), "most", value_of(&quote->most));
    return json_pack(
        "{s:s, s:s*, s:o, s:s?, s:o?, s:s?, s:o?, s:o, s:o?, s:o?, s:o?, s:s, s:s?, s:o?, s:s?, s:s?, s:s?, "
        "s:s?}",
        "key", answer->key, "kind", answer->kind, "value", value_of(&answer->value), "unit", answer->unit,
        "interval", interval, "state", answer->state, "samples",
        answer->samples ? json_integer((json_int_t)answer->samples) : NULL, "parts", parts_of(&answer->parts),
        "ghz", positive(answer->ghz), "within", positive(answer->within), "within_absolute",
        positive(answer->within_absolute), "trust", trust_names[answer->trust], "limited_by",
        json_limited_by_names[answer->limited_by], "published", published, "label", answer->label, "remark",
        answer->remark, "sheet_cell", answer->sheet_cell, "text", answer->text);
}

/* Facts, then lists. tops: objects that are there without facts, too. */
static void add_content(json_t *root, const struct record *record, const char *const *tops, size_t rows_most)
{
    for (size_t i = 0; tops[i]; i++)
        json_object_set_new(root, tops[i], json_object());
    for (size_t i = 0; i < record->facts.count; i++) {
        char *path = text_copy_valid(record->facts.of[i].path);
        put_fact(root, path, value_of(&record->facts.of[i].value));
        free(path);
    }
    json_t *topology = json_object_get(json_object_get(root, "host"), "topology");
    if (topology)
        json_object_set_new(topology, "places", places_of(record));
    json_t *tables = json_array(), *answers = json_array(), *warnings = json_array();
    for (size_t i = 0; i < record->tables.count; i++) {
        if (!record->tables.of[i].spec->view.aside)
            json_array_append_new(tables, table_of(&record->tables.of[i], rows_most));
    }
    for (size_t i = 0; i < record->answers.count; i++)
        json_array_append_new(answers, answer_of(&record->answers.of[i]));
    for (size_t i = 0; i < record->warnings.count; i++)
        json_array_append_new(warnings, json_pack("{s:s, s:s}", "code", record->warnings.of[i].code, "text",
                                                  record->warnings.of[i].text));
    json_object_set_new(root, "tables", tables);
    json_object_set_new(root, "answers", answers);
    json_object_set_new(root, "warnings", warnings);
}

void json_write(const struct record *record, bool indent, size_t rows_most, struct text *out)
{
    json_t *root = json_pack("{s:s}", "schema", json_schema), *commands = json_array();
    add_content(root, record, json_top_names, rows_most);
    for (size_t i = 0; i < record->children.count; i++) {
        json_t *child = json_object();
        add_content(child, record->children.of[i], json_child_names, rows_most);
        json_array_append_new(commands, child);
    }
    if (json_array_size(commands) > 0)
        json_object_set(root, "commands", commands);
    if (indent)
        add_value(out, root, 2, 0);
    else
        json_dump_callback(root, add_bytes, out, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
    text_add(out, "\n");
    json_decref(commands);
    json_decref(root);
}
