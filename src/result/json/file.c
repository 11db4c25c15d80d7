/* SPDX-License-Identifier: MIT */
/* From a file to JSON values; what they mean is load.c's business. The end of a document is found by its brackets before it is parsed:
 * of a long file only one is in memory, and none that is too large, too deep or would take too much memory once it is parsed. */
#include "file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { CHUNK = 1 << 14, DOCUMENT_MAX = 1 << 26, DEPTH_MAX = 16, LARGE = 1 << 20 };
/* A number of a column takes up to 75 bytes of memory, a text twice that, an object or a member up to 300. Two series of core-latency
 * on 512 CPUs have 4 million numbers; a report has some 5,000 members. */
enum { ITEMS_MAX = 1 << 22, MEMBERS_MAX = 1 << 19 };

static void reject(const struct json_file *file, const char *why, struct fault *fault)
{
    fault_set(fault, STATUS_USAGE, "%s: line %d: %s; give a whole file written by --format json", file->path,
              file->line, why);
}

static bool open_file(struct json_file *file, struct fault *fault)
{
    struct stat kind;
    file->line = 1;
    file->file = fopen(file->path, "re");
    const bool folder = file->file && fstat(fileno(file->file), &kind) == 0 && S_ISDIR(kind.st_mode);
    if (!file->file || folder)
        fault_set(fault, STATUS_USAGE, "cannot read '%s': %s", file->path, strerror(folder ? EISDIR : errno));
    return file->file && !folder;
}

/* False at the end of the file or of what fits. */
static bool read_more(struct json_file *file, struct fault *fault)
{
    char chunk[CHUNK];
    if (fault->status != STATUS_OK || file->in_page)
        return false;
    if (file->text.length - file->at > DOCUMENT_MAX) {
        reject(file, "larger than 64 MiB", fault);
        return false;
    }
    if (file->at > 0) { /* what is taken makes room */
        file->text.length -= file->at;
        memmove(file->text.data, file->text.data + file->at, file->text.length);
        file->at = 0;
    }
    const size_t got = fread(chunk, 1, sizeof(chunk), file->file);
    if (ferror(file->file))
        fault_set(fault, STATUS_USAGE, "cannot read '%s': %s", file->path, strerror(errno));
    text_add_bytes(&file->text, chunk, got);
    return got > 0;
}

/* The byte so far behind `at`; -1: the file ends before it. */
static int byte_at(struct json_file *file, size_t behind, struct fault *fault)
{
    while (file->at + behind >= file->text.length) {
        if (!read_more(file, fault))
            return -1;
    }
    return (unsigned char)file->text.data[file->at + behind];
}

static void take(struct json_file *file, size_t bytes)
{
    for (; bytes > 0; bytes--)
        file->line += file->text.data[file->at++] == '\n';
}

/* The page's own markup is skipped; where it holds no result, the file ends. */
static void enter_page(struct json_file *file, struct fault *fault)
{
    while (read_more(file, fault))
        ;
    const char *tag = strstr(file->text.data, "<script type=\"application/json\"");
    const char *inside = tag ? strchr(tag, '>') : NULL;
    const char *closing = inside ? strstr(inside, "</script>") : NULL;
    file->in_page = true;
    take(file, inside ? (size_t)(inside + 1 - file->text.data) : file->text.length);
    if (closing)
        file->text.length = (size_t)(closing - file->text.data);
}

/* Bytes to the end of the document that begins here, or of the file. */
static size_t document_length(struct json_file *file, struct fault *fault)
{
    uint32_t objects = 0; /* a bit for each depth: it is an object, no list */
    size_t length = 0, items = 0, members = 0;
    bool quoted = false;
    int depth = 0;
    do {
        const int byte = byte_at(file, length++, fault);
        const bool in_object = objects >> depth & 1;
        if (byte < 0)
            return file->text.length - file->at;
        if (quoted) {
            length += byte == '\\';
            quoted = byte != '"';
        } else if (byte == '"') {
            quoted = true;
            items += !in_object;
        } else if (byte == '{' || byte == '[') {
            depth++;
            objects &= ~(UINT32_C(1) << depth);
            objects |= (uint32_t)(byte == '{') << depth;
            members++;
        } else if (byte == '}' || byte == ']') {
            depth--;
        } else if (byte == ',') {
            members += in_object;
            items += !in_object;
        }
        const char *excess = depth > DEPTH_MAX    ? "nested too deeply"
                             : items >= ITEMS_MAX ? "more than 4,194,304 items in lists (a text counts twice)"
                             : members > MEMBERS_MAX ? "more than 524,288 members, objects and lists"
                                                     : NULL;
        if (excess)
            reject(file, excess, fault);
    } while ((depth > 0 || quoted) && fault->status == STATUS_OK);
    return length;
}

static json_t *parse(struct json_file *file, struct fault *fault)
{
    json_error_t error;
    const size_t length = document_length(file, fault);
    if (fault->status != STATUS_OK)
        return NULL;
    json_t *value = json_loadb(file->text.data + file->at, length, JSON_REJECT_DUPLICATES, &error);
    if (!value) {
        file->line += error.line < 1 ? 0 : error.line - 1;
        reject(file, error.text, fault);
        return NULL;
    }
    take(file, length);
    file->taken++;
    if (file->at >= LARGE) { /* free before what the document says takes as much */
        struct text rest = {0};
        text_add_bytes(&rest, file->text.data + file->at, file->text.length - file->at);
        text_free(&file->text);
        file->text = rest;
        file->at = 0;
    }
    return value;
}

/* What may be between documents: blanks, and what makes them an array. */
static bool is_between(const struct json_file *file, int byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n' || (byte == '[' && !file->taken) ||
           (file->in_array && (byte == ',' || byte == ']'));
}

json_t *json_file_next(struct json_file *file, struct fault *fault)
{
    int byte;
    if (!file->file && !open_file(file, fault))
        return NULL;
    while ((byte = byte_at(file, 0, fault)), is_between(file, byte) || (byte == '<' && !file->in_page)) {
        if (byte == '<')
            enter_page(file, fault);
        else
            take(file, 1);
        file->in_array = byte == '[' || (file->in_array && byte != ']');
    }
    if (byte >= 0)
        return parse(file, fault);
    if ((!file->taken || file->in_array) && fault->status == STATUS_OK)
        reject(file, file->taken ? "cut off" : "holds no result", fault);
    return NULL;
}

void json_file_close(struct json_file *file)
{
    if (file->file)
        fclose(file->file);
    text_free(&file->text);
}
