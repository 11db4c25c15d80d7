/* SPDX-License-Identifier: MIT */
#include "cli/known.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "output/answers.h"

EMBED(machines_table, MACHINES_TSV);

/* The range over the machines of this code name that are guests, or are not, as this one. */
struct range {
    size_t machines;
    double least, most;
    char unit[24];
};

static struct range range_of(const struct cpu *cpu, const char *key)
{
    enum { CODENAME, HYPERVISOR, CPUS, DATE, MACHINE, KEY, VALUE, UNIT, TRUST, COLUMNS };
    struct range range = {.least = NAN, .most = NAN};
    const bool is_guest = strcmp(cpu->hypervisor, "none") != 0;
    size_t count;
    char **const fields = embedded_rows(machines_table, COLUMNS, &count), **row = fields;
    for (size_t i = 0; i < count; i++, row += COLUMNS)
        if (strcmp(row[CODENAME], cpu->codename) == 0 && strcmp(row[KEY], key) == 0 &&
            (strcmp(row[HYPERVISOR], "none") != 0) == is_guest) {
            const double value = strtod(row[VALUE], NULL);
            range.least = fmin(range.least, value);
            range.most = fmax(range.most, value);
            range.machines++;
            snprintf(range.unit, sizeof range.unit, "%s", row[UNIT]);
        }
    free(fields);
    return range;
}

/* As answers of that unit are shown: "93.9 to 100 GiB/s". */
static void add_range(struct text *text, const struct range *range)
{
    const struct answer least = {.value = REAL_CELL(range->least), .unit = range->unit, .trust = TRUST_HIGH},
                        most = {.value = REAL_CELL(range->most), .unit = range->unit, .trust = TRUST_HIGH};
    const char *from = answers_value(&least, false), *to = answers_value(&most, false);
    text_add(text, from);
    if (strcmp(from, to) != 0)
        text_printf(text, " to %s", to);
    text_printf(text, " %s", answers_unit(range->unit));
}

void known_spell(struct text *text, const struct cpu *cpu, const char *key)
{
    const struct range range = range_of(cpu, key);
    const bool is_guest = strcmp(cpu->hypervisor, "none") != 0;
    if (range.machines == 0)
        return;
    add_range(text, &range);
    text_printf(text, ", %zu %s%s of %s", range.machines, is_guest ? "guest" : "machine",
                range.machines > 1 ? "s" : "", cpu->codename);
}

enum { WHAT, HERE, KNOWN, MACHINES };
static const struct column columns[] = {
    [WHAT] = {"what", "", NULL, CELL_TEXT, ROLE_PARAMETER, 0, NULL, false},
    [HERE] = {"here", "here", NULL, CELL_TEXT, ROLE_LABEL, 0, NULL, false},
    [KNOWN] = {"known", "known", NULL, CELL_TEXT, ROLE_LABEL, 0, NULL, false},
    [MACHINES] = {"machines", "machines", NULL, CELL_INTEGER, ROLE_MEASURE, 0, NULL, false},
};
static const struct table_spec table_known = {
    .name = "known",
    .title = "Machines of the same code name",
    .note = "range over those of docs/results.md that are guests, or are not, as this one",
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
    .view = {.kind = VIEW_LIST, .x = -1, .y = -1, .value = -1, .series = -1},
};

void known_record(struct record *record, const struct record *measured, const struct cpu *cpu)
{
    size_t table = SIZE_MAX;
    for (size_t c = 0; c < measured->children.count; c++) {
        const struct record *child = measured->children.of[c];
        for (size_t i = 0; i < child->answers.count; i++) {
            const struct answer *answer = &child->answers.of[i];
            const struct range range = range_of(cpu, answer->key);
            struct text known = {0};
            if (range.machines == 0 || !cell_has_value(&answer->value) ||
                record_answer_find(child, answer->key, NULL) != answer)
                continue;
            table = table == SIZE_MAX ? record_table_add(record, &table_known) : table;
            add_range(&known, &range);
            record_row(record, table,
                       (const struct cell[]){TEXT_CELL(answer->label ? answer->label : answer->key),
                                             TEXT_CELL(answers_value(answer, false)), TEXT_CELL(known.data),
                                             INTEGER_CELL((int64_t)range.machines)});
            text_free(&known);
        }
    }
}
