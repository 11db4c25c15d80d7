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

/* A published size; entries 0: unknown. */
struct published_size {
    size_t entries;
    bool certain;     /* it is that of this very core */
    unsigned threads; /* of a core, 0: unknown; where it is one, nothing halves the buffer */
};
/* Half of what is published of a core whose threads share it, so that this may be all that a busy sibling leaves. */
bool knee_is_half(size_t size, struct published_size published);
/* The published size of its store buffer. It is certainly that of this CPU where its model number is its own, because no hypervisor is
 * there to show another, or where it shows AMX, which only cores of that size have. Sizes stand two to one to each other, so an
 * equal number alone may be the half of another core's. The threads of a core without SMT are known without a size, too. */
struct published_size store_buffer_expected(const struct cpu *cpu, const char *core);
