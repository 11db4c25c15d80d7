/* SPDX-License-Identifier: MIT */
/* `uarchprobe compare`: results in files held against the first of them. */
#include "compare.h"
#include "fleet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/record_internal.h"
#include "result/subject.h"
#include "uarchprobe/load.h"

struct params {
    double threshold; /* percent; 0: what repeated runs differ by */
    bool force, cells, fleet;
    struct name_list only, labels;
};

enum { FILES_MAX = 64, RUNS_MAX = 1024 };

/* The results of commands in a file, those within a report included. */
struct runs {
    const char *path;
    struct record_list list;
    size_t count;
    const struct record *run[RUNS_MAX];
};

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
    SPEC(setting_columns, .name = "settings",
         .title = "What differs between the machines, tools and settings"),
    SPEC(finding_columns, .name = "findings", .title = "Findings",
         .note = "Change: of the value. Slower: interval of how much, at equal core clock where that is "
                 "known. Allowed: what repeated runs differ by, or the threshold."),
    SPEC(table_columns, .name = "tables", .title = "Cells of tables that differ by 10 % and more"),
    SPEC(cell_columns, .name = "cells", .title = "The largest differences of each table")};

/* With the labels where "before" and "after" are. */
static size_t add_table(struct comparison *comparison, const struct table_spec *spec)
{
    struct record *record = comparison->record;
    struct table_spec *own = record_own(record, memory_zeroed(1, sizeof(*own)));
    struct column *columns =
        record_own(record, memory_zeroed((size_t)spec->column_count, sizeof(struct column)));
    memcpy(columns, spec->columns, (size_t)spec->column_count * sizeof(struct column));
    for (int i = 0; i < spec->column_count; i++) {
        for (int side = 0; side < 2 && comparison->labels[0]; side++) {
            if (strcmp(columns[i].key, side ? "after" : "before") == 0)
                columns[i].title = comparison->labels[side];
        }
    }
    *own = *spec;
    own->columns = columns;
    return record_table_add(record, own);
}

void compare_begin(struct comparison *comparison)
{
    comparison->settings = add_table(comparison, &specs[0]);
    comparison->findings = add_table(comparison, &specs[1]);
    comparison->tables = add_table(comparison, &specs[2]);
    comparison->cells = comparison->with_cells ? add_table(comparison, &specs[3]) : 0;
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

static void warn_missing(struct record *record, const struct runs *from, const struct runs *in)
{
    for (size_t i = 0; i < from->count; i++) {
        if (!partner_of(from, i, in))
            record_warning(record, "missing_part", "%s is in %s but not in %s: not compared",
                           command_of(from->run[i]), from->path, in->path);
    }
}

static void warn_incomplete(struct record *record, const struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        if (subject_is_incomplete(runs->run[i]))
            record_warning(record, "incomplete", "%s in %s is incomplete", command_of(runs->run[i]),
                           runs->path);
    }
}

/* "13 same (within 6 %), 1 worse, 18 cannot tell (below 15 %)" */
static void write_counts(const struct tally *tally, char *text, size_t size)
{
    static const char *const bounds[ANSWER_APART + 1] = {
        [ANSWER_SAME] = "within", [ANSWER_UNKNOWN] = "below"};
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

/* The word of the verdict, and its sentence. */
static const char *write_verdict(const struct comparison *comparison, const char *deciding, char *text,
                                 size_t size)
{
    const size_t *of = comparison->tally.of;
    const bool aside = comparison->labels[0];
    char counts[200];
    write_counts(&comparison->tally, counts, sizeof(counts));
    if (!comparison->judged) {
        snprintf(text, size, "NO VERDICT: another %s (--force gives one)", deciding);
        return "none";
    }
    if (of[ANSWER_SAME] + of[ANSWER_BETTER] + of[ANSWER_WORSE] + of[ANSWER_CHANGED] + of[ANSWER_UNKNOWN] ==
        0) {
        snprintf(text, size, "NO VERDICT: nothing in common that can be judged (%s)",
                 *counts ? counts : "no findings");
        return "nothing to compare";
    }
    if (aside) {
        snprintf(text, size, "%s and %s: %zu findings differ, %zu are the same, %zu cannot be told",
                 comparison->labels[0], comparison->labels[1],
                 of[ANSWER_BETTER] + of[ANSWER_WORSE] + of[ANSWER_CHANGED], of[ANSWER_SAME],
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

static void add_verdict(const struct comparison *comparison, const char *key, const char *word,
                        const char *sentence)
{
    char text[800];
    snprintf(text, sizeof(text), "%s (%s)", sentence, comparison->file);
    record_finding(comparison->record,
                   (struct finding){.key = key, .value = TEXT_CELL(word), .trust = TRUST_HIGH, .text = text});
}

/* How it ends: what decides the exit code, the graver of several. */
static void set_outcome(struct run *run, const struct comparison *comparison, const char *word)
{
    const bool worse = strcmp(word, "worse") == 0 || strcmp(word, "mixed") == 0;
    const bool none = strcmp(word, "none") == 0 || strcmp(word, "nothing to compare") == 0;
    if (worse)
        run->outcome = STATUS_FAILED;
    else if (none && run->outcome == STATUS_OK)
        run->outcome = STATUS_USAGE;
    if (comparison->tally.of[ANSWER_UNKNOWN] && run->common->strict) {
        run->untrusted = true;
        record_warning(comparison->record, "undecided", "cannot be decided: %s", comparison->why);
    }
}

static void compare_runs(struct run *run, struct comparison *comparison, const struct runs *first,
                         const struct runs *second)
{
    const struct params *params = run->params;
    char deciding[256], sentence[640];
    comparison->file = second->path;
    comparison->tally = (struct tally){0};
    comparison->worst = NAN;
    comparison->line[0] = comparison->why[0] = '\0';
    compare_settings(comparison, first->list.record[0], second->list.record[0], deciding, sizeof(deciding));
    comparison->judged = params->force || comparison->labels[0] || deciding[0] == '\0';
    if (deciding[0])
        record_warning(comparison->record, "other_settings", "%s and %s are of another %s", first->path,
                       second->path, deciding);
    warn_missing(comparison->record, first, second);
    warn_missing(comparison->record, second, first);
    warn_incomplete(comparison->record, second);
    const size_t at = record_finding_count(comparison->record);
    for (size_t i = 0; i < first->count; i++) {
        const struct record *partner = partner_of(first, i, second);
        if (!partner)
            continue;
        compare_findings(comparison, first->run[i], partner);
        compare_cells(comparison, first->run[i], partner);
    }
    const char *word = write_verdict(comparison, deciding, sentence, sizeof(sentence));
    const bool alone = record_finding_count(comparison->record) == at;
    add_verdict(comparison, "compare.verdict", word, sentence);
    if (!alone)
        record_finding_first(comparison->record, at);
    if (!alone)
        add_verdict(comparison, "compare.exit", word, sentence);
    set_outcome(run, comparison, word);
}

/* A report stands for the commands that it ran. */
static enum status collect(struct runs *runs, struct fault *fault)
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

static enum status load(struct runs *runs, const char *path, struct fault *fault)
{
    runs->path = path;
    if (record_load_all(path, &runs->list, fault) != STATUS_OK)
        return fault->status;
    return collect(runs, fault);
}

static enum status compare_files(struct run *run, struct runs *files, size_t count, struct fault *fault)
{
    const struct params *params = run->params;
    struct comparison comparison = {.record = run->record,
                                    .threshold = params->threshold > 0 ? params->threshold / 100 : NAN,
                                    .only = &params->only,
                                    .with_cells = params->cells};
    for (int i = 0; i < 2 && params->labels.count; i++)
        comparison.labels[i] = params->labels.name[i];
    for (size_t i = 0; i < count; i++) {
        if (load(&files[i], run->operands[i], fault) != STATUS_OK)
            return fault->status;
    }
    compare_begin(&comparison);
    warn_incomplete(run->record, &files[0]);
    for (size_t i = 1; i < count; i++)
        compare_runs(run, &comparison, &files[0], &files[i]);
    return STATUS_OK;
}

static enum status run_compare(struct run *run, struct fault *fault)
{
    const struct params *params = run->params;
    const int count = run->operand_count;
    if (params->fleet && count > 0)
        return fleet_compare(run, &params->only, fault);
    if (count < 2 || count > FILES_MAX)
        return fault_set(fault, STATUS_USAGE,
                         "compare takes 2 to %d files, %d given: uarchprobe compare BEFORE.json AFTER.json",
                         FILES_MAX, count);
    if (params->labels.count && (params->labels.count != 2 || count != 2))
        return fault_set(fault, STATUS_USAGE, "--label names two files, as in --label old,new A.json B.json");
    struct runs *files = calloc((size_t)count, sizeof(*files));
    if (!files)
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for %d files", count);
    compare_files(run, files, (size_t)count, fault);
    for (int i = 0; i < count; i++)
        record_list_free(&files[i].list);
    free(files);
    return fault->status;
}

#define FIELD(name) .offset = offsetof(struct params, name)

static const struct option_row options[] = {
    {.name = "threshold",
     .kind = OPTION_REAL,
     FIELD(threshold),
     .argument = "PERCENT",
     .fallback = "auto",
     .min = 0,
     .max = 1e6,
     .help = "worse is only what is worse by more than this, and by more than repeated runs differ"},
    {.name = "only",
     .kind = OPTION_NAMES,
     FIELD(only),
     .argument = "LIST",
     .fallback = "auto",
     .help = "findings of these keys or shell patterns only, as in 'ram.*.read'; auto: all"},
    {.name = "cells",
     .kind = OPTION_FLAG,
     FIELD(cells),
     .help = "name the ten cells of each table that differ most",
     .tables = true},
    {.name = "label",
     .kind = OPTION_NAMES,
     FIELD(labels),
     .argument = "A,B",
     .fallback = "auto",
     .help =
         "two machines side by side under these names: differences, but nothing is worse; auto: before and "
         "after"},
    {.name = "fleet",
     .kind = OPTION_FLAG,
     FIELD(fleet),
     .help = "the results are of machines that ought to be alike: name those that lie off the others"},
    {.name = "force",
     .kind = OPTION_FLAG,
     FIELD(force),
     .help = "give a verdict though machine or settings differ"},
    {0},
};

extern const struct command compare_command;
const struct command compare_command = {
    .name = "compare",
    .summary = "hold results against each other: what became better, worse or stayed the same",
    .description =
        "Reads results that were written by --format json, jsonl or html and compares\n"
        "each further file with the first one, finding by finding, in equal states of\n"
        "the SMT sibling and at equal core clock. Worse is what differs by more than\n"
        "repeated runs of one machine do and by a rank test of the parts of both runs;\n"
        "same is said only where 10 % (or the threshold) would have been seen. All\n"
        "findings of a command are judged together as well, which sees less than one\n"
        "alone. Findings decide; cells of tables are counted. --fleet holds any number of\n"
        "machines that ought to be alike against each other and names the outliers.\n"
        "Exit code 0: nothing is worse; 1: something is; 2: no verdict, because machine\n"
        "or settings differ (--force gives one) or nothing is in common; 5 with\n"
        "--strict: something cannot be decided.",
    .examples = {"uarchprobe compare before.json after.json",
                 "uarchprobe compare --threshold 20 --only 'ram.*.read' before.json after.json",
                 "uarchprobe compare --label old,new old.json new.json -o both.html"},
    .options = options,
    .params_size = sizeof(struct params),
    .operands = "BEFORE AFTER...",
    .honours = HONOURS_QUIET | HONOURS_STRICT | HONOURS_VERBOSE,
    .offline = true,
    .run = run_compare,
};
