/* SPDX-License-Identifier: MIT */
#include "result/json/json.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

enum {
    INDEX_MAX = 65535,
    DIGITS = 15 /* more would print 0.1 as 0.10000000000000001; no measurement has as many */
};

/* The index that a path component stands for, -1 if it is a key. */
static long component_index(const char *component)
{
    if (!*component || strspn(component, "0123456789") != strlen(component))
        return -1;
    long index = strtol(component, NULL, 10);
    return index <= INDEX_MAX ? index : -1;
}

static json_t *child_of(json_t *parent, const char *component)
{
    if (json_is_array(parent))
        return json_array_get(parent, (size_t)component_index(component));
    return json_object_get(parent, component);
}

static void put_child(json_t *parent, const char *component, json_t *child)
{
    if (json_is_object(parent)) {
        json_object_set_new(parent, component, child);
        return;
    }
    long index = component_index(component);
    if (index < 0) { /* a key where there is an array already */
        json_decref(child);
        return;
    }
    while (json_array_size(parent) <= (size_t)index)
        json_array_append_new(parent, json_null());
    json_array_set_new(parent, (size_t)index, child);
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
        return json_boolean(cell->boolean);
    default: /* classes and flags too: their names are in the column */
        return json_integer(cell->integer);
    }
}

/* path is cut at its dots while it is walked. */
static void put_fact(json_t *root, char *path, const struct cell *value)
{
    json_t *at = root;
    char *rest = NULL;
    char *component = strtok_r(path, ".", &rest);
    while (component) {
        char *next = strtok_r(NULL, ".", &rest);
        if (!next) {
            put_child(at, component, value_of(value));
            return;
        }
        json_t *child = child_of(at, component);
        if (!json_is_object(child) && !json_is_array(child)) {
            put_child(at, component, component_index(next) < 0 ? json_object() : json_array());
            child = child_of(at, component);
        }
        if (!child)
            return;
        at = child;
        component = next;
    }
}

static void put_facts(json_t *root, const struct record *record, const char *const *tops)
{
    for (size_t i = 0; tops[i]; i++)
        json_object_set_new(root, tops[i], json_object());
    for (size_t i = 0; i < record_fact_count(record); i++) {
        const struct fact *fact = record_fact_at(record, i);
        char *path = text_copy_valid(fact->path);
        put_fact(root, path, &fact->value);
        free(path);
    }
}

static json_t *number_or_null(int number)
{
    return number < 0 ? json_null() : json_integer(number);
}

static json_t *places_of(const struct record *record)
{
    json_t *object = json_pack("{s:[]}", "cpu");
    for (int level = 0; level < LEVEL_COUNT; level++)
        json_object_set_new(object, json_level_names[level], json_array());
    for (size_t i = 0; i < record_place_count(record); i++) {
        const struct place *place = record_place_at(record, i);
        json_array_append_new(json_object_get(object, "cpu"), json_integer(place->cpu));
        for (int level = 0; level < LEVEL_COUNT; level++)
            json_array_append_new(json_object_get(object, json_level_names[level]),
                                  number_or_null(place->group[level]));
    }
    return object;
}

static void put_text(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, text ? json_string(text) : json_null());
}

static json_t *view_of(const struct table_spec *spec)
{
    const struct view *view = &spec->view;
    const bool drawn = view->kind == VIEW_CURVE || view->kind == VIEW_MATRIX;
    const char *at = (const char *)view;
    json_t *object = json_pack("{s:s}", "kind", json_view_names[view->kind]);
    for (const struct json_part *part = json_view_columns; drawn && part->key; part++) {
        const int column = *(const int *)(const void *)(at + part->offset);
        if (column >= part->least && column < spec->column_count)
            put_text(object, part->key, spec->columns[column].key);
    }
    for (const struct json_part *part = json_view_flags; drawn && part->key; part++) {
        if (*(const bool *)(const void *)(at + part->offset))
            json_object_set_new(object, part->key, json_true());
    }
    if (drawn)
        put_text(object, "mark", json_mark_names[view->mark]);
    if (view->scale != 0)
        json_object_set_new(object, "scale", json_real(view->scale));
    if (view->scale_unit)
        put_text(object, "scale_unit", view->scale_unit);
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

/* An array for the counts and for each quantile. */
static json_t *summaries_of(const struct record_table *table, int column)
{
    json_t *object = json_pack("{s:[]}", "n");
    for (const struct json_part *part = json_quantiles; part->key; part++)
        json_object_set_new(object, part->key, json_array());
    for (size_t row = 0; row < table->row_count; row++) {
        const struct cell *cell = record_cell(table, row, column);
        const bool known = cell->type == CELL_SUMMARY;
        const char *at = (const char *)cell->summary;
        json_array_append_new(json_object_get(object, "n"),
                              known ? json_integer((json_int_t)cell->summary->count) : json_null());
        for (const struct json_part *part = json_quantiles; part->key; part++)
            json_array_append_new(json_object_get(object, part->key),
                                  known ? json_real(*(const double *)(const void *)(at + part->offset))
                                        : json_null());
    }
    return object;
}

static json_t *values_of(const struct record_table *table, int column)
{
    if (table->spec->columns[column].type == CELL_SUMMARY)
        return summaries_of(table, column);
    json_t *values = json_array();
    for (size_t row = 0; row < table->row_count; row++)
        json_array_append_new(values, value_of(record_cell(table, row, column)));
    return values;
}

static json_t *table_of(const struct record_table *table)
{
    const struct table_spec *spec = table->spec;
    json_t *columns = json_array(), *rows = json_object();
    for (int i = 0; i < spec->column_count; i++) {
        json_array_append_new(columns, column_of(&spec->columns[i], &table->names[i]));
        json_object_set_new(rows, spec->columns[i].key, values_of(table, i));
    }
    return json_pack("{s:s, s:s?, s:s?, s:o, s:o, s:o}", "name", spec->name, "title", spec->title, "note",
                     spec->note, "view", view_of(spec), "columns", columns, "rows", rows);
}

/* Six digits: more than a part of a run is worth. */
static json_t *parts_of(const struct parts *parts)
{
    json_t *list = json_array();
    for (size_t i = 0; i < parts->count; i++) {
        char digits[24];
        snprintf(digits, sizeof(digits), "%.6g", (double)parts->value[i]);
        json_array_append_new(list, json_real(strtod(digits, NULL)));
    }
    return list;
}

static json_t *finding_of(const struct finding *finding)
{
    const bool bounded = cell_has_value(&finding->low) && cell_has_value(&finding->high);
    json_t *interval =
        bounded ? json_pack("[o, o]", value_of(&finding->low), value_of(&finding->high)) : json_null();
    json_t *samples = finding->samples ? json_integer((json_int_t)finding->samples) : json_null();
    json_t *parts = finding->parts.count ? parts_of(&finding->parts) : json_null();
    json_t *ghz = finding->ghz > 0 ? json_real(finding->ghz) : json_null();
    return json_pack("{s:s, s:o, s:s?, s:o, s:s?, s:o, s:o, s:o, s:s, s:s?, s:s?}", "key", finding->key,
                     "value", value_of(&finding->value), "unit", finding->unit, "interval", interval, "state",
                     finding->state, "samples", samples, "parts", parts, "ghz", ghz, "trust",
                     trust_name(finding->trust), "leg", json_leg_names[finding->leg], "text", finding->text);
}

/* Facts, then what there is several of. */
static void put_content(json_t *root, const struct record *record, const char *const *tops)
{
    json_t *tables = json_array(), *findings = json_array(), *warnings = json_array();
    put_facts(root, record, tops);
    for (size_t i = 0; i < record_table_count(record); i++)
        json_array_append_new(tables, table_of(record_table_at(record, i)));
    for (size_t i = 0; i < record_finding_count(record); i++)
        json_array_append_new(findings, finding_of(record_finding_at(record, i)));
    for (size_t i = 0; i < record_warning_count(record); i++) {
        const struct warning *warning = record_warning_at(record, i);
        json_array_append_new(warnings,
                              json_pack("{s:s, s:s}", "code", warning->code, "text", warning->text));
    }
    json_object_set_new(root, "tables", tables);
    json_object_set_new(root, "findings", findings);
    json_object_set_new(root, "warnings", warnings);
}

static json_t *document_of(const struct record *record)
{
    json_t *root = json_pack("{s:s}", "schema", json_schema);
    put_content(root, record, json_top_names);
    json_t *topology = json_object_get(json_object_get(root, "host"), "topology");
    if (topology)
        json_object_set_new(topology, "places", places_of(record));
    if (record_child_count(record) == 0)
        return root;
    json_t *children = json_array();
    for (size_t i = 0; i < record_child_count(record); i++) {
        json_t *child = json_object();
        put_content(child, record_child_at(record, i), json_child_names);
        json_array_append_new(children, child);
    }
    json_object_set_new(root, "commands", children);
    return root;
}

static int add_bytes(const char *bytes, size_t length, void *out)
{
    text_add_bytes(out, bytes, length);
    return 0;
}

static void add_on_one_line(struct text *out, const json_t *value, size_t flags)
{
    json_dump_callback(value, add_bytes, out, flags | JSON_ENCODE_ANY | JSON_REAL_PRECISION(DIGITS));
}

/* Of a value without members 0. */
static int levels_of(json_t *value)
{
    const char *key;
    json_t *member;
    int levels = 0, own;
    size_t i;
    json_object_foreach(value, key, member)
    {
        own = levels_of(member);
        levels = own > levels ? own : levels;
    }
    json_array_foreach(value, i, member)
    {
        own = levels_of(member);
        levels = own > levels ? own : levels;
    }
    return levels + (json_is_object(value) || json_is_array(value));
}

static void add_value(struct text *out, json_t *value, size_t depth, int flat);

/* key NULL: within an array, whose members have a line each if they are small. */
static void add_member(struct text *out, const char *key, json_t *value, size_t depth, bool first)
{
    text_add(out, first ? "\n" : ",\n");
    text_settle(out);
    text_repeat(out, ' ', 2 * depth);
    if (key) {
        json_t *name = json_string(key);
        add_on_one_line(out, name, 0);
        text_add(out, ": ");
        json_decref(name);
    }
    add_value(out, value, depth, key ? 1 : 2);
}

/* jansson's own indentation would give each number of a column a line. flat: levels that stand on one line. */
static void add_value(struct text *out, json_t *value, size_t depth, int flat)
{
    const char *key;
    json_t *member;
    bool first = true;
    size_t i;
    if (levels_of(value) <= flat) {
        add_on_one_line(out, value, 0);
        return;
    }
    text_add(out, json_is_object(value) ? "{" : "[");
    json_object_foreach(value, key, member)
    {
        add_member(out, key, member, depth + 1, first);
        first = false;
    }
    json_array_foreach(value, i, member) add_member(out, NULL, member, depth + 1, i == 0);
    text_add(out, "\n");
    text_repeat(out, ' ', 2 * depth);
    text_add(out, json_is_object(value) ? "}" : "]");
}

void json_write(const struct record *record, bool indent, struct text *out)
{
    json_t *document = document_of(record);
    if (indent)
        add_value(out, document, 0, 0);
    else
        add_on_one_line(out, document, JSON_COMPACT);
    text_add(out, "\n");
    json_decref(document);
}
