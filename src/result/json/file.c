/* SPDX-License-Identifier: MIT */
/* From a file to JSON values; what they mean is load.c's business. The end of a document is found by its brackets before it is parsed:
 * of a long file only one is in memory, and none that is too large, too deep or would take too much memory once it is parsed. */
#include "file.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

enum { DOCUMENT_MAX = 1 << 26, DEPTH_MAX = 16 };
/* A number of a column takes up to 75 bytes of memory, a text twice that, an object or a member up to 300. Two series of core-latency
 * on 512 CPUs have 4 million numbers; a report has some 5,000 members. */
enum { ITEMS_MAX = 1 << 22, MEMBERS_MAX = 1 << 19 };

/* The document that is being read, so far. */
struct document {
    size_t items, members;
    int depth;
    uint32_t objects; /* a bit for each depth: it is an object, no list */
    bool quoted, escaped, ended;
    const char *excess; /* why it is read no further */
};

static void reject(const struct json_file *file, int line, const char *why, struct fault *fault)
{
    fault_set(fault, STATUS_USAGE, "%s: line %d: %s; give a whole file written by --format json", file->path,
              line, why);
}

/* EOF at the end of the file, with *fault set where that is not known to be its end. */
static int next_byte(struct json_file *file, struct fault *fault)
{
    const int byte = file->file ? getc_unlocked(file->file) : EOF;
    if (!file->file || ferror(file->file))
        fault_set(fault, STATUS_USAGE, "cannot read '%s': %s", file->path, strerror(errno));
    file->line += byte == '\n';
    return byte;
}

static void count_byte(struct document *document, int byte)
{
    const bool in_object = document->objects >> document->depth & 1;
    if (document->escaped) {
        document->escaped = false;
    } else if (document->quoted) {
        document->escaped = byte == '\\';
        document->quoted = byte != '"';
    } else if (byte == '"') {
        document->quoted = true;
        document->items += !in_object;
    } else if (byte == '{' || byte == '[') {
        document->depth++;
        document->objects &= ~(UINT32_C(1) << document->depth);
        document->objects |= (uint32_t)(byte == '{') << document->depth;
        document->members++;
    } else if (byte == '}' || byte == ']') {
        document->depth--;
    } else if (byte == ',') {
        document->members += in_object;
        document->items += !in_object;
    }
    if (document->depth > DEPTH_MAX)
        document->excess = "nested too deeply";
    else if (document->items >= ITEMS_MAX)
        document->excess = "more than 4,194,304 items in lists (a text counts twice)";
    else if (document->members > MEMBERS_MAX)
        document->excess = "more than 524,288 members, objects and lists";
    document->ended = document->depth <= 0 && !document->quoted;
}

static json_t *parse(struct json_file *file, struct fault *fault)
{
    struct document document = {0};
    struct text text = {0};
    json_error_t error;
    const int begin = file->line;
    for (int byte; !document.ended && !document.excess && (byte = next_byte(file, fault)) != EOF;) {
        text_add_bytes(&text, &(char){(char)byte}, 1);
        count_byte(&document, byte);
        if (text.length > DOCUMENT_MAX)
            document.excess = "larger than 64 MiB";
    }
    if (document.excess)
        reject(file, begin, document.excess, fault);
    json_t *value = NULL;
    if (fault->status == STATUS_OK) {
        value = json_loadb(text.data, text.length, JSON_REJECT_DUPLICATES, &error);
        if (!value)
            reject(file, error.line < 1 ? begin : begin + error.line - 1, error.text, fault);
    }
    text_free(&text);
    file->taken++;
    return value;
}

/* The page's own markup is skipped; where it holds no result, the file ends. */
static void enter_page(struct json_file *file, struct fault *fault)
{
    static const char tag[] = "<script type=\"application/json\"";
    size_t same = 1;
    int byte = '<';
    while (byte != EOF && (tag[same] || byte != '>')) {
        byte = next_byte(file, fault);
        if (tag[same])
            same = byte == tag[same] ? same + 1 : byte == '<';
    }
    file->in_page = true;
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
    if (!file->file) {
        file->line = 1;
        file->file = fopen(file->path, "re");
    }
    while ((byte = next_byte(file, fault)), is_between(file, byte) || (byte == '<' && !file->in_page)) {
        if (byte == '<')
            enter_page(file, fault);
        file->in_array = byte == '[' || (file->in_array && byte != ']');
    }
    if (byte != EOF && byte != '<') {
        ungetc(byte, file->file);
        return parse(file, fault);
    }
    if (!file->taken || file->in_array)
        reject(file, file->line, file->taken ? "cut off" : "holds no result", fault);
    return NULL;
}
