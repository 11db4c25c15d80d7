/* SPDX-License-Identifier: MIT */
/* The results of two files, command by command, and what they say together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compare.h"
#include "result/record_internal.h"
#include "result/subject.h"
#include "sight.h"

#define TEXT(key, role)                                                                                      \
    {                                                                                                        \
        key, key, NULL, CELL_TEXT, role, 0                                                                   \
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
static const struct column answer_columns[] = {TEXT("file", ROLE_PARAMETER),
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
static const struct table_spec specs[] = {
    SPEC(setting_columns, .name = "settings", .view.lead = true,
         .title = "What differs between the machines, tools and settings"),
    SPEC(answer_columns, .name = "findings", .title = "Findings",
         .note = "Change: of the value. Slower: interval of how much, at equal core clock where that is "
                 "known. Allowed: what repeated runs differ by, or the threshold.")};

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
    comparison->answers = add_table(comparison, &specs[1], 4);
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
        if (fact_is(runs->run[i], "run.complete", false))
            record_warning(record, "incomplete", "%s in %s is incomplete", command_of(runs->run[i]),
                           runs->path);
    }
}

/* "13 same, 1 worse, 18 cannot tell" */
static void add_counts(const struct comparison *comparison, struct text *out)
{
    const size_t before = out->length;
    for (int i = 0; i <= OUTCOME_APART; i++) {
        if (comparison->of[i])
            text_printf(out, "%s%zu %s", out->length > before ? ", " : "", comparison->of[i],
                        outcome_names[i]);
    }
    if (out->length == before)
        text_add(out, "no findings");
}

/* What the verdict would have seen, had it been there. */
static void add_sight(const struct comparison *comparison, struct text *out)
{
    struct sight sight = {0};
    for (size_t i = 0; i < comparison->found.count; i++) {
        const struct judged *judged = &comparison->found.of[i];
        if (judged->alone && judged->j.outcome != OUTCOME_APART && !isnan(judged->value[0]))
            sight_add(&sight, judged->key, judged->j.allowed);
    }
    text_add(out, sight.count ? "; would have seen " : "");
    sight_write(&sight, out);
    sight_free(&sight);
}

void compare_add_undecided(const struct comparison *comparison, const char *before, struct text *out)
{
    for (size_t i = 0; i < comparison->found.count; i++) {
        const struct judged *judged = &comparison->found.of[i];
        if (judged->j.outcome == OUTCOME_UNKNOWN) {
            text_printf(out, "%s%s: %s", before, judged->line, judged->j.why ? judged->j.why : "too noisy");
            return;
        }
    }
}

void compare_add_reason(const struct comparison *comparison, struct text *out)
{
    if (comparison->emulated)
        text_add(out, "emulated: no CPU's times");
    else
        text_printf(out, "they differ in %s", comparison->deciding.data);
}

/* The word of the verdict; its sentence, and what it comes to. */
static const char *write_verdict(const struct comparison *comparison, struct text *out, enum status *status)
{
    const size_t *of = comparison->of;
    *status = STATUS_USAGE;
    if (!comparison->judged) {
        text_add(out, "NO VERDICT: ");
        compare_add_reason(comparison, out);
        text_add(out, comparison->emulated ? "" : " (--force gives one)");
        return "none";
    }
    if (comparison->decided + of[OUTCOME_UNKNOWN] == 0) {
        text_add(out, "NO VERDICT: nothing in common that can be judged (");
        add_counts(comparison, out);
        text_add(out, ")");
        return "nothing to compare";
    }
    *status = STATUS_OK;
    if (comparison->labels[0]) {
        const size_t differ = of[OUTCOME_BETTER] + of[OUTCOME_WORSE] + of[OUTCOME_CHANGED];
        text_printf(out, "%s and %s: %zu finding%s, %zu same, %zu cannot tell", comparison->labels[0],
                    comparison->labels[1], differ, differ == 1 ? " differs" : "s differ", of[OUTCOME_SAME],
                    of[OUTCOME_UNKNOWN]);
        return "side by side";
    }
    *status = of[OUTCOME_WORSE] || comparison->broken       ? STATUS_FAILED
              : 2 * comparison->decided < comparison->asked ? STATUS_UNTRUSTED
                                                            : STATUS_OK;
    const char *word = *status == STATUS_UNTRUSTED               ? "cannot tell"
                       : of[OUTCOME_WORSE] && of[OUTCOME_BETTER] ? "mixed"
                       : of[OUTCOME_WORSE]                       ? "worse"
                       : comparison->broken                      ? "changed"
                       : of[OUTCOME_BETTER]                      ? "better"
                       : of[OUTCOME_CHANGED]                     ? "changed"
                                                                 : "same";
    if (*status == STATUS_UNTRUSTED)
        text_printf(out, "UNDECIDED, %zu of %zu judged: ", comparison->decided, comparison->asked);
    else if (*status == STATUS_FAILED)
        text_printf(out, "FAIL %s: ", comparison->found.of[0].line);
    else
        text_printf(out, "PASS %s: ", word);
    add_counts(comparison, out);
    if (*status != STATUS_FAILED) {
        add_sight(comparison, out);
        compare_add_undecided(comparison, "; largest undecided: ", out);
    }
    return word;
}

/* Before those found since `at`. What alone is worse it says itself. */
static enum status add_verdict(const struct comparison *comparison, size_t at)
{
    struct text text = {0};
    enum status status;
    const char *word = write_verdict(comparison, &text, &status);
    if (!comparison->names[0])
        text_printf(&text, " (%s)", comparison->file);
    if (comparison->record->answers.count - at == 1 && status == STATUS_FAILED)
        comparison->record->answers.of[at].text = NULL; /* the verdict says it too */
    record_answer(comparison->record, (struct answer){.key = "compare.verdict",
                                                      .value = TEXT_CELL(word),
                                                      .trust = TRUST_HIGH,
                                                      .text = text.data});
    record_answer_first(comparison->record, at);
    text_free(&text);
    return status;
}

static bool is_emulated(const struct runs *runs)
{
    size_t i = 0;
    while (i < runs->count && !record_is_emulated(runs->run[i]))
        i++;
    return i < runs->count;
}

/* Machines, then the settings of each pair of results. */
static void compare_all_settings(struct comparison *comparison, const struct runs *first,
                                 const struct runs *second, bool force)
{
    struct record *record = comparison->record;
    compare_settings(comparison, first->document[0], second->document[0]);
    for (size_t i = 0; i < first->count; i++) {
        const struct record *partner = partner_of(first, i, second);
        if (partner)
            compare_settings(comparison, first->run[i], partner);
    }
    comparison->emulated = is_emulated(first) || is_emulated(second);
    comparison->judged =
        !comparison->emulated && (force || comparison->labels[0] || !comparison->deciding.length);
    if (comparison->deciding.length && !comparison->labels[0])
        record_warning(record, "other_settings", "%s and %s differ in %s", first->path, second->path,
                       comparison->deciding.data);
    if (comparison->remarks.length && comparison->judged && !comparison->labels[0])
        record_warning(record, "other_conditions", "judged, though they differ in %s",
                       comparison->remarks.data);
}

enum status compare_runs(struct comparison *comparison, const struct runs *first, const struct runs *second,
                         bool force)
{
    compare_end(comparison);
    comparison->file = comparison->names[0] ? comparison->names[1] : second->path;
    memset(comparison->of, 0, sizeof(comparison->of));
    comparison->broken = comparison->missing = comparison->asked = comparison->decided = 0;
    compare_all_settings(comparison, first, second, force);
    warn_missing(comparison->record, first, second);
    warn_missing(comparison->record, second, first);
    runs_warn_incomplete(comparison->record, second);
    const size_t at = comparison->record->answers.count;
    for (size_t i = 0; i < first->count; i++) {
        const struct record *partner = partner_of(first, i, second);
        if (!partner) {
            compare_missing(comparison, first->run[i]);
            continue;
        }
        compare_answers(comparison, first->run[i], partner);
    }
    compare_say(comparison);
    return add_verdict(comparison, at);
}

void compare_end(struct comparison *comparison)
{
    text_free(&comparison->deciding);
    text_free(&comparison->remarks);
    free(comparison->found.of);
    comparison->found.of = NULL;
    comparison->found.count = comparison->found.capacity = 0;
}

void runs_take(void *context, struct record *document)
{
    struct runs *runs = context;
    const size_t children = document->children.count, results = children ? children : 1;
    runs->document[runs->documents++] = document;
    if (runs->count + results > RUNS_MAX) {
        fault_set(runs->fault, STATUS_USAGE, "%s: holds more than %d results; give fewer", runs->path,
                  RUNS_MAX);
        return;
    }
    for (size_t i = 0; i < results; i++)
        runs->run[runs->count++] = children ? document->children.of[i] : document;
}

enum status runs_load(struct runs *runs, const char *path, struct fault *fault)
{
    *runs = (struct runs){.path = path, .fault = fault};
    return record_load_each(path, runs_take, runs, fault);
}

void runs_free(struct runs *runs)
{
    for (size_t i = 0; i < runs->documents; i++)
        record_free(runs->document[i]);
}
