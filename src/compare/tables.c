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

/* As they are read; the first column only where there are several files. */
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
        SPEC(row_columns, .name = "rows", .title = "What differs most comes first",
             .note = "Noise: what repeated runs differ by, or the threshold. ~ medium trust, ? low trust.",
             .view = {.lead = true, .derived = true}),
    [SETTINGS] = SPEC(setting_columns, .name = "settings",
                      .title = "What differs between the machines, tools and settings"),
    [ANSWERS] = SPEC(answer_columns, .name = "findings", .view.kind = VIEW_HIDDEN),
    [OUTLIERS] = SPEC(outlier_columns, .name = "outliers", .title = "Outliers",
                      .note = "Off: from the median of the group; deviations: robust ones, by the median "
                              "absolute deviation.",
                      .view.lead = true),
    [FAMILIES] = SPEC(family_columns, .name = "families", .title = "What would have named a machine",
                      .view.lead = true),
    [GROUPS] = SPEC(group_columns, .name = "groups", .title = "Machines that ought to be alike"),
    [MACHINES] = SPEC(machine_columns, .name = "machines",
                      .title = "Machines by what they lose in the median of their findings",
                      .view = {.kind = VIEW_CURVE, .x = 0, .y = -1, .value = 3, .series = 1, .flag = 4})};

/* With the labels over the columns of both sides. */
void tables_add(struct tables *tables, int which)
{
    const struct table_spec *spec = &table_specs[which];
    struct record *record = tables->record;
    const size_t count = (size_t)spec->column_count;
    const size_t left_out = which == ROWS && tables->names[0];
    struct table_spec *own = record_own(record, memory_zeroed(1, sizeof(*own)));
    struct column *columns = record_own(record, memory_zeroed(count, sizeof(*columns)));
    memcpy(columns, spec->columns, count * sizeof(*columns));
    for (size_t i = 0; i < count && tables->labels[0]; i++)
        for (int side = 0; side < 2; side++)
            if (strcmp(columns[i].key, side ? "after" : "before") == 0)
                columns[i].title = tables->labels[side];
    *own = *spec;
    own->view.lead = own->view.lead && tables->names[0]; /* of several files a screen has the verdicts */
    own->columns = columns + left_out;
    own->column_count = (int)(count - left_out);
    tables->of[which] = record_table_add(record, own);
}

static const char *const outcome_names[] = {"same",    "better",      "worse",
                                            "changed", "cannot tell", "not judged"};

/* Of two machines side by side neither is better. */
static const char *outcome_name(const struct tables *tables, const struct pair *pair)
{
    return tables->labels[0] && pair_differs(pair) ? "differs" : outcome_names[pair->j.outcome];
}

/* padded: another of its column has a mark, so one without gets a blank, which keeps digits below each other. Words are wider than a
 * column of numbers: they stand with the verdict. */
static char *value_text(const struct pair *pair, int side, bool padded)
{
    const struct answer *answer = side ? pair->after : pair->before;
    struct text text = {0};
    text_add(&text, "");
    if (answer && !cell_text(&answer->value)) {
        pair_add_value(pair, side, &text);
        text_add(&text, answer->trust == TRUST_LOW      ? "?"
                        : answer->trust == TRUST_MEDIUM ? "~"
                        : padded                        ? " "
                                                        : "");
    }
    return text_take(&text);
}

/* "worse at equal clock", "differs: full, half", "differs now, may not repeat: 23.6 to 27.4, 58.1 to 74"; nothing that the marks of the
 * values or an empty column say. */
static char *verdict_text(const struct tables *tables, const struct comparison *comparison,
                          const struct pair *pair)
{
    const struct judgement *j = &pair->j;
    const struct answer *const sides[] = {pair->before, pair->after};
    const char *before = "";
    struct text text = {0};
    const bool both = pair->before && pair->after, low = j->why && strcmp(j->why, "low trust") == 0;
    text_add(&text, pair_differs(pair)                                  ? outcome_name(tables, pair)
                    : j->outcome == OUTCOME_UNKNOWN && (!j->why || low) ? "unsure"
                    : j->why && both && comparison->judged && !low      ? j->why
                                                                        : "");
    if (pair_differs(pair) && j->basis)
        text_printf(&text, " %s", j->basis);
    for (int side = 0; side < 2; side++) {
        const char *words = sides[side] ? cell_text(&sides[side]->value) : NULL, *unit;
        const char *gap = *before ? ", " : text.length ? ": " : "";
        if (words && strcmp(words, before) != 0) {
            text_printf(&text, "%s%.60s", gap, words);
            before = words;
        } else if (j->differs_now) {
            const struct extent range = extent_of(sides[side]);
            text_add(&text, side ? ", " : ": ");
            text_add_rounded(&text, value_shown(range.low, sides[side]->unit, &unit));
            text_add(&text, " to ");
            text_add_rounded(&text, value_shown(range.high, sides[side]->unit, &unit));
        }
    }
    return text_take(&text);
}

static void add_row(const struct tables *tables, const struct comparison *comparison, const struct pair *pair,
                    bool padded)
{
    const double ratio = pair->value[1] / pair->value[0], noise = 100 * pair->j.allowed;
    struct text name = {0};
    char *before = value_text(pair, 0, padded), *after = value_text(pair, 1, padded);
    char *verdict = verdict_text(tables, comparison, pair), times[32] = "", percent[32] = "";
    pair_add_name(pair, &name);
    if (isfinite(ratio))
        snprintf(times, sizeof(times), "%.2f", ratio);
    if (isfinite(noise))
        snprintf(percent, sizeof(percent), "%.0f %%", noise);
    const struct cell cells[] = {TEXT_CELL(tables->file),
                                 TEXT_CELL(name.data),
                                 TEXT_CELL(before),
                                 TEXT_CELL(after),
                                 TEXT_CELL(times),
                                 TEXT_CELL(percent),
                                 TEXT_CELL(strcmp(pair->unit, "core cycles") == 0 ? "cycles" : pair->unit),
                                 TEXT_CELL(verdict)};
    record_row(tables->record, tables->of[ROWS], cells + (tables->names[0] != NULL));
    free(before);
    free(after);
    free(verdict);
    text_free(&name);
}

/* As machines read it: by its key, which names its state, or "ram, 18 together". */
static void add_answer(const struct tables *tables, const struct pair *pair)
{
    const struct judgement *j = &pair->j;
    const bool undecided = j->outcome == OUTCOME_SAME || j->outcome == OUTCOME_UNKNOWN;
    const char *name = outcome_name(tables, pair);
    const struct answer *answer = pair->before ? pair->before : pair->after;
    char what[160], key[64];
    struct text line = {0};
    if (pair->together)
        snprintf(what, sizeof(what), "%s, %zu together", pair->command, pair->together);
    else
        snprintf(what, sizeof(what), "%s%s", answer->key, answer_is_busy(answer) ? " (busy)" : "");
    record_row(
        tables->record, tables->of[ANSWERS],
        (const struct cell[]){TEXT_CELL(tables->file), TEXT_CELL(pair->command), TEXT_CELL(what),
                              TEXT_CELL(pair->unit), REAL_CELL(pair->value[0]), REAL_CELL(pair->value[1]),
                              REAL_CELL(100 * (pair->value[1] / pair->value[0] - 1)), REAL_CELL(100 * j->low),
                              REAL_CELL(100 * j->high), REAL_CELL(100 * j->allowed), TEXT_CELL(name),
                              TEXT_CELL(j->why      ? j->why
                                        : undecided ? ""
                                                    : NULL)});
    if (!pair_differs(pair))
        return;
    snprintf(key, sizeof(key), "compare.%s", tables->labels[0] ? "differs" : name);
    pair_add_line(pair, &line);
    record_answer(tables->record,
                  (struct answer){.key = key, .value = TEXT_CELL(line.data), .trust = TRUST_HIGH});
    text_free(&line);
}

/* The word of the verdict in the result; its sentence. */
static const char *write_verdict(const struct comparison *comparison, struct text *out)
{
    const size_t *of = comparison->of, differ = of[OUTCOME_BETTER] + of[OUTCOME_WORSE] + of[OUTCOME_CHANGED];
    const enum status status = comparison_status(comparison);
    const char *word = !comparison->judged                       ? "none"
                       : status == STATUS_USAGE                  ? "nothing to compare"
                       : comparison->side_by_side                ? "side by side"
                       : status == STATUS_UNTRUSTED              ? "cannot tell"
                       : of[OUTCOME_WORSE] && of[OUTCOME_BETTER] ? "mixed"
                       : of[OUTCOME_WORSE]                       ? "worse"
                       : comparison->broken                      ? "changed"
                       : of[OUTCOME_BETTER]                      ? "better"
                       : of[OUTCOME_CHANGED]                     ? "changed"
                                                                 : "same";
    if (status == STATUS_USAGE) {
        text_add(out, "NO VERDICT: ");
        if (comparison->judged)
            text_add(out, "nothing in common that can be judged");
        else
            comparison_add_reason(comparison, out);
        text_add(out, comparison->judged || comparison->emulated ? "" : " (--force gives one)");
        return word;
    }
    if (status == STATUS_FAILED) {
        text_add(out, "WORSE  ");
        pair_add_line(&comparison->pairs.of[0], out);
        text_add(out, "; ");
    } else if (status == STATUS_UNTRUSTED)
        text_printf(out, "UNDECIDED  %zu of %zu judged; ", comparison->decided, comparison->asked);
    else if (!comparison->side_by_side)
        text_add(out, differ == 0 ? "SAME  " : of[OUTCOME_BETTER] ? "BETTER  " : "CHANGED  ");
    text_printf(out, "%zu differ%s, %zu same, %zu cannot be told apart", differ, differ == 1 ? "s" : "",
                of[OUTCOME_SAME], of[OUTCOME_UNKNOWN]);
    if (of[OUTCOME_APART])
        text_printf(out, ", %zu not judged", of[OUTCOME_APART]);
    return word;
}

void tables_fill(const struct tables *tables, const struct comparison *comparison)
{
    struct text text = {0};
    bool padded = false;
    const char *word = write_verdict(comparison, &text);
    if (!tables->names[0])
        text_printf(&text, " (%s)", tables->file);
    record_answer(tables->record, (struct answer){.key = "compare.verdict",
                                                  .value = TEXT_CELL(word),
                                                  .trust = TRUST_HIGH,
                                                  .text = text.data});
    text_free(&text);
    for (size_t i = 0; i < comparison->pairs.count; i++) {
        const struct pair *pair = &comparison->pairs.of[i];
        padded |= (pair->before && pair->before->trust != TRUST_HIGH) ||
                  (pair->after && pair->after->trust != TRUST_HIGH);
    }
    for (size_t i = 0; i < comparison->pairs.count; i++) {
        const struct pair *pair = &comparison->pairs.of[i];
        const struct answer *answer = pair->before ? pair->before : pair->after;
        /* What has no label is for machines. */
        if (!answer || answer->label || pair_differs(pair))
            add_row(tables, comparison, pair, padded);
        add_answer(tables, &comparison->pairs.of[i]);
    }
    for (size_t i = 0; i < comparison->differences.count; i++) {
        const struct difference *of = &comparison->differences.of[i];
        record_row(tables->record, tables->of[SETTINGS],
                   (const struct cell[]){TEXT_CELL(tables->file), TEXT_CELL(of->what), TEXT_CELL(of->before),
                                         TEXT_CELL(of->after)});
    }
}
