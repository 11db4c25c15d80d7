/* SPDX-License-Identifier: MIT */
#include "result/json/json.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "names.h"

enum { INDEX_MAX = 65535 };

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
        return json_string(cell->text);
    case CELL_INTEGER:
        return json_integer(cell->integer);
    case CELL_REAL:
        return json_real(cell->real);
    default:
        return json_boolean(cell->boolean);
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

static json_t *tree_of_facts(const struct record *record, const char *const *tops)
{
    json_t *root = json_object();
    for (size_t i = 0; tops[i]; i++)
        json_object_set_new(root, tops[i], json_object());
    for (size_t i = 0; i < record_fact_count(record); i++) {
        const struct fact *fact = record_fact_at(record, i);
        char *path = text_copy_valid(fact->path);
        put_fact(root, path, &fact->value);
        free(path);
    }
    return root;
}

static void emit_tree(struct emitter *emitter, const char *key, const json_t *value);

static void emit_members(struct emitter *emitter, const json_t *object)
{
    for (void *at = json_object_iter((json_t *)(uintptr_t)object); at;
         at = json_object_iter_next((json_t *)(uintptr_t)object, at))
        emit_tree(emitter, json_object_iter_key(at), json_object_iter_value(at));
}

static void emit_tree(struct emitter *emitter, const char *key, const json_t *value)
{
    if (json_is_object(value)) {
        emit_open(emitter, key, '{');
        emit_members(emitter, value);
        emit_close(emitter, '}');
    } else if (json_is_array(value)) {
        emit_open_flat(emitter, key, '[');
        for (size_t i = 0; i < json_array_size(value); i++)
            emit_tree(emitter, NULL, json_array_get(value, i));
        emit_close(emitter, ']');
    } else if (json_is_string(value)) {
        emit_text(emitter, key, json_string_value(value));
    } else if (json_is_integer(value)) {
        emit_cell(emitter, key, INTEGER_CELL(json_integer_value(value)));
    } else if (json_is_real(value)) {
        emit_cell(emitter, key, REAL_CELL(json_real_value(value)));
    } else if (json_is_boolean(value)) {
        emit_cell(emitter, key, BOOL_CELL(json_is_true(value)));
    } else {
        emit_cell(emitter, key, NO_CELL);
    }
}

static void emit_column_key(struct emitter *emitter, const char *key, const struct table_spec *spec,
                            int column)
{
    if (column >= 0 && column < spec->column_count)
        emit_text(emitter, key, spec->columns[column].key);
}

/* Those of which 0 means none. */
static void emit_extra_column(struct emitter *emitter, const char *key, const struct table_spec *spec,
                              int column)
{
    if (column > 0)
        emit_column_key(emitter, key, spec, column);
}

static void emit_view(struct emitter *emitter, const struct table_spec *spec)
{
    const struct view *view = &spec->view;
    emit_open_flat(emitter, "view", '{');
    emit_text(emitter, "kind", json_view_names[view->kind]);
    if (view->kind == VIEW_CURVE || view->kind == VIEW_MATRIX) {
        emit_column_key(emitter, "x", spec, view->x);
        emit_column_key(emitter, "y", spec, view->y);
        emit_column_key(emitter, "value", spec, view->value);
        emit_column_key(emitter, "series", spec, view->series);
        emit_text(emitter, "mark", json_mark_names[view->mark]);
        emit_cell(emitter, "log_x", BOOL_CELL(view->log_x));
        emit_cell(emitter, "log_value", BOOL_CELL(view->log_value));
        emit_extra_column(emitter, "class", spec, view->class);
        emit_extra_column(emitter, "spread", spec, view->spread);
        emit_extra_column(emitter, "flag", spec, view->flag);
        if (view->shade)
            emit_cell(emitter, "shade", BOOL_CELL(true));
        if (view->cpus)
            emit_cell(emitter, "cpus", BOOL_CELL(true));
    }
    if (view->filter_text) {
        emit_column_key(emitter, "filter", spec, view->filter);
        emit_text(emitter, "filter_text", view->filter_text);
    }
    if (view->scale != 0)
        emit_cell(emitter, "scale", REAL_CELL(view->scale));
    if (view->scale_unit)
        emit_text(emitter, "scale_unit", view->scale_unit);
    emit_close(emitter, '}');
}

static void emit_columns(struct emitter *emitter, const struct table_spec *spec)
{
    emit_open(emitter, "columns", '[');
    for (int i = 0; i < spec->column_count; i++) {
        const struct column *column = &spec->columns[i];
        emit_open_flat(emitter, NULL, '{');
        emit_text(emitter, "key", column->key);
        emit_text(emitter, "title", column->title);
        emit_text(emitter, "unit", column->unit);
        emit_text(emitter, "type", json_type_names[column->type]);
        emit_text(emitter, "role", json_role_names[column->role]);
        emit_cell(emitter, "digits", INTEGER_CELL(column->digits));
        emit_close(emitter, '}');
    }
    emit_close(emitter, ']');
}

static void emit_rows(struct emitter *emitter, const struct record_table *table)
{
    emit_open(emitter, "rows", '[');
    for (size_t row = 0; row < table->row_count; row++) {
        emit_open_flat(emitter, NULL, '{');
        for (int i = 0; i < table->spec->column_count; i++)
            emit_cell(emitter, table->spec->columns[i].key, *record_cell(table, row, i));
        emit_close(emitter, '}');
    }
    emit_close(emitter, ']');
}

static void emit_tables(struct emitter *emitter, const struct record *record)
{
    emit_open(emitter, "tables", '[');
    for (size_t i = 0; i < record_table_count(record); i++) {
        const struct record_table *table = record_table_at(record, i);
        emit_open(emitter, NULL, '{');
        emit_text(emitter, "name", table->spec->name);
        emit_text(emitter, "title", table->spec->title);
        emit_text(emitter, "note", table->spec->note);
        emit_view(emitter, table->spec);
        emit_columns(emitter, table->spec);
        emit_rows(emitter, table);
        emit_close(emitter, '}');
    }
    emit_close(emitter, ']');
}

static void emit_findings(struct emitter *emitter, const struct record *record)
{
    emit_open(emitter, "findings", '[');
    for (size_t i = 0; i < record_finding_count(record); i++) {
        const struct finding *finding = record_finding_at(record, i);
        emit_open_flat(emitter, NULL, '{');
        emit_text(emitter, "key", finding->key);
        emit_cell(emitter, "value", finding->value);
        emit_text(emitter, "unit", finding->unit);
        if (cell_has_value(&finding->low) && cell_has_value(&finding->high)) {
            emit_cell(emitter, "low", finding->low);
            emit_cell(emitter, "high", finding->high);
        }
        emit_text(emitter, "trust", trust_name(finding->trust));
        emit_text(emitter, "text", finding->text);
        emit_close(emitter, '}');
    }
    emit_close(emitter, ']');
}

static void emit_warnings(struct emitter *emitter, const struct record *record)
{
    emit_open(emitter, "warnings", '[');
    for (size_t i = 0; i < record_warning_count(record); i++) {
        const struct warning *warning = record_warning_at(record, i);
        emit_open_flat(emitter, NULL, '{');
        emit_text(emitter, "code", warning->code);
        emit_text(emitter, "text", warning->text);
        emit_close(emitter, '}');
    }
    emit_close(emitter, ']');
}

static void emit_content(struct emitter *emitter, const struct record *record, const char *const *tops)
{
    json_t *facts = tree_of_facts(record, tops);
    emit_members(emitter, facts);
    emit_tables(emitter, record);
    emit_findings(emitter, record);
    emit_warnings(emitter, record);
    json_decref(facts);
}

static void emit_children(struct emitter *emitter, const struct record *record)
{
    if (record_child_count(record) == 0)
        return;
    emit_open(emitter, "commands", '[');
    for (size_t i = 0; i < record_child_count(record); i++) {
        emit_open(emitter, NULL, '{');
        emit_content(emitter, record_child_at(record, i), json_child_names);
        emit_close(emitter, '}');
    }
    emit_close(emitter, ']');
}

void json_write(const struct record *record, bool indent, struct text *out)
{
    struct emitter emitter = {.out = out, .indent = indent, .first = true};
    emit_open(&emitter, NULL, '{');
    emit_text(&emitter, "schema", json_schema);
    emit_content(&emitter, record, json_top_names);
    emit_children(&emitter, record);
    emit_close(&emitter, '}');
    text_add(out, "\n");
}
