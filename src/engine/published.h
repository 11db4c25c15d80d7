/* SPDX-License-Identifier: MIT */
/* Numbers that others have published of a core, next to those that were measured. */
#ifndef UARCHPROBE_ENGINE_PUBLISHED_H
#define UARCHPROBE_ENGINE_PUBLISHED_H

#include "engine/store_buffer.h"
#include "uarchprobe/record.h"

struct published {
    const char *core, *key; /* of struct cpu; of a finding */
    double cycles;
    enum basis basis;
    const char *source, *date;
};

/* Adds a finding KEY.published for each measured one whose number is published for that core (NULL: unknown); one sentence
 * says all of them. */
void published_findings(struct record *record, const char *core);

#endif
