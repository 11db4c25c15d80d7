/* SPDX-License-Identifier: MIT */
/* Two results of one command, finding by finding, and all of them together. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compare.h"
#include "result/subject.h"

enum { KEY_LENGTH = 128 };

const char *const answer_names[] = {"same", "better", "worse", "changed", "cannot tell", "not judged", NULL};
/* Of two machines side by side neither is better. */
static const char *const aside_names[] = {"same",    "differs",     "differs",
                                          "differs", "cannot tell", "not judged"};

static double shown(const struct finding *finding, const char **unit)
{
    return finding ? value_shown(cell_number(&finding->value), finding->unit, unit) : NAN;
}

/* "21.4", or the text. */
static void write_value(const struct finding *finding, char *text, size_t size)
{
    const char *unit, *own = cell_text(&finding->value);
    const double value = shown(finding, &unit);
    if (own || isnan(value))
        snprintf(text, size, "%.60s", own ? own : "unknown");
    else
        snprintf(text, size, "%.*f", value < 10 ? 2 : value < 1000 ? 1 : 0, value);
}

/* "ram.DRAM.read 29.9 -> 21.4 GiB/s (-28 %, allowed 20 %)"; of two machines "ram.DRAM.read: old 29.9, new 21.4 GiB/s (...)". */
static void write_line(const char *const *labels, const struct finding *before, const struct finding *after,
                       const struct judgement *j, char *line, size_t size)
{
    char first[64], second[64];
    const char *unit = "";
    const double change = 100 * (shown(after, &unit) / shown(before, &unit) - 1);
    write_value(before, first, sizeof(first));
    write_value(after, second, sizeof(second));
    size_t used = (size_t)(labels[0] ? snprintf(line, size, "%s: %.40s %s, %.40s %s", before->key, labels[0],
                                                first, labels[1], second)
                                     : snprintf(line, size, "%s %s -> %s", before->key, first, second));
    if (used < size && !isnan(change))
        used += (size_t)snprintf(line + used, size - used, "%s%s (%+.1f %%", *unit ? " " : "", unit, change);
    if (used < size && !isnan(change))
        snprintf(line + used, size - used, isnan(j->allowed) ? ")" : ", allowed %.0f %%)", 100 * j->allowed);
}

static void count(struct comparison *comparison, const struct judgement *j, const char *line)
{
    comparison->tally.of[j->answer]++;
    comparison->tally.most[j->answer] = fmax(comparison->tally.most[j->answer], j->allowed);
    if (j->answer == ANSWER_WORSE && !(j->loss / j->allowed <= comparison->worst)) {
        comparison->worst = j->loss / j->allowed;
        snprintf(comparison->line, sizeof(comparison->line), "%s", line);
    }
    if (j->answer == ANSWER_UNKNOWN && !comparison->why[0])
        snprintf(comparison->why, sizeof(comparison->why), "%s: %s", line, j->why ? j->why : "too noisy");
}

static void add_row(const struct comparison *comparison, const char *command, const char *key,
                    const char *unit, const double value[2], const struct judgement *j, const char *verdict)
{
    const bool seen = j->answer == ANSWER_SAME || j->answer == ANSWER_UNKNOWN;
    record_row(comparison->record, comparison->findings,
               (const struct cell[]){TEXT_CELL(comparison->file), TEXT_CELL(command), TEXT_CELL(key),
                                     TEXT_CELL(unit), REAL_CELL(value[0]), REAL_CELL(value[1]),
                                     REAL_CELL(100 * (value[1] / value[0] - 1)), REAL_CELL(100 * j->low),
                                     REAL_CELL(100 * j->high), REAL_CELL(100 * j->allowed),
                                     TEXT_CELL(verdict),
                                     TEXT_CELL(j->why ? j->why
                                               : seen ? ""
                                                      : NULL)});
}

static bool is_difference(enum answer answer)
{
    return answer == ANSWER_WORSE || answer == ANSWER_BETTER || answer == ANSWER_CHANGED;
}

static void say(const struct comparison *comparison, const struct judgement *j, const char *line)
{
    static const char *const words[] = {[ANSWER_WORSE] = "FAIL",
                                        [ANSWER_BETTER] = "BETTER",
                                        [ANSWER_CHANGED] = "CHANGED",
                                        [ANSWER_APART] = NULL};
    char text[400], key[64];
    const char *word = comparison->labels[0] ? "DIFFERS" : words[j->answer];
    if (!words[j->answer])
        return;
    snprintf(text, sizeof(text), "%s %s", word, line);
    snprintf(key, sizeof(key), "compare.%s", comparison->labels[0] ? "differs" : answer_names[j->answer]);
    record_finding(comparison->record,
                   (struct finding){.key = key, .value = TEXT_CELL(line), .trust = TRUST_HIGH, .text = text});
}

static void compare_pair(struct comparison *comparison, const char *command, const struct finding *before,
                         const struct finding *after, struct samples *losses)
{
    const struct finding *known = before ? before : after;
    const struct judgement none = {
        ANSWER_APART, NAN, NAN, NAN, NAN, before ? "only in the first" : "only in the second", false};
    struct judgement j = before && after
                             ? judge(before, after, comparison->seconds, choice_threshold(comparison->choice))
                             : none;
    const char *const *names = comparison->labels[0] ? aside_names : answer_names;
    char line[320] = "";
    if (before && after)
        write_line(comparison->labels, before, after, &j, line, sizeof(line));
    if (!comparison->judged && before && after)
        j = (struct judgement){ANSWER_APART, NAN, NAN, NAN, NAN, "other settings", false};
    count(comparison, &j, line);
    if (j.counts)
        samples_add(losses, j.loss);
    const char *unit = "";
    const double value[2] = {shown(before, &unit), shown(after, &unit)};
    add_row(comparison, command, known->key, unit, value, &j, names[j.answer]);
    if (comparison->names[0] && !isnan(value[0]) && !isnan(value[1]))
        aside_pair(comparison, known->key, unit, value, is_difference(j.answer) ? names[j.answer] : NULL);
    say(comparison, &j, line);
}

static void compare_together(struct comparison *comparison, const char *command, struct samples *losses)
{
    char key[KEY_LENGTH], line[320];
    const struct judgement j =
        judge_together(losses->value, losses->count, choice_threshold(comparison->choice));
    if (j.answer == ANSWER_APART)
        return;
    snprintf(key, sizeof(key), "%s, %zu together", command, losses->count);
    snprintf(line, sizeof(line), "%s (%+.1f %% slower, allowed %.0f %%)", key, 100 * j.loss, 100 * j.allowed);
    count(comparison, &j, line);
    add_row(comparison, command, key, "", (const double[]){1, 1 + j.loss}, &j,
            (comparison->labels[0] ? aside_names : answer_names)[j.answer]);
    say(comparison, &j, line);
}

/* Findings by key; equal keys in their order. */
struct index {
    size_t count;
    const struct finding **of;
};

static int compare_keys(const void *a, const void *b)
{
    const struct finding *const *first = a, *const *second = b;
    const int order = strcmp((*first)->key, (*second)->key);
    return order ? order : (*first > *second) - (*first < *second);
}

static struct index index_of(const struct comparison *comparison, const struct record *record)
{
    struct index index = {.of = memory_zeroed(record_finding_count(record), sizeof(*index.of))};
    for (size_t i = 0; i < record_finding_count(record); i++) {
        const struct finding *finding = record_finding_at(record, i);
        if (choice_takes(comparison->choice, finding->key) && finding->value.type != CELL_NULL)
            index.of[index.count++] = finding;
    }
    qsort(index.of, index.count, sizeof(*index.of), compare_keys);
    return index;
}

void compare_findings(struct comparison *comparison, const struct record *before, const struct record *after)
{
    const char *command = fact_text(before, "run.command", "unknown");
    struct index first = index_of(comparison, before), second = index_of(comparison, after);
    struct samples losses = {0};
    comparison->seconds =
        fmin(record_fact_number(before, "run.seconds"), record_fact_number(after, "run.seconds"));
    for (size_t i = 0, k = 0; i < first.count || k < second.count;) {
        const int order = i == first.count    ? 1
                          : k == second.count ? -1
                                              : strcmp(first.of[i]->key, second.of[k]->key);
        compare_pair(comparison, command, order <= 0 ? first.of[i] : NULL, order >= 0 ? second.of[k] : NULL,
                     &losses);
        i += order <= 0;
        k += order >= 0;
    }
    compare_together(comparison, command, &losses);
    samples_free(&losses);
    free(first.of);
    free(second.of);
}
