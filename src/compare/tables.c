/* SPDX-License-Identifier: MIT */
#include "tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/subject.h"

#define COLUMN(key, title, unit, type, role, digits)                                                         \
    {                                                                                                        \
        key, title, unit, type, role, digits                                                                 \
    }
#define TEXT(key, title, role) COLUMN(key, title, NULL, CELL_TEXT, role, 0)
#define COUNT(key, title) COLUMN(key, title, NULL, CELL_INTEGER, ROLE_MEASURE, 0)
#define REAL(key, title, unit, digits) COLUMN(key, title, unit, CELL_REAL, ROLE_MEASURE, digits)

/* For people; the first column only where there are several files. */
static const struct column row_columns[] = {
    TEXT("file", "file", ROLE_PARAMETER),   TEXT("what", "", ROLE_PARAMETER),
    TEXT("before", "before", ROLE_MEASURE), TEXT("after", "after", ROLE_MEASURE),
    TEXT("ratio", "ratio", ROLE_MEASURE),   TEXT("noise", "noise", ROLE_MEASURE),
    TEXT("unit", "", ROLE_LABEL),           TEXT("verdict", "", ROLE_LABEL)};
static const struct column setting_columns[] = {
    TEXT("file", "file", ROLE_PARAMETER), TEXT("what", "what", ROLE_PARAMETER),
    TEXT("before", "before", ROLE_LABEL), TEXT("after", "after", ROLE_LABEL)};
static const struct column answer_columns[] = {
    TEXT("file", "file", ROLE_PARAMETER),     TEXT("command", "command", ROLE_PARAMETER),
    TEXT("what", "what", ROLE_PARAMETER),     TEXT("unit", "unit", ROLE_LABEL),
    REAL("before", "before", NULL, 2),        REAL("after", "after", NULL, 2),
    REAL("change", "change", "%", 1),         REAL("worse_low", "slower, from", "%", 1),
    REAL("worse_high", "slower, to", "%", 1), REAL("allowed", "allowed", "%", 0),
    TEXT("verdict", "verdict", ROLE_LABEL),   TEXT("why", "why", ROLE_LABEL)};
static const struct column outlier_columns[] = {TEXT("node", "machine", ROLE_PARAMETER),
                                                TEXT("what", "what", ROLE_PARAMETER),
                                                REAL("value", "value", NULL, 2),
                                                REAL("median", "median", NULL, 2),
                                                REAL("change", "off", "%", 1),
                                                REAL("z", "deviations", NULL, 1),
                                                TEXT("unit", "", ROLE_LABEL)};
static const struct column family_columns[] = {
    TEXT("family", "family", ROLE_PARAMETER), TEXT("group", "group", ROLE_LABEL),
    REAL("alone", "one finding off by", "%", 0), REAL("together", "all of them by", "%", 0)};
static const struct column group_columns[] = {TEXT("group", "group", ROLE_PARAMETER),
                                              COUNT("nodes", "machines"), COUNT("judged", "judged"),
                                              COUNT("outliers", "outliers")};
static const struct column machine_columns[] = {
    COLUMN("place", "place", NULL, CELL_INTEGER, ROLE_PARAMETER, 0),
    COLUMN("group", "group", NULL, CELL_CLASS, ROLE_PARAMETER, 0), TEXT("node", "machine", ROLE_LABEL),
    REAL("loss", "slower than the median", "%", 2), TEXT("outlier", "outlier", ROLE_LABEL)};

#define SPEC(of, ...)                                                                                        \
    {                                                                                                        \
        .columns = of, .column_count = sizeof(of) / sizeof(*(of)), __VA_ARGS__                               \
    }
const struct table_spec table_specs[] = {
    [ROWS] =
        SPEC(row_columns, .name = "rows", .title = "Largest differences first",
             .note = "Noise: what repeated runs differ by, or the threshold. ~ medium trust, ? low trust.",
             .view = {.lead = true, .derived = true}),
    [SETTINGS] = SPEC(setting_columns, .name = "settings",
                      .title = "Differences between machines, tools and settings"),
    [ANSWERS] = SPEC(answer_columns, .name = "findings", .view.kind = VIEW_HIDDEN),
    [OUTLIERS] = SPEC(outlier_columns, .name = "outliers", .title = "Outliers",
                      .note = "Off: distance from the median of the group, also in robust deviations "
                              "(median absolute deviation).",
                      .view.lead = true),
    [FAMILIES] = SPEC(family_columns, .name = "families",
                      .title = "Distances that would have named a machine", .view.lead = true),
    [GROUPS] = SPEC(group_columns, .name = "groups", .title = "Machines that ought to be alike"),
    [MACHINES] =
        SPEC(machine_columns, .name = "machines", .title = "Machines by the median loss of their findings",
             .view = {.kind = VIEW_CURVE, .x = 0, .y = -1, .value = 3, .series = 1, .flag = 4})};

/* Sets the labels over the columns of both sides; of two files no row names one. */
void tables_add(struct tables *tables, int which)
{
    struct record *record = tables->record;
    const size_t count = (size_t)table_specs[which].column_count,
                 left_out = which == ROWS && tables->names[0];
    struct table_spec *own = record_own_bytes(record, &table_specs[which], sizeof(*own));
    struct column *columns = record_own_bytes(record, own->columns, count * sizeof(*columns));
    for (size_t i = 0; i < count && tables->labels[0]; i++)
        for (int side = 0; side < 2; side++)
            if (strcmp(columns[i].key, side ? "after" : "before") == 0)
                columns[i].title = tables->labels[side];
    own->view.lead = own->view.lead && tables->names[0]; /* of several files a screen has only verdicts */
    own->columns = columns + left_out;
    own->column_count = (int)(count - left_out);
    tables->of[which] = record_table_add(record, own);
}

/* Side by side, neither machine is better. */
static const char *outcome_name(const struct tables *tables, const struct row *row)
{
    static const char *const names[] = {"same", "better", "worse", "changed", "cannot tell", "not judged"};
    return tables->labels[0] && row_differs(row) ? "differs" : names[row->j.outcome];
}

/* A blank stands for no mark and keeps digits aligned. Words, wider than a column of numbers, stand with the verdict. */
static const char *value_text(const struct row *row, int side, struct text *text)
{
    static const char *const marks[] = {[TRUST_LOW] = "?", [TRUST_MEDIUM] = "~", [TRUST_HIGH] = " "};
    const struct answer *answer = row->of[side];
    text_add(text, "");
    if (answer && !cell_text(&answer->value)) {
        row_add_value(row, side, text);
        text_add(text, marks[answer->trust]);
    }
    return text->data;
}

/* "worse at equal clock", "differs: full, half", "differs now, may not repeat: 23.6 to 27.4, 58.1 to 74"; without what marks or an empty
 * column show. */
static const char *verdict_text(const struct tables *tables, bool judged, const struct row *row,
                                struct text *text)
{
    const struct judgement *j = &row->j;
    const bool low = j->why && strcmp(j->why, "low trust") == 0;
    const char *before = "", *unit;
    text_add(text, row_differs(row)                                       ? outcome_name(tables, row)
                   : j->outcome == OUTCOME_UNKNOWN && (!j->why || low)    ? "unsure"
                   : j->why && !low && judged && row->of[0] && row->of[1] ? j->why
                                                                          : "");
    if (row_differs(row) && j->basis)
        text_printf(text, " %s", j->basis);
    for (int side = 0; side < 2; side++) {
        const char *words = row->of[side] ? cell_text(&row->of[side]->value) : NULL;
        if (words && strcmp(words, before) != 0) {
            text_printf(text, "%s%.60s", *before ? ", " : text->length ? ": " : "", words);
            before = words;
        } else if (j->differs_now) {
            const struct extent range = extent_of(row->of[side]);
            text_add(text, side ? ", " : ": ");
            text_add_rounded(text, value_shown(range.low, row->of[side]->unit, &unit));
            text_add(text, " to ");
            text_add_rounded(text, value_shown(range.high, row->of[side]->unit, &unit));
        }
    }
    return text->data;
}

/* Adds a row for people. */
static void add_row(const struct tables *tables, bool judged, const struct row *row)
{
    struct text text[6] = {0};
    const double ratio = row->value[1] / row->value[0], noise = 100 * row->j.allowed;
    row_add_name(row, &text[0]);
    for (int i = 3; i < 5; i++)
        text_add(&text[i], "");
    if (isfinite(ratio))
        text_printf(&text[3], "%.2f", ratio);
    if (isfinite(noise))
        text_printf(&text[4], "%.0f %%", noise);
    const struct cell cells[] = {TEXT_CELL(tables->file),
                                 TEXT_CELL(text[0].data),
                                 TEXT_CELL(value_text(row, 0, &text[1])),
                                 TEXT_CELL(value_text(row, 1, &text[2])),
                                 TEXT_CELL(text[3].data),
                                 TEXT_CELL(text[4].data),
                                 TEXT_CELL(strcmp(row->unit, "core cycles") == 0 ? "cycles" : row->unit),
                                 TEXT_CELL(verdict_text(tables, judged, row, &text[5]))};
    record_row(tables->record, tables->of[ROWS], cells + (tables->names[0] != NULL));
    for (int i = 0; i < 6; i++)
        text_free(&text[i]);
}

/* Adds a row for machines: by its key and state, or "ram, 18 together". */
static void add_answer(const struct tables *tables, const struct row *row)
{
    const struct judgement *j = &row->j;
    const char *name = outcome_name(tables, row);
    struct text what = {0}, key = {0}, line = {0};
    text_printf(&what, "%s%s", row_answer(row)->key, answer_is_busy(row_answer(row)) ? " (busy)" : "");
    record_row(tables->record, tables->of[ANSWERS],
               (const struct cell[]){TEXT_CELL(tables->file), TEXT_CELL(row->command), TEXT_CELL(what.data),
                                     TEXT_CELL(row->unit), REAL_CELL(row->value[0]), REAL_CELL(row->value[1]),
                                     REAL_CELL(100 * (row->value[1] / row->value[0] - 1)),
                                     REAL_CELL(100 * j->low), REAL_CELL(100 * j->high),
                                     REAL_CELL(100 * j->allowed), TEXT_CELL(name),
                                     TEXT_CELL(j->why             ? j->why
                                               : row_differs(row) ? NULL
                                                                  : "")});
    if (row_differs(row)) {
        text_printf(&key, "compare.%s", name);
        row_add_line(row, &line);
        record_answer(tables->record,
                      (struct answer){.key = key.data, .value = TEXT_CELL(line.data), .trust = TRUST_HIGH});
    }
    text_free(&what);
    text_free(&key);
    text_free(&line);
}

/* Writes the verdict's sentence; returns its word for the result. */
static const char *write_verdict(const struct comparison *comparison, struct text *out)
{
    const size_t *of = comparison->of, differ = of[OUTCOME_BETTER] + of[OUTCOME_WORSE] + of[OUTCOME_CHANGED];
    const enum status status = comparison_status(comparison);
    if (!comparison->judged) {
        text_add(out, "NO VERDICT: ");
        comparison_add_reason(comparison, out);
        text_add(out, comparison->emulated ? "" : " (--force gives one)");
        return "none";
    }
    if (status == STATUS_USAGE) {
        text_add(out, "NO VERDICT: nothing in common that can be judged");
        return "nothing to compare";
    }
    if (status == STATUS_FAILED) {
        text_add(out, "WORSE  ");
        row_add_line(&comparison->rows.of[0], out);
        text_add(out, "; ");
    } else if (status == STATUS_UNTRUSTED)
        text_printf(out, "UNDECIDED  %zu of %zu judged; ", comparison->decided, comparison->asked);
    else if (!comparison->side_by_side)
        text_add(out, differ == 0 ? "SAME  " : of[OUTCOME_BETTER] ? "BETTER  " : "CHANGED  ");
    text_printf(out, "%zu differ%s, %zu same, %zu undecided", differ, differ == 1 ? "s" : "",
                of[OUTCOME_SAME], of[OUTCOME_UNKNOWN]);
    if (of[OUTCOME_APART])
        text_printf(out, ", %zu not judged", of[OUTCOME_APART]);
    return comparison->side_by_side                    ? "side by side"
           : status == STATUS_UNTRUSTED                ? "cannot tell"
           : of[OUTCOME_WORSE] && of[OUTCOME_BETTER]   ? "mixed"
           : of[OUTCOME_WORSE]                         ? "worse"
           : of[OUTCOME_BETTER] && !comparison->broken ? "better"
           : of[OUTCOME_BETTER] + of[OUTCOME_CHANGED]  ? "changed"
                                                       : "same";
}

void tables_fill(const struct tables *tables, const struct comparison *comparison)
{
    struct text text = {0};
    const char *word = write_verdict(comparison, &text);
    if (!tables->names[0])
        text_printf(&text, " (%s)", tables->file);
    record_answer(tables->record, (struct answer){.key = "compare.verdict",
                                                  .value = TEXT_CELL(word),
                                                  .trust = TRUST_HIGH,
                                                  .text = text.data});
    text_free(&text);
    for (size_t i = 0; i < comparison->rows.count; i++) {
        const struct row *row = &comparison->rows.of[i];
        if (row_answer(row)->label || row_differs(row)) /* answers without a label are for machines */
            add_row(tables, comparison->judged, row);
        add_answer(tables, row);
    }
    for (size_t i = 0; i < comparison->differences.count; i++) {
        const struct difference *of = &comparison->differences.of[i];
        record_row(tables->record, tables->of[SETTINGS],
                   (const struct cell[]){TEXT_CELL(tables->file), TEXT_CELL(of->what), TEXT_CELL(of->of[0]),
                                         TEXT_CELL(of->of[1])});
    }
}
