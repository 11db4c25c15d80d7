/* SPDX-License-Identifier: MIT */
#include "comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/subject.h"

const char *results_command(const struct record *result)
{
    return fact_text(result, "run.command", "");
}

const struct record *results_partner(const struct results *from, size_t index, const struct results *in)
{
    const char *command = results_command(from->of[index]);
    size_t before = 0;
    for (size_t i = 0; i < index; i++)
        before += strcmp(results_command(from->of[i]), command) == 0;
    for (size_t i = 0; i < in->count; i++) {
        if (strcmp(results_command(in->of[i]), command) == 0 && before-- == 0)
            return in->of[i];
    }
    return NULL;
}

void results_take(void *context, struct record *document)
{
    struct results *results = context;
    const size_t children = document->children.count;
    LIST_ADD(results->documents, document);
    for (size_t i = 0; i < children; i++)
        LIST_ADD(*results, document->children.of[i]);
    if (children == 0)
        LIST_ADD(*results, document);
    if (results->count > RESULTS_MAX)
        fault_set(results->fault, STATUS_USAGE, "%s: holds more than %d results; give fewer", results->path,
                  RESULTS_MAX);
}

enum status results_load(struct results *results, const char *path, struct fault *fault)
{
    *results = (struct results){.path = path, .fault = fault};
    return record_load_each(path, results_take, results, fault);
}

void results_free(struct results *results)
{
    for (size_t i = 0; i < results->documents.count; i++)
        record_free(results->documents.of[i]);
    free(results->documents.of);
    free(results->of);
}

struct row row_of(const char *command, const struct answer *before, const struct answer *after)
{
    struct row row = {.command = command, .of = {before, after}, .value = {NAN, NAN}, .unit = ""};
    for (int side = 0; side < 2; side++)
        if (row.of[side])
            row.value[side] = value_shown(cell_number(&row.of[side]->value), row.of[side]->unit, &row.unit);
    return row;
}

const struct answer *row_answer(const struct row *row)
{
    /* Results of earlier versions have no labels. */
    return row->of[0] && (row->of[0]->label || !row->of[1]) ? row->of[0] : row->of[1];
}

bool row_differs(const struct row *row)
{
    const enum outcome outcome = row->j.outcome;
    return outcome == OUTCOME_WORSE || outcome == OUTCOME_BETTER || outcome == OUTCOME_CHANGED;
}

void row_add_name(const struct row *row, struct text *out)
{
    const struct answer *answer = row_answer(row);
    text_add_printable(out, answer->label ? answer->label : answer->key);
    text_add(out, answer_is_busy(answer) ? " (busy)" : "");
}

void row_add_value(const struct row *row, int side, struct text *out)
{
    const struct cell *cell = row->of[side] ? &row->of[side]->value : &NO_CELL;
    const double value = row->value[side];
    text_add(out, row->of[side] && answer_is_bound(row->of[side]) ? ">=" : "");
    if (cell_text(cell))
        text_printf(out, "%.60s", cell_text(cell));
    else if (!isnan(value) && strcmp(row->unit, "Byte") == 0)
        text_add_size_rounded(out, (int64_t)value);
    else if (!isnan(value) && (cell->type == CELL_REAL || value != cell_number(cell)))
        text_add_rounded(out, value);
    else if (row->of[side])
        text_add_cell_human(out, cell, 0);
}

void row_add_line(const struct row *row, struct text *out)
{
    const struct judgement *j = &row->j;
    const double change = 100 * (row->value[1] / row->value[0] - 1);
    row_add_name(row, out);
    text_add(out, ": ");
    row_add_value(row, 1, out);
    text_add(out, ", was ");
    row_add_value(row, 0, out);
    text_printf(out, "%s%s", *row->unit ? " " : "", row->unit);
    if (isnan(change))
        return;
    text_printf(out, " (%+.1f %%", change);
    if (j->basis && fabs(100 * j->change - change) >= 0.5)
        text_printf(out, "; %s %+.1f %%", j->basis, 100 * j->change);
    if (!isnan(j->allowed))
        text_printf(out, ", noise %.0f %%", 100 * j->allowed);
    text_add(out, ")");
}

static void add(struct comparison *comparison, struct row row)
{
    row.fails = !comparison->side_by_side && (row.j.outcome == OUTCOME_WORSE || row.j.broken);
    LIST_ADD(comparison->rows, row);
}

/* An answer of one of two results of a command. */
struct entry {
    const struct answer *answer, *partner;
    size_t place;
    int side;
};

static void judge_entry(struct comparison *comparison, const struct entry *entry)
{
    const struct answer *before = entry->side ? NULL : entry->answer;
    const struct answer *after = entry->side ? entry->answer : entry->partner;
    struct row row = row_of(comparison->command, before, after);
    row.place = entry->place;
    if (before && after && comparison->judged)
        row.j = judge(before, after, comparison->seconds, choice_threshold(comparison->choice));
    else
        row.j = judgement_apart(!before                ? "only in the second"
                                : !after               ? "only in the first"
                                : comparison->emulated ? "emulated"
                                                       : "other settings");
    const enum outcome outcome = row.j.outcome;
    comparison->of[outcome]++;
    comparison->broken += row.j.broken;
    comparison->decided += outcome < OUTCOME_UNKNOWN;
    comparison->asked += outcome <= OUTCOME_UNKNOWN || (before && before->trust != TRUST_LOW);
    add(comparison, row);
}

static int compare_states(const struct entry *a, const struct entry *b)
{
    return strcmp(a->answer->state ? a->answer->state : "", b->answer->state ? b->answer->state : "");
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *first = a, *second = b;
    const int key = strcmp(first->answer->key, second->answer->key);
    const int order = key                           ? key
                      : first->side != second->side ? first->side - second->side
                                                    : compare_states(first, second);
    return order ? order : (first->place > second->place) - (first->place < second->place);
}

/* Judges the entries of one key, sorted: pairs of one state, then pairs of different states, then single ones. A file may have a key many
 * times. */
static void judge_key(struct comparison *comparison, struct entry *entry, size_t count)
{
    size_t first = 0;
    while (first < count && entry[first].side == 0)
        first++;
    for (int any_state = 0; any_state < 2; any_state++)
        for (size_t i = 0, k = first; i < first && k < count;) {
            const int order = entry[i].partner   ? -1
                              : entry[k].partner ? 1
                              : any_state        ? 0
                                                 : compare_states(&entry[i], &entry[k]);
            if (order == 0) {
                entry[i].partner = entry[k].answer;
                entry[k].partner = entry[i].answer;
            }
            i += order <= 0;
            k += order >= 0;
        }
    for (size_t i = 0; i < count; i++)
        if (entry[i].side == 0 || !entry[i].partner)
            judge_entry(comparison, &entry[i]);
}

/* Only a common difference counts: to be the same in the median says little of each. */
static void judge_all(struct comparison *comparison, size_t from)
{
    struct samples losses = {0};
    for (size_t i = from; i < comparison->rows.count; i++)
        if (comparison->rows.of[i].j.counts)
            samples_add(&losses, comparison->rows.of[i].j.loss);
    const struct judgement j =
        judge_together(losses.value, losses.count, choice_threshold(comparison->choice));
    if (j.outcome != OUTCOME_APART) {
        struct answer all[2] = {{.value = REAL_CELL(1), .unit = "times the time", .trust = TRUST_HIGH}};
        struct text label = {0}, key = {0};
        text_printf(&label, "all of %s (%zu)", comparison->command, losses.count);
        text_printf(&key, "%s, %zu together", comparison->command, losses.count);
        all[0].label = record_own(comparison->made, text_take(&label));
        all[0].key = record_own(comparison->made, text_take(&key));
        all[1] = all[0];
        all[1].value = REAL_CELL(1 + j.loss);
        const struct answer *own = record_own_bytes(comparison->made, all, sizeof(all));
        struct row row = row_of(comparison->command, &own[0], &own[1]);
        row.j = j;
        row.place = comparison->places++;
        add(comparison, row);
        comparison->of[j.outcome] += row_differs(&row);
    }
    samples_free(&losses);
}

/* Two results of a command; NULL: one of them is missing. */
static void compare_commands(struct comparison *comparison, const struct record *before,
                             const struct record *after)
{
    const struct record *const of[] = {before, after};
    const size_t from = comparison->rows.count, asked = comparison->asked;
    struct {
        LIST(struct entry);
    } all = {0};
    comparison->command = fact_text(before ? before : after, "run.command", "unknown");
    comparison->seconds = NAN;
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; of[side] && i < of[side]->answers.count; i++) {
            const struct answer *answer = &of[side]->answers.of[i];
            const struct entry own = {answer, NULL, comparison->places++, side};
            if (choice_takes(comparison->choice, answer->key) && answer->value.type != CELL_NULL)
                LIST_ADD(all, own);
        }
        if (of[side])
            comparison->seconds = fmin(comparison->seconds, record_fact_number(of[side], "run.seconds"));
    }
    if (all.count > 0)
        qsort(all.of, all.count, sizeof(*all.of), compare_entries);
    for (size_t i = 0, end; i < all.count; i = end) {
        for (end = i; end < all.count && strcmp(all.of[end].answer->key, all.of[i].answer->key) == 0;)
            end++;
        judge_key(comparison, &all.of[i], end - i);
    }
    free(all.of);
    comparison->missing += !after && comparison->asked > asked;
    judge_all(comparison, from);
}

/* What one result alone has is last. */
static int gravity(const struct row *row)
{
    const int rest = row->of[0] && row->of[1] ? 3 : 4;
    return row->fails ? 0 : row_differs(row) ? 1 : row->j.outcome == OUTCOME_UNKNOWN ? 2 : rest;
}

static double size_of(const struct row *row)
{
    const double size = fabs(log(row->value[1] / row->value[0]));
    return isnan(size) ? -1 : size;
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *first = a, *second = b;
    if (gravity(first) != gravity(second))
        return gravity(first) - gravity(second);
    if (size_of(first) != size_of(second))
        return size_of(first) < size_of(second) ? 1 : -1;
    return (first->place > second->place) - (first->place < second->place);
}

void compare_results(struct comparison *comparison, const struct results *first, const struct results *second,
                     bool force)
{
    const struct results *const of[] = {first, second};
    bool settings_differ = false;
    comparison->made = record_new();
    settings_compare(&comparison->differences, first->documents.of[0], second->documents.of[0]);
    for (size_t i = 0; i < first->count; i++) {
        const struct record *partner = results_partner(first, i, second);
        if (partner)
            settings_compare(&comparison->differences, first->of[i], partner);
    }
    for (size_t i = 0; i < comparison->differences.count; i++)
        settings_differ |= comparison->differences.of[i].decides;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < of[side]->count; i++)
            comparison->emulated |= record_is_emulated(of[side]->of[i]);
    comparison->judged = !comparison->emulated && (force || comparison->side_by_side || !settings_differ);
    for (size_t i = 0; i < first->count; i++)
        compare_commands(comparison, first->of[i], results_partner(first, i, second));
    for (size_t i = 0; i < second->count; i++)
        if (!results_partner(second, i, first))
            compare_commands(comparison, NULL, second->of[i]);
    if (comparison->rows.count > 0)
        qsort(comparison->rows.of, comparison->rows.count, sizeof(*comparison->rows.of), compare_rows);
}

void comparison_free(struct comparison *comparison)
{
    free(comparison->differences.of);
    free(comparison->rows.of);
    record_free(comparison->made);
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

void comparison_add_undecided(const struct comparison *comparison, struct text *out)
{
    size_t i = 0;
    while (i < comparison->rows.count && comparison->rows.of[i].j.outcome != OUTCOME_UNKNOWN)
        i++;
    if (i == comparison->rows.count)
        return;
    row_add_line(&comparison->rows.of[i], out);
    text_printf(out, ": %s", comparison->rows.of[i].j.why ? comparison->rows.of[i].j.why : "too noisy");
}

void comparison_warn(const struct comparison *comparison, const struct results *first,
                     const struct results *second, struct record *record)
{
    const struct results *const of[] = {first, second};
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
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < of[side]->count; i++) {
            const char *command = results_command(of[side]->of[i]);
            if (!results_partner(of[side], i, of[!side]))
                record_warning(record, "missing_part", "%s is in %s but not in %s: not compared", command,
                               of[side]->path, of[!side]->path);
            if (fact_is(of[side]->of[i], "run.complete", false))
                record_warning(record, "incomplete", "%s in %s is incomplete", command, of[side]->path);
        }
}
