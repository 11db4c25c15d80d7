/* SPDX-License-Identifier: MIT */
#include "engine/published.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const struct published rows[] = {
#define PUBLISHED(...) {__VA_ARGS__},
#include "engine/published.def"
#undef PUBLISHED
};
enum { ROWS = sizeof rows / sizeof *rows, KEY = 64 };

/* What is measured under a key, before and behind the cycles. */
static const struct {
    const char *key, *before, *behind;
} words[] = {{"stlf.l1_latency", "L1 hit", ""},
             {"ram.L2.latency", "L2 hit", ""},
             {"stlf.forwarded", "forwarding", ""},
             {"stlf.failed_forward_penalty", "failed forward", " more"}};

static void add_value(struct text *text, const struct published *row)
{
    size_t i = 0;
    while (strcmp(words[i].key, row->key) != 0)
        i++;
    text_printf(text, "%s%s %g cycles%s (%s)", text->length ? ", " : "", words[i].before, row->cycles,
                words[i].behind, basis_words[row->basis]);
}

static void add_source(struct text *text, const struct published *row)
{
    struct text source = {0};
    text_printf(&source, "%s, %s", row->source, row->date);
    if (!text->data || !strstr(text->data, source.data))
        text_printf(text, "%s%s", text->length ? "; " : "", source.data);
    text_free(&source);
}

static bool is_of(const struct published *row, const struct record *record, const char *core)
{
    const struct finding *finding = record_finding_find(record, row->key);
    return strcmp(row->core, core) == 0 && finding && cell_has_value(&finding->value);
}

void published_findings(struct record *record, const char *core)
{
    struct text values = {0}, sources = {0}, sentence = {0};
    for (size_t i = 0; core && i < ROWS; i++) {
        if (!is_of(&rows[i], record, core))
            continue;
        add_value(&values, &rows[i]);
        add_source(&sources, &rows[i]);
    }
    if (values.length)
        text_printf(&sentence, "published for %s: %s [%s]", core, values.data, sources.data);
    for (size_t i = 0; values.length && i < ROWS; i++) {
        char key[KEY];
        if (!is_of(&rows[i], record, core))
            continue;
        snprintf(key, sizeof key, "%s.published", rows[i].key);
        record_finding(record, (struct finding){.key = key,
                                                .value = REAL_CELL(rows[i].cycles),
                                                .unit = "core cycles",
                                                .trust = TRUST_HIGH,
                                                .text = sentence.data});
        text_free(&sentence);
    }
    text_free(&values);
    text_free(&sources);
    text_free(&sentence);
}
