/* SPDX-License-Identifier: MIT */
/* A format turns a record into text and does nothing else: what becomes of the text is output.c's business.
 * A new format is one file with its struct format, and one line in FORMAT_LIST. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "uarchprobe/record.h"

struct style {
    bool color;      /* SGR sequences are welcome */
    int width;       /* columns of the terminal; 0: no limit */
    bool pipe;       /* no screen limits how much is read */
    bool tables;     /* people asked for them */
    bool true_color; /* with color: 24 bits are, not only 256 colours */
    bool ascii;      /* no other characters are */
};

struct format {
    const char *name;      /* for --format */
    const char *extension; /* of -o, with its dot; NULL: none */
    void (*write)(const struct format *format, const struct style *style, const struct record *record,
                  struct text *out);
};

/* The first is the default; the order is that of format_names. */
#define FORMAT_LIST(X)                                                                                       \
    X(human)                                                                                                 \
    X(tsv)                                                                                                   \
    X(csv)                                                                                                   \
    X(tsv_matrix)                                                                                            \
    X(json)                                                                                                  \
    X(jsonl)                                                                                                 \
    X(markdown)                                                                                              \
    X(svg)                                                                                                   \
    X(html)                                                                                                  \
    X(findings)                                                                                              \
    X(prometheus)

#define X(name) extern const struct format name##_format;
FORMAT_LIST(X)
#undef X

/* Ended by NULL. */
extern const struct format *const formats[];
/* By the extension of path; the default format where it has none that is known. */
const struct format *format_of_path(const char *path);
