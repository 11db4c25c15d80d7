/* SPDX-License-Identifier: MIT */
/* Which rounds count, by a control that takes a whole number of cycles, and which of several metrics is
 * the least. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/metrics.h"
#include "engine/select.h"

/* A dependent chain is a whole number of cycles to CONTROL_CYCLES, where neither clock nor sibling
 * disturb; then a tenth of the rounds pass. */
static const double CONTROL_CYCLES = 0.02, CONTROL_OFTEN = 0.1;

static double cell_of(const struct lab *lab, size_t round, size_t metric)
{
    return sample_value(&lab->rows, round, metric, UNIT_NS);
}

/* Of the rounds that are not known to be busy. */
static double whole_of(const struct lab *lab, size_t control, size_t *count)
{
    double *value = memory_zeroed(lab->rows.kept + 1, sizeof *value);
    *count = 0;
    for (size_t round = 0; round < lab->rows.kept; round++)
        if (engine_state(&lab->rows, round, control) != STATE_ACTIVE && !isnan(cell_of(lab, round, control)))
            value[(*count)++] = cell_of(lab, round, control);
    const double whole = *count ? round(median_of(value, *count)) : NAN;
    free(value);
    return whole;
}

void control_apply(struct lab *lab)
{
    const int control = metric_of_key(lab, lab->experiment->control);
    struct engine_data *rows = &lab->rows;
    size_t count, passed = 0;
    /* An emulated operation takes no whole number. */
    if (control < 0 || (lab->run->cpu && lab->run->cpu->emulated))
        return;
    const double whole = whole_of(lab, (size_t)control, &count);
    for (size_t round = 0; round < rows->kept; round++)
        passed += engine_state(rows, round, (size_t)control) != STATE_ACTIVE &&
                  fabs(cell_of(lab, round, (size_t)control) - whole) <= CONTROL_CYCLES;
    lab->is_uncontrolled = (double)passed < CONTROL_OFTEN * (double)count || passed == 0;
    for (size_t round = 0; round < rows->kept; round++) {
        const double off = fabs(cell_of(lab, round, (size_t)control) - whole);
        for (size_t c = 0; c < rows->cells && (lab->is_uncontrolled || !(off <= CONTROL_CYCLES)); c++)
            if (c != (size_t)control && engine_state(rows, round, c) != STATE_ACTIVE)
                rows->value[round * rows->cells + c] = NAN;
    }
}

static bool is_candidate(const struct lab *lab, size_t metric, size_t other, enum state state)
{
    const struct metric *metrics = lab->experiment->metrics;
    return metric_competes(&metrics[metric], metrics[other].key) && lab->result[other][state].has_value;
}

static const char *part_of(const char *label)
{
    const char *part = strstr(label, ", ");
    return part ? part + strlen(", ") : label;
}

enum { OTHERS_MOST = 1 }; /* that tie, and for which a label has room */

int least_metric(const struct lab *lab, size_t metric, enum state state, struct text *names)
{
    const struct metric *metrics = lab->experiment->metrics;
    int least = -1;
    for (size_t c = 0; c < metric; c++)
        if (is_candidate(lab, metric, c, state) &&
            (least < 0 || lab->result[c][state].estimate.value < lab->result[least][state].estimate.value))
            least = (int)c;
    if (least < 0 || !names)
        return least;
    size_t others = 0;
    struct text tie = {0};
    text_add(&tie, part_of(metrics[least].label));
    for (size_t c = 0; c < metric; c++) {
        const struct candidate both[] = {{c, 1}, {(size_t)least, 1}};
        const struct candidates candidates = {.data = &lab->rows, .of = both, .count = 2, .state = state};
        if (c != (size_t)least && is_candidate(lab, metric, c, state) && candidates_tie(&candidates, 0, 1)) {
            text_printf(&tie, " or %s", part_of(metrics[c].label));
            others++;
        }
    }
    text_add(names, others <= OTHERS_MOST ? tie.data : "all alike");
    text_free(&tie);
    return least;
}
