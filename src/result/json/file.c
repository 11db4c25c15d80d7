/* SPDX-License-Identifier: MIT */
/* From a file to JSON values, which load.c interprets. Of a long file one document is in memory at a time,
 * and none that is too large or would take too much memory. */
#include "file.h"

#include <errno.h>
#include <string.h>

#include "base/text_file.h"
#include "uarchprobe/interrupt.h"

/* MEMORY_MAX: two series of core-latency on 512 CPUs have 4 million numbers. */
enum { DOCUMENT_MAX = 1 << 26, MEMORY_MAX = 1 << 29 };

/* The document that is being read, so far. */
struct document {
    struct json_file *file;
    struct fault *fault;
    size_t bytes, memory;
};

static void reject(const struct json_file *file, int line, const char *why, struct fault *fault)
{
    fault_set(fault, STATUS_USAGE, "%s: line %d: %s; give a whole file written by --format json", file->path,
              line, why);
}

/* EOF at the end of the file; *fault is set where reading failed or a signal came. */
static int next_byte(struct json_file *file, struct fault *fault)
{
    const int byte = !interrupt_came() ? getc_unlocked(file->file) : EOF;
    if (interrupt_came())
        fault_set(fault, STATUS_FAILED, "'%s' was not read to its end, as signal %d came", file->path,
                  interrupt_signal());
    else if (ferror(file->file))
        fault_set(fault, STATUS_USAGE, "cannot read '%s': %s", file->path, strerror(errno));
    file->line += byte == '\n';
    return byte;
}

/* One at a time, so that nothing behind a document is taken with it. Weighs the memory that jansson needs
 * for an item, a member and an object or list by the byte that comes with it, also within a text. */
static size_t take_byte(void *buffer, size_t size, void *context)
{
    struct document *document = context;
    const int byte = next_byte(document->file, document->fault);
    document->bytes += size > 0;
    document->memory += byte == ',' ? 75 : byte == ':' ? 150 : byte == '{' || byte == '[' ? 300 : 0;
    if (document->bytes > DOCUMENT_MAX || document->memory > MEMORY_MAX)
        reject(document->file, document->file->line,
               document->bytes > DOCUMENT_MAX ? "larger than 64 MiB" : "takes more than 512 MiB of memory",
               document->fault);
    *(char *)buffer = (char)byte;
    return byte != EOF && document->fault->status == STATUS_OK;
}

static json_t *parse(struct json_file *file, struct fault *fault)
{
    json_error_t error;
    struct document document = {.file = file, .fault = fault};
    const int begin = file->line;
    json_t *value =
        json_load_callback(take_byte, &document, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &error);
    if (!value)
        reject(file, begin + (error.line > 0 ? error.line - 1 : 0), error.text, fault);
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

/* Between documents stand blanks, and the marks of an array. */
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
        file->file = text_file_open(file->path, fault);
        if (!file->file)
            return NULL;
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
