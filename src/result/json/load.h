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
/* Members of an item of a list, as json_unpack has them in the format; a null is as good as none. False:
 * rejected. */
bool loader_unpack(struct loader *loader, const char *list, size_t index, json_t *from, const char *format,
                   ...);
/* Index of a name in a list that NULL ends, but for a first one that is NULL; `otherwise`: it is none of
 * them. */
int loader_index(const char *const *names, const char *name, int otherwise);
struct cell loader_cell(const json_t *value);
/* The table of that index, with its rows. */
bool load_table(struct loader *loader, size_t index, json_t *from);
