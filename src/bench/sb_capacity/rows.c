/* SPDX-License-Identifier: MIT */
/* Columns, rows and answers of `uarchprobe sb-capacity`. */
#include "sb_capacity.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

enum { EXPERIMENT, STORES, NS, CYCLES, MEDIAN, MEAN, STALL, KNEE, SAMPLES, CURVE_COLUMNS };

static const struct column curve_columns[CURVE_COLUMNS] = {
    {"experiment", "experiment", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    {"stores", "stores", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    {"minimum_ns", "minimum", "ns", CELL_REAL, ROLE_MEASURE, 2},
    {"minimum_cycles", "minimum", "cycles", CELL_REAL, ROLE_MEASURE, 1},
    {"median_cycles", "median", "cycles", CELL_REAL, ROLE_MEASURE, 1},
    {"mean_cycles", "mean", "cycles", CELL_REAL, ROLE_MEASURE, 1},
    {"stall_cycles", "store buffer stalls", "cycles", CELL_REAL, ROLE_MEASURE, 1},
    {"knee", "knee", NULL, CELL_CLASS, ROLE_LABEL, 0},
    {"samples", "samples", NULL, CELL_INTEGER, ROLE_LABEL, 0},
};

const struct table_spec sb_curve_table = {
    .name = "curve",
    .title = "time of one iteration by number of stores",
    .note =
        "one iteration is all the stores of a point and the experiment around them; minimum over all sweeps",
    .columns = curve_columns,
    .column_count = CURVE_COLUMNS,
    .view =
        {.kind = VIEW_CURVE, .x = STORES, .y = CYCLES, .value = CYCLES, .series = EXPERIMENT, .flag = KNEE},
};

static const struct column histogram_columns[] = {
    {"experiment", "experiment", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    {"entries", "knee", "entries", CELL_INTEGER, ROLE_PARAMETER, 0},
    {"sweeps", "sweeps", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
    {"share", "share", NULL, CELL_REAL, ROLE_MEASURE, 4},
};

const struct table_spec sb_histogram_table = {
    .name = "knees",
    .title = "sweeps by where each had its knee",
    .note = "a knee that is not known: the sweep was disturbed",
    .columns = histogram_columns,
    .column_count = sizeof histogram_columns / sizeof *histogram_columns,
};

double sb_cycles(const struct sb_bench *bench, double ticks)
{
    const struct samples *ghz = &bench->run->core_clock->ghz;

    return ticks * bench->run->clock->ns_per_tick * median_of(ghz->value, ghz->count);
}

static const char *knee_word(const struct capacity *capacity, size_t stores)
{
    if (stores == capacity->entries)
        return "last that fits";
    return capacity->state == BUFFER_MIXED && stores == capacity->entries / 2
               ? "last that fits while a sibling is active"
               : NULL;
}

/* Of the ticks with so many stores, over all sweeps of the last run. */
static void find_middle(const struct sb_sweeps *sweeps, size_t stores, double *median, double *mean)
{
    const struct engine_data *data = sweeps->from;
    double *value = memory_zeroed(data->sweeps + 1, sizeof *value), sum = 0;
    size_t count = 0;

    for (size_t sweep = 0; sweep < data->sweeps; sweep++) {
        const double ticks =
            (double)data->value[sweep * data->cells + sweeps->column + stores - sweeps->first];
        if (isnan(ticks))
            continue;
        value[count++] = ticks;
        sum += ticks;
    }
    *mean = count > 0 ? sum / (double)count : NAN;
    *median = count > 0 ? quantile_reordering(value, count, 0.5) : NAN;
    free(value);
}

static void point_row(const struct sb_sweeps *sweeps, const char *experiment, size_t stores, double stalls)
{
    const struct sb_bench *bench = sweeps->bench;
    const double minimum = sweeps->minimum[stores - sweeps->first];
    double median, mean;

    find_middle(sweeps, stores, &median, &mean);
    const struct cell cells[CURVE_COLUMNS] = {
        [EXPERIMENT] = TEXT_CELL(experiment),
        [STORES] = INTEGER_CELL(stores),
        [NS] = REAL_CELL(minimum * bench->run->clock->ns_per_tick),
        [CYCLES] = REAL_CELL(sb_cycles(bench, minimum)),
        [MEDIAN] = REAL_CELL(sb_cycles(bench, median)),
        [MEAN] = REAL_CELL(sb_cycles(bench, mean)),
        [STALL] = REAL_CELL(stalls),
        [KNEE] = TEXT_CELL(knee_word(&sweeps->capacity, stores)),
        [SAMPLES] = INTEGER_CELL(sweeps->counts.sweeps),
    };
    record_row(bench->run->record, bench->curve, cells);
}

static void histogram_row(const struct sb_sweeps *sweeps, const char *experiment, struct cell entries,
                          size_t count)
{
    const struct cell cells[] = {TEXT_CELL(experiment), entries, INTEGER_CELL(count),
                                 REAL_CELL((double)count / (double)sweeps->counts.sweeps)};

    record_row(sweeps->bench->run->record, sweeps->bench->histogram, cells);
}

/* What has no chain has no histogram of knees. */
void sb_sweeps_rows(const struct sb_sweeps *sweeps, const char *experiment)
{
    double stalls[KNEE_VALUES];
    size_t none = sweeps->counts.sweeps;

    sb_stalls_read(sweeps, stalls);
    for (size_t stores = sweeps->first; stores <= sweeps->last; stores++)
        point_row(sweeps, experiment, stores, stalls[stores - sweeps->first]);
    if (sweeps->probe.chain_length == 0)
        return;
    for (size_t value = 1; value < KNEE_VALUES; value++)
        if (sweeps->counts.at[value] > 0) {
            none -= sweeps->counts.at[value];
            histogram_row(sweeps, experiment, INTEGER_CELL(value), sweeps->counts.at[value]);
        }
    if (none > 0)
        histogram_row(sweeps, experiment, NO_CELL, none);
}

void sb_answer(const struct sb_bench *bench, struct answer answer, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    answer.text = text;
    record_answer(bench->run->record, answer);
}
