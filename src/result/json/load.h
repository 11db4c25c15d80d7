/* SPDX-License-Identifier: MIT */
/* Parts of the reader that its files share. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "uarchprobe/record.h"

struct loader {
    const char *path;
    struct record *record;
    const char *prefix; /* where in the document the record lies: "commands.0." */
    size_t *facts;      /* so far, in the whole document */
    struct fault *fault;
};

/* where, a format: "tables.0.rows.speed.3"; returns false so that callers can return it. */
bool loader_reject(struct loader *loader, const char *why, const char *where, ...)
    __attribute__((format(printf, 3, 4)));
/* Index of a name in a list that NULL ends; -1: it is none of them. */
int loader_index(const char *const *names, const json_t *name);
struct cell loader_cell(const json_t *value);
/* Whether it is none or what this schema has there: letters and digits, behind the first one `also`. So it can be shown anywhere as it
 * stands: a spreadsheet takes it for no formula. */
bool loader_is_word(const json_t *text, const char *also);
extern const char loader_key[], loader_unit[],
    loader_slot[]; /* `also` of keys, codes and names; of units and states; of slots */
/* The table of that index, with its rows. */
bool load_table(struct loader *loader, size_t index, const json_t *from);
