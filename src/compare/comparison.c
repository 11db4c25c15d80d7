/* SPDX-License-Identifier: MIT */
#include "comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/subject.h"

struct pair pair_of(const char *command, const struct answer *before, const struct answer *after)
{
    struct pair pair = {
        .command = command, .before = before, .after = after, .value = {NAN, NAN}, .unit = ""};
    if (before)
        pair.value[0] = value_shown(cell_number(&before->value), before->unit, &pair.unit);
    if (after)
        pair.value[1] = value_shown(cell_number(&after->value), after->unit, &pair.unit);
    return pair;
}

bool pair_differs(const struct pair *pair)
{
    const enum outcome outcome = pair->j.outcome;
    return outcome == OUTCOME_WORSE || outcome == OUTCOME_BETTER || outcome == OUTCOME_CHANGED;
}

void pair_add_name(const struct pair *pair, struct text *out)
{
    const struct answer *answer = pair->before ? pair->before : pair->after;
    if (!answer) {
        text_printf(out, "all of %s (%zu)", pair->command, pair->together);
        return;
    }
    text_add_printable(out, answer->label ? answer->label : answer->key);
    text_add(out, answer_is_busy(answer) ? " (busy)" : "");
}

void pair_add_value(const struct pair *pair, int side, struct text *out)
{
    const struct answer *answer = side ? pair->after : pair->before;
    const struct cell *cell = answer ? &answer->value : &NO_CELL;
    const double value = pair->value[side];
    if (cell_text(cell))
        text_printf(out, "%.60s", cell_text(cell));
    else if (answer && !isnan(value) && (cell->type == CELL_REAL || value != cell_number(cell)))
        text_add_rounded(out, value);
    else if (answer)
        text_add_cell_human(out, cell, 0);
}

void pair_add_line(const struct pair *pair, struct text *out)
{
    const struct judgement *j = &pair->j;
    const double change = 100 * (pair->value[1] / pair->value[0] - 1);
    pair_add_name(pair, out);
    if (!pair->together) {
        text_add(out, ": ");
        pair_add_value(pair, 1, out);
        text_add(out, ", was ");
        pair_add_value(pair, 0, out);
        text_printf(out, "%s%s", *pair->unit ? " " : "", pair->unit);
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

/* What two results of a command have come to so far. */
struct work {
    struct comparison *comparison;
    const struct record *first, *second;
    double seconds; /* that the shorter of the two took */
    struct samples losses;
};

static void add(struct comparison *comparison, struct pair pair)
{
    pair.fails = !comparison->side_by_side && (pair.j.outcome == OUTCOME_WORSE || pair.j.broken);
    pair.place = comparison->pairs.count;
    LIST_ADD(comparison->pairs, pair);
}

static void judge_pair(struct work *work, const struct answer *before, const struct answer *after)
{
    struct comparison *comparison = work->comparison;
    struct pair pair = pair_of(fact_text(work->first, "run.command", "unknown"), before, after);
    if (before && after && comparison->judged)
        pair.j = judge(before, after, work->seconds, choice_threshold(comparison->choice));
    else
        pair.j = judgement_apart(!before                ? "only in the second"
                                 : !after               ? "only in the first"
                                 : comparison->emulated ? "emulated"
                                                        : "other settings");
    const enum outcome outcome = pair.j.outcome;
    if (pair.j.counts)
        samples_add(&work->losses, pair.j.loss);
    comparison->of[outcome]++;
    comparison->broken += pair.j.broken;
    comparison->decided += outcome < OUTCOME_UNKNOWN;
    comparison->asked += outcome <= OUTCOME_UNKNOWN || (before && before->trust != TRUST_LOW);
    add(comparison, pair);
}

/* Answers of a result that are compared. */
struct side {
    size_t count;
    const struct answer **of;
};

static struct side side_of(const struct comparison *comparison, const struct record *result)
{
    struct side side = {.of = memory_zeroed(result->answers.count, sizeof(*side.of))};
    for (size_t i = 0; i < result->answers.count; i++) {
        const struct answer *answer = &result->answers.of[i];
        if (choice_takes(comparison->choice, answer->key) && answer->value.type != CELL_NULL)
            side.of[side.count++] = answer;
    }
    return side;
}

/* By key, of one in their order. */
static int compare_keys(const void *a, const void *b)
{
    const struct answer *const *first = a, *const *second = b;
    const int order = strcmp((*first)->key, (*second)->key);
    return order ? order : (*first > *second) - (*first < *second);
}

/* Takes the first of that key, and of that state unless any will do, out of a side that was sorted; NULL: there is none. */
static const struct answer *take_partner(const struct side *sorted, bool *taken, const struct answer *answer,
                                         bool any_state)
{
    size_t low = 0, high = sorted->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (strcmp(sorted->of[middle]->key, answer->key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < sorted->count && strcmp(sorted->of[low]->key, answer->key) == 0; low++) {
        const char *state = sorted->of[low]->state;
        const bool same = state && answer->state ? strcmp(state, answer->state) == 0 : state == answer->state;
        if (!taken[low] && (any_state || same)) {
            taken[low] = true;
            return sorted->of[low];
        }
    }
    return NULL;
}

/* Those of one state in pairs, then those of one key, of which each has another state; then what is alone. */
static void pair_answers(struct work *work)
{
    const struct side first = side_of(work->comparison, work->first),
                      second = side_of(work->comparison, work->second);
    const struct answer **partner = memory_zeroed(first.count, sizeof(*partner));
    bool *taken = memory_zeroed(second.count, sizeof(*taken));
    if (second.count > 0)
        qsort(second.of, second.count, sizeof(*second.of), compare_keys);
    for (int any_state = 0; any_state < 2; any_state++) {
        for (size_t i = 0; i < first.count; i++)
            if (!partner[i])
                partner[i] = take_partner(&second, taken, first.of[i], any_state);
    }
    for (size_t i = 0; i < first.count; i++)
        judge_pair(work, first.of[i], partner[i]);
    for (size_t i = 0; i < second.count; i++)
        if (!taken[i])
            judge_pair(work, NULL, second.of[i]);
    free(first.of);
    free(second.of);
    free(partner);
    free(taken);
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
    /* That they differ together counts; that they are the same together says little of each. */
    struct pair all = pair_of(fact_text(before, "run.command", "unknown"), NULL, NULL);
    all.j = judge_together(work.losses.value, work.losses.count, choice_threshold(comparison->choice));
    all.together = work.losses.count;
    all.value[0] = 1;
    all.value[1] = 1 + all.j.loss;
    if (all.j.outcome != OUTCOME_APART) {
        add(comparison, all);
        comparison->of[all.j.outcome] += pair_differs(&all);
    }
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

static double size_of(const struct pair *pair)
{
    const double size = fabs(log(pair->value[1] / pair->value[0]));
    return isnan(size) ? -1 : size;
}

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *first = a, *second = b;
    if (gravity(first) != gravity(second))
        return gravity(first) - gravity(second);
    if (gravity(first) < 3 && size_of(first) != size_of(second))
        return size_of(first) < size_of(second) ? 1 : -1;
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
