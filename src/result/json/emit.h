/* SPDX-License-Identifier: MIT */
/* Writes JSON text. jansson's own writer prints 0.1 as 0.10000000000000001 and wants the whole document as a
 * tree, a million rows included. */
#ifndef OUTPUT_JSON_EMIT_H
#define OUTPUT_JSON_EMIT_H

#include "base/text.h"
#include "uarchprobe/cell.h"

struct emitter {
    struct text *out;
    bool indent; /* one member a line; else all on one line */
    int flat;    /* depth of values inside which nothing is indented, 0: none */
    int depth;
    bool first; /* nothing written yet at this depth */
};

/* key: NULL inside an array and for the document itself. */
void emit_open(struct emitter *emitter, const char *key, char bracket);
void emit_close(struct emitter *emitter, char bracket);
/* Like emit_open, but everything down to its emit_close stays on one line. */
void emit_open_flat(struct emitter *emitter, const char *key, char bracket);
void emit_cell(struct emitter *emitter, const char *key, struct cell cell);
/* NULL text gives null. */
void emit_text(struct emitter *emitter, const char *key, const char *text);

#endif
