/* SPDX-License-Identifier: MIT */
#include "engine/published.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

static const struct published rows[] = {
#define PUBLISHED(...) {__VA_ARGS__},
#include "engine/published.def"
#undef PUBLISHED
};

void published_quote(struct record *record, const char *key, struct cell value, const char *unit,
                     enum basis basis, const char *source, const char *date)
{
    struct text text = {0};
    text_printf(&text, "%s: %s, %s", basis_words[basis], source, date);
    record_quote(record, key, (struct quote){value, unit, text.data});
    text_free(&text);
}

double published_value(const char *core, const char *key)
{
    for (size_t i = 0; core && i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].core, core) == 0 && strcmp(rows[i].key, key) == 0)
            return rows[i].value;
    }
    return NAN;
}

static const char *unit_of(const char *key)
{
    const bool rate = strcmp(key, PUBLISHED_LOADS) == 0 || strcmp(key, PUBLISHED_STORES) == 0;
    return rate ? "bytes/core cycle" : "core cycles";
}

void published_quotes(struct record *record, const char *core)
{
    for (size_t i = 0; core && i < sizeof rows / sizeof *rows; i++) {
        const struct published *row = &rows[i];
        if (strcmp(row->core, core) == 0)
            published_quote(record, row->key, REAL_CELL(row->value), unit_of(row->key), row->basis,
                            row->source, row->date);
    }
}
