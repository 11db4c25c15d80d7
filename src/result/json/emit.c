/* SPDX-License-Identifier: MIT */
#include "emit.h"

#include <string.h>

static void add_string(struct text *out, const char *text)
{
    static const char special[] = "\"\\\n\t\r", escaped[] = "\"\\ntr";
    text_add(out, "\"");
    for (; *text; text++) {
        const char *at = strchr(special, *text);
        if (at)
            text_printf(out, "\\%c", escaped[at - special]);
        else if ((unsigned char)*text < 0x20 || *text == 0x7f)
            text_printf(out, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            text_add_bytes(out, text, 1);
    }
    text_add(out, "\"");
}

/* Comma, line break and key before a value. */
static void begin_value(struct emitter *emitter, const char *key)
{
    bool indent = emitter->indent && !emitter->flat;
    if (!emitter->first)
        text_add(emitter->out, indent || !emitter->indent ? "," : ", ");
    if (indent && emitter->depth > 0) {
        text_add(emitter->out, "\n");
        text_repeat(emitter->out, ' ', 2 * (size_t)emitter->depth);
    }
    if (key) {
        add_string(emitter->out, key);
        text_add(emitter->out, emitter->indent ? ": " : ":");
    }
    emitter->first = false;
}

void emit_open(struct emitter *emitter, const char *key, char bracket)
{
    begin_value(emitter, key);
    text_add_bytes(emitter->out, &bracket, 1);
    emitter->depth++;
    emitter->flat += emitter->flat > 0;
    emitter->first = true;
}

void emit_open_flat(struct emitter *emitter, const char *key, char bracket)
{
    emit_open(emitter, key, bracket);
    if (emitter->flat == 0)
        emitter->flat = 1;
}

void emit_close(struct emitter *emitter, char bracket)
{
    emitter->depth--;
    if (emitter->indent && !emitter->flat && !emitter->first) {
        text_add(emitter->out, "\n");
        text_repeat(emitter->out, ' ', 2 * (size_t)emitter->depth);
    }
    emitter->flat -= emitter->flat > 0;
    text_add_bytes(emitter->out, &bracket, 1);
    emitter->first = false;
}

/* A real stays a real for readers that tell them from integers. */
static void add_real(struct text *out, double value)
{
    size_t before = out->length;
    text_add_real(out, value);
    if (!strpbrk(out->data + before, ".e"))
        text_add(out, ".0");
}

void emit_cell(struct emitter *emitter, const char *key, struct cell cell)
{
    begin_value(emitter, key);
    if (!cell_has_value(&cell))
        text_add(emitter->out, "null");
    else if (cell.type == CELL_TEXT)
        add_string(emitter->out, cell.text);
    else if (cell.type == CELL_REAL)
        add_real(emitter->out, cell.real);
    else
        text_add_cell(emitter->out, &cell);
}

void emit_text(struct emitter *emitter, const char *key, const char *text)
{
    emit_cell(emitter, key, TEXT_CELL(text));
}
