/* SPDX-License-Identifier: MIT */
/* data/cores.tsv: what others have published of a core. docs/published.md names its quantities and columns. */
#pragma once

#include <stddef.h>

#include "uarchprobe/cpu.h"
#include "uarchprobe/record.h"

/* How a value is known, as docs/published.md defines it. */
enum basis { DOCUMENTED, REPORTED, MEASURED, INFERRED };
extern const char *const basis_words[];

struct published {
    const char *cores; /* of struct cpu, one or several with "; " in between */
    const char *quantity;
    double value, low, high; /* the value of a range is its middle */
    const char *unit, *smt;  /* how the number stands to SMT */
    enum basis basis;
    const char *source, *date;
};

/* Row n, from 0, of what is published of that quantity (NULL: of any) of a core ("*": of any), in the order of the table; NULL: there are no more,
 * or the core is unknown (NULL). */
const struct published *core_published(const char *core, const char *quantity, size_t n);
/* All these rows together; NaN: there is none. */
struct published_range {
    enum standing standing;
    double least, most;
};
struct published_range published_range(const char *core, const char *quantity);

/* An answer and what is published next to it. */
struct published_answer {
    const char *key, *quantity; /* key NULL ends the rows */
};
/* Puts what is published of each quantity, or that nothing is, next to its answer, where the record has one and the core is known. */
void published_quote(struct record *record, const char *core, const struct published_answer *rows);
#define PUBLISHED_QUOTE(record, core, ...)                                                                   \
    published_quote(record, core, (const struct published_answer[]){__VA_ARGS__, {0}})
