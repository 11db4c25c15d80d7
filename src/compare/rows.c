/* SPDX-License-Identifier: MIT */
/* Two results of one command: finding by finding, and cell by cell of the tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compare.h"
#include "result/subject.h"
#include "uarchprobe/stats.h"

enum { KEY_LENGTH = 512, PARAMETERS_MAX = 32 };

static const double GIB = 1024.0 * 1024 * 1024;
/* How far off a value may be that does not say it itself. */
static const double ASSUMED[] = {[TRUST_LOW] = 0.25, [TRUST_MEDIUM] = 0.15, [TRUST_HIGH] = 0.10};

static const char missing_before[] = "only after", missing_after[] = "only before", untrusted[] = "low trust",
                  unjudged[] = "not judged";
static const char *const verdicts[] = {[DIFFERENCE_NONE] = "same",
                                       [DIFFERENCE_BETTER] = "better",
                                       [DIFFERENCE_WORSE] = "worse",
                                       [DIFFERENCE_CHANGED] = "changed"};

/* The columns of findings and cells alike. */
enum row_column {
    ROW_FILE,
    ROW_COMMAND,
    ROW_WHAT,
    ROW_UNIT,
    ROW_BEFORE,
    ROW_BEFORE_SPREAD,
    ROW_AFTER,
    ROW_AFTER_SPREAD,
    ROW_RATIO,
    ROW_VERDICT,
    ROW_COLUMNS
};

static const struct column row_columns[ROW_COLUMNS] = {
    [ROW_FILE] = {"file", "file", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    [ROW_COMMAND] = {"command", "command", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    [ROW_WHAT] = {"what", "what", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
    [ROW_UNIT] = {"unit", "unit", NULL, CELL_TEXT, ROLE_LABEL, 0},
    [ROW_BEFORE] = {"before", "before", NULL, CELL_REAL, ROLE_MEASURE, 2},
    [ROW_BEFORE_SPREAD] = {"before_spread", "spread", "%", CELL_REAL, ROLE_MEASURE, 1},
    [ROW_AFTER] = {"after", "after", NULL, CELL_REAL, ROLE_MEASURE, 2},
    [ROW_AFTER_SPREAD] = {"after_spread", "spread", "%", CELL_REAL, ROLE_MEASURE, 1},
    [ROW_RATIO] = {"ratio", "after / before", NULL, CELL_REAL, ROLE_MEASURE, 3},
    [ROW_VERDICT] = {"verdict", "verdict", NULL, CELL_CLASS, ROLE_LABEL, 0},
};

static const struct table_spec finding_table = {.name = "findings",
                                                .title = "Findings, before and after",
                                                .note =
                                                    "Spread: highest less lowest of the samples, as a share "
                                                    "of the value; where a result does not tell, 10, "
                                                    "15 or 25 % are assumed by its trust.",
                                                .columns = row_columns,
                                                .column_count = ROW_COLUMNS};

static const struct table_spec differing_table = {
    .name = "differing",
    .title = "Cells that differ",
    .note = "Every cell that was compared is in the formats for machines, table cells.",
    .columns = row_columns,
    .column_count = ROW_COLUMNS};

static const struct table_spec cell_table = {.name = "cells",
                                             .title = "Every cell",
                                             .columns = row_columns,
                                             .column_count = ROW_COLUMNS,
                                             .view = {.kind = VIEW_HIDDEN}};

void compare_begin(struct comparison *comparison)
{
    comparison->findings = record_table_add(comparison->record, &finding_table);
    comparison->cells = record_table_add(comparison->record, &differing_table);
    comparison->all_cells = record_table_add(comparison->record, &cell_table);
}

/* One thing that both results may hold. */
struct pairing {
    const char *command, *what, *unit;
    const struct estimate *before, *after; /* NULL: not there */
    double assumed;
    bool untrusted;
};

static const char *verdict_of(const struct comparison *comparison, const struct pairing *pairing,
                              struct tally *tally)
{
    tally->compared++;
    if (!pairing->before || !pairing->after) {
        tally->missing++;
        return pairing->after ? missing_before : missing_after;
    }
    if (!comparison->same_machine)
        return unjudged;
    if (pairing->untrusted) {
        tally->untrusted++;
        return untrusted;
    }
    const enum difference difference =
        difference_of(pairing->before, pairing->after, direction_of_unit(pairing->unit),
                      comparison->threshold, pairing->assumed);
    tally->none += difference == DIFFERENCE_NONE;
    tally->better += difference == DIFFERENCE_BETTER;
    tally->worse += difference == DIFFERENCE_WORSE;
    tally->deciding += difference == DIFFERENCE_WORSE;
    tally->changed += difference == DIFFERENCE_CHANGED;
    return verdicts[difference];
}

/* People read GiB/s more easily than bytes. */
static double shown(double value, const char *unit)
{
    return unit && strcmp(unit, "Byte/s") == 0 ? value / GIB : value;
}

static struct cell spread_cell(const struct estimate *estimate)
{
    return estimate ? REAL_CELL(100 * estimate_spread(estimate, NAN)) : NO_CELL;
}

static void add_row(struct comparison *comparison, size_t table, const struct pairing *pairing,
                    const char *verdict)
{
    const double before = pairing->before ? pairing->before->value : NAN;
    const double after = pairing->after ? pairing->after->value : NAN;
    const char *unit = pairing->unit;
    const struct cell cells[ROW_COLUMNS] = {
        [ROW_FILE] = TEXT_CELL(comparison->file),
        [ROW_COMMAND] = TEXT_CELL(pairing->command),
        [ROW_WHAT] = TEXT_CELL(pairing->what),
        [ROW_UNIT] = TEXT_CELL(unit && strcmp(unit, "Byte/s") == 0 ? "GiByte/s" : unit),
        [ROW_BEFORE] = REAL_CELL(shown(before, unit)),
        [ROW_BEFORE_SPREAD] = spread_cell(pairing->before),
        [ROW_AFTER] = REAL_CELL(shown(after, unit)),
        [ROW_AFTER_SPREAD] = spread_cell(pairing->after),
        [ROW_RATIO] = before != 0 ? REAL_CELL(after / before) : NO_CELL,
        [ROW_VERDICT] = TEXT_CELL(verdict),
    };
    record_row(comparison->record, table, cells);
}

/* A count has no spread of its own: it is what it is. */
static struct estimate estimate_of(const struct finding *finding)
{
    const double value = cell_number(&finding->value);
    if (finding->value.type == CELL_INTEGER && finding->low.type == CELL_NULL)
        return (struct estimate){value, value, value};
    return (struct estimate){value, cell_number(&finding->low), cell_number(&finding->high)};
}

static const struct finding *finding_of(const struct record *record, const char *key)
{
    for (size_t i = 0; i < record_finding_count(record); i++) {
        if (strcmp(record_finding_at(record, i)->key, key) == 0)
            return record_finding_at(record, i);
    }
    return NULL;
}

/* What is a word has no ratio. */
static void compare_words(struct comparison *comparison, const char *command, const struct finding *before,
                          const struct finding *after)
{
    char what[KEY_LENGTH];
    const bool same = strcmp(before->value.text, after->value.text) == 0;
    const char *verdict = verdicts[same ? DIFFERENCE_NONE : DIFFERENCE_CHANGED];
    const struct pairing pairing = {.command = command, .what = what};
    snprintf(what, sizeof(what), same ? "%s: %s" : "%s: %s, then %s", before->key, before->value.text,
             after->value.text);
    comparison->finding_tally.compared++;
    comparison->finding_tally.none += comparison->same_machine && same;
    comparison->finding_tally.changed += comparison->same_machine && !same;
    add_row(comparison, comparison->findings, &pairing, comparison->same_machine ? verdict : unjudged);
}

static void compare_finding(struct comparison *comparison, const char *command, const struct finding *before,
                            const struct finding *after)
{
    const struct finding *known = before ? before : after;
    const struct estimate first = before ? estimate_of(before) : (struct estimate){NAN, NAN, NAN};
    const struct estimate second = after ? estimate_of(after) : (struct estimate){NAN, NAN, NAN};
    if (before && after && before->value.type == CELL_TEXT && after->value.type == CELL_TEXT) {
        compare_words(comparison, command, before, after);
        return;
    }
    const enum trust trust = before && after && after->trust < before->trust ? after->trust : known->trust;
    const struct pairing pairing = {.command = command,
                                    .what = known->key,
                                    .unit = known->unit,
                                    .before = isnan(first.value) ? NULL : &first,
                                    .after = isnan(second.value) ? NULL : &second,
                                    .assumed = ASSUMED[trust],
                                    .untrusted = trust == TRUST_LOW};
    if (!pairing.before && !pairing.after)
        return;
    const char *verdict = verdict_of(comparison, &pairing, &comparison->finding_tally);
    add_row(comparison, comparison->findings, &pairing, verdict);
}

void compare_findings(struct comparison *comparison, const struct record *before, const struct record *after)
{
    const char *command = fact_text(before, "run.command", "unknown");
    for (size_t i = 0; i < record_finding_count(before); i++) {
        const struct finding *finding = record_finding_at(before, i);
        compare_finding(comparison, command, finding, finding_of(after, finding->key));
    }
    for (size_t i = 0; i < record_finding_count(after); i++) {
        const struct finding *finding = record_finding_at(after, i);
        if (!finding_of(before, finding->key))
            compare_finding(comparison, command, NULL, finding);
    }
}

/* A row of a table: what it is a measurement of, and the value. */
struct entry {
    char *key;
    struct estimate estimate;
};

struct entries {
    size_t count;
    struct entry *entry;
};

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

static bool has_column(const struct table_spec *spec, int column)
{
    return column > 0 && column < spec->column_count;
}

/* From the samples, or as far off as the row says: in the value's unit, or a share in a column without one. */
static struct estimate estimate_in(const struct record_table *table, size_t row)
{
    const struct table_spec *spec = table->spec;
    const struct cell *cell = record_cell(table, row, spec->view.value);
    const double value = cell_number(cell);
    if (cell->type == CELL_SUMMARY)
        return (struct estimate){value, cell->summary->min, cell->summary->max};
    if (!has_column(spec, spec->view.spread))
        return (struct estimate){value, NAN, NAN};
    const double told = cell_number(record_cell(table, row, spec->view.spread));
    const double spread = spec->columns[spec->view.spread].unit ? told : told * fabs(value);
    return (struct estimate){value, value - spread / 2, value + spread / 2};
}

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->key, ((const struct entry *)b)->key);
}

static struct entries entries_of(const struct record_table *table, const int *parameter, int count)
{
    struct entries entries = {.entry = memory_zeroed(table->row_count + 1, sizeof(struct entry))};
    for (size_t row = 0; row < table->row_count; row++) {
        const struct estimate estimate = estimate_in(table, row);
        if (isfinite(estimate.value))
            entries.entry[entries.count++] = (struct entry){key_of(table, row, parameter, count), estimate};
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

static void compare_cell(struct comparison *comparison, struct pairing *pairing)
{
    pairing->assumed = ASSUMED[TRUST_MEDIUM];
    const char *verdict = verdict_of(comparison, pairing, &comparison->cell_tally);
    add_row(comparison, comparison->all_cells, pairing, verdict);
    if (verdict == verdicts[DIFFERENCE_BETTER] || verdict == verdicts[DIFFERENCE_WORSE] ||
        verdict == verdicts[DIFFERENCE_CHANGED])
        add_row(comparison, comparison->cells, pairing, verdict);
}

/* Both are sorted by key: they are walked side by side. */
static void merge(struct comparison *comparison, const char *command, const struct table_spec *spec,
                  const struct entries *before, const struct entries *after)
{
    size_t i = 0, j = 0;
    while (i < before->count || j < after->count) {
        const int order = i == before->count  ? 1
                          : j == after->count ? -1
                                              : strcmp(before->entry[i].key, after->entry[j].key);
        const struct entry *first = order <= 0 ? &before->entry[i++] : NULL;
        const struct entry *second = order >= 0 ? &after->entry[j++] : NULL;
        char what[KEY_LENGTH + 64];
        snprintf(what, sizeof(what), "%s: %s", spec->name, first ? first->key : second->key);
        struct pairing pairing = {.command = command,
                                  .what = what,
                                  .unit = spec->columns[spec->view.value].unit,
                                  .before = first ? &first->estimate : NULL,
                                  .after = second ? &second->estimate : NULL};
        compare_cell(comparison, &pairing);
    }
}

/* Of thousands of cells some are always off: they decide only where they are more than one in a hundred of
 * their table. */
static void weigh(struct tally *tally, const struct tally *before)
{
    if ((tally->worse - before->worse) * 100 <= tally->compared - before->compared)
        tally->deciding = before->deciding;
}

static const struct record_table *table_named(const struct record *record, const char *name)
{
    for (size_t i = 0; i < record_table_count(record); i++) {
        if (strcmp(record_table_at(record, i)->spec->name, name) == 0)
            return record_table_at(record, i);
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
    for (size_t i = 0; i < record_table_count(before); i++) {
        const struct record_table *first = record_table_at(before, i);
        const struct record_table *second = table_named(after, first->spec->name);
        if (!second || !is_comparable(first->spec) || !is_comparable(second->spec))
            continue;
        int parameter[2][PARAMETERS_MAX];
        const int count = choose_parameters(first, second, parameter);
        struct entries left = entries_of(first, parameter[0], count);
        struct entries right = entries_of(second, parameter[1], count);
        const struct tally so_far = comparison->cell_tally;
        merge(comparison, fact_text(before, "run.command", "unknown"), first->spec, &left, &right);
        weigh(&comparison->cell_tally, &so_far);
        entries_free(&left);
        entries_free(&right);
    }
}
