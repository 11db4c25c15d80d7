/* SPDX-License-Identifier: MIT */
/* One value: a text, a number, yes or no, or nothing. */
#ifndef UARCHPROBE_CELL_H
#define UARCHPROBE_CELL_H

#include <stdbool.h>
#include <stdint.h>

struct text;

enum cell_type { CELL_NULL, CELL_TEXT, CELL_INTEGER, CELL_REAL, CELL_BOOL };

struct cell {
    enum cell_type type;
    union {
        const char *text;
        int64_t integer;
        double real;
        bool boolean;
    };
};

#define NO_CELL ((struct cell){.type = CELL_NULL})
#define TEXT_CELL(x) ((struct cell){.type = CELL_TEXT, .text = (x)})
#define INTEGER_CELL(x) ((struct cell){.type = CELL_INTEGER, .integer = (int64_t)(x)})
#define REAL_CELL(x) ((struct cell){.type = CELL_REAL, .real = (x)})
#define BOOL_CELL(x) ((struct cell){.type = CELL_BOOL, .boolean = (x)})

/* Null, NaN and infinity are all "no value". */
bool cell_has_value(const struct cell *cell);
bool cell_equal(const struct cell *a, const struct cell *b);
bool unit_is_bytes(const char *unit);

/* Every digit, "true", "false"; nothing for null, NaN and infinity. */
void text_add_cell(struct text *text, const struct cell *cell);
/* To be read: `digits` decimals; "-" for null, NaN and infinity. */
void text_add_cell_human(struct text *text, const struct cell *cell, int digits);
/* To be read, with its unit: sizes as "64 MiB", rates as "2.6 GHz"; "unknown" for null. */
void text_add_value(struct text *text, const struct cell *cell, const char *unit);

#endif
