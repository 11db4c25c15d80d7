/* SPDX-License-Identifier: MIT */
/* Shared by the harnesses: inputs as files, commands that read them, and the demands on every output. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/commands.h"
#include "output/format.h"
#include "uarchprobe/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Separates the files of an input: no text of JSON may hold it. */
enum { SEPARATOR = 0x1e };

static inline void require(bool condition)
{
    if (!condition)
        abort();
}

/* No byte that a terminal acts upon. */
static inline void require_plain(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)text[i],
                            next = i + 1 < length ? (unsigned char)text[i + 1] : 0;
        require((byte >= 0x20 && byte != 0x7f) || byte == '\t' || byte == '\n' || byte == '\r');
        require(byte != 0xc2 || next >= 0xa0);
    }
}

static inline void require_fault(const struct fault *fault)
{
    require((fault->status != STATUS_OK) == (fault->text[0] != '\0'));
    require(!strchr(fault->text, '\n'));
    require_plain(fault->text, strlen(fault->text));
}

/* Zero-initialised; the same file is filled again for each input. */
struct fuzz_file {
    char path[32];
    int descriptor;
};

static inline void file_fill(struct fuzz_file *file, const void *data, size_t size)
{
    if (!file->path[0]) {
        file->descriptor = memfd_create("input", MFD_CLOEXEC);
        snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->descriptor);
    }
    require(ftruncate(file->descriptor, 0) == 0);
    require(pwrite(file->descriptor, data, size, 0) == (ssize_t)size);
}

/* The next file of an input, without its separator; an input that has ended gives empty ones. */
static inline void file_next(struct fuzz_file *file, const uint8_t **data, size_t *size)
{
    const uint8_t *end = *size ? memchr(*data, SEPARATOR, *size) : NULL;
    const size_t length = end ? (size_t)(end - *data) : *size, taken = length + (end != NULL);
    file_fill(file, *data, length);
    *data += taken;
    *size -= taken;
}

static inline struct text format_text(const struct format *format, const struct record *record)
{
    const struct style style = {.width = 80, .tables = true};
    struct text text = {0};
    text_add(&text, "");
    format->write(format, &style, record, &text);
    return text;
}

static inline void require_written(const struct format *format, const struct record *record)
{
    struct text text = format_text(format, record);
    require_plain(text.data, text.length);
    text_free(&text);
}

static inline bool never_interrupted(void *context)
{
    return false;
}

/* A command that reads files, as its command line says, up to the text of its result in that format. */
static inline void command_run(const struct command *command, int argc, const char **words,
                               const struct format *format)
{
    static struct common common;
    char **argv = (char **)words;
    struct fault fault = {0}, taken = {0};
    int first = 0;
    void *params = calloc(1, command->params_size + 1);
    require(params != NULL);
    struct option_set set = command_options(command, params, &common);
    require(options_parse(&set, argc, argv, &first, &fault) == STATUS_OK);
    struct run run = {.command = command,
                      .params = params,
                      .common = &common,
                      .operand_count = argc - first,
                      .operands = argv + first,
                      .record = record_new(),
                      .taken = &taken,
                      .interrupted = never_interrupted};
    require(command->run(&run, &fault) == fault.status);
    require_fault(&fault);
    require_written(format, run.record);
    record_free(run.record);
    free(params);
}
