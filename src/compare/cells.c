/* SPDX-License-Identifier: MIT */
/* Two results of one command, cell by cell of the tables that are drawn. They decide nothing: of thousands some are always
 * off. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compare.h"
#include "result/subject.h"

enum { PARAMETERS_MAX = 32, LARGEST = 10 };

/* Cells differ from here. */
static const double DIFFERS = 0.10;

/* A row of a table: what it is a measurement of, and the value. */
struct entry {
    char *key;
    double value, low, high;
};

struct entries {
    size_t count;
    struct entry *entry;
};

/* Two rows of the same key. */
struct pair {
    const struct entry *before, *after;
    double loss; /* NaN: none, or unknown */
};

static bool has_column(const struct table_spec *spec, int column)
{
    return column > 0 && column < spec->column_count;
}

/* A parameter that has one value throughout says nothing of a single row. */
static bool varies(const struct record_table *table, int column)
{
    for (size_t row = 1; row < table->row_count; row++) {
        if (!cell_equal(record_cell(table, row, column), record_cell(table, 0, column)))
            return true;
    }
    return false;
}

static int column_named(const struct table_spec *spec, const char *key)
{
    for (int i = 0; i < spec->column_count; i++) {
        if (strcmp(spec->columns[i].key, key) == 0)
            return i;
    }
    return -1;
}

/* The parameters that tell the rows of two tables apart, as columns of either: they vary within one, or
 * differ between both. */
static int choose_parameters(const struct record_table *before, const struct record_table *after,
                             int parameter[2][PARAMETERS_MAX])
{
    int count = 0;
    for (int i = 0; i < before->spec->column_count && count < PARAMETERS_MAX; i++) {
        const int j = column_named(after->spec, before->spec->columns[i].key);
        if (before->spec->columns[i].role != ROLE_PARAMETER || j < 0)
            continue;
        const bool differs = before->row_count > 0 && after->row_count > 0 &&
                             !cell_equal(record_cell(before, 0, i), record_cell(after, 0, j));
        if (differs || varies(before, i) || varies(after, j)) {
            parameter[0][count] = i;
            parameter[1][count++] = j;
        }
    }
    return count;
}

static char *key_of(const struct record_table *table, size_t row, const int *parameter, int count)
{
    struct text text = {0};
    for (int i = 0; i < count; i++) {
        const struct cell *cell = record_cell(table, row, parameter[i]);
        if (!cell_has_value(cell))
            continue;
        text_printf(&text, "%s%s ", text.length ? ", " : "", table->spec->columns[parameter[i]].title);
        text_add_cell_human(&text, cell, table->spec->columns[parameter[i]].digits);
    }
    return text_take(&text);
}

bool table_is_flagged(const struct record_table *table, size_t row)
{
    const int flag = table->spec->view.flag;
    const struct cell *cell = has_column(table->spec, flag) ? record_cell(table, row, flag) : &NO_CELL;
    return cell_is(cell, true) || (cell->type == CELL_FLAGS && cell->integer != 0);
}

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->key, ((const struct entry *)b)->key);
}

/* Of those that have a value and no flag, by key. */
static struct entries entries_of(const struct record_table *table, const int *parameter, int count)
{
    struct entries entries = {.entry = memory_zeroed(table->row_count + 1, sizeof(struct entry))};
    for (size_t row = 0; row < table->row_count; row++) {
        const struct cell *cell = record_cell(table, row, table->spec->view.value);
        const bool summary = cell->type == CELL_SUMMARY;
        const double value = cell_number(cell);
        if (isfinite(value) && value != 0 && !table_is_flagged(table, row))
            entries.entry[entries.count++] =
                (struct entry){key_of(table, row, parameter, count), value,
                               summary ? cell->summary->p10 : value, summary ? cell->summary->p90 : value};
    }
    qsort(entries.entry, entries.count, sizeof(struct entry), compare_entries);
    return entries;
}

static void entries_free(struct entries *entries)
{
    for (size_t i = 0; i < entries->count; i++)
        free(entries->entry[i].key);
    free(entries->entry);
}

static struct pair pair_of(const struct entry *before, const struct entry *after, enum direction direction)
{
    const double change = after->value / before->value - 1;
    const bool apart = before->high < after->low || after->high < before->low;
    const bool differs = fabs(change) > DIFFERS && apart;
    return (struct pair){before, after, differs ? direction == DIRECTION_HIGHER ? -change : change : NAN};
}

static int compare_losses(const void *a, const void *b)
{
    const double first = fabs(((const struct pair *)a)->loss), second = fabs(((const struct pair *)b)->loss);
    return isnan(first) ? !isnan(second) : isnan(second) ? -1 : (first < second) - (first > second);
}

static enum outcome outcome_of(const struct pair *pair, enum direction direction)
{
    return isnan(pair->loss)             ? OUTCOME_SAME
           : direction == DIRECTION_NONE ? OUTCOME_CHANGED
           : pair->loss > 0              ? OUTCOME_WORSE
                                         : OUTCOME_BETTER;
}

static void add_largest(const struct comparison *comparison, const struct table_spec *spec,
                        const struct pair *pairs, size_t count, enum direction direction)
{
    for (size_t i = 0; i < count && i < LARGEST && !isnan(pairs[i].loss); i++) {
        const double before = pairs[i].before->value, after = pairs[i].after->value;
        record_row(comparison->record, comparison->cells,
                   (const struct cell[]){TEXT_CELL(comparison->file), TEXT_CELL(spec->name),
                                         TEXT_CELL(pairs[i].before->key), REAL_CELL(before), REAL_CELL(after),
                                         REAL_CELL(100 * (after / before - 1)),
                                         TEXT_CELL(outcome_names[outcome_of(&pairs[i], direction)])});
    }
}

/* Both are sorted by key. */
static void compare_tables(const struct comparison *comparison, const char *command,
                           const struct table_spec *spec, const struct entries *before,
                           const struct entries *after)
{
    struct pair *pairs = memory_zeroed(before->count + 1, sizeof(*pairs));
    const enum direction direction = direction_of_unit(spec->columns[spec->view.value].unit);
    size_t count = 0, of[OUTCOME_APART + 1] = {0};
    for (size_t i = 0, k = 0; i < before->count && k < after->count;) {
        const int order = strcmp(before->entry[i].key, after->entry[k].key);
        if (order == 0)
            pairs[count++] = pair_of(&before->entry[i], &after->entry[k], direction);
        i += order <= 0;
        k += order >= 0;
    }
    qsort(pairs, count, sizeof(*pairs), compare_losses);
    for (size_t i = 0; i < count; i++)
        of[outcome_of(&pairs[i], direction)]++;
    record_row(comparison->record, comparison->tables,
               (const struct cell[]){TEXT_CELL(comparison->file), TEXT_CELL(command), TEXT_CELL(spec->name),
                                     INTEGER_CELL(count), INTEGER_CELL(of[OUTCOME_WORSE]),
                                     INTEGER_CELL(of[OUTCOME_BETTER]), INTEGER_CELL(of[OUTCOME_CHANGED])});
    if (comparison->with_cells)
        add_largest(comparison, spec, pairs, count, direction);
    free(pairs);
}

const struct record_table *table_named(const struct record *record, const char *name)
{
    for (size_t i = 0; i < record->tables.count; i++) {
        if (strcmp(record->tables.of[i].spec->name, name) == 0)
            return &record->tables.of[i];
    }
    return NULL;
}

static bool is_comparable(const struct table_spec *spec)
{
    return (spec->view.kind == VIEW_CURVE || spec->view.kind == VIEW_MATRIX) &&
           has_column(spec, spec->view.value);
}

void compare_cells(struct comparison *comparison, const struct record *before, const struct record *after)
{
    const char *command = fact_text(before, "run.command", "unknown");
    for (size_t i = 0; i < before->tables.count; i++) {
        const struct record_table *first = &before->tables.of[i];
        const struct record_table *second = table_named(after, first->spec->name);
        if (!second || !is_comparable(first->spec) || !is_comparable(second->spec))
            continue;
        int parameter[2][PARAMETERS_MAX];
        const int count = choose_parameters(first, second, parameter);
        struct entries left = entries_of(first, parameter[0], count);
        struct entries right = entries_of(second, parameter[1], count);
        compare_tables(comparison, command, first->spec, &left, &right);
        entries_free(&left);
        entries_free(&right);
    }
}
