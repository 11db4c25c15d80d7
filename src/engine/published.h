/* SPDX-License-Identifier: MIT */
/* data/cores.tsv: published values of cores. docs/published.md defines its quantities and columns. */
#pragma once

#include <stddef.h>

#include "uarchprobe/cpu.h"
#include "uarchprobe/record.h"

/* The source of a value, as docs/published.md defines it. */
enum basis { DOCUMENTED, REPORTED, MEASURED, INFERRED };
extern const char *const basis_words[];

struct published {
    const char *cores; /* names as in struct cpu, separated by "; " */
    const char *quantity;
    double value, low, high; /* the value of a range is its middle */
    const char *unit, *smt;  /* whether the number is of one thread or of the core */
    enum basis basis;
    const char *source, *date;
};

/* Row n, from 0, of a quantity (NULL: any) of a core ("*": any), in the order of the table; NULL: no more
 * rows, or an unknown core (NULL). */
const struct published *core_published(const char *core, const char *quantity, size_t n);
/* Whether the table has a core of an x86 vendor with twice as many of a quantity, so that `count` may be
 * half of them. */
bool published_has_double(const char *vendor, const char *quantity, double count);
/* The range over all these rows; NaN: there are none. */
struct published_range {
    enum quote_agreement agreement;
    double least, most;
};
struct published_range published_range(const char *core, const char *quantity);

/* Quotes the published values of a quantity next to the answer of that key, or their absence, if the core
 * is known. */
void published_quote(struct record *record, const char *core, const char *key, const char *quantity);
