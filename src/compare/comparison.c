/* SPDX-License-Identifier: MIT */
#include "comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/subject.h"

bool pair_differs(const struct pair *pair)
{
    const enum outcome outcome = pair->j.outcome;
    return outcome == OUTCOME_WORSE || outcome == OUTCOME_BETTER || outcome == OUTCOME_CHANGED;
}

static const struct answer *any_of(const struct pair *pair)
{
    return pair->before ? pair->before : pair->after;
}

void pair_add_name(const struct pair *pair, struct text *out)
{
    if (pair->together) {
        text_printf(out, "all of %s (%zu)", pair->command, pair->together);
        return;
    }
    const struct answer *answer = any_of(pair);
    text_add_printable(out, answer->label ? answer->label : answer->key);
    text_add(out, answer_is_busy(answer) ? " (busy)" : "");
}

double pair_value(const struct pair *pair, int side, const char **unit)
{
    const struct answer *answer = side ? pair->after : pair->before;
    *unit = "";
    if (pair->together)
        return side ? 1 + pair->j.loss : 1;
    return answer ? value_shown(cell_number(&answer->value), answer->unit, unit) : NAN;
}

double pair_ratio(const struct pair *pair)
{
    const char *unit;
    return pair_value(pair, 1, &unit) / pair_value(pair, 0, &unit);
}

void pair_add_value(const struct pair *pair, int side, struct text *out)
{
    const struct answer *answer = side ? pair->after : pair->before;
    const char *unit, *words = answer ? cell_text(&answer->value) : "";
    const double value = pair_value(pair, side, &unit);
    if (words)
        text_printf(out, "%.60s", words);
    else if (!isnan(value) && (answer->value.type == CELL_REAL || value != cell_number(&answer->value)))
        text_add_rounded(out, value);
    else
        text_add_cell_human(out, &answer->value, 0);
}

void pair_add_range(const struct pair *pair, int side, struct text *out)
{
    const struct answer *answer = side ? pair->after : pair->before;
    const struct extent range = extent_of(answer);
    const char *unit;
    text_add_rounded(out, value_shown(range.low, answer->unit, &unit));
    text_add(out, " to ");
    text_add_rounded(out, value_shown(range.high, answer->unit, &unit));
}

void pair_add_line(const struct pair *pair, struct text *out)
{
    const struct judgement *j = &pair->j;
    const double change = 100 * (pair_ratio(pair) - 1);
    const char *unit = "";
    pair_value(pair, 1, &unit);
    pair_add_name(pair, out);
    if (!pair->together) {
        text_add(out, ": ");
        pair_add_value(pair, 1, out);
        text_add(out, ", was ");
        pair_add_value(pair, 0, out);
        text_printf(out, "%s%s", *unit ? " " : "", unit);
    }
    if (isnan(change))
        return;
    text_printf(out, pair->together ? " %+.1f %% slower" : " (%+.1f %%", change);
    if (j->basis && fabs(100 * j->change - change) >= 0.5)
        text_printf(out, "; %s %+.1f %%", j->basis, 100 * j->change);
    if (!isnan(j->allowed))
        text_printf(out, pair->together ? " (noise %.0f %%" : ", noise %.0f %%", 100 * j->allowed);
    text_add(out, ")");
}

/* Answers of a result by key and state; equal ones in their order. */
struct side {
    size_t count;
    const struct answer **of;
};

static int order_of_keys(const struct answer *a, const struct answer *b)
{
    return strcmp(a->key, b->key);
}

static int order_of_states(const struct answer *a, const struct answer *b)
{
    const int keys = order_of_keys(a, b), busy = answer_is_busy(a) - answer_is_busy(b);
    return keys ? keys : busy ? busy : strcmp(a->state ? a->state : "", b->state ? b->state : "");
}

static int compare_answers(const void *a, const void *b)
{
    const struct answer *const *first = a, *const *second = b;
    const int order = order_of_states(*first, *second);
    return order ? order : (*first > *second) - (*first < *second);
}

static struct side side_of(const struct comparison *comparison, const struct record *result)
{
    struct side side = {.of = memory_zeroed(result->answers.count, sizeof(*side.of))};
    for (size_t i = 0; i < result->answers.count; i++) {
        const struct answer *answer = &result->answers.of[i];
        if (choice_takes(comparison->choice, answer->key) && answer->value.type != CELL_NULL)
            side.of[side.count++] = answer;
    }
    qsort(side.of, side.count, sizeof(*side.of), compare_answers);
    return side;
}

static struct judgement judge_pair(const struct comparison *comparison, const struct answer *before,
                                   const struct answer *after, double seconds)
{
    if (before && after && comparison->judged)
        return judge(before, after, seconds, choice_threshold(comparison->choice));
    return judgement_apart(!before                ? "only in the second"
                           : !after               ? "only in the first"
                           : comparison->emulated ? "emulated"
                                                  : "other settings");
}

/* What two results of a command have come to so far. */
struct work {
    struct comparison *comparison;
    const struct record *first, *second;
    double seconds; /* that the shorter of the two took */
    struct samples losses;
};

static bool fails(const struct comparison *comparison, const struct judgement *j)
{
    return !comparison->side_by_side && (j->outcome == OUTCOME_WORSE || j->broken);
}

static void add_pair(struct work *work, const struct answer *before, const struct answer *after)
{
    struct comparison *comparison = work->comparison;
    const struct judgement j = judge_pair(comparison, before, after, work->seconds);
    const size_t place = comparison->places +
                         (before ? (size_t)(before - work->first->answers.of) : work->first->answers.count);
    const bool decided = j.outcome < OUTCOME_UNKNOWN;
    LIST_ADD(comparison->pairs, ((struct pair){fact_text(work->first, "run.command", "unknown"), before,
                                               after, 0, place, fails(comparison, &j), j}));
    if (j.counts)
        samples_add(&work->losses, j.loss);
    comparison->of[j.outcome]++;
    comparison->broken += j.broken;
    comparison->decided += decided;
    comparison->asked += decided || j.outcome == OUTCOME_UNKNOWN || (before && before->trust != TRUST_LOW);
}

/* Pairs those that the order has for equal, in their sequence, and leaves the others in both sides, which are sorted by it. */
static void join(struct work *work, struct side *first, struct side *second,
                 int (*order)(const struct answer *, const struct answer *))
{
    size_t i = 0, k = 0, left_first = 0, left_second = 0;
    while (i < first->count || k < second->count) {
        const int which = i == first->count    ? 1
                          : k == second->count ? -1
                                               : order(first->of[i], second->of[k]);
        if (which == 0)
            add_pair(work, first->of[i++], second->of[k++]);
        else if (which < 0)
            first->of[left_first++] = first->of[i++];
        else
            second->of[left_second++] = second->of[k++];
    }
    first->count = left_first;
    second->count = left_second;
}

/* Those of one state in pairs, then those of one key, of which each has another state; then what is alone. */
static void pair_answers(struct work *work)
{
    struct side first = side_of(work->comparison, work->first),
                second = side_of(work->comparison, work->second);
    join(work, &first, &second, order_of_states);
    join(work, &first, &second, order_of_keys);
    for (size_t i = 0; i < first.count; i++)
        add_pair(work, first.of[i], NULL);
    for (size_t i = 0; i < second.count; i++)
        add_pair(work, NULL, second.of[i]);
    free(first.of);
    free(second.of);
}

/* That they differ together counts; that they are the same together says little of each. */
static void judge_all(struct work *work)
{
    struct comparison *comparison = work->comparison;
    const struct judgement j =
        judge_together(work->losses.value, work->losses.count, choice_threshold(comparison->choice));
    const struct pair pair = {.command = fact_text(work->first, "run.command", "unknown"),
                              .together = work->losses.count,
                              .place = comparison->places,
                              .fails = fails(comparison, &j),
                              .j = j};
    if (j.outcome == OUTCOME_APART)
        return;
    LIST_ADD(comparison->pairs, pair);
    comparison->of[j.outcome] += pair_differs(&pair);
}

static void compare_commands(struct comparison *comparison, const struct record *before,
                             const struct record *after)
{
    struct work work = {
        .comparison = comparison,
        .first = before,
        .second = after,
        .seconds = fmin(record_fact_number(before, "run.seconds"), record_fact_number(after, "run.seconds"))};
    pair_answers(&work);
    comparison->places += before->answers.count + 1;
    judge_all(&work);
    comparison->places++;
    samples_free(&work.losses);
}

/* Of a command that the other result lacks. */
static void count_missing(struct comparison *comparison, const struct record *before)
{
    struct side first = side_of(comparison, before);
    const size_t asked = comparison->asked;
    for (size_t i = 0; i < first.count; i++)
        comparison->asked += first.of[i]->trust != TRUST_LOW;
    comparison->missing += comparison->asked > asked;
    free(first.of);
}

static int gravity(const struct pair *pair)
{
    return pair->fails ? 0 : pair_differs(pair) ? 1 : pair->j.outcome == OUTCOME_UNKNOWN ? 2 : 3;
}

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *first = a, *second = b;
    const double sizes[2] = {fabs(log(pair_ratio(first))), fabs(log(pair_ratio(second)))};
    const double size[2] = {isnan(sizes[0]) ? -1 : sizes[0], isnan(sizes[1]) ? -1 : sizes[1]};
    if (gravity(first) != gravity(second))
        return gravity(first) - gravity(second);
    if (gravity(first) < 3 && size[0] != size[1])
        return size[0] < size[1] ? 1 : -1;
    return (first->place > second->place) - (first->place < second->place);
}

static bool is_emulated(const struct results *results)
{
    size_t i = 0;
    while (i < results->count && !record_is_emulated(results->of[i]))
        i++;
    return i < results->count;
}

static bool differ_in_settings(const struct comparison *comparison)
{
    size_t i = 0;
    while (i < comparison->differences.count && !comparison->differences.of[i].decides)
        i++;
    return i < comparison->differences.count;
}

void compare_results(struct comparison *comparison, const struct results *first, const struct results *second,
                     bool force)
{
    const struct comparison fresh = {.choice = comparison->choice, .side_by_side = comparison->side_by_side};
    comparison_free(comparison);
    *comparison = fresh;
    settings_compare(&comparison->differences, first->document[0], second->document[0]);
    for (size_t i = 0; i < first->count; i++) {
        const struct record *partner = results_partner(first, i, second);
        if (partner)
            settings_compare(&comparison->differences, first->of[i], partner);
    }
    comparison->emulated = is_emulated(first) || is_emulated(second);
    comparison->judged =
        !comparison->emulated && (force || comparison->side_by_side || !differ_in_settings(comparison));
    for (size_t i = 0; i < first->count; i++) {
        const struct record *partner = results_partner(first, i, second);
        if (partner)
            compare_commands(comparison, first->of[i], partner);
        else
            count_missing(comparison, first->of[i]);
    }
    if (comparison->pairs.count > 0)
        qsort(comparison->pairs.of, comparison->pairs.count, sizeof(*comparison->pairs.of), compare_pairs);
}

void comparison_free(struct comparison *comparison)
{
    free(comparison->differences.of);
    free(comparison->pairs.of);
}

enum status comparison_status(const struct comparison *comparison)
{
    const size_t *of = comparison->of;
    if (!comparison->judged || comparison->decided + of[OUTCOME_UNKNOWN] == 0)
        return STATUS_USAGE;
    if (comparison->side_by_side)
        return STATUS_OK;
    return of[OUTCOME_WORSE] || comparison->broken       ? STATUS_FAILED
           : 2 * comparison->decided < comparison->asked ? STATUS_UNTRUSTED
                                                         : STATUS_OK;
}

void comparison_add_reason(const struct comparison *comparison, struct text *out)
{
    text_add(out, comparison->emulated ? "emulated: no CPU's times" : "they differ in ");
    if (!comparison->emulated)
        settings_write(&comparison->differences, true, out);
}

void comparison_add_undecided(const struct comparison *comparison, const char *before, struct text *out)
{
    for (size_t i = 0; i < comparison->pairs.count; i++) {
        const struct pair *pair = &comparison->pairs.of[i];
        if (pair->j.outcome != OUTCOME_UNKNOWN)
            continue;
        text_add(out, before);
        pair_add_line(pair, out);
        text_printf(out, ": %s", pair->j.why ? pair->j.why : "too noisy");
        return;
    }
}

static void warn_missing(const struct results *from, const struct results *in, struct record *record)
{
    for (size_t i = 0; i < from->count; i++) {
        if (!results_partner(from, i, in))
            record_warning(record, "missing_part", "%s is in %s but not in %s: not compared",
                           results_command(from->of[i]), from->path, in->path);
    }
}

void results_warn_incomplete(const struct results *results, struct record *record)
{
    for (size_t i = 0; i < results->count; i++) {
        if (fact_is(results->of[i], "run.complete", false))
            record_warning(record, "incomplete", "%s in %s is incomplete", results_command(results->of[i]),
                           results->path);
    }
}

void comparison_warn(const struct comparison *comparison, const struct results *first,
                     const struct results *second, struct record *record)
{
    struct text deciding = {0}, others = {0};
    settings_write(&comparison->differences, true, &deciding);
    settings_write(&comparison->differences, false, &others);
    if (deciding.length && !comparison->side_by_side)
        record_warning(record, "other_settings", "%s and %s differ in %s", first->path, second->path,
                       deciding.data);
    if (others.length && comparison->judged && !comparison->side_by_side)
        record_warning(record, "other_conditions", "judged, though they differ in %s", others.data);
    text_free(&deciding);
    text_free(&others);
    warn_missing(first, second, record);
    warn_missing(second, first, record);
    results_warn_incomplete(second, record);
}
