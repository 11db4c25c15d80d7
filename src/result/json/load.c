/* SPDX-License-Identifier: MIT */
/* The reader of what json.c writes. Nothing in the file is believed: it may have been cut, edited or made by
 * something else. */
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "file.h"
#include "names.h"
#include "result/record_internal.h"
#include "uarchprobe/load.h"

enum { COLUMNS_MAX = 1024, DIGITS_MAX = 17, FLAGS_MAX = 62 };

struct loader {
    const char *path;
    struct record *record;
    const char *prefix; /* where in the document the record lies: "commands.0." */
    struct fault *fault;
};

/* where: "tables.0.rows.speed.3"; returns false so that callers can return it. */
static bool reject(struct loader *loader, const char *where, const char *why)
{
    fault_set(loader->fault, STATUS_USAGE, "%s: %s%s %s; give a file written by --format json", loader->path,
              loader->prefix, where, why);
    return false;
}

static char *own_text(struct loader *loader, const char *text)
{
    return text ? record_own(loader->record, text_copy_valid(text)) : NULL;
}

static int index_of(const char *const *names, const json_t *name)
{
    for (int i = 0; json_is_string(name) && names[i]; i++) {
        if (strcmp(names[i], json_string_value(name)) == 0)
            return i;
    }
    return -1;
}

static struct cell cell_of(const json_t *value)
{
    if (json_is_string(value))
        return TEXT_CELL(json_string_value(value));
    if (json_is_integer(value))
        return INTEGER_CELL(json_integer_value(value));
    if (json_is_real(value))
        return REAL_CELL(json_real_value(value));
    if (json_is_boolean(value))
        return BOOL_CELL(json_is_true(value));
    return NO_CELL;
}

/* A real or nothing. */
static struct cell number_of(const json_t *value)
{
    return json_is_number(value) ? REAL_CELL(json_number_value(value)) : NO_CELL;
}

static bool load_fact(struct loader *loader, struct text *path, const json_t *value);

/* component is added to path for the call. */
static bool load_member(struct loader *loader, struct text *path, const char *component, const json_t *value)
{
    size_t before = path->length;
    text_printf(path, before ? ".%s" : "%s", component);
    bool loaded = load_fact(loader, path, value);
    path->length = before;
    path->data[before] = '\0';
    return loaded;
}

static bool load_object(struct loader *loader, struct text *path, json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        /* Such a key would not come back as it was: dots and numbers have a meaning in paths. */
        if (!*key || strchr(key, '.') || strspn(key, "0123456789") == strlen(key))
            return reject(loader, path->data, "holds a name that this schema does not have");
        if (!load_member(loader, path, key, value))
            return false;
    }
    return true;
}

static bool load_array(struct loader *loader, struct text *path, const json_t *array)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        char component[24];
        snprintf(component, sizeof(component), "%zu", i);
        if (!load_member(loader, path, component, json_array_get(array, i)))
            return false;
    }
    return true;
}

static bool load_fact(struct loader *loader, struct text *path, const json_t *value)
{
    if (json_is_object(value))
        return load_object(loader, path, (json_t *)(uintptr_t)value);
    if (json_is_array(value))
        return load_array(loader, path, value);
    record_fact(loader->record, (struct fact){.path = path->data, .value = cell_of(value)});
    return true;
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
        names[i] = own_text(loader, json_string_value(json_array_get(from, i)));
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
    const char *key = json_string_value(json_object_get(from, "key"));
    const char *title = json_string_value(json_object_get(from, "title"));
    int type = index_of(json_type_names, json_object_get(from, "type"));
    int role = index_of(json_role_names, json_object_get(from, "role"));
    json_int_t digits = json_integer_value(json_object_get(from, "digits"));
    if (!key || !*key || type < 0)
        return reject(loader, where, "is not a column with a key and a type");
    *column = (struct column){.key = own_text(loader, key),
                              .title = own_text(loader, title ? title : key),
                              .unit = own_text(loader, json_string_value(json_object_get(from, "unit"))),
                              .type = (enum cell_type)type,
                              .role = role < 0 ? ROLE_LABEL : (enum column_role)role,
                              .digits = digits < 0 || digits > DIGITS_MAX ? DIGITS_MAX : (int)digits};
    if (!load_names(loader, json_object_get(from, "names"), column))
        return reject(loader, where, "has a column of classes or flags without fit names");
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
    int kind = index_of(json_view_names, json_object_get(from, "kind"));
    int mark = index_of(json_mark_names, json_object_get(from, "mark"));
    struct view *view = &spec->view;
    *view = (struct view){
        .kind = kind < 0 ? VIEW_LIST : (enum view_kind)kind,
        .x = column_of(spec, json_object_get(from, "x")),
        .y = column_of(spec, json_object_get(from, "y")),
        .value = column_of(spec, json_object_get(from, "value")),
        .series = column_of(spec, json_object_get(from, "series")),
        .mark = mark < 0 ? MARK_NONE : (enum mark_rule)mark,
        .state = column_of(spec, json_object_get(from, "state")),
        .lines = column_of(spec, json_object_get(from, "lines")),
        .duration = column_of(spec, json_object_get(from, "duration")),
        .scale = json_number_value(json_object_get(from, "scale")),
        .scale_unit = own_text(loader, json_string_value(json_object_get(from, "scale_unit"))),
        .log_x = json_is_true(json_object_get(from, "log_x")),
        .log_value = json_is_true(json_object_get(from, "log_value")),
        .class = column_of(spec, json_object_get(from, "class")),
        .spread = column_of(spec, json_object_get(from, "spread")),
        .flag = column_of(spec, json_object_get(from, "flag")),
        .shade = json_is_true(json_object_get(from, "shade")),
    };
}

static struct table_spec *load_spec(struct loader *loader, const char *where, const json_t *from)
{
    const char *name = json_string_value(json_object_get(from, "name"));
    const char *title = json_string_value(json_object_get(from, "title"));
    const json_t *columns = json_object_get(from, "columns");
    size_t count = json_array_size(columns);
    if (!name || count == 0 || count > COLUMNS_MAX) {
        reject(loader, where, "is not a table with a name and columns");
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
                                .note = own_text(loader, json_string_value(json_object_get(from, "note"))),
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
    *cell = cell_of(from);
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

/* from: an object with an array for each part. */
static bool load_summary(const json_t *from, size_t row, struct summary *summary, struct cell *cell)
{
    double *const part[] = {NULL,          &summary->min, &summary->p10, &summary->median,
                            &summary->p90, &summary->max};
    const json_t *count = json_array_get(json_object_get(from, json_summary_names[0]), row);
    *cell = NO_CELL;
    if (json_is_null(count))
        return true;
    *summary = (struct summary){.count = (size_t)json_integer_value(count), .mean = NAN, .mad = NAN};
    for (int i = 1; json_summary_names[i]; i++) {
        const json_t *value = json_array_get(json_object_get(from, json_summary_names[i]), row);
        if (!json_is_number(value))
            return false;
        *part[i] = json_number_value(value);
    }
    *cell = SUMMARY_CELL(summary);
    return summary->count > 0;
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
            list = json_object_get(list, json_summary_names[0]);
        if (!json_is_array(list))
            return reject(loader, place, "is missing or no array");
        if (i > 0 && json_array_size(list) != *count)
            return reject(loader, place, "has not as many values as the columns before it");
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
            char place[160];
            snprintf(place, sizeof(place), "%s.rows.%.80s.%zu", where, spec->columns[i].key, row);
            const bool loaded = spec->columns[i].type == CELL_SUMMARY
                                    ? load_summary(values[i], row, &summaries[i], &cells[i])
                                    : load_cell(&spec->columns[i], json_array_get(values[i], row), &cells[i]);
            if (!loaded)
                return reject(loader, place, "is not of its column's type");
        }
        record_row(loader->record, table, cells);
    }
    return true;
}

static bool load_table(struct loader *loader, size_t index, const json_t *from)
{
    char where[48];
    snprintf(where, sizeof(where), "tables.%zu", index);
    const struct table_spec *spec = load_spec(loader, where, from);
    if (!spec)
        return false;
    return load_rows(loader, where, json_object_get(from, "rows"), record_table_add(loader->record, spec));
}

static bool load_finding(struct loader *loader, size_t index, const json_t *from)
{
    const char *key = json_string_value(json_object_get(from, "key"));
    const int trust = index_of(json_trust_names, json_object_get(from, "trust"));
    const int leg = index_of(json_leg_names + 1, json_object_get(from, "leg"));
    const json_t *value = json_object_get(from, "value"), *interval = json_object_get(from, "interval");
    const json_int_t samples = json_integer_value(json_object_get(from, "samples"));
    char where[48];
    snprintf(where, sizeof(where), "findings.%zu", index);
    if (!key || trust < 0 || json_is_object(value) || json_is_array(value))
        return reject(loader, where, "is not a finding with a key, a value and a trust");
    record_finding(loader->record,
                   (struct finding){.key = key,
                                    .value = cell_of(value),
                                    .unit = json_string_value(json_object_get(from, "unit")),
                                    .trust = (enum trust)trust,
                                    .text = json_string_value(json_object_get(from, "text")),
                                    .low = number_of(json_array_get(interval, 0)),
                                    .high = number_of(json_array_get(interval, 1)),
                                    .state = json_string_value(json_object_get(from, "state")),
                                    .samples = samples < 0 ? 0 : (size_t)samples,
                                    .leg = (enum leg)(leg + 1)});
    return true;
}

static bool load_warning(struct loader *loader, size_t index, const json_t *from)
{
    const char *code = json_string_value(json_object_get(from, "code"));
    const char *text = json_string_value(json_object_get(from, "text"));
    char where[48];
    snprintf(where, sizeof(where), "warnings.%zu", index);
    if (!code || !text)
        return reject(loader, where, "is not a warning with a code and a text");
    record_warning(loader->record, code, "%s", text);
    return true;
}

static const struct {
    const char *key;
    bool (*load)(struct loader *loader, size_t index, const json_t *from);
} lists[] = {{"tables", load_table}, {"findings", load_finding}, {"warnings", load_warning}};

static bool load_list(struct loader *loader, size_t list, const json_t *from)
{
    if (!json_is_array(from))
        return reject(loader, lists[list].key, "is missing or no array");
    for (size_t i = 0; i < json_array_size(from); i++) {
        if (!lists[list].load(loader, i, json_array_get(from, i)))
            return false;
    }
    return true;
}

static bool load_content(struct loader *loader, json_t *root)
{
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (!load_list(loader, i, json_object_get(root, lists[i].key)))
            return false;
        json_object_del(root, lists[i].key);
    }
    struct text path = {0};
    text_add(&path, "");
    bool loaded = load_object(loader, &path, root);
    text_free(&path);
    return loaded;
}

/* What `report` ran; these do not run others themselves. */
static bool load_children(struct loader *loader, json_t *children)
{
    for (size_t i = 0; i < json_array_size(children); i++) {
        json_t *child = json_array_get(children, i);
        char prefix[48];
        snprintf(prefix, sizeof(prefix), "commands.%zu.", i);
        struct loader own = *loader;
        own.record = record_child_add(loader->record);
        own.prefix = prefix;
        if (!json_is_object(child) || json_object_get(child, "commands"))
            return reject(&own, "", "is not the result of a command");
        if (!load_content(&own, child))
            return false;
    }
    return true;
}

/* An array for each part; null: unknown. */
static bool load_places(struct loader *loader, const json_t *from)
{
    const size_t count = json_array_size(json_object_get(from, json_place_names[0]));
    for (size_t i = 0; i < count; i++) {
        struct place place;
        int *const part[] = {&place.cpu, &place.package, &place.node, &place.l3, &place.l2, &place.core};
        for (int j = 0; json_place_names[j]; j++) {
            const json_t *value = json_array_get(json_object_get(from, json_place_names[j]), i);
            const json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;
            if ((!json_is_integer(value) && !json_is_null(value)) || number < -1 || number > INT_MAX)
                return reject(loader, "host.topology.places", "does not have a number or null for each CPU");
            *part[j] = (int)number;
        }
        record_place_add(loader->record, place);
    }
    return true;
}

static bool load_document(struct loader *loader, json_t *root)
{
    json_t *topology = json_object_get(json_object_get(root, "host"), "topology");
    const char *schema = json_string_value(json_object_get(root, "schema"));
    json_t *children = json_object_get(root, "commands");
    if (schema && strcmp(schema, json_schema) != 0) {
        fault_set(loader->fault, STATUS_USAGE,
                  "%s: its schema is \"%s\", this version reads \"%s\": measure again, or read it with the "
                  "version that wrote it",
                  loader->path, schema, json_schema);
        return false;
    }
    if (!schema)
        return reject(loader, "schema", "is missing or no text");
    json_object_del(root, "schema");
    if (children && !json_is_array(children))
        return reject(loader, "commands", "is no array");
    if (!load_places(loader, json_object_get(topology, "places")) || !load_children(loader, children))
        return false;
    json_object_del(topology, "places");
    json_object_del(root, "commands");
    return load_content(loader, root);
}

static enum status load_root(const char *path, json_t *root, struct record **record, struct fault *fault)
{
    struct loader loader = {.path = path, .record = record_new(), .prefix = "", .fault = fault};
    if (!load_document(&loader, root)) {
        record_free(loader.record);
        return STATUS_USAGE;
    }
    *record = loader.record;
    return STATUS_OK;
}

void record_list_free(struct record_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        record_free(list->record[i]);
    free(list->record);
    *list = (struct record_list){0};
}

enum status record_load_all(const char *path, struct record_list *list, struct fault *fault)
{
    *list = (struct record_list){0};
    json_t *roots = json_file_documents(path, fault);
    if (!roots)
        return STATUS_USAGE;
    size_t count = json_array_size(roots);
    enum status status = STATUS_OK;
    list->record = memory_zeroed(count, sizeof(struct record *));
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        status = load_root(path, json_array_get(roots, i), &list->record[i], fault);
        list->count += status == STATUS_OK;
    }
    json_decref(roots);
    if (status != STATUS_OK)
        record_list_free(list);
    return status;
}

enum status record_load(const char *path, struct record **record, struct fault *fault)
{
    struct record_list list;
    *record = NULL;
    if (record_load_all(path, &list, fault) != STATUS_OK)
        return STATUS_USAGE;
    if (list.count == 1) {
        *record = list.record[0];
        free(list.record);
        return STATUS_OK;
    }
    fault_set(fault, STATUS_USAGE, "%s: holds %zu results; give a file that holds one", path, list.count);
    record_list_free(&list);
    return STATUS_USAGE;
}
