/* SPDX-License-Identifier: MIT */
/* From a file to JSON values; what they mean is load.c's business. A document is found by its brackets before it is parsed,
 * so that of a long file only one is in memory, and none that is too large or too deep. */
#include "file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lean.h"

enum { CHUNK = 1 << 14, DOCUMENT_MAX = 1 << 26, DEPTH_MAX = 16, LARGE = 1 << 20 };
/* A number of a column takes up to 75 bytes of memory, a text twice that, an object or a member up to 300. Two series of core-latency
 * on 512 CPUs have 4 million numbers; a report has some 5,000 members. */
enum { ITEMS_MAX = 1 << 22, MEMBERS_MAX = 1 << 19 };

static void reject(const struct json_file *file, const char *why, struct fault *fault)
{
    fault_set(fault, STATUS_USAGE, "%s: line %d, column %d: %s; give a whole file written by --format json",
              file->path, file->line, file->column, why);
}

static bool open_file(struct json_file *file, struct fault *fault)
{
    struct stat kind;
    file->line = 1;
    file->file = fopen(file->path, "re");
    const bool folder = file->file && fstat(fileno(file->file), &kind) == 0 && S_ISDIR(kind.st_mode);
    if (file->file && !folder)
        return true;
    fault_set(fault, STATUS_USAGE, "cannot read '%s': %s", file->path, strerror(file->file ? EISDIR : errno));
    return false;
}

/* False at the end of the file or of what fits. */
static bool read_more(struct json_file *file, struct fault *fault)
{
    char chunk[CHUNK];
    if (file->ended || fault->status != STATUS_OK)
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
    file->ended = got == 0;
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

static void step(struct json_file *file, size_t bytes)
{
    const char *at = file->text.data + file->at, *const end = at + bytes;
    for (const char *newline; (newline = memchr(at, '\n', (size_t)(end - at))); at = newline + 1) {
        file->line++;
        file->column = 0;
    }
    file->column += (int)(end - at);
    file->at += bytes;
}

/* Makes the room of a large document free, before what it says takes as much. */
static void forget(struct json_file *file)
{
    struct text rest = {0};
    if (file->at < LARGE)
        return;
    text_add_bytes(&rest, file->text.data + file->at, file->text.length - file->at);
    text_free(&file->text);
    file->text = rest;
    file->at = 0;
}

/* The page's own markup is skipped; where it holds no result, the file ends. */
static void enter_page(struct json_file *file, struct fault *fault)
{
    static const char opening[] = "<script type=\"application/json\"";
    file->in_page = true;
    while (read_more(file, fault))
        ;
    const char *tag = strstr(file->text.data, opening);
    const char *inside = tag ? strchr(tag, '>') : NULL;
    const char *closing = inside ? strstr(inside, "</script>") : NULL;
    step(file, inside ? (size_t)(inside + 1 - file->text.data) : file->text.length);
    if (closing)
        file->text.length = (size_t)(closing - file->text.data);
}

/* How far a walk over the bytes of a document has come. */
struct walk {
    bool quoted;
    int depth;
    uint32_t objects; /* a bit for each depth: it is an object, no list */
    size_t items, members;
};

static void take_byte(struct walk *walk, int byte)
{
    const bool in_object = walk->objects >> walk->depth & 1;
    switch (walk->quoted && byte != '"' ? 0 : byte) {
    case '"':
        walk->quoted = !walk->quoted;
        walk->items += walk->quoted && !in_object;
        break;
    case '{':
    case '[':
        walk->depth++;
        walk->objects &= ~(UINT32_C(1) << walk->depth);
        walk->objects |= (uint32_t)(byte == '{') << walk->depth;
        walk->members++;
        break;
    case '}':
    case ']':
        walk->depth--;
        break;
    case ',':
        walk->members += in_object;
        walk->items += !in_object;
    }
}

/* What would take too much memory once it is parsed; NULL: nothing. */
static const char *excess(const struct walk *walk)
{
    return walk->depth > DEPTH_MAX       ? "nested too deeply"
           : walk->items >= ITEMS_MAX    ? "more than 4,194,304 items in its lists, where a text counts twice"
           : walk->members > MEMBERS_MAX ? "more than 524,288 members, objects and lists"
                                         : NULL;
}

/* Bytes to the end of the document that begins here, or of the file. */
static size_t document_length(struct json_file *file, struct fault *fault)
{
    struct walk walk = {0};
    size_t length = 0;
    int byte;
    do {
        if (walk.quoted && length < file->text.length - file->at)
            length += strcspn(file->text.data + file->at + length, "\"\\");
        byte = byte_at(file, length++, fault);
        if (walk.quoted && byte == '\\')
            byte_at(file, length++, fault);
        else
            take_byte(&walk, byte);
        if (excess(&walk))
            reject(file, excess(&walk), fault);
    } while (walk.depth > 0 && byte >= 0 && fault->status == STATUS_OK);
    return length < file->text.length - file->at ? length : file->text.length - file->at;
}

static json_t *parse(struct json_file *file, struct fault *fault)
{
    json_error_t error;
    const size_t length = document_length(file, fault);
    if (fault->status != STATUS_OK)
        return NULL;
    json_t *value = NULL;
    if (file->lean) {
        file->kept.length = 0;
        json_lean(file->text.data + file->at, length, &file->kept);
        value = json_loadb(file->kept.data, file->kept.length, JSON_REJECT_DUPLICATES, &error);
    }
    if (!value) /* if only for the place of the error */
        value = json_loadb(file->text.data + file->at, length, JSON_REJECT_DUPLICATES, &error);
    if (!value) {
        const int column = error.line <= 1 ? file->column + error.column : error.column;
        file->line += error.line < 1 ? 0 : error.line - 1;
        file->column = column;
        reject(file, error.text, fault);
        return NULL;
    }
    step(file, length);
    forget(file);
    file->taken++;
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
            step(file, 1);
        file->in_array = byte == '[' || (file->in_array && byte != ']');
    }
    if (byte >= 0)
        return parse(file, fault);
    if (!file->taken || file->in_array)
        reject(file, file->taken ? "cut off" : "holds no result", fault);
    return NULL;
}

void json_file_close(struct json_file *file)
{
    if (file->file)
        fclose(file->file);
    text_free(&file->text);
    text_free(&file->kept);
}
