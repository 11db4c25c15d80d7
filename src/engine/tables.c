/* SPDX-License-Identifier: MIT */
/* The tables of an experiment: all points, and the rounds by where each had its step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/metrics.h"
#include "engine/steps.h"
#include "result/record_internal.h"

/* The mark of an answer at this x. */
static const char *mark_of(const struct lab *lab, const struct course *course, uint64_t x)
{
    for (size_t c = 0; c < lab->metrics; c++) {
        const struct metric *metric = &lab->experiment->metrics[c];
        const bool shows =
            metric->kind == METRIC_JUMP || (metric->label && metric->kind == METRIC_SLOPE_CHANGE);
        for (int state = 0; shows && state < STATE_COUNT; state++)
            if (strcmp(metric->series, course->series->name) == 0 && lab->result[c][state].has_value &&
                lab->result[c][state].estimate.value == (double)x)
                return state == STATE_ACTIVE ? "sibling busy" : "last that fits";
    }
    return NULL;
}

enum { SERIES, X, MINIMUM, MEDIAN, MEAN, MARK, SAMPLES };
static const struct column curve_columns[] = {
    [SERIES] = {"series", "series", NULL, CELL_CLASS, ROLE_PARAMETER, 0, NULL, false},
    [X] = {NULL, NULL, NULL, CELL_INTEGER, ROLE_PARAMETER, 0, NULL, false},
    [MINIMUM] = {"minimum_ns", "minimum", "ns", CELL_REAL, ROLE_MEASURE, 1, NULL, false},
    [MEDIAN] = {"median_cycles", "median", "cycles", CELL_REAL, ROLE_MEASURE, 1, NULL, false},
    [MEAN] = {"mean_cycles", "mean", "cycles", CELL_REAL, ROLE_MEASURE, 1, NULL, false},
    [MARK] = {"mark", "last that fits", NULL, CELL_TEXT, ROLE_LABEL, 0, NULL, false},
    [SAMPLES] = {"samples", "samples", NULL, CELL_INTEGER, ROLE_LABEL, 0, NULL, false},
};

static void add_curve(const struct lab *lab)
{
    const struct engine_data *data = &lab->data;
    const struct curve *curve = &lab->experiment->curve;
    struct record *record = lab->run->record;
    struct column *columns = record_own_bytes(record, curve_columns, sizeof curve_columns);
    columns[X].key = curve->x_key;
    columns[X].title = curve->x_title;
    const struct table_spec spec = {.name = "curve",
                                    .title = curve->title,
                                    .note = "median in the state of the first answers, minimum of all rounds",
                                    .columns = columns,
                                    .column_count = sizeof curve_columns / sizeof *curve_columns,
                                    .view = {.kind = curve->how,
                                             .x = X,
                                             .y = MEDIAN,
                                             .value = MEDIAN,
                                             .series = SERIES,
                                             .flag = MARK,
                                             .log_x = lab->course->octave > 0,
                                             .log_value = lab->experiment->side_by_side}};
    const size_t table = record_table_add(record, record_own_bytes(record, &spec, sizeof spec));
    const enum state state = engine_main_state(data);
    const struct course *course = lab->course;
    for (size_t i = 0; i < lab->points; i++) {
        course += i == course->first + course->count;
        if (course->series->hidden)
            continue;
        const uint64_t x = course_x(course, i - course->first);
        const char *mark = mark_of(lab, course, x);
        struct estimate e;
        const double least = lab_minimum(lab, i);
        int64_t samples = 0;
        for (size_t round = 0; round < data->kept; round++)
            samples += !isnan(sample_value(data, round, i, UNIT_NS));
        const bool taken = engine_estimate(data, i, state, lab_quantile(lab), &e);
        record_row(record, table,
                   (const struct cell[]){TEXT_CELL(course->series->name), INTEGER_CELL((int64_t)x),
                                         REAL_CELL(least), REAL_CELL(taken ? e.value : NAN),
                                         REAL_CELL(taken ? e.summary.mean : NAN), TEXT_CELL(mark),
                                         INTEGER_CELL(samples)});
    }
}

static const struct column step_columns[] = {
    {"metric", "metric", NULL, CELL_CLASS, ROLE_PARAMETER, 0, NULL, false},
    {"state", "state", NULL, CELL_CLASS, ROLE_PARAMETER, 0, state_names, false},
    {"step", "step", NULL, CELL_INTEGER, ROLE_PARAMETER, 0, NULL, false},
    {"rounds", "rounds", NULL, CELL_INTEGER, ROLE_MEASURE, 0, NULL, false},
};
static const struct table_spec steps_table = {.name = "steps",
                                              .title = "rounds by the place of their step",
                                              .note = "an empty step: rounds without one",
                                              .columns = step_columns,
                                              .column_count = sizeof step_columns / sizeof *step_columns,
                                              .view = {.kind = VIEW_HIDDEN}};

static void add_steps(const struct lab *lab)
{
    struct record *record = lab->run->record;
    struct step_counts *counts = memory_zeroed(1, sizeof *counts);
    size_t table = SIZE_MAX;
    for (size_t c = 0; c < lab->metrics; c++)
        for (int state = 0; state < STATE_COUNT; state++) {
            const struct metric *metric = &lab->experiment->metrics[c];
            struct course course;
            if (!type_of(metric)->is_place || !course_of(lab, metric, &course))
                continue;
            table = table == SIZE_MAX ? record_table_add(record, &steps_table) : table;
            steps_count(lab, c, &course, (enum state)state, counts);
            counts->at[0] = counts->none;
            for (size_t i = 0; i < STEP_VALUES; i++)
                if (counts->at[i] > 0)
                    record_row(record, table,
                               (const struct cell[]){TEXT_CELL(metric->key), TEXT_CELL(state_names[state]),
                                                     i ? INTEGER_CELL((int64_t)steps_x(&course, i)) : NO_CELL,
                                                     INTEGER_CELL((int64_t)counts->at[i])});
        }
    free(counts);
}

void tables_record(const struct lab *lab)
{
    if (lab->experiment->curve.title)
        add_curve(lab);
    add_steps(lab);
}
