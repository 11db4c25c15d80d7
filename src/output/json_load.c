/* SPDX-License-Identifier: MIT */
/* The reader of what json.c writes. Nothing in the file is believed: it may have been cut, edited or made by
 * something else. */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "output/json_names.h"
#include "output/record_internal.h"
#include "output/text.h"
#include "uarchprobe/output.h"

enum { COLUMNS_MAX = 1024, DIGITS_MAX = 17 };

struct loader {
    const char *path;
    struct record *record;
    struct fault *fault;
};

/* where: "tables.0.rows.3.speed"; returns false so that callers can return it. */
static bool reject(struct loader *loader, const char *where, const char *why)
{
    fault_set(loader->fault, STATUS_USAGE, "%s: %s %s; give a file written by --format json", loader->path,
              where, why);
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
        .filter = column_of(spec, json_object_get(from, "filter")),
        .filter_text = own_text(loader, json_string_value(json_object_get(from, "filter_text"))),
        .scale = json_number_value(json_object_get(from, "scale")),
        .scale_unit = own_text(loader, json_string_value(json_object_get(from, "scale_unit"))),
        .log_x = json_is_true(json_object_get(from, "log_x")),
        .log_value = json_is_true(json_object_get(from, "log_value")),
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

static bool load_cell(const struct column *column, const json_t *from, struct cell *cell)
{
    *cell = cell_of(from);
    if (cell->type == CELL_INTEGER && column->type == CELL_REAL)
        *cell = REAL_CELL((double)cell->integer);
    return cell->type == column->type || !from || json_is_null(from);
}

static bool load_rows(struct loader *loader, const char *where, const json_t *rows, size_t table)
{
    const struct table_spec *spec = record_table_at(loader->record, table)->spec;
    struct cell cells[COLUMNS_MAX];
    if (!json_is_array(rows))
        return reject(loader, where, "has no rows");
    for (size_t row = 0; row < json_array_size(rows); row++) {
        const json_t *from = json_array_get(rows, row);
        if (!json_is_object(from))
            return reject(loader, where, "has a row that is no object");
        for (int i = 0; i < spec->column_count; i++) {
            char place[160];
            snprintf(place, sizeof(place), "%s.rows.%zu.%.80s", where, row, spec->columns[i].key);
            if (!load_cell(&spec->columns[i], json_object_get(from, spec->columns[i].key), &cells[i]))
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
    const char *text = json_string_value(json_object_get(from, "text"));
    int trust = index_of(json_trust_names, json_object_get(from, "trust"));
    const json_t *value = json_object_get(from, "value");
    char where[48];
    snprintf(where, sizeof(where), "findings.%zu", index);
    if (!key || trust < 0 || json_is_object(value) || json_is_array(value))
        return reject(loader, where, "is not a finding with a key, a value and a trust");
    record_finding(loader->record, (struct finding){.key = key,
                                                    .value = cell_of(value),
                                                    .unit = json_string_value(json_object_get(from, "unit")),
                                                    .trust = (enum trust)trust,
                                                    .text = text});
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

static bool load_document(struct loader *loader, json_t *root)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));
    if (!schema || strcmp(schema, json_schema) != 0)
        return reject(loader, "schema", "is not \"uarchprobe/1\"");
    json_object_del(root, "schema");
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

static json_t *parse_file(const char *path, struct fault *fault)
{
    struct stat kind;
    FILE *file = fopen(path, "re");
    if (!file || fstat(fileno(file), &kind) != 0 || S_ISDIR(kind.st_mode)) {
        fault_set(fault, STATUS_USAGE, "cannot read '%s': %s", path, strerror(file ? EISDIR : errno));
        if (file)
            fclose(file);
        return NULL;
    }
    json_error_t error;
    json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    fclose(file);
    if (!root)
        fault_set(fault, STATUS_USAGE,
                  "%s: line %d, column %d: %s; give a whole file written by --format json", path, error.line,
                  error.column, error.text);
    return root;
}

enum status record_load(const char *path, struct record **record, struct fault *fault)
{
    *record = NULL;
    json_t *root = parse_file(path, fault);
    if (!root)
        return STATUS_USAGE;
    struct loader loader = {.path = path, .record = record_new(), .fault = fault};
    bool loaded = load_document(&loader, root);
    json_decref(root);
    if (!loaded) {
        record_free(loader.record);
        return STATUS_USAGE;
    }
    *record = loader.record;
    return STATUS_OK;
}
