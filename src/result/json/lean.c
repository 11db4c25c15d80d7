/* SPDX-License-Identifier: MIT */
#include "lean.h"

#include <stdbool.h>
#include <string.h>

/* Members by name, and what their values become; NULL: the member goes. */
static const struct {
    const char *name, *value;
} lean[] = {{"tables", "[]"},  {"warnings", "[]"}, {"text", NULL}, {"parts", NULL},    {"interval", NULL},
            {"samples", NULL}, {"places", NULL},   {"argv", NULL}, {"published", NULL}};

/* Behind the string whose opening quote is at `at`. */
static const char *string_end(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        at += *at == '\\';
    return at < end ? at + 1 : end;
}

static const char *blanks_end(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

static const char *value_end(const char *at, const char *end)
{
    for (int depth = 0; at < end;) {
        at += strcspn(at, depth > 0 ? "\"[]{}" : "\"[]{},");
        if (at >= end || (depth == 0 && strchr(",]}", *at)))
            break;
        depth += *at == '[' || *at == '{' ? 1 : *at == ']' || *at == '}' ? -1 : 0;
        at = *at == '"' ? string_end(at, end) : at + 1;
    }
    return at < end ? at : end;
}

/* The row of the member whose name is the string at `at` with that end; -1: it stays. */
static int row_of(const char *at, const char *behind)
{
    for (size_t i = 0; i < sizeof(lean) / sizeof(lean[0]); i++) {
        const size_t length = strlen(lean[i].name);
        if ((size_t)(behind - at) == length + 2 && memcmp(at + 1, lean[i].name, length) == 0)
            return (int)i;
    }
    return -1;
}

/* Takes the comma with it that is behind the member, or where it is the last, that before it. */
static const char *leave_out(const char *at, const char *end, struct text *out)
{
    if (at < end && *at == ',')
        return at + 1;
    while (out->length > 0 && strchr(" \n\t\r", out->data[out->length - 1]))
        out->length--;
    out->length -= out->length > 0 && out->data[out->length - 1] == ',';
    return at;
}

void json_lean(const char *text, size_t length, struct text *out)
{
    const char *const end = text + length;
    for (const char *at = text, *behind; at < end; at = behind) {
        const char *const quote = memchr(at, '"', (size_t)(end - at));
        text_add_bytes(out, at, (size_t)((quote ? quote : end) - at));
        if (!quote)
            break;
        const char *const colon = blanks_end(string_end(quote, end), end);
        behind = string_end(quote, end);
        const int row = colon < end && *colon == ':' ? row_of(quote, behind) : -1;
        if (row >= 0)
            behind = value_end(colon + 1, end);
        if (row < 0 || lean[row].value)
            text_add_bytes(out, quote, (size_t)((row < 0 ? behind : colon + 1) - quote));
        if (row >= 0 && lean[row].value)
            text_add(out, lean[row].value);
        else if (row >= 0)
            behind = leave_out(behind, end, out);
    }
}
