/* SPDX-License-Identifier: MIT */
/* The writer: what there is much of, columns and answers, is written as it is made, no tree of the whole document is built. */
#include "result/json/json.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema.h"

/* More digits would print 0.1 as 0.10000000000000001; no measurement has as many. */
enum { INDEX_MAX = 65535, DIGITS = 15 };

struct writer {
    struct text *out;
    bool indent, empty; /* nothing is written yet at this depth */
    size_t depth;
    size_t rows_most; /* of a table in a page, or SIZE_MAX; what has more is left empty */
};

static void *allocate(size_t bytes)
{
    return memory_grow(NULL, bytes);
}

/* jansson leaves out what it has no memory for, and few of its callers would see it. */
__attribute__((constructor)) static void take_memory_or_end(void)
{
    json_set_alloc_funcs(allocate, free);
}

static int add_bytes(const char *bytes, size_t length, void *out)
{
    text_add_bytes(out, bytes, length);
    return 0;
}

/* jansson's own indentation would give each number of a column a line. Takes the value over. */
static void add_on_one_line(const struct writer *writer, json_t *value)
{
    const size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(DIGITS);
    json_dump_callback(value, add_bytes, writer->out, flags | (writer->indent ? 0 : JSON_COMPACT));
    json_decref(value);
}

static void new_line(struct writer *writer)
{
    text_add(writer->out, writer->indent ? "\n" : "");
    text_repeat(writer->out, ' ', writer->indent ? 2 * writer->depth : 0);
}

/* key NULL: within an array. */
static void add_key(struct writer *writer, const char *key)
{
    text_add(writer->out, writer->empty ? "" : ",");
    writer->empty = false;
    new_line(writer);
    if (!key)
        return;
    add_on_one_line(writer, json_string(key));
    text_add(writer->out, writer->indent ? ": " : ":");
}

static void open_value(struct writer *writer, const char *key, const char *bracket)
{
    add_key(writer, key);
    text_add(writer->out, bracket);
    writer->depth++;
    writer->empty = true;
}

static void close_value(struct writer *writer, const char *bracket)
{
    writer->depth--;
    if (!writer->empty)
        new_line(writer);
    text_add(writer->out, bracket);
    writer->empty = false;
}

/* A line. Takes the value over. */
static void add_member(struct writer *writer, const char *key, json_t *value)
{
    add_key(writer, key);
    add_on_one_line(writer, value);
}

static json_t *value_of(const struct cell *cell)
{
    if (!cell_has_value(cell))
        return json_null();
    switch (cell->type) {
    case CELL_TEXT:
    case CELL_KERNEL:
        return json_string(cell->text);
    case CELL_REAL:
        return json_real(cell->real);
    case CELL_BOOL:
        return json_boolean(cell_is(cell, true));
    default: /* classes and flags too: their names are in the column */
        return json_integer(cell->integer);
    }
}

/* The index that a path component is, -1 if it is a key. */
static long component_index(const char *component)
{
    if (!*component || strspn(component, "0123456789") != strlen(component))
        return -1;
    const long index = strtol(component, NULL, 10);
    return index <= INDEX_MAX ? index : -1;
}

/* NULL: there is none of that name. */
static json_t *child_of(json_t *parent, const char *component)
{
    return json_is_array(parent) ? json_array_get(parent, (size_t)component_index(component))
                                 : json_object_get(parent, component);
}

/* A key where there is an array already is left out. */
static void put_child(json_t *parent, const char *component, json_t *child)
{
    const long index = component_index(component);
    if (json_is_object(parent)) {
        json_object_set_new(parent, component, child);
        return;
    }
    while (index >= 0 && json_array_size(parent) <= (size_t)index)
        json_array_append_new(parent, json_null());
    json_array_set_new(parent, (size_t)index, child);
}

/* path is cut at its dots. */
static void put_fact(json_t *root, char *path, const struct cell *value)
{
    char *rest = NULL, *component = strtok_r(path, ".", &rest), *next;
    for (json_t *at = root; component && at; at = child_of(at, component), component = next) {
        next = strtok_r(NULL, ".", &rest);
        const json_t *child = child_of(at, component);
        if (!next)
            put_child(at, component, value_of(value));
        else if (!json_is_object(child) && !json_is_array(child))
            put_child(at, component, component_index(next) < 0 ? json_object() : json_array());
    }
}

static json_t *places_of(const struct record *record)
{
    const struct record *whole = record_whole(record);
    json_t *object = json_pack("{s:[]}", "cpu");
    for (int level = 0; level < LEVEL_COUNT; level++)
        json_object_set_new(object, json_level_names[level], json_array());
    for (size_t i = 0; i < whole->places.count; i++) {
        const struct place *place = &whole->places.of[i];
        json_array_append_new(json_object_get(object, "cpu"), json_integer(place->cpu));
        for (int level = 0; level < LEVEL_COUNT; level++)
            json_array_append_new(json_object_get(object, json_level_names[level]),
                                  place->group[level] < 0 ? json_null() : json_integer(place->group[level]));
    }
    return object;
}

/* A line each of its members. */
static void add_object(struct writer *writer, const char *name, json_t *object)
{
    const char *key;
    json_t *member;
    if (!json_is_object(object)) {
        add_member(writer, name, json_incref(object));
        return;
    }
    open_value(writer, name, "{");
    json_object_foreach(object, key, member) add_member(writer, key, json_incref(member));
    close_value(writer, "}");
}

/* tops: objects that are there without facts too. */
static void add_facts(struct writer *writer, const struct record *record, const char *const *tops)
{
    const char *key;
    json_t *root = json_object(), *member;
    for (size_t i = 0; tops[i]; i++)
        json_object_set_new(root, tops[i], json_object());
    for (size_t i = 0; i < record->facts.count; i++) {
        const struct fact *fact = &record->facts.of[i];
        char *path = text_copy_valid(fact->path);
        put_fact(root, path, &fact->value);
        free(path);
    }
    json_t *topology = json_object_get(json_object_get(root, "host"), "topology");
    if (topology)
        json_object_set_new(topology, "places", places_of(record));
    json_object_foreach(root, key, member) add_object(writer, key, member);
    json_decref(root);
}

static json_t *view_of(const struct table_spec *spec)
{
    const struct view *view = &spec->view;
    const bool drawn = view->kind == VIEW_CURVE || view->kind == VIEW_MATRIX;
    json_t *object = json_pack("{s:s}", "kind", json_view_names[view->kind]);
    for (const struct json_part *part = json_view_columns; drawn && part->key; part++) {
        const int column = *(const int *)json_at_const(view, part);
        if (column >= part->least && column < spec->column_count)
            json_object_set_new(object, part->key, json_string(spec->columns[column].key));
    }
    for (const struct json_part *part = json_view_flags; part->key; part++) {
        if (*(const bool *)json_at_const(view, part))
            json_object_set_new(object, part->key, json_true());
    }
    if (drawn)
        json_object_set_new(object, "mark", json_string(json_mark_names[view->mark]));
    if (view->scale != 0)
        json_object_set_new(object, "scale", json_real(view->scale));
    if (view->scale_unit)
        json_object_set_new(object, "scale_unit", json_string(view->scale_unit));
    return object;
}

static json_t *column_of(const struct column *column, const struct names *names)
{
    json_t *object = json_pack("{s:s, s:s, s:s?, s:s, s:s, s:i}", "key", column->key, "title", column->title,
                               "unit", column->unit, "type", json_type_names[column->type], "role",
                               json_role_names[column->role], "digits", column->digits);
    if (column->type != CELL_CLASS && column->type != CELL_FLAGS)
        return object;
    json_t *list = json_array();
    for (size_t i = 0; i < names->count; i++)
        json_array_append_new(list, json_string(names->name[i]));
    json_object_set_new(object, "names", list);
    return object;
}

/* of: a member of the summaries, NULL: how many samples. */
static json_t *summaries_of(const struct record_table *table, int column, const struct json_part *of)
{
    json_t *list = json_array();
    for (size_t row = 0; row < table->row_count; row++) {
        const struct cell *cell = record_cell(table, row, column);
        const struct summary *summary = cell->type == CELL_SUMMARY ? cell->summary : NULL;
        json_array_append_new(list, !summary ? json_null()
                                    : !of    ? json_integer((json_int_t)summary->count)
                                             : json_real(*(const double *)json_at_const(summary, of)));
    }
    return list;
}

/* A column of few different values as runs: {"runs": [value, how many rows have it, ...]}. Takes the array over. */
static json_t *runs_of(json_t *values)
{
    enum { SHORTER = 4 };
    json_t *runs = json_array();
    const size_t count = json_array_size(values);
    for (size_t i = 0, end; i < count; i = end) {
        json_t *value = json_array_get(values, i);
        for (end = i + 1; end < count && json_equal(json_array_get(values, end), value);)
            end++;
        json_array_append(runs, value);
        json_array_append_new(runs, json_integer((json_int_t)(end - i)));
    }
    const bool shorter = json_array_size(runs) * SHORTER < count;
    json_decref(shorter ? values : runs);
    return shorter ? json_pack("{s:o}", "runs", runs) : values;
}

/* An array of the values; of summaries one for the counts and for each quantile. */
static void add_column(struct writer *writer, const struct record_table *table, int column)
{
    const char *key = table->spec->columns[column].key;
    if (table->spec->columns[column].type == CELL_SUMMARY) {
        open_value(writer, key, "{");
        add_member(writer, "n", summaries_of(table, column, NULL));
        for (const struct json_part *part = json_quantiles; part->key; part++)
            add_member(writer, part->key, summaries_of(table, column, part));
        close_value(writer, "}");
        return;
    }
    json_t *values = json_array();
    for (size_t row = 0; row < table->row_count; row++)
        json_array_append_new(values, value_of(record_cell(table, row, column)));
    add_member(writer, key, writer->rows_most == SIZE_MAX ? values : runs_of(values));
}

static void add_text(struct writer *writer, const char *key, const char *text)
{
    add_member(writer, key, text ? json_string(text) : json_null());
}

static void add_table(struct writer *writer, const struct record_table *table)
{
    const struct table_spec *spec = table->spec;
    open_value(writer, NULL, "{");
    add_text(writer, "name", spec->name);
    add_text(writer, "title", spec->title);
    add_text(writer, "note", spec->note);
    add_member(writer, "view", view_of(spec));
    open_value(writer, "columns", "[");
    for (int i = 0; i < spec->column_count; i++)
        add_member(writer, NULL, column_of(&spec->columns[i], &table->names[i]));
    close_value(writer, "]");
    open_value(writer, "rows", "{");
    const struct record_table none = {.record = table->record, .spec = spec, .names = table->names};
    for (int i = 0; i < spec->column_count; i++)
        add_column(writer, table->row_count <= writer->rows_most ? table : &none, i);
    close_value(writer, "}");
    close_value(writer, "}");
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

static json_t *positive(double value)
{
    return value > 0 ? json_real(value) : json_null();
}

static json_t *quote_of(const struct quote *quote)
{
    return quote->standing == STANDING_UNKNOWN
               ? json_null()
               : json_pack("{s:s, s:o, s:s?, s:s?, s:o, s:o}", "standing",
                           json_standing_names[quote->standing], "value", value_of(&quote->value), "unit",
                           quote->unit, "source", quote->source, "least", value_of(&quote->least), "most",
                           value_of(&quote->most));
}

static json_t *answer_of(const struct answer *answer)
{
    const bool bounded = cell_has_value(&answer->low) && cell_has_value(&answer->high);
    json_t *interval =
        bounded ? json_pack("[o, o]", value_of(&answer->low), value_of(&answer->high)) : json_null();
    json_t *samples = answer->samples ? json_integer((json_int_t)answer->samples) : json_null();
    return json_pack(
        "{s:s, s:o, s:s?, s:o, s:s?, s:o, s:o, s:o, s:o, s:o, s:s, s:s?, s:o, s:s?, s:s?, s:s?, s:s?}", "key",
        answer->key, "value", value_of(&answer->value), "unit", answer->unit, "interval", interval, "state",
        answer->state, "samples", samples, "parts", parts_of(&answer->parts), "ghz", positive(answer->ghz),
        "within", positive(answer->within), "within_absolute", positive(answer->within_absolute), "trust",
        trust_names[answer->trust], "leg", json_leg_names[answer->leg], "published",
        quote_of(&answer->published), "label", answer->label, "remark", answer->remark, "slot", answer->slot,
        "text", answer->text);
}

/* Facts, then what there is several of. */
static void add_content(struct writer *writer, const struct record *record, const char *const *tops)
{
    add_facts(writer, record, tops);
    open_value(writer, "tables", "[");
    for (size_t i = 0; i < record->tables.count; i++) {
        if (!record->tables.of[i].spec->view.aside)
            add_table(writer, &record->tables.of[i]);
    }
    close_value(writer, "]");
    open_value(writer, "findings", "[");
    for (size_t i = 0; i < record->answers.count; i++)
        add_member(writer, NULL, answer_of(&record->answers.of[i]));
    close_value(writer, "]");
    open_value(writer, "warnings", "[");
    for (size_t i = 0; i < record->warnings.count; i++) {
        const struct warning *warning = &record->warnings.of[i];
        add_member(writer, NULL, json_pack("{s:s, s:s}", "code", warning->code, "text", warning->text));
    }
    close_value(writer, "]");
}

void json_write(const struct record *record, bool indent, size_t rows_most, struct text *out)
{
    struct writer writer = {.out = out, .indent = indent, .rows_most = rows_most};
    text_add(out, "{");
    writer.depth = 1;
    writer.empty = true;
    add_text(&writer, "schema", json_schema);
    add_content(&writer, record, json_top_names);
    if (record->children.count > 0) {
        open_value(&writer, "commands", "[");
        for (size_t i = 0; i < record->children.count; i++) {
            open_value(&writer, NULL, "{");
            add_content(&writer, record->children.of[i], json_child_names);
            close_value(&writer, "}");
        }
        close_value(&writer, "]");
    }
    close_value(&writer, "}");
    text_add(out, "\n");
}
