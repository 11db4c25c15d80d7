/* SPDX-License-Identifier: MIT */
/* Numbers that others have published of a core, next to those that were measured. */
#ifndef UARCHPROBE_ENGINE_PUBLISHED_H
#define UARCHPROBE_ENGINE_PUBLISHED_H

#include "engine/store_buffer.h"
#include "uarchprobe/record.h"

/* Bytes that the core loads and stores in a cycle, by its widest instructions: no bandwidth of L1 is above. */
#define PUBLISHED_LOADS "ram.L1.read"
#define PUBLISHED_STORES "ram.L1.write"

struct published {
    const char *core, *key; /* of struct cpu; of an answer */
    double value;
    enum basis basis;
    const char *source, *date;
};

/* Puts a published value next to the answer of that key, where the record has one. */
void published_quote(struct record *record, const char *key, struct cell value, const char *unit,
                     enum basis basis, const char *source, const char *date);
/* NaN: the table has none, or the core is unknown (NULL). */
double published_value(const char *core, const char *key);
/* All that the table has of that core (NULL: unknown). */
void published_quotes(struct record *record, const char *core);

#endif
