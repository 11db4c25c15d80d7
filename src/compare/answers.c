/* SPDX-License-Identifier: MIT */
/* Two results of one command, answer by answer, and all of them together. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compare.h"
#include "result/subject.h"

const char *const outcome_names[] = {"same", "better", "worse", "changed", "cannot tell", "not judged", NULL};
/* Of two machines side by side neither is better. */
static const char *const aside_names[] = {"same",    "differs",     "differs",
                                          "differs", "cannot tell", "not judged"};

static double shown(const struct answer *answer, const char **unit)
{
    return answer ? value_shown(cell_number(&answer->value), answer->unit, unit) : NAN;
}

static void add_number(struct text *out, double value)
{
    text_printf(out, "%.*f", value < 10 ? 2 : value < 1000 ? 1 : 0, value);
}

/* "21.4", "64", the text, or where it was at different moments: "24.9 to 28.1". */
static void add_value(struct text *out, const struct answer *answer, bool with_range)
{
    const char *unit, *own = cell_text(&answer->value);
    const double value = shown(answer, &unit);
    if (own || isnan(value))
        text_printf(out, "%.60s", own ? own : "unknown");
    else if (with_range) {
        const struct extent range = extent_of(answer);
        add_number(out, value_shown(range.low, answer->unit, &unit));
        text_add(out, " to ");
        add_number(out, value_shown(range.high, answer->unit, &unit));
    } else if (answer->value.type == CELL_INTEGER)
        text_add_cell(out, &answer->value);
    else
        add_number(out, value);
}

/* "ram.DRAM.read 29.9 -> 21.4 GiB/s (-28.4 %, allowed 20 %)"; of two machines "ram.DRAM.read: old 29.9, new 21.4 GiB/s (...)". */
static void write_line(const char *const *labels, const char *name, const struct answer *before,
                       const struct answer *after, const struct judgement *j, char *line, size_t size)
{
    const char *unit = "";
    const double change = 100 * (shown(after, &unit) / shown(before, &unit) - 1);
    struct text out = {0};
    text_printf(&out, labels[0] ? "%s: %.40s " : "%s ", name, labels[0]);
    add_value(&out, before, j->differs_now);
    text_printf(&out, labels[0] ? ", %.40s " : " -> ", labels[1]);
    add_value(&out, after, j->differs_now);
    if (!isnan(change))
        text_printf(&out, "%s%s (%+.1f %%", *unit ? " " : "", unit, change);
    if (!isnan(change) && j->basis && fabs(100 * j->change - change) >= 0.5)
        text_printf(&out, "; %s %+.1f %%", j->basis, 100 * j->change);
    if (!isnan(change) && !isnan(j->allowed))
        text_printf(&out, ", allowed %.0f %%", 100 * j->allowed);
    text_printf(&out, "%s", isnan(change) ? "" : ")");
    snprintf(line, size, "%s", out.data);
    text_free(&out);
}

static bool is_difference(enum outcome outcome)
{
    return outcome == OUTCOME_WORSE || outcome == OUTCOME_BETTER || outcome == OUTCOME_CHANGED;
}

bool compare_is_failed(const struct judgement *j)
{
    return j->outcome == OUTCOME_WORSE || j->broken;
}

static struct judged *add_judged(struct comparison *comparison, const struct record *of,
                                 const struct judgement *j)
{
    if (comparison->found.count == comparison->found.capacity) {
        comparison->found.capacity = comparison->found.capacity ? 2 * comparison->found.capacity : 64;
        comparison->found.of =
            memory_grow(comparison->found.of, comparison->found.capacity * sizeof(*comparison->found.of));
    }
    struct judged *judged = &comparison->found.of[comparison->found.count++];
    *judged = (struct judged){.command = fact_text(of, "run.command", "unknown"), .unit = "", .j = *j};
    return judged;
}

static void compare_pair(struct comparison *comparison, const struct record *of, const struct answer *before,
                         const struct answer *after, struct samples *losses)
{
    struct judgement j = {.outcome = OUTCOME_APART,
                          .loss = NAN,
                          .low = NAN,
                          .high = NAN,
                          .allowed = NAN,
                          .why = !before                ? "only in the second"
                                 : !after               ? "only in the first"
                                 : comparison->emulated ? "emulated"
                                                        : "other settings"};
    if (before && after && comparison->judged)
        j = judge(before, after, comparison->seconds, choice_threshold(comparison->choice));
    if (j.counts)
        samples_add(losses, j.loss);
    struct judged *judged = add_judged(comparison, of, &j);
    judged->alone = true;
    answer_name(before ? before : after, judged->key, sizeof(judged->key));
    judged->value[0] = shown(before, &judged->unit);
    judged->value[1] = shown(after, &judged->unit);
    if (before && after)
        write_line(comparison->labels, judged->key, before, after, &j, judged->line, sizeof(judged->line));
    const bool decided = j.outcome < OUTCOME_UNKNOWN;
    comparison->of[j.outcome]++;
    comparison->broken += j.broken;
    comparison->decided += decided;
    comparison->asked += decided || j.outcome == OUTCOME_UNKNOWN || (before && before->trust != TRUST_LOW);
}

/* What differs counts; that all are the same together says little of each. */
static void compare_together(struct comparison *comparison, const struct record *of, struct samples *losses)
{
    const struct judgement j =
        judge_together(losses->value, losses->count, choice_threshold(comparison->choice));
    if (j.outcome == OUTCOME_APART)
        return;
    struct judged *judged = add_judged(comparison, of, &j);
    snprintf(judged->key, sizeof(judged->key), "%s, %zu together", judged->command, losses->count);
    judged->value[0] = 1;
    judged->value[1] = 1 + j.loss;
    snprintf(judged->line, sizeof(judged->line), "%s (%+.1f %% slower, allowed %.0f %%)", judged->key,
             100 * j.loss, 100 * j.allowed);
    if (is_difference(j.outcome))
        comparison->of[j.outcome]++;
}

/* What fails, then other differences, then what is undecided, each from the largest on; the rest by key. */
static int gravity(const struct judged *judged)
{
    const enum outcome outcome = judged->j.outcome;
    return compare_is_failed(&judged->j) ? 0
           : is_difference(outcome)      ? 1
           : outcome == OUTCOME_UNKNOWN  ? 2
                                         : 3;
}

static double size_of(const struct judged *judged)
{
    const double size = fabs(log(judged->value[1] / judged->value[0]));
    return isnan(size) ? -1 : size;
}

static int compare_judged(const void *a, const void *b)
{
    const struct judged *first = a, *second = b;
    const double sizes[2] = {size_of(first), size_of(second)};
    if (gravity(first) != gravity(second))
        return gravity(first) - gravity(second);
    return gravity(first) == 3 || sizes[0] == sizes[1] ? strcmp(first->key, second->key)
                                                       : (sizes[0] < sizes[1]) - (sizes[0] > sizes[1]);
}

static void add_row(const struct comparison *comparison, const struct judged *judged, const char *verdict)
{
    const struct judgement *j = &judged->j;
    const bool seen = j->outcome == OUTCOME_SAME || j->outcome == OUTCOME_UNKNOWN;
    const double *value = judged->value;
    record_row(comparison->record, comparison->answers,
               (const struct cell[]){TEXT_CELL(comparison->file), TEXT_CELL(judged->command),
                                     TEXT_CELL(judged->key), TEXT_CELL(judged->unit), REAL_CELL(value[0]),
                                     REAL_CELL(value[1]), REAL_CELL(100 * (value[1] / value[0] - 1)),
                                     REAL_CELL(100 * j->low), REAL_CELL(100 * j->high),
                                     REAL_CELL(100 * j->allowed), TEXT_CELL(verdict),
                                     TEXT_CELL(j->why ? j->why
                                               : seen ? ""
                                                      : NULL)});
}

static void say(const struct comparison *comparison, const struct judged *judged)
{
    static const char *const words[] = {"", "BETTER", "FAIL", "CHANGED", "", ""};
    const struct judgement *j = &judged->j;
    const bool aside = comparison->labels[0];
    char text[480], key[64];
    if (!is_difference(j->outcome) && !(aside && j->differs_now))
        return;
    snprintf(text, sizeof(text), "%s %s%s%s",
             aside                  ? "DIFFERS"
             : compare_is_failed(j) ? "FAIL"
                                    : words[j->outcome],
             judged->line, j->differs_now ? ": " : "", j->differs_now ? j->why : "");
    snprintf(key, sizeof(key), "compare.%s", aside ? "differs" : outcome_names[j->outcome]);
    record_answer(
        comparison->record,
        (struct answer){.key = key, .value = TEXT_CELL(judged->line), .trust = TRUST_HIGH, .text = text});
}

void compare_say(struct comparison *comparison)
{
    if (comparison->found.count > 0)
        qsort(comparison->found.of, comparison->found.count, sizeof(*comparison->found.of), compare_judged);
    for (size_t i = 0; i < comparison->found.count; i++) {
        const struct judged *judged = &comparison->found.of[i];
        const char *name = (comparison->labels[0] ? aside_names : outcome_names)[judged->j.outcome];
        add_row(comparison, judged, name);
        if (comparison->names[0] && judged->alone && !isnan(judged->value[0]) && !isnan(judged->value[1]))
            aside_pair(comparison, judged->key, judged->unit, judged->value,
                       is_difference(judged->j.outcome) ? name : NULL);
        say(comparison, judged);
    }
}

/* Answers by key; equal keys in their order. */
struct index {
    size_t count;
    const struct answer **of;
};

static int compare_keys(const void *a, const void *b)
{
    const struct answer *const *first = a, *const *second = b;
    const int order = strcmp((*first)->key, (*second)->key);
    return order ? order : (*first > *second) - (*first < *second);
}

static bool is_same_state(const struct answer *a, const struct answer *b)
{
    return a->state && b->state ? strcmp(a->state, b->state) == 0 : a->state == b->state;
}

static struct index index_of(const struct comparison *comparison, const struct record *record)
{
    struct index index = {.of = memory_zeroed(record->answers.count, sizeof(*index.of))};
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        if (choice_takes(comparison->choice, answer->key) && answer->value.type != CELL_NULL)
            index.of[index.count++] = answer;
    }
    qsort(index.of, index.count, sizeof(*index.of), compare_keys);
    return index;
}

/* Of one key: those of one state in pairs, then what is left; it is one state against another, or alone. */
static void compare_key(struct comparison *comparison, const struct record *of, struct index first,
                        struct index second, struct samples *losses)
{
    for (int any_state = 0; any_state < 2; any_state++) {
        for (size_t i = 0; i < first.count; i++) {
            size_t k = 0;
            while (k < second.count &&
                   !(first.of[i] && second.of[k] && (any_state || is_same_state(first.of[i], second.of[k]))))
                k++;
            if (k == second.count)
                continue;
            compare_pair(comparison, of, first.of[i], second.of[k], losses);
            first.of[i] = second.of[k] = NULL;
        }
    }
    for (size_t i = 0; i < first.count; i++) {
        if (first.of[i])
            compare_pair(comparison, of, first.of[i], NULL, losses);
    }
    for (size_t k = 0; k < second.count; k++) {
        if (second.of[k])
            compare_pair(comparison, of, NULL, second.of[k], losses);
    }
}

static size_t count_of_key(struct index index, size_t from, const char *key)
{
    size_t count = 0;
    while (from + count < index.count && strcmp(index.of[from + count]->key, key) == 0)
        count++;
    return count;
}

void compare_answers(struct comparison *comparison, const struct record *before, const struct record *after)
{
    struct index first = index_of(comparison, before), second = index_of(comparison, after);
    struct samples losses = {0};
    comparison->seconds =
        fmin(record_fact_number(before, "run.seconds"), record_fact_number(after, "run.seconds"));
    for (size_t i = 0, k = 0; i < first.count || k < second.count;) {
        const bool from_first =
            i < first.count && (k == second.count || strcmp(first.of[i]->key, second.of[k]->key) <= 0);
        const char *key = from_first ? first.of[i]->key : second.of[k]->key;
        const size_t in_first = count_of_key(first, i, key), in_second = count_of_key(second, k, key);
        compare_key(comparison, before, (struct index){in_first, first.of + i},
                    (struct index){in_second, second.of + k}, &losses);
        i += in_first;
        k += in_second;
    }
    compare_together(comparison, before, &losses);
    samples_free(&losses);
    free(first.of);
    free(second.of);
}

void compare_missing(struct comparison *comparison, const struct record *before)
{
    struct index first = index_of(comparison, before);
    const size_t asked = comparison->asked;
    for (size_t i = 0; i < first.count; i++)
        comparison->asked += first.of[i]->trust != TRUST_LOW;
    comparison->missing += comparison->asked > asked;
    free(first.of);
}
