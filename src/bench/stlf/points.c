/* SPDX-License-Identifier: MIT */
#include "points.h"

#include <math.h>
#include <string.h>

enum { DISTANCE_FIRST = 6, DISTANCE_LAST = DISTANCE_FIRST + STLF_DISTANCES - 1 };

const struct column stlf_point_columns[C_COUNT] = {
    [C_SERIES] = {"series", "series", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    [C_STORE] = {"store_bytes", "store", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [C_LOAD] = {"load_bytes", "load", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [C_PAIRS] = {"pairs", "pairs", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [C_CODE] = {"code_bytes", "code a pair", "Byte", CELL_SIZE, ROLE_LABEL, 0},
    [C_CYCLES] = {"cycles", "a pair takes", "core cycles", CELL_REAL, ROLE_MEASURE, 2},
    [C_SPREAD] = {"spread", "p90 - p10", "core cycles", CELL_REAL, ROLE_LABEL, 2},
    [C_VERDICT] = {"verdict", "verdict", NULL, CELL_CLASS, ROLE_LABEL, 0},
    [C_ACTIVE] = {"cycles_sibling_active", "sibling active", "core cycles", CELL_REAL, ROLE_LABEL, 2},
    [C_STORE_AT] = {"store_offset", "store offset", "Byte", CELL_INTEGER, ROLE_PARAMETER, 0},
    [C_LOAD_AT] = {"load_offset", "load above store", "Byte", CELL_INTEGER, ROLE_PARAMETER, 0},
    [C_GAP] = {"gap", "gap", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [C_ADDED] = {"added", "added", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
};

static void add_point(struct stlf_set *set, struct stlf_point point)
{
    if (point.kernel && set->count < STLF_POINTS_MOST)
        set->point[set->count++] = point;
}

static struct stlf_point point_of(const struct stlf *stlf, const struct stlf_series *series)
{
    return (struct stlf_point){
        .kernel = stlf_kernel(stlf->run, series->operation, series->store_bytes, series->load_bytes),
        .series = series->name,
        .store = series->store,
        .load = series->load,
        .pairs = series->pairs};
}

void stlf_one(const struct stlf *stlf, const struct stlf_series *series, struct stlf_set *set)
{
    add_point(set, point_of(stlf, series));
}

void stlf_over_pairs(const struct stlf *stlf, const struct stlf_series *series, struct stlf_set *set)
{
    struct stlf_point point = point_of(stlf, series);
    for (point.pairs = 1; point.pairs <= STLF_UNROLL_MAX; point.pairs++)
        add_point(set, point);
}

void stlf_over_loops(const struct stlf *stlf, const struct stlf_series *series, struct stlf_set *set)
{
    struct stlf_point point = point_of(stlf, series);
    for (point.pairs = 2; point.pairs <= STLF_UNROLL_MAX; point.pairs *= 2)
        add_point(set, point);
}

static bool is_of_width(const struct kernel *kernel, const struct stlf_series *series)
{
    return series->store_bytes == 0 ||
           (kernel->bits == 8 * series->store_bytes && kernel->load_bits == 8 * series->load_bytes);
}

void stlf_over_gaps(const struct stlf *stlf, const struct stlf_series *series, struct stlf_set *set)
{
    const struct kernel_filter any = {.allowed = stlf->run->kernels.allowed};
    struct stlf_point point = point_of(stlf, series);
    for (point.kernel = NULL; (point.kernel = kernel_next(&any, series->operation, point.kernel));) {
        if (is_of_width(point.kernel, series))
            add_point(set, point);
    }
}

void stlf_over_distances(const struct stlf *stlf, const struct stlf_series *series, struct stlf_set *set)
{
    struct stlf_point point = point_of(stlf, series);
    for (int bit = DISTANCE_FIRST; bit <= DISTANCE_LAST; bit++) {
        point.load = series->load + (1L << bit);
        add_point(set, point);
    }
}

void stlf_over_values(const struct stlf *stlf, const struct stlf_series *series, struct stlf_set *set)
{
    struct stlf_point point = point_of(stlf, series);
    for (int i = 0; i < 4; i++) {
        point.pairs = i / 2 ? STLF_UNROLL_MAX : STLF_FEW_PAIRS;
        point.added = (uint64_t)(i % 2);
        add_point(set, point);
    }
}

void stlf_over_widths(const struct stlf *stlf, const struct stlf_series *series, struct stlf_set *set)
{
    const struct kernel_filter any = {.allowed = stlf->run->kernels.allowed};
    const struct kernel *one = kernel_next(&any, OPERATION_FORWARD_SAME_BASE, NULL);
    for (; one; one = kernel_next(&any, OPERATION_FORWARD_SAME_BASE, one)) {
        struct stlf_point point = {
            .kernel = stlf_kernel(stlf->run, series->operation, one->bits / 8, one->load_bits / 8),
            .series = series->name};
        for (int i = 0; i < 2; i++) {
            point.pairs = i ? STLF_UNROLL_MAX : STLF_FEW_PAIRS;
            add_point(set, point);
        }
    }
}

static bool is_as_wide(const struct kernel *a, const struct kernel *b)
{
    return a->bits == b->bits && a->load_bits == b->load_bits;
}

/* Vectors take longer to be forwarded than what the summary measures: they have levels of their own where the set has them. */
static struct stlf_levels levels_for(const struct stlf *stlf, const struct stlf_set *set, size_t index)
{
    const struct kernel *kernel = set->point[index].kernel;
    const enum state state = set->estimate[index].state;
    const struct stlf_levels usual = stlf_levels_in(stlf, state);
    double same = NAN, partial = NAN;
    if (kernel->bits <= 64 && kernel->load_bits <= 64)
        return usual;
    for (size_t i = 0; i < set->count; i++) {
        const struct stlf_point *point = &set->point[i];
        const double cycles = set->estimate[i].value;
        if (!is_as_wide(point->kernel, kernel) || set->estimate[i].state != state)
            continue;
        if (point->store != point->load)
            partial = fmin(partial, cycles);
        else if (!is_renamed(cycles, usual.l1))
            same = fmin(same, cycles);
    }
    return stlf_levels_of_width(&usual, same, partial);
}

void stlf_over_displacements(const struct stlf *stlf, const struct stlf_series *series, struct stlf_set *set)
{
    const struct kernel_filter any = {.allowed = stlf->run->kernels.allowed};
    const struct kernel *one = kernel_next(&any, OPERATION_FORWARD_DISPLACED, NULL);
    for (; one; one = kernel_next(&any, OPERATION_FORWARD_DISPLACED, one)) {
        struct stlf_point point = point_of(stlf, series);
        point.kernel = series->operation == OPERATION_FORWARD_DISPLACED ? one : point.kernel;
        point.load = one->gap;
        add_point(set, point);
    }
}

void stlf_over_vectors(const struct stlf *stlf, const struct stlf_series *series, struct stlf_set *set)
{
    const struct kernel_filter any = {.allowed = stlf->run->kernels.allowed};
    const struct kernel *one = kernel_next(&any, OPERATION_FORWARD_SAME_BASE, NULL);
    for (; one; one = kernel_next(&any, OPERATION_FORWARD_SAME_BASE, one)) {
        struct stlf_point point = point_of(stlf, series);
        point.kernel = stlf_kernel(stlf->run, series->operation, one->bits / 8, one->load_bits / 8);
        point.store = one->bits / 16;
        if (one->bits > 64)
            add_point(set, point);
    }
}

/* Its cycles are not those of the load alone. */
static bool has_slack(const struct kernel *kernel)
{
    return kernel->operation == OPERATION_FORWARD_SLACK || kernel->operation == OPERATION_CHAIN_MUL ||
           (kernel->operation == OPERATION_FORWARD_LA && kernel->gap > 0);
}

void stlf_rows(struct stlf *stlf, size_t table, const struct stlf_set *set,
               bool (*shown)(const struct stlf_point *point))
{
    for (size_t i = 0; i < set->count; i++) {
        const struct stlf_point *point = &set->point[i];
        const bool pair = !stlf_has_no_store(point);
        const struct stlf_levels levels = levels_for(stlf, set, i);
        const char *word =
            has_slack(point->kernel) ? NULL : stlf_word(&levels, point, set->estimate[i].value);
        if (shown && !shown(point))
            continue;
        record_row(stlf->run->record, table,
                   (struct cell[C_COUNT]){
                       [C_SERIES] = TEXT_CELL(point->series),
                       [C_STORE] = pair ? INTEGER_CELL(point->kernel->bits / 8) : NO_CELL,
                       [C_LOAD] = INTEGER_CELL(pair ? point->kernel->load_bits / 8 : sizeof(void *)),
                       [C_PAIRS] = pair ? INTEGER_CELL(point->pairs) : NO_CELL,
                       [C_CODE] = pair ? INTEGER_CELL(stlf_bytes_a_pair(point->kernel)) : NO_CELL,
                       [C_CYCLES] = REAL_CELL(set->estimate[i].value),
                       [C_SPREAD] = REAL_CELL(stlf_spread(&set->estimate[i])),
                       [C_VERDICT] = word ? TEXT_CELL(word) : NO_CELL,
                       [C_ACTIVE] = REAL_CELL(set->active[i].value),
                       [C_STORE_AT] = INTEGER_CELL(point->store),
                       [C_LOAD_AT] = INTEGER_CELL(point->load),
                       [C_GAP] = INTEGER_CELL(point->kernel->gap),
                       [C_ADDED] = INTEGER_CELL(point->added),
                   });
    }
}

enum status stlf_sweep(struct stlf *stlf, const struct stlf_sweep *sweep, struct fault *fault)
{
    struct stlf_set set;
    stlf_set_init(&set, STLF_POINTS_MOST);
    set.count = 0;
    set.pairs = 4 * STLF_PAIRS_A_SAMPLE;
    set.enough = sweep->enough;
    for (int i = 0; i < sweep->count; i++)
        sweep->series[i].points(stlf, &sweep->series[i], &set);
    const struct engine_effort *effort = &stlf->effort;
    const enum status status = stlf_measure(&stlf->lab, &set, effort, fault);
    if (sweep == &stlf_summary)
        RECORD_FACTS(stlf->run->record, {"run.stlf.rounds", .value = INTEGER_CELL(set.rounds)},
                     {"run.stlf.samples", .value = INTEGER_CELL(effort->samples)});
    if (status == STATUS_OK && set.complete) {
        const size_t table = record_table_add(stlf->run->record, sweep->table);
        if (sweep->report)
            sweep->report(stlf, &set);
        stlf_rows(stlf, table, &set, sweep->shown);
    }
    stlf_set_free(&set);
    return fault->status;
}

size_t stlf_series_at(const struct stlf_set *set, const char *name, size_t *count)
{
    size_t first = 0;
    while (first < set->count && strcmp(set->point[first].series, name) != 0)
        first++;
    *count = 0;
    while (first + *count < set->count && strcmp(set->point[first + *count].series, name) == 0)
        ++*count;
    return first;
}
