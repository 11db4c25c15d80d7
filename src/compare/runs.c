/* SPDX-License-Identifier: MIT */
/* The results of two files, command by command, and what they say together. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "compare.h"
#include "result/record_internal.h"
#include "result/subject.h"

#define TEXT(key, role)                                                                                      \
    {                                                                                                        \
        key, key, NULL, CELL_TEXT, role, 0                                                                   \
    }
#define COUNT(key, title)                                                                                    \
    {                                                                                                        \
        key, title, NULL, CELL_INTEGER, ROLE_MEASURE, 0                                                      \
    }
#define REAL(key, title, unit, digits)                                                                       \
    {                                                                                                        \
        key, title, unit, CELL_REAL, ROLE_MEASURE, digits                                                    \
    }
#define SPEC(of, ...)                                                                                        \
    {                                                                                                        \
        .columns = of, .column_count = sizeof(of) / sizeof(*(of)), __VA_ARGS__                               \
    }

static const struct column setting_columns[] = {TEXT("file", ROLE_PARAMETER), TEXT("what", ROLE_PARAMETER),
                                                TEXT("before", ROLE_LABEL), TEXT("after", ROLE_LABEL)};
static const struct column finding_columns[] = {TEXT("file", ROLE_PARAMETER),
                                                TEXT("command", ROLE_PARAMETER),
                                                TEXT("what", ROLE_PARAMETER),
                                                TEXT("unit", ROLE_LABEL),
                                                REAL("before", "before", NULL, 2),
                                                REAL("after", "after", NULL, 2),
                                                REAL("change", "change", "%", 1),
                                                REAL("worse_low", "slower, from", "%", 1),
                                                REAL("worse_high", "slower, to", "%", 1),
                                                REAL("allowed", "allowed", "%", 0),
                                                TEXT("verdict", ROLE_LABEL),
                                                TEXT("why", ROLE_LABEL)};
static const struct column table_columns[] = {TEXT("file", ROLE_PARAMETER),  TEXT("command", ROLE_PARAMETER),
                                              TEXT("table", ROLE_PARAMETER), COUNT("cells", "cells"),
                                              COUNT("worse", "slower"),      COUNT("better", "faster"),
                                              COUNT("changed", "changed")};
static const struct column cell_columns[] = {
    TEXT("file", ROLE_PARAMETER),      TEXT("table", ROLE_PARAMETER),   TEXT("what", ROLE_PARAMETER),
    REAL("before", "before", NULL, 2), REAL("after", "after", NULL, 2), REAL("change", "change", "%", 1),
    TEXT("verdict", ROLE_LABEL)};

static const struct table_spec specs[] = {
    SPEC(setting_columns, .name = "settings", .view.lead = true,
         .title = "What differs between the machines, tools and settings"),
    SPEC(finding_columns, .name = "findings", .title = "Findings",
         .note = "Change: of the value. Slower: interval of how much, at equal core clock where that is "
                 "known. Allowed: what repeated runs differ by, or the threshold."),
    SPEC(table_columns, .name = "tables", .title = "Cells of tables that differ by 10 % and more"),
    SPEC(cell_columns, .name = "cells", .title = "The largest differences of each table")};

/* With the labels over the two columns from `before` on; 0: there are none. */
static size_t add_table(struct comparison *comparison, const struct table_spec *spec, int before)
{
    struct record *record = comparison->record;
    struct table_spec *own = record_own(record, memory_zeroed(1, sizeof(*own)));
    struct column *columns =
        record_own(record, memory_zeroed((size_t)spec->column_count, sizeof(struct column)));
    memcpy(columns, spec->columns, (size_t)spec->column_count * sizeof(struct column));
    for (int side = 0; side < 2 && before > 0 && comparison->labels[0]; side++)
        columns[before + side].title = comparison->labels[side];
    *own = *spec;
    own->columns = columns;
    return record_table_add(record, own);
}

static const char *command_of(const struct record *run)
{
    return fact_text(run, "run.command", "");
}

/* The result of the same command that is as far down the file among those of that command. */
static const struct record *partner_of(const struct runs *from, size_t index, const struct runs *in)
{
    size_t rank = 0;
    for (size_t i = 0; i < index; i++)
        rank += strcmp(command_of(from->run[i]), command_of(from->run[index])) == 0;
    for (size_t i = 0; i < in->count; i++) {
        if (strcmp(command_of(in->run[i]), command_of(from->run[index])) == 0 && rank-- == 0)
            return in->run[i];
    }
    return NULL;
}

void compare_begin(struct comparison *comparison, const struct runs *first, const struct runs *second)
{
    comparison->settings = add_table(comparison, &specs[0], 2);
    if (comparison->names[0])
        aside_begin(comparison);
    for (size_t i = 0; comparison->names[0] && i < first->count; i++) {
        const struct record *partner = partner_of(first, i, second);
        if (partner)
            aside_maps(comparison, command_of(first->run[i]), first->run[i], partner);
    }
    comparison->findings = add_table(comparison, &specs[1], 4);
    comparison->tables = add_table(comparison, &specs[2], 0);
    comparison->cells = comparison->with_cells ? add_table(comparison, &specs[3], 3) : 0;
}

static void warn_missing(struct record *record, const struct runs *from, const struct runs *in)
{
    for (size_t i = 0; i < from->count; i++) {
        if (!partner_of(from, i, in))
            record_warning(record, "missing_part", "%s is in %s but not in %s: not compared",
                           command_of(from->run[i]), from->path, in->path);
    }
}

void runs_warn_incomplete(struct record *record, const struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        if (subject_is_incomplete(runs->run[i]))
            record_warning(record, "incomplete", "%s in %s is incomplete", command_of(runs->run[i]),
                           runs->path);
    }
}

/* "13 same (within 6 %), 1 worse, 18 cannot tell (changes below 15 %)" */
static void write_counts(const struct tally *tally, char *text, size_t size)
{
    static const char *const bounds[ANSWER_APART + 1] = {
        [ANSWER_SAME] = "within", [ANSWER_UNKNOWN] = "changes below"};
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i <= ANSWER_APART; i++) {
        if (tally->of[i] && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%zu %s", used ? ", " : "", tally->of[i],
                                     answer_names[i]);
        if (tally->of[i] && bounds[i] && tally->most[i] > 0 && used < size)
            used +=
                (size_t)snprintf(text + used, size - used, " (%s %.0f %%)", bounds[i], 100 * tally->most[i]);
    }
}

bool compare_has_verdict(const struct comparison *comparison)
{
    size_t answers = 0;
    for (int i = 0; i < ANSWER_APART; i++)
        answers += comparison->tally.of[i];
    return comparison->judged && answers > 0;
}

/* The word of the verdict, and its sentence. */
static const char *write_verdict(const struct comparison *comparison, const char *deciding, char *text,
                                 size_t size)
{
    const size_t *of = comparison->tally.of;
    const bool aside = comparison->labels[0];
    char counts[200];
    write_counts(&comparison->tally, counts, sizeof(counts));
    if (!comparison->judged) {
        snprintf(text, size, "NO VERDICT: they differ in %s (--force gives one)", deciding);
        return "none";
    }
    if (!compare_has_verdict(comparison)) {
        snprintf(text, size, "NO VERDICT: nothing in common that can be judged (%s)",
                 *counts ? counts : "no findings");
        return "nothing to compare";
    }
    if (aside) {
        const size_t differ = of[ANSWER_BETTER] + of[ANSWER_WORSE] + of[ANSWER_CHANGED];
        snprintf(text, size, "%s and %s: %zu finding%s, %zu same, %zu cannot tell", comparison->labels[0],
                 comparison->labels[1], differ, differ == 1 ? " differs" : "s differ", of[ANSWER_SAME],
                 of[ANSWER_UNKNOWN]);
        return "side by side";
    }
    if (of[ANSWER_WORSE]) {
        snprintf(text, size, "FAIL %s: %s", comparison->line, counts);
        return of[ANSWER_BETTER] ? "mixed" : "worse";
    }
    const char *word = of[ANSWER_BETTER]    ? "better"
                       : of[ANSWER_CHANGED] ? "changed"
                       : of[ANSWER_SAME]    ? "same"
                                            : "cannot tell";
    snprintf(text, size, "%s %s: %s", of[ANSWER_SAME] || of[ANSWER_BETTER] ? "PASS" : "UNDECIDED", word,
             counts);
    return word;
}

/* Before those found since `at`. What alone is worse it says itself. */
static void add_verdict(const struct comparison *comparison, size_t at, const char *word,
                        const char *sentence)
{
    char text[800];
    const size_t since = record_finding_count(comparison->record) - at;
    snprintf(text, sizeof(text), comparison->names[0] ? "%s" : "%s (%s)", sentence, comparison->file);
    if (since == 1 && comparison->line[0] && !comparison->labels[0])
        record_finding_silence(comparison->record, at);
    record_finding(comparison->record, (struct finding){.key = "compare.verdict",
                                                        .value = TEXT_CELL(word),
                                                        .trust = TRUST_HIGH,
                                                        .text = text});
    record_finding_first(comparison->record, at);
}

void compare_runs(struct comparison *comparison, const struct runs *first, const struct runs *second,
                  bool force)
{
    char deciding[256], sentence[640];
    comparison->file = comparison->names[0] ? comparison->names[1] : second->path;
    comparison->tally = (struct tally){0};
    comparison->worst = NAN;
    comparison->line[0] = comparison->why[0] = '\0';
    compare_settings(comparison, first->list.record[0], second->list.record[0], deciding, sizeof(deciding));
    comparison->judged = force || comparison->labels[0] || deciding[0] == '\0';
    if (deciding[0] && !comparison->labels[0])
        record_warning(comparison->record, "other_settings", "%s and %s differ in %s", first->path,
                       second->path, deciding);
    warn_missing(comparison->record, first, second);
    warn_missing(comparison->record, second, first);
    runs_warn_incomplete(comparison->record, second);
    const size_t at = record_finding_count(comparison->record);
    for (size_t i = 0; i < first->count; i++) {
        const struct record *partner = partner_of(first, i, second);
        if (!partner)
            continue;
        compare_findings(comparison, first->run[i], partner);
        compare_cells(comparison, first->run[i], partner);
    }
    const char *word = write_verdict(comparison, deciding, sentence, sizeof(sentence));
    add_verdict(comparison, at, word, sentence);
}

/* Of a report its parts are the results. */
enum status runs_collect(struct runs *runs, struct fault *fault)
{
    for (size_t i = 0; i < runs->list.count; i++) {
        const struct record *record = runs->list.record[i];
        const size_t children = record_child_count(record);
        for (size_t j = 0; j < (children ? children : 1); j++) {
            if (runs->count == RUNS_MAX)
                return fault_set(fault, STATUS_USAGE, "%s: holds more than %d results; give fewer",
                                 runs->path, RUNS_MAX);
            runs->run[runs->count++] = children ? record_child_at(record, j) : record;
        }
    }
    return STATUS_OK;
}

enum status runs_load(struct runs *runs, const char *path, struct fault *fault)
{
    runs->path = path;
    if (record_load_all(path, &runs->list, fault) != STATUS_OK)
        return fault->status;
    return runs_collect(runs, fault);
}
