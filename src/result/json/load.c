/* SPDX-License-Identifier: MIT */
/* The reader of json.c's documents. It trusts nothing in the file, which may have been cut, edited or made
 * by another program. */
#include "load.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/key.h"
#include "file.h"
#include "result/record_internal.h"
#include "schema.h"
#include "uarchprobe/record.h"

enum { NAME_MAX_BYTES = 128, PATH_MAX_BYTES = 1024, ITEMS_MAX = 65536, FACTS_MAX = 1 << 18 };

bool loader_reject(struct loader *loader, const char *why, const char *where, ...)
{
    char place[256];
    va_list arguments;
    va_start(arguments, where);
    vsnprintf(place, sizeof(place), where, arguments);
    va_end(arguments);
    fault_set(loader->fault, STATUS_USAGE, "%s: %s%s %s; give a file written by --format json", loader->path,
              loader->prefix, place, why);
    return false;
}

int loader_index(const char *const *names, const char *name, int otherwise)
{
    for (int i = !names[0]; name && names[i]; i++) {
        if (strcmp(names[i], name) == 0)
            return i;
    }
    return otherwise;
}

struct cell loader_cell(const json_t *value)
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

/* Whether it is letters, digits and, behind the first one, `also`. So it can be shown anywhere as it
 * stands: a spreadsheet takes it for no formula. */
static bool is_word(const char *word, const char *also)
{
    size_t length = 0;
    while (isalnum((unsigned char)word[length]) || (word[length] && strchr(also, word[length])))
        length++;
    const bool begins = !*word || isalnum((unsigned char)*word) || (*word == '%' && strchr(also, '%'));
    return begins && !word[length] && length <= NAME_MAX_BYTES;
}

/* Takes nulls out and gives units their names of today, here and in objects inside; NULL, or the name of a
 * member that is no word as this program writes it. */
static const char *tidy(json_t *object)
{
    static const char *const words[][2] = {{"key", "_.-"},     {"code", "_.-"},     {"name", "_.-"},
                                           {"unit", " /%_.-"}, {"state", " /%_.-"}, {"sheet_cell", "/_.-"},
                                           {"kind", " /+_.-"}};
    const char *key, *unfit = NULL;
    json_t *member;
    void *next;
    json_object_foreach_safe(object, next, key, member)
    {
        for (size_t i = 0; i < sizeof(words) / sizeof(*words) && json_is_string(member); i++) {
            if (strcmp(words[i][0], key) == 0 && !is_word(json_string_value(member), words[i][1]))
                unfit = words[i][0];
        }
        const char *inside = json_is_object(member) ? tidy(member) : NULL;
        unfit = inside ? inside : unfit;
        if (json_is_null(member))
            json_object_del(object, key);
    }
    return unfit;
}

bool loader_unpack(struct loader *loader, const char *list, size_t index, json_t *from, const char *format,
                   ...)
{
    json_error_t error;
    const char *unfit = tidy(from);
    if (unfit)
        return loader_reject(loader, "is of other than letters, digits, blanks and _.-/%", "%s.%zu.%s", list,
                             index, unfit);
    va_list arguments;
    va_start(arguments, format);
    const int result = json_vunpack_ex(from, &error, 0, format, arguments);
    va_end(arguments);
    return result == 0 || loader_reject(loader, error.text, "%s.%zu:", list, index);
}

/* path: of `value`, "" for the whole: names between dots, numbers in lists. No document holds titles: facts
 * of the machine, a plan and an explanation are shown by their paths; of what `got` says, all but four are in
 * other words in the answers. */
static bool load_fact(struct loader *loader, const char *path, const json_t *value)
{
    char inside[PATH_MAX_BYTES + NAME_MAX_BYTES];
    const char *key;
    json_t *member;
    if (strlen(path) >= PATH_MAX_BYTES)
        return loader_reject(loader, "is nested too deeply", "%.80s", path);
    json_object_foreach((json_t *)(uintptr_t)value, key, member)
    {
        if (!is_word(key, " _/:+-") || !key[strspn(key, "0123456789")])
            return loader_reject(loader, "holds a name that this schema does not have", "%.80s", path);
        snprintf(inside, sizeof(inside), "%s%s%s", path, *path ? "." : "", key);
        if (!load_fact(loader, inside, member))
            return false;
    }
    if (json_array_size(value) > ITEMS_MAX)
        return loader_reject(loader, "holds too many items", "%.80s", path);
    for (size_t i = 0; i < json_array_size(value); i++) {
        snprintf(inside, sizeof(inside), "%s.%zu", path, i);
        if (!load_fact(loader, inside, json_array_get(value, i)))
            return false;
    }
    if (json_is_object(value) || json_is_array(value))
        return true;
    char kind[] = "? core";
    const bool is_kind = strncmp(path, "got.kind_", 9) == 0 && strlen(path) == 10;
    kind[0] = is_kind ? path[9] : '?';
    const char *title =
        is_kind                           ? kind
        : strcmp(path, "got.size") == 0   ? "Size"
        : strcmp(path, "got.cores") == 0  ? "Cores"
        : strcmp(path, "got.caches") == 0 ? "Caches"
        : strcmp(path, "got.where") == 0  ? "Layout"
        : strcmp(path, "got.boost") == 0  ? "Boost"
        : strncmp(path, "got.", 4) == 0 || strncmp(path, "run.", 4) == 0 || strncmp(path, "tool.", 5) == 0
            ? NULL
            : path;
    record_fact_new(loader->record, (struct fact){.path = path, .title = title, .value = loader_cell(value)});
    return ++*loader->facts <= FACTS_MAX || loader_reject(loader, "is one of too many facts", "%.80s", path);
}

/* A number, or nothing. */
static struct cell number_of(const json_t *value)
{
    return json_is_number(value) ? loader_cell(value) : NO_CELL;
}

static bool load_answer(struct loader *loader, size_t index, json_t *from)
{
    const char *trust, *limited_by = NULL, *agreement = NULL;
    json_t *value = NULL, *interval = NULL, *parts = NULL, *published = NULL, *quoted = NULL, *least = NULL,
           *most = NULL;
    json_int_t samples = 0;
    struct answer answer = {0};
    struct quote *quote = &answer.published;
    if (!loader_unpack(
            loader, "answers", index, from,
            "{s:s, s?s, s?o, s?s, s?o, s?s, s?I, s?o, s?F, s?F, s?F, s:s, s?s, s?o, s?s, s?s, s?s, s?s}",
            "key", &answer.key, "kind", &answer.kind, "value", &value, "unit", &answer.unit, "interval",
            &interval, "state", &answer.state, "samples", &samples, "parts", &parts, "ghz", &answer.ghz,
            "within", &answer.within, "within_absolute", &answer.within_absolute, "trust", &trust,
            "limited_by", &limited_by, "published", &published, "label", &answer.label, "remark",
            &answer.remark, "sheet_cell", &answer.sheet_cell, "text", &answer.text) ||
        (published && !loader_unpack(loader, "answers", index, published, "{s:s, s?o, s?s, s?s, s?o, s?o}",
                                     "agreement", &agreement, "value", &quoted, "unit", &quote->unit,
                                     "source", &quote->source, "least", &least, "most", &most)))
        return false;
    const int known = loader_index(trust_names, trust, -1);
    answer.parts.count = json_array_size(parts);
    if (known < 0 || json_is_object(value) || json_is_array(value) || answer.parts.count > PARTS_MOST)
        return loader_reject(loader, "is not an answer with a value, a trust and parts", "answers.%zu",
                             index);
    answer.value = loader_cell(value);
    answer.low = number_of(json_array_get(interval, 0));
    answer.high = number_of(json_array_get(interval, 1));
    answer.samples = samples < 0 ? 0 : (size_t)samples;
    for (size_t i = 0; i < answer.parts.count; i++)
        answer.parts.value[i] = (float)json_number_value(json_array_get(parts, i));
    answer.trust = (enum trust)known;
    answer.limited_by = (enum limited_by)loader_index(json_limited_by_names, limited_by, LIMITED_BY_NONE);
    quote->agreement = (enum quote_agreement)loader_index(json_agreement_names, agreement, AGREEMENT_UNKNOWN);
    quote->value = loader_cell(quoted);
    quote->least = number_of(least);
    quote->most = number_of(most);
    record_answer(loader->record, answer);
    return true;
}

static bool load_warning(struct loader *loader, size_t index, json_t *from)
{
    const char *code, *text;
    if (!loader_unpack(loader, "warnings", index, from, "{s:s, s:s}", "code", &code, "text", &text))
        return false;
    struct record *record = loader->record;
    LIST_ADD(record->warnings,
             ((struct warning){record_own_text(record, code), record_own_text(record, text)}));
    return true;
}

static const struct {
    const char *key;
    bool (*load)(struct loader *loader, size_t index, json_t *from);
} lists[] = {{"tables", load_table}, {"answers", load_answer}, {"warnings", load_warning}};

static bool load_places(struct loader *loader, const json_t *from)
{
    for (size_t i = 0; i < json_array_size(json_object_get(from, json_place_names[0])); i++) {
        struct place place;
        for (int k = 0; k <= LEVEL_COUNT; k++) {
            const json_t *list = json_object_get(from, json_place_names[k]), *group = json_array_get(list, i);
            const bool is_older = k == 1 + LEVEL_KIND && !list; /* of before 2026-11-29 */
            const json_int_t number = is_older || json_is_null(group) ? -1 : json_integer_value(group);
            if (!(is_older || json_is_null(group) || json_is_integer(group)) || number < -1 ||
                number > INT_MAX)
                return loader_reject(loader, "does not have a number or null for each CPU",
                                     "host.topology.places.%s", json_place_names[k]);
            *(k == 0 ? &place.cpu : &place.group[k - 1]) = (int)number;
        }
        record_place_add(loader->record, place);
    }
    return true;
}

/* Commands of a report, which run no others themselves, then lists, then the rest: facts. */
static bool load_content(struct loader *loader, json_t *root)
{
    json_t *topology = json_object_get(json_object_get(root, "host"), "topology");
    json_t *children = json_object_get(root, "commands");
    const bool fit =
        json_is_array(children) && json_array_size(children) <= ITEMS_MAX && !loader->record->parent;
    if (!json_is_object(root) || (children && !fit))
        return loader_reject(loader, "is not the result of a command, or of too many", "%s", "commands");
    if (!load_places(loader, json_object_get(topology, "places")))
        return false;
    for (size_t i = 0; i < json_array_size(children); i++) {
        char prefix[48];
        snprintf(prefix, sizeof(prefix), "commands.%zu.", i);
        struct loader own = *loader;
        own.record = record_child_add(loader->record);
        own.prefix = prefix;
        if (!load_content(&own, json_array_get(children, i)))
            return false;
    }
    json_object_del(topology, "places");
    json_object_del(root, "commands");
    for (size_t list = 0; list < sizeof(lists) / sizeof(lists[0]); list++) {
        const json_t *from = json_object_get(root, lists[list].key);
        if (!json_is_array(from))
            return loader_reject(loader, "is missing or no array", "%s", lists[list].key);
        for (size_t i = 0; i < json_array_size(from); i++) {
            if (!lists[list].load(loader, i, json_array_get(from, i)))
                return false;
        }
        json_object_del(root, lists[list].key);
    }
    for (const char *const *top = json_top_names; *top; top++) {
        const json_t *facts = json_object_get(root, *top);
        if (facts && !json_is_object(facts))
            return loader_reject(loader, "is no object", "%s", *top);
    }
    return load_fact(loader, "", root);
}

static bool load_document(struct loader *loader, json_t *root)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));
    if (!schema)
        return loader_reject(loader, "is missing or no text", "%s", "schema");
    if (strcmp(schema, json_schema) != 0) {
        fault_set(
            loader->fault, STATUS_USAGE,
            "%s: its schema is \"%.40s\", this version reads \"%s\": measure again, or read it with the "
            "version that wrote it",
            loader->path, schema, json_schema);
        return false;
    }
    json_object_del(root, "schema");
    return load_content(loader, root);
}

enum status record_load_each(const char *path, void (*take)(void *context, struct record *record),
                             void *context, struct fault *fault)
{
    struct json_file file = {.path = path};
    json_t *root;
    while (fault->status == STATUS_OK && (root = json_file_next(&file, fault))) {
        size_t facts = 0;
        struct loader loader = {path, record_new(), "", &facts, fault};
        const bool loaded = load_document(&loader, root);
        json_decref(root);
        if (loaded)
            take(context, loader.record);
        else
            record_free(loader.record);
    }
    if (file.file)
        fclose(file.file);
    return fault->status;
}

struct documents {
    size_t count;
    struct record *first;
};

static void keep_first(void *context, struct record *record)
{
    struct documents *documents = context;
    if (documents->count++ == 0)
        documents->first = record;
    else
        record_free(record);
}

enum status record_load(const char *path, struct record **record, struct fault *fault)
{
    struct documents documents = {0};
    if (record_load_each(path, keep_first, &documents, fault) == STATUS_OK && documents.count > 1)
        fault_set(fault, STATUS_USAGE, "%s: holds %zu results; give a file that holds one", path,
                  documents.count);
    *record = fault->status == STATUS_OK ? documents.first : NULL;
    if (!*record)
        record_free(documents.first);
    return fault->status;
}
