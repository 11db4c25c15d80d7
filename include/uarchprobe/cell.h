/* SPDX-License-Identifier: MIT */
/* One value with its meaning: a number may be a size, a CPU or a class. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uarchprobe/stats.h"

struct text;

enum cell_type {
    CELL_NULL,
    CELL_TEXT,
    CELL_INTEGER,
    CELL_REAL,
    CELL_BOOL,
    CELL_SIZE,    /* bytes */
    CELL_CPU,     /* the kernel's number; struct place has its groups */
    CELL_CLASS,   /* index into the names of its column */
    CELL_FLAGS,   /* a bit for each name of its column, the first lowest */
    CELL_SUMMARY, /* of samples; as a number it is their median */
};

/* Names for the indices of classes and the bits of flags. */
struct names {
    size_t count;
    const char **name;
};

struct cell {
    enum cell_type type;
    union {
        const char *text;
        int64_t integer; /* of a size, CPU, class and flags too */
        double real;
        bool boolean;
        const struct summary *summary;
    };
    const struct names *names; /* of classes and flags in a table, which sets it; borrowed from there */
};

#define NO_CELL ((struct cell){.type = CELL_NULL})
#define TEXT_CELL(x) ((struct cell){.type = CELL_TEXT, .text = (x)})
#define INTEGER_CELL(x) ((struct cell){.type = CELL_INTEGER, .integer = (int64_t)(x)})
/* NaN and infinity become CELL_NULL in a record. */
#define REAL_CELL(x) ((struct cell){.type = CELL_REAL, .real = (x)})
#define BOOL_CELL(x) ((struct cell){.type = CELL_BOOL, .boolean = (x)})
#define SUMMARY_CELL(x) ((struct cell){.type = CELL_SUMMARY, .summary = (x)})

/* False: null, NaN, infinity. */
bool cell_has_value(const struct cell *cell);
/* Whether it is that truth value; false for any other type. */
bool cell_is(const struct cell *cell, bool value);
/* Classes of different tables are equal where their names are. */
bool cell_equal(const struct cell *a, const struct cell *b);
/* Integers, reals, sizes, CPUs and the median of a summary; NaN: it is no number. */
double cell_number(const struct cell *cell);
/* Of a text or class; NULL: it is neither. */
const char *cell_text(const struct cell *cell);
/* Whether columns of that type hold numbers. */
bool type_is_number(enum cell_type type);
/* A value as it is read, and its unit then, "" where it has none: bytes a second are GiB/s. */
double value_shown(double value, const char *unit, const char **shown);
/* Whether something is measured or printed in that unit. */
bool unit_is_known(const char *unit);

/* Up to 15 digits, "true", "false", names, "flag,flag"; nothing for null, NaN and infinity. */
void text_add_cell(struct text *text, const struct cell *cell);
/* To be read: `digits` decimals, sizes as "64 MiB"; "-" for null, NaN and infinity. */
void text_add_cell_human(struct text *text, const struct cell *cell, int digits);
/* To be read, with its unit: sizes as "64 MiB", rates as "2.6 GHz"; "unknown" for null. */
void text_add_value(struct text *text, const struct cell *cell, const char *unit);
