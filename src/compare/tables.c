/* SPDX-License-Identifier: MIT */
#include "tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/answers.h"
#include "output/scratch.h"
#include "pictures.h"

#define COLUMN(key, title, unit, type, role, digits)                                                         \
    {                                                                                                        \
        key, title, unit, type, role, digits                                                                 \
    }
#define TEXT(key, title, role) COLUMN(key, title, NULL, CELL_TEXT, role, 0)
#define REAL(key, title, unit, digits) COLUMN(key, title, unit, CELL_REAL, ROLE_MEASURE, digits)

/* A row for machines: an answer of a file and that of the first. */
static const struct column answer_columns[] = {
    TEXT("file", "file", ROLE_PARAMETER),     TEXT("command", "command", ROLE_PARAMETER),
    TEXT("what", "what", ROLE_PARAMETER),     TEXT("unit", "unit", ROLE_LABEL),
    REAL("before", "before", NULL, 2),        REAL("after", "after", NULL, 2),
    REAL("change", "change", "%", 1),         REAL("worse_low", "slower, from", "%", 1),
    REAL("worse_high", "slower, to", "%", 1), REAL("allowed", "allowed", "%", 0),
    TEXT("verdict", "verdict", ROLE_LABEL),   TEXT("why", "why", ROLE_LABEL)};
static const struct table_spec answer_table = {.columns = answer_columns,
                                               .column_count = sizeof answer_columns / sizeof *answer_columns,
                                               .name = "answers",
                                               .view.kind = VIEW_HIDDEN};

/* A table of texts: what, one of each file, then others. Of two files the values stand before their ratio,
 * the noise, the unit and the verdict; of more, each further file has its ratio next to it. */
static size_t add_table(struct record *record, const struct comparison *comparison, const char *const *names,
                        struct table_spec spec)
{
    enum { MOST = 6 };
    const bool many = comparison->count > 2, values = spec.view.lead;
    const enum column_role role = values ? ROLE_MEASURE : ROLE_LABEL;
    struct column *columns =
                      record_own(record, memory_zeroed(2 * comparison->count + MOST, sizeof(*columns))),
                  *at = columns;
    *at++ = (struct column)TEXT("what", "", ROLE_PARAMETER);
    for (size_t file = 0; file < comparison->count; file++) {
        const char *key = many ? spell("file_%zu", file + 1) : file ? "after" : "before";
        const bool named = many || comparison->against[1].side_by_side;
        *at++ = (struct column)TEXT(record_own_text(record, key),
                                    named  ? names[file]
                                    : file ? "after"
                                           : "before",
                                    role);
        if (many && values && file > 0)
            *at++ = (struct column)TEXT(record_own_text(record, spell("%s_ratio", key)), "ratio", role);
    }
    if (!many && values) {
        *at++ = (struct column)TEXT("ratio", "ratio", role);
        *at++ = (struct column)TEXT("noise", "noise", role);
        *at++ = (struct column)TEXT("unit", "", ROLE_LABEL);
        *at++ = (struct column)TEXT("verdict", "", ROLE_LABEL);
    }
    spec.columns = columns;
    spec.column_count = (int)(at - columns);
    return record_table_add(record, record_own_bytes(record, &spec, sizeof(spec)));
}

/* "94.4~": what cannot be told apart has its range instead. A blank stands for no mark and keeps digits
 * aligned. Words, wider than a column of numbers, stand with the verdict, if there is one. */
static const char *value_text(const struct held *entry, bool range, bool verdict)
{
    static const char *const marks[] = {[TRUST_LOW] = "?", [TRUST_MEDIUM] = "~", [TRUST_HIGH] = " "};
    if (!entry->answer || cell_text(&entry->answer->value))
        return entry->answer && !verdict ? spell("%.12s", cell_text(&entry->answer->value)) : "";
    struct answer shown = *entry->answer;
    const struct extent extent = extent_of(&shown);
    shown.trust = range ? TRUST_LOW : TRUST_HIGH;
    if (!answer_is_bound(&shown)) {
        shown.low = REAL_CELL(extent.low);
        shown.high = REAL_CELL(extent.high);
    }
    const char *value = answers_value(&shown, true);
    return spell("%.*s%s", (int)strlen(value) - 1, value, marks[entry->answer->trust]);
}

/* Side by side, neither machine is better. */
static const char *outcome_name(const struct against *against, enum outcome outcome)
{
    static const char *const names[] = {"same", "better", "worse", "changed", "cannot tell", "not judged"};
    return against->side_by_side && outcome_differs(outcome) ? "differs" : names[outcome];
}

/* "worse; at equal clock", "low trust", "differs now; may not repeat", "differs: full, half"; a screen has
 * room for the first words. */
static const char *verdict_text(const struct against *against, const struct row *row)
{
    const struct judgement *j = &row->of[1].j;
    const struct answer *first = row->of[0].answer, *other = row->of[1].answer;
    const bool apart = j->outcome == OUTCOME_APART, differs = outcome_differs(j->outcome);
    const char *words[] = {first ? cell_text(&first->value) : NULL, other ? cell_text(&other->value) : NULL};
    const char *word = apart || j->outcome == OUTCOME_UNKNOWN || (differs && against->side_by_side)
                           ? ""
                           : outcome_name(against, j->outcome);
    const char *and = against->judged && (!apart || (first && other)) ? differs ? j->basis : j->why : NULL;
    const char *text = spell("%s%s%s", word, *word && and? "; " : "", and? and : "");
    if (words[0] && words[1] && strcmp(words[0], words[1]) == 0)
        words[1] = NULL;
    for (int i = 0; i < 2; i++)
        if (words[i])
            text = spell("%s%s%.60s", text, i && words[0] ? ", " : *text ? ": " : "", words[i]);
    return text;
}

/* "1.54"; of many files also "0.70 worse", "4.3?" where it cannot be told from 1, "=". */
static const char *ratio_text(const struct comparison *comparison, const struct row *row, size_t file)
{
    const enum outcome outcome = row->of[file].j.outcome;
    const double ratio = row_ratio(row, file);
    const char *text = isfinite(ratio) ? spell("%.*f", ratio < 9.995 ? 2 : ratio < 99.95, ratio) : "";
    return comparison->count == 2       ? text
           : outcome == OUTCOME_APART   ? ""
           : outcome == OUTCOME_SAME    ? "= "
           : outcome == OUTCOME_UNKNOWN ? spell("%s?", text)
           : comparison->against[file].side_by_side
               ? spell("%s ", text)
               : spell("%s %s", text, outcome_name(&comparison->against[file], outcome));
}

static void add_row(struct record *record, size_t table, const struct comparison *comparison,
                    const struct row *row)
{
    enum { MOST = 6 };
    const bool many = comparison->count > 2, unsure = !many && row->of[1].j.outcome == OUTCOME_UNKNOWN;
    const double noise = row->of[1].j.allowed;
    struct cell *cells = scratch_new(2 * comparison->count + MOST, sizeof(*cells)), *at = cells;
    struct text name = {0};
    row_add_name(row, &name);
    if (many && *row->unit)
        text_printf(&name, " [%s]", row->unit);
    *at++ = TEXT_CELL(scratch_text(&name));
    for (size_t file = 0; file < comparison->count; file++) {
        *at++ = TEXT_CELL(value_text(&row->of[file], unsure, !many));
        if (many && file > 0)
            *at++ = TEXT_CELL(ratio_text(comparison, row, file));
    }
    if (!many) {
        *at++ = TEXT_CELL(ratio_text(comparison, row, 1));
        *at++ = TEXT_CELL(isfinite(noise) ? spell("%.0f %%", 100 * noise) : "");
        *at++ = TEXT_CELL(row->unit);
        *at++ = TEXT_CELL(verdict_text(&comparison->against[1], row));
    }
    record_row(record, table, cells);
}

/* Answers without a label are for machines, unless they differ or results of earlier versions have no
 * others. */
static void add_rows(struct record *record, const struct comparison *comparison, const char *const *names)
{
    const struct table_spec spec = {
        .name = "rows",
        .title = "Largest differences first",
        .note =
            "Noise: what repeated runs differ by, or the threshold. Ratio: by the first; = "
            "the same, ? cannot be told apart. ~ medium trust, ? low trust.",
        .view = {.lead = true, .derived = true}};
    const size_t table = add_table(record, comparison, names, spec);
    bool labels = false;
    for (size_t i = 0; i < comparison->rows.count; i++)
        labels |= comparison->rows.of[i].label && comparison->rows.of[i].of[0].answer;
    for (size_t i = 0; i < comparison->rows.count; i++) {
        const struct row *row = &comparison->rows.of[i];
        if (row->label || !labels || row->gravity < 2)
            add_row(record, table, comparison, row);
    }
}

static void add_settings(struct record *record, const struct comparison *comparison, const char *const *names)
{
    const struct table_spec spec = {.name = "settings",
                                    .title = "Differences between machines, tools and settings"};
    const size_t table = add_table(record, comparison, names, spec);
    struct cell *cells = scratch_new(1 + comparison->count, sizeof(*cells));
    for (size_t i = 0; i < comparison->settings.count; i++) {
        const struct setting *of = &comparison->settings.of[i];
        cells[0] = TEXT_CELL(of->what);
        for (size_t file = 0; file < comparison->count; file++)
            cells[1 + file] = TEXT_CELL(of->of[file] ? of->of[file] : "");
        record_row(record, table, cells);
    }
}

/* A row for machines, by its key and state, or "ram, together". */
static void add_answer(struct record *record, size_t table, const struct comparison *comparison,
                       const struct row *row, size_t file, const char *name)
{
    const struct judgement *j = &row->of[file].j;
    const struct answer *of[] = {row->of[0].answer, row->of[file].answer};
    const char *outcome = outcome_name(&comparison->against[file], j->outcome), *unit;
    double value[2] = {NAN, NAN};
    struct text line = {0};
    if (!of[0] && !of[1] && j->outcome == OUTCOME_APART)
        return;
    for (int i = 0; i < 2; i++)
        if (of[i])
            value[i] = value_shown(cell_number(&of[i]->value), of[i]->unit, &unit);
    record_row(record, table,
               (const struct cell[]){
                   TEXT_CELL(name), TEXT_CELL(row->group->command),
                   TEXT_CELL(spell("%s%s", row->key, of[0] && answer_is_busy(of[0]) ? " (busy)" : "")),
                   TEXT_CELL(row->unit), REAL_CELL(value[0]), REAL_CELL(value[1]),
                   REAL_CELL(100 * (row_ratio(row, file) - 1)), REAL_CELL(100 * j->low),
                   REAL_CELL(100 * j->high), REAL_CELL(100 * j->allowed), TEXT_CELL(outcome),
                   TEXT_CELL(j->why                        ? j->why
                             : outcome_differs(j->outcome) ? NULL
                                                           : "")});
    if (outcome_differs(j->outcome)) {
        row_add_line(comparison, row, file, &line);
        record_answer(record, (struct answer){.key = spell("compare.%s", outcome),
                                              .value = TEXT_CELL(scratch_text(&line)),
                                              .trust = TRUST_HIGH});
    }
}

/* Writes the verdict's sentence; returns its word. */
static const char *write_verdict(const struct comparison *comparison, size_t file, struct text *out)
{
    const struct against *against = &comparison->against[file];
    const size_t *of = against->of, differ = of[OUTCOME_BETTER] + of[OUTCOME_WORSE] + of[OUTCOME_CHANGED];
    const enum status status = comparison_status(comparison, file);
    if (!against->judged) {
        text_add(out, "NO VERDICT: ");
        comparison_add_reason(comparison, file, out);
        text_add(out, against->emulated ? "" : " (--force gives one)");
        return "none";
    }
    if (status == STATUS_USAGE) {
        text_add(out, "NO VERDICT: nothing in common that can be judged");
        return "nothing to compare";
    }
    if (status == STATUS_FAILED) {
        text_add(out, "WORSE  ");
        row_add_line(comparison, comparison_first(comparison, file, 0), file, out);
        text_add(out, "; ");
    } else if (!against->side_by_side)
        text_add(out, status == STATUS_UNTRUSTED ? "CANNOT TELL  "
                      : differ == 0              ? "SAME  "
                      : of[OUTCOME_BETTER]       ? "BETTER  "
                                                 : "CHANGED  ");
    text_printf(out, "%zu differ%s, %zu same, %zu cannot be told apart", differ, differ == 1 ? "s" : "",
                of[OUTCOME_SAME], of[OUTCOME_UNKNOWN]);
    if (of[OUTCOME_APART])
        text_printf(out, ", %zu not judged", of[OUTCOME_APART]);
    return against->side_by_side                      ? "side by side"
           : status == STATUS_UNTRUSTED               ? "cannot tell"
           : of[OUTCOME_WORSE] && of[OUTCOME_BETTER]  ? "mixed"
           : of[OUTCOME_WORSE]                        ? "worse"
           : of[OUTCOME_BETTER] && !against->broken   ? "better"
           : of[OUTCOME_BETTER] + of[OUTCOME_CHANGED] ? "changed"
                                                      : "same";
}

void tables_fill(struct record *record, const struct comparison *comparison, const char *const *names)
{
    for (size_t file = 1; file < comparison->count; file++) {
        struct text text = {0};
        if (comparison->count > 2)
            text_printf(&text, "%s: ", names[file]);
        const char *word = write_verdict(comparison, file, &text);
        record_answer(record, (struct answer){.key = "compare.verdict",
                                              .value = TEXT_CELL(word),
                                              .trust = TRUST_HIGH,
                                              .text = text.data});
        text_free(&text);
    }
    add_rows(record, comparison, names);
    pictures_add(record, comparison, names);
    add_settings(record, comparison, names);
    const size_t table = record_table_add(record, &answer_table);
    for (size_t file = 1; file < comparison->count; file++)
        for (size_t i = 0; i < comparison->rows.count; i++)
            add_answer(record, table, comparison, &comparison->rows.of[i], file, names[file]);
}
