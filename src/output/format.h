/* SPDX-License-Identifier: MIT */
/* A format only turns a record into text; output.c writes the text. A new format is one file with its struct
 * format, and one line in FORMAT_LIST. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "uarchprobe/record.h"

struct style {
    bool color;      /* SGR sequences may be used */
    int width;       /* columns of the terminal; 0: no limit */
    bool pipe;       /* the text goes to a pipe: no screen limits its length */
    bool tables;     /* the user asked for tables */
    bool brief;      /* of tables only as many rows as a screen holds, although nobody can ask for less */
    bool true_color; /* 24-bit colours may be used, not only 256; only with color */
    bool ascii;      /* only ASCII may be used */
};

struct format {
    const char *name;      /* for --format */
    const char *extension; /* of -o, with its dot */
    void (*write)(const struct format *format, const struct style *style, const struct record *record,
                  struct text *out);
};

/* The first is the default; the order is that of format_names. */
#define FORMAT_LIST(X)                                                                                       \
    X(human)                                                                                                 \
    X(tsv)                                                                                                   \
    X(csv)                                                                                                   \
    X(tsv_matrix)                                                                                            \
    X(csv_matrix)                                                                                            \
    X(json)                                                                                                  \
    X(jsonl)                                                                                                 \
    X(markdown)                                                                                              \
    X(svg)                                                                                                   \
    X(html)                                                                                                  \
    X(answers)                                                                                               \
    X(prometheus)

#define X(name) extern const struct format name##_format;
FORMAT_LIST(X)
#undef X

/* Ends with NULL. */
extern const struct format *const formats[];
/* Chooses by the extension of path; the default format where it is unknown. */
const struct format *format_of_path(const char *path);
