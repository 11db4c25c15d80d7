/* SPDX-License-Identifier: MIT */
/* The text format of Prometheus, for the textfile collector of node_exporter: answers as gauges. */
#include <stdlib.h>

#include "output/format.h"
#include "output/keys.h"
#include "result/subject.h"

static void add_label(struct text *out, const char *name, const char *value)
{
    text_printf(out, "%s%s=\"", out->data[out->length - 1] == '{' ? "" : ",", name);
    for (; value && *value; value++) {
        if (*value == '\n')
            text_add(out, "\\n");
        else
            text_printf(out, *value == '\\' || *value == '"' ? "\\%c" : "%c", *value);
    }
    text_add(out, "\"");
}

enum metric { METRIC_VALUE, METRIC_TRUST, METRIC_TEXT };

/* The lines of one metric, of a record and its children; series that are there already are left out. */
static void add_lines(const struct record *record, enum metric metric, const char *name, struct keys *seen,
                      struct text *out)
{
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        struct text series = {0};
        const bool text = answer->value.type == CELL_TEXT;
        if (!cell_has_value(&answer->value) || (metric != METRIC_TRUST && text != (metric == METRIC_TEXT)))
            continue;
        text_printf(&series, "%s{", name);
        add_label(&series, "command", fact_text(record, "run.command", ""));
        add_label(&series, "key", answer->key);
        if (metric == METRIC_TEXT)
            add_label(&series, "value", answer->value.text);
        else if (metric == METRIC_VALUE)
            add_label(&series, "unit", answer->unit);
        if (answer->state)
            add_label(&series, "state", answer->state);
        text_add(&series, "} ");
        const size_t before = seen->count;
        char *line = text_take(&series);
        keys_index(seen, TEXT_CELL(line));
        if (seen->count == before) {
            free(line);
            continue;
        }
        text_add(out, line);
        if (metric == METRIC_VALUE && answer->value.type != CELL_BOOL)
            text_add_cell(out, &answer->value);
        else
            text_printf(out, "%d", /* a sample is a number, true is none */
                        metric == METRIC_TRUST ? (int)answer->trust
                                               : metric == METRIC_TEXT || cell_is(&answer->value, true));
        text_add(out, "\n");
    }
    for (size_t i = 0; i < record->children.count; i++)
        add_lines(record->children.of[i], metric, name, seen, out);
}

static void add_metric(const struct record *record, enum metric metric, const char *name, const char *help,
                       struct text *out)
{
    struct text lines = {0};
    struct keys seen = {0};
    add_lines(record, metric, name, &seen, &lines);
    if (lines.length > 0)
        text_printf(out, "# HELP %s %s\n# TYPE %s gauge\n%s", name, help, name, lines.data);
    for (size_t i = 0; i < seen.count; i++)
        free((void *)(uintptr_t)seen.value[i].text);
    keys_free(&seen);
    text_free(&lines);
}

static void write_prometheus(const struct format *format, const struct style *style,
                             const struct record *record, struct text *out)
{
    text_add(
        out,
        "# HELP uarchprobe_info What measured, and on what.\n# TYPE uarchprobe_info gauge\nuarchprobe_info{");
    add_label(out, "version", fact_text(record, "tool.version", ""));
    add_label(out, "command", fact_text(record, "run.command", ""));
    add_label(out, "cpu", fact_text(record, "host.cpu.brand", ""));
    text_printf(
        out,
        "} 1\n# HELP uarchprobe_complete Whether all was measured.\n# TYPE uarchprobe_complete gauge\n"
        "uarchprobe_complete %d\n",
        fact_is(record, "run.complete", true));
    if (record_fact_find(record, RECORD_EMULATED))
        text_printf(out,
                    "# HELP uarchprobe_emulated Whether the times are an emulator's, no CPU's.\n# TYPE "
                    "uarchprobe_emulated gauge\nuarchprobe_emulated %d\n",
                    record_is_emulated(record));
    add_metric(record, METRIC_VALUE, "uarchprobe_finding", "Value of a finding, in the unit of its label.",
               out);
    add_metric(record, METRIC_TRUST, "uarchprobe_finding_trust",
               "Trust of a finding: 0 low, 1 medium, 2 high.", out);
    add_metric(record, METRIC_TEXT, "uarchprobe_finding_text", "Findings that are words: 1.", out);
}

const struct format prometheus_format = {
    .name = "prometheus", .extension = ".prom", .write = write_prometheus};
