/* SPDX-License-Identifier: MIT */
/* From a file to JSON values; what they mean is json_load.c's business. */
#include "file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"

enum { CHUNK = 1 << 16 };

/* The bytes that are parsed: of all bytes of the file those from `first`. */
struct source {
    const char *path;
    struct text text;
    size_t first, end;
};

static enum status read_source(struct source *source, struct fault *fault)
{
    struct stat kind;
    FILE *file = fopen(source->path, "re");
    bool folder = file && fstat(fileno(file), &kind) == 0 && S_ISDIR(kind.st_mode);
    char chunk[CHUNK];
    size_t got;
    if (!file || folder) {
        fault_set(fault, STATUS_USAGE, "cannot read '%s': %s", source->path, strerror(file ? EISDIR : errno));
    } else {
        while ((got = fread(chunk, 1, sizeof(chunk), file)) > 0)
            text_add_bytes(&source->text, chunk, got);
        if (ferror(file))
            fault_set(fault, STATUS_USAGE, "cannot read '%s': %s", source->path, strerror(errno));
    }
    if (file)
        fclose(file);
    source->end = source->text.length;
    return fault->status;
}

static size_t skip_blanks(const struct source *source, size_t at)
{
    while (at < source->end && strchr(" \t\r\n", source->text.data[at]) && source->text.data[at])
        at++;
    return at;
}

/* The page's own markup is skipped; where it holds no whole result, nothing is left to parse. */
static void enter_page(struct source *source)
{
    static const char opening[] = "<script type=\"application/json\"";
    const char *data = source->text.data;
    const char *tag = strstr(data, opening);
    const char *inside = tag ? strchr(tag, '>') : NULL;
    const char *closing = inside ? strstr(inside, "</script>") : NULL;
    source->first = inside ? (size_t)(inside + 1 - data) : source->end;
    if (closing)
        source->end = (size_t)(closing - data);
}

/* Of the whole file, of which the parser saw a part only. */
static void tell_place(const struct source *source, size_t from, const json_error_t *error,
                       struct fault *fault)
{
    int line = error->line < 1 ? 1 : error->line, column = error->column;
    size_t line_start = 0;
    for (size_t i = 0; i < from; i++) {
        if (source->text.data[i] == '\n') {
            line++;
            line_start = i + 1;
        }
    }
    if (error->line <= 1)
        column += (int)(from - line_start);
    fault_set(fault, STATUS_USAGE, "%s: line %d, column %d: %s; give a whole file written by --format json",
              source->path, line, column, error->text);
}

static json_t *parse_documents(const struct source *source, struct fault *fault)
{
    json_t *documents = json_array();
    size_t at = skip_blanks(source, source->first);
    do {
        json_error_t error;
        json_t *value = json_loadb(source->text.data + at, source->end - at,
                                   JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &error);
        if (!value) {
            tell_place(source, at, &error, fault);
            json_decref(documents);
            return NULL;
        }
        json_array_append_new(documents, value);
        at = skip_blanks(source, at + (size_t)error.position);
    } while (at < source->end);
    return documents;
}

json_t *json_file_documents(const char *path, struct fault *fault)
{
    struct source source = {.path = path};
    json_t *documents = NULL;
    if (read_source(&source, fault) == STATUS_OK) {
        text_add(&source.text, "");
        size_t first = skip_blanks(&source, 0);
        if (first < source.end && source.text.data[first] == '<')
            enter_page(&source);
        documents = parse_documents(&source, fault);
    }
    text_free(&source.text);
    if (json_array_size(documents) != 1 || !json_is_array(json_array_get(documents, 0)))
        return documents;
    json_t *members = json_incref(json_array_get(documents, 0));
    json_decref(documents);
    if (json_array_size(members) == 0) {
        fault_set(fault, STATUS_USAGE, "%s: holds no result; give a file written by --format json", path);
        json_decref(members);
        return NULL;
    }
    return members;
}
