/* SPDX-License-Identifier: MIT */
/* Columns, rows and findings of `uarchprobe sb-capacity`. */
#include "sb_capacity.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum curve_column {
    CURVE_EXPERIMENT,
    CURVE_STORES,
    CURVE_NS,
    CURVE_CYCLES,
    CURVE_MEDIAN,
    CURVE_MEAN,
    CURVE_STALL,
    CURVE_KNEE,
    CURVE_SAMPLES,
    CURVE_COLUMNS
};

static const struct column curve_columns[CURVE_COLUMNS] = {
    [CURVE_EXPERIMENT] = {"experiment", "experiment", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    [CURVE_STORES] = {"stores", "stores", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [CURVE_NS] = {"minimum_ns", "minimum", "ns", CELL_REAL, ROLE_MEASURE, 2},
    [CURVE_CYCLES] = {"minimum_cycles", "minimum", "cycles", CELL_REAL, ROLE_MEASURE, 1},
    [CURVE_MEDIAN] = {"median_cycles", "median", "cycles", CELL_REAL, ROLE_MEASURE, 1},
    [CURVE_MEAN] = {"mean_cycles", "mean", "cycles", CELL_REAL, ROLE_MEASURE, 1},
    [CURVE_STALL] = {"stall_cycles", "store buffer stalls", "cycles", CELL_REAL, ROLE_MEASURE, 1},
    [CURVE_KNEE] = {"knee", "knee", NULL, CELL_CLASS, ROLE_LABEL, 0},
    [CURVE_SAMPLES] = {"samples", "samples", NULL, CELL_INTEGER, ROLE_LABEL, 0},
};

const struct table_spec sb_curve_table = {
    .name = "curve",
    .title = "time of one iteration by number of stores",
    .note =
        "one iteration is all the stores of a point and the experiment around them; minimum over all sweeps",
    .columns = curve_columns,
    .column_count = CURVE_COLUMNS,
    .view = {.kind = VIEW_CURVE,
             .x = CURVE_STORES,
             .y = CURVE_CYCLES,
             .value = CURVE_CYCLES,
             .series = CURVE_EXPERIMENT,
             .flag = CURVE_KNEE},
};

enum histogram_column {
    HISTOGRAM_EXPERIMENT,
    HISTOGRAM_ENTRIES,
    HISTOGRAM_SWEEPS,
    HISTOGRAM_SHARE,
    HISTOGRAM_COLUMNS
};

static const struct column histogram_columns[HISTOGRAM_COLUMNS] = {
    [HISTOGRAM_EXPERIMENT] = {"experiment", "experiment", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    [HISTOGRAM_ENTRIES] = {"entries", "knee", "entries", CELL_INTEGER, ROLE_PARAMETER, 0},
    [HISTOGRAM_SWEEPS] = {"sweeps", "sweeps", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
    [HISTOGRAM_SHARE] = {"share", "share", NULL, CELL_REAL, ROLE_MEASURE, 4},
};

const struct table_spec sb_histogram_table = {
    .name = "knees",
    .title = "sweeps by where each had its knee",
    .note = "a knee that is not known: the sweep was disturbed",
    .columns = histogram_columns,
    .column_count = HISTOGRAM_COLUMNS,
};

enum litmus_column {
    LITMUS_ADDRESS,
    LITMUS_STORES,
    LITMUS_TRIALS,
    LITMUS_BOTH_OLD,
    LITMUS_SHARE,
    LITMUS_ONE_OLD,
    LITMUS_BOUND,
    LITMUS_COLUMNS
};

static const struct column litmus_columns[LITMUS_COLUMNS] = {
    [LITMUS_ADDRESS] = {"address", "fillers' addresses", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    [LITMUS_STORES] = {"stores", "stores", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [LITMUS_TRIALS] = {"trials", "trials", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
    [LITMUS_BOTH_OLD] = {"both_old", "both loads old", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
    [LITMUS_SHARE] = {"both_old_share", "share", NULL, CELL_REAL, ROLE_MEASURE, 5},
    [LITMUS_ONE_OLD] = {"one_old_share", "one load old", NULL, CELL_REAL, ROLE_MEASURE, 3},
    [LITMUS_BOUND] = {"bound", "last before the fall", NULL, CELL_BOOL, ROLE_LABEL, 0},
};

const struct table_spec sb_litmus_table = {
    .name = "litmus",
    .title = "trials in which both loads overtook all stores before them",
    .note =
        "each CPU stores to its own location, makes stores - 1 further stores and loads the other's location",
    .columns = litmus_columns,
    .column_count = LITMUS_COLUMNS,
    .view = {.kind = VIEW_CURVE,
             .x = LITMUS_STORES,
             .y = LITMUS_SHARE,
             .value = LITMUS_SHARE,
             .series = LITMUS_ADDRESS,
             .flag = LITMUS_BOUND},
};

double sb_cycles(const struct sb_bench *bench, double ticks)
{
    const struct samples *ghz = &bench->run->core_clock->ghz;

    return ticks * bench->run->clock->ns_per_tick * median_of(ghz->value, ghz->count);
}

void sb_point_row(const struct sb_bench *bench, const struct sb_point *point)
{
    const struct cell cells[CURVE_COLUMNS] = {
        [CURVE_EXPERIMENT] = TEXT_CELL(point->experiment),
        [CURVE_STORES] = INTEGER_CELL(point->stores),
        [CURVE_NS] = REAL_CELL(point->minimum_ticks * bench->run->clock->ns_per_tick),
        [CURVE_CYCLES] = REAL_CELL(sb_cycles(bench, point->minimum_ticks)),
        [CURVE_MEDIAN] = REAL_CELL(sb_cycles(bench, point->median_ticks)),
        [CURVE_MEAN] = REAL_CELL(sb_cycles(bench, point->mean_ticks)),
        [CURVE_STALL] = REAL_CELL(point->stall_cycles),
        [CURVE_KNEE] = TEXT_CELL(point->knee),
        [CURVE_SAMPLES] = INTEGER_CELL(point->samples),
    };

    record_row(bench->run->record, bench->curve, cells);
}

const char sb_knee_word[] = "last that fits";

static const char *knee_word(size_t stores, size_t knee, size_t halved_knee)
{
    return stores == knee          ? sb_knee_word
           : stores == halved_knee ? "last that fits while a sibling is active"
                                   : NULL;
}

void sb_curve_rows(const struct sb_bench *bench, const struct sb_sweeps *sweeps, const char *experiment,
                   size_t knee, size_t halved_knee)
{
    double stalls[KNEE_VALUES];

    sb_stalls_read(bench, sweeps, stalls);
    for (size_t stores = sweeps->first; stores <= sweeps->last; stores++) {
        struct sb_point point = {.experiment = experiment,
                                 .stores = stores,
                                 .samples = sweeps->counts.sweeps,
                                 .minimum_ticks = sweeps->minimum[stores - sweeps->first],
                                 .stall_cycles = stalls[stores - sweeps->first],
                                 .knee = knee_word(stores, knee, halved_knee)};

        sb_sweeps_middle(sweeps, stores, &point.median_ticks, &point.mean_ticks);
        sb_point_row(bench, &point);
    }
}

static void histogram_row(const struct sb_bench *bench, const char *experiment, struct cell entries,
                          size_t sweeps, size_t all)
{
    const struct cell cells[HISTOGRAM_COLUMNS] = {
        [HISTOGRAM_EXPERIMENT] = TEXT_CELL(experiment),
        [HISTOGRAM_ENTRIES] = entries,
        [HISTOGRAM_SWEEPS] = INTEGER_CELL(sweeps),
        [HISTOGRAM_SHARE] = REAL_CELL((double)sweeps / (double)all),
    };

    record_row(bench->run->record, bench->histogram, cells);
}

void sb_histogram_rows(const struct sb_bench *bench, const struct knee_counts *counts, const char *experiment)
{
    size_t none = counts->sweeps;

    for (size_t value = 1; value < KNEE_VALUES; value++) {
        if (counts->at[value] == 0)
            continue;
        none -= counts->at[value];
        histogram_row(bench, experiment, INTEGER_CELL(value), counts->at[value], counts->sweeps);
    }
    if (none > 0)
        histogram_row(bench, experiment, NO_CELL, none, counts->sweeps);
}

void sb_litmus_row(const struct sb_bench *bench, size_t table, const struct sb_litmus_point *point)
{
    const double trials = (double)point->trials;
    const struct cell cells[LITMUS_COLUMNS] = {
        [LITMUS_ADDRESS] = TEXT_CELL(point->address),
        [LITMUS_STORES] = INTEGER_CELL(point->stores),
        [LITMUS_TRIALS] = INTEGER_CELL(point->trials),
        [LITMUS_BOTH_OLD] = INTEGER_CELL(point->both_old),
        [LITMUS_SHARE] = REAL_CELL((double)point->both_old / trials),
        [LITMUS_ONE_OLD] = REAL_CELL((double)point->one_old / trials),
        [LITMUS_BOUND] = BOOL_CELL(point->is_bound),
    };

    record_row(bench->run->record, table, cells);
}

void sb_finding(const struct sb_bench *bench, struct finding finding, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    finding.text = text;
    record_finding(bench->run->record, finding);
}
