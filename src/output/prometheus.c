/* SPDX-License-Identifier: MIT */
/* The text format of Prometheus for the textfile collector of node_exporter: answers as gauges. */
#include <string.h>

#include "output/format.h"
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

static void add_head(struct text *out, const char *name, const char *help)
{
    text_printf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

enum metric { METRIC_VALUE, METRIC_TRUST, METRIC_TEXT, METRIC_COUNT };
static const char *const names[] = {"uarchprobe_answer", "uarchprobe_answer_trust", "uarchprobe_answer_text"},
                         *const helps[] = {"Value of an answer, in the unit of its label.",
                                           "Trust of an answer: 0 low, 1 medium, 2 high.",
                                           "Answers that are words: 1."};

/* Adds the lines of one metric for a record and its children, each series only once. */
static void add_lines(const struct record *record, enum metric metric, struct text *out)
{
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        struct text series = {0};
        const bool text = answer->value.type == CELL_TEXT;
        if (!cell_has_value(&answer->value) || (metric != METRIC_TRUST && text != (metric == METRIC_TEXT)))
            continue;
        text_printf(&series, "%s{", names[metric]);
        add_label(&series, "command", fact_text(record, "run.command", ""));
        add_label(&series, "key", answer->key);
        if (metric == METRIC_TEXT)
            add_label(&series, "value", answer->value.text);
        else if (metric == METRIC_VALUE)
            add_label(&series, "unit", answer->unit);
        if (metric == METRIC_VALUE && answer_is_bound(answer))
            add_label(&series, "bound", "at least");
        if (answer->state)
            add_label(&series, "state", answer->state);
        if (answer->kind)
            add_label(&series, "kind", answer->kind);
        text_add(&series, "} ");
        if (!out->data || !strstr(out->data, series.data)) {
            text_add(out, series.data);
            if (metric == METRIC_VALUE && answer->value.type != CELL_BOOL)
                text_add_cell(out, &answer->value);
            else /* samples are numbers: true is 1 */
                text_printf(out, "%d",
                            metric == METRIC_TRUST ? (int)answer->trust
                                                   : metric == METRIC_TEXT || cell_is(&answer->value, true));
            text_add(out, "\n");
        }
        text_free(&series);
    }
    for (size_t i = 0; i < record->children.count; i++)
        add_lines(record->children.of[i], metric, out);
}

static void write_prometheus(const struct format *format, const struct style *style,
                             const struct record *record, struct text *out)
{
    add_head(out, "uarchprobe_info", "What measured, and on what.");
    text_add(out, "uarchprobe_info{");
    add_label(out, "version", fact_text(record, "tool.version", ""));
    add_label(out, "command", fact_text(record, "run.command", ""));
    add_label(out, "cpu", fact_text(record, "host.cpu.brand", ""));
    text_add(out, "} 1\n");
    add_head(out, "uarchprobe_complete", "Whether all was measured.");
    text_printf(out, "uarchprobe_complete %d\n", fact_is(record, "run.complete", true));
    if (record_fact_find(record, RECORD_EMULATED)) {
        add_head(out, "uarchprobe_emulated", "Whether the times are an emulator's, no CPU's.");
        text_printf(out, "uarchprobe_emulated %d\n", record_is_emulated(record));
    }
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        struct text lines = {0};
        add_lines(record, metric, &lines);
        if (lines.length > 0) {
            add_head(out, names[metric], helps[metric]);
            text_add(out, lines.data);
        }
        text_free(&lines);
    }
}

const struct format prometheus_format = {
    .name = "prometheus", .extension = ".prom", .write = write_prometheus};
