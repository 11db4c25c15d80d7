/* SPDX-License-Identifier: MIT */
/* Series of points as rows: measured, and written as rows of a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

enum { POINTS_MOST = 5 * STLF_UNROLL_MAX };

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

void stlf_set_init(struct stlf_set *set, size_t count)
{
    *set = (struct stlf_set){.count = count,
                             .pairs = STLF_PAIRS_A_SAMPLE,
                             .point = memory_zeroed(count, sizeof *set->point),
                             .estimate = memory_zeroed(count, sizeof *set->estimate),
                             .active = memory_zeroed(count, sizeof *set->active)};
}

void stlf_set_free(struct stlf_set *set)
{
    free(set->point);
    free(set->estimate);
    free(set->active);
    memset(set, 0, sizeof *set);
}

bool stlf_has_no_store(const struct stlf_point *point)
{
    return point->kernel->operation == OPERATION_LATENCY || point->kernel->operation == OPERATION_CHAIN_MUL;
}

bool stlf_may_be_renamed(const struct stlf_point *point)
{
    return point->store == point->load || point->kernel->operation == OPERATION_FORWARD_SAME_BASE ||
           point->kernel->operation == OPERATION_FORWARD_DISPLACED;
}

static void add_point(struct stlf_set *set, struct stlf_point point)
{
    if (point.kernel && set->count < POINTS_MOST)
        set->point[set->count++] = point;
}

/* Of each kernel of an operation: itself, or the one of the series that is as wide. */
static void add_kernels(const struct stlf *stlf, const struct stlf_series *series, struct stlf_point point,
                        struct stlf_set *set)
{
    const struct kernel_filter any = {.allowed = stlf->run->kernels.allowed};
    const enum operation each = series->over == OVER_GAPS            ? series->operation
                                : series->over == OVER_DISPLACEMENTS ? OPERATION_FORWARD_DISPLACED
                                                                     : OPERATION_FORWARD_SAME_BASE;
    for (const struct kernel *one = NULL; (one = kernel_next(&any, each, one));) {
        point.kernel = each == series->operation
                           ? one
                           : stlf_kernel(stlf->run, series->operation, one->bits / 8, one->load_bits / 8);
        if (series->over == OVER_DISPLACEMENTS)
            point.load = one->gap;
        if (series->over == OVER_VECTORS)
            point.store = one->bits / 16;
        if (series->over == OVER_GAPS && series->store_bytes > 0 &&
            (one->bits != 8 * series->store_bytes || one->load_bits != 8 * series->load_bytes))
            continue;
        if (series->over == OVER_VECTORS && one->bits <= 64)
            continue;
        if (series->over == OVER_WIDTHS) {
            point.pairs = STLF_FEW_PAIRS;
            add_point(set, point);
            point.pairs = STLF_UNROLL_MAX;
        }
        add_point(set, point);
    }
}

static void add_series(const struct stlf *stlf, const struct stlf_series *series, struct stlf_set *set)
{
    struct stlf_point point = {
        .kernel = stlf_kernel(stlf->run, series->operation, series->store_bytes, series->load_bytes),
        .series = series->name,
        .store = series->store,
        .load = series->load,
        .pairs = series->pairs};
    switch (series->over) {
    case OVER_NOTHING:
        add_point(set, point);
        break;
    case OVER_PAIRS:
        for (point.pairs = 1; point.pairs <= STLF_UNROLL_MAX; point.pairs++)
            add_point(set, point);
        break;
    case OVER_LOOPS:
        for (point.pairs = 2; point.pairs <= STLF_UNROLL_MAX; point.pairs *= 2)
            add_point(set, point);
        break;
    case OVER_DISTANCES:
        for (int i = 0; i < STLF_DISTANCES; i++) {
            point.load = series->load + (64L << i);
            add_point(set, point);
        }
        break;
    case OVER_VALUES:
        for (int i = 0; i < 4; i++) {
            point.pairs = i / 2 ? STLF_UNROLL_MAX : STLF_FEW_PAIRS;
            point.added = (uint64_t)(i % 2);
            add_point(set, point);
        }
        break;
    case OVER_GAPS:
    case OVER_WIDTHS:
    case OVER_DISPLACEMENTS:
    case OVER_VECTORS:
        add_kernels(stlf, series, point, set);
    }
}

/* Vectors take longer to be forwarded than the widths of the summary: they have levels of their own where the set has them. */
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
        if (point->kernel->bits != kernel->bits || point->kernel->load_bits != kernel->load_bits ||
            set->estimate[i].state != state)
            continue;
        if (point->store != point->load)
            partial = fmin(partial, cycles);
        else if (!is_renamed(cycles, usual.l1))
            same = fmin(same, cycles);
    }
    return stlf_levels_of_width(&usual, same, partial);
}

void stlf_rows(struct stlf *stlf, size_t table, const struct stlf_set *set,
               bool (*shown)(const struct stlf_point *point))
{
    for (size_t i = 0; i < set->count; i++) {
        const struct stlf_point *point = &set->point[i];
        const struct kernel *kernel = point->kernel;
        const bool pair = !stlf_has_no_store(point);
        const struct stlf_levels levels = levels_for(stlf, set, i);
        const char *word = stlf_word(&levels, point, set->estimate[i].value);
        if (shown && !shown(point))
            continue;
        record_row(stlf->run->record, table,
                   (struct cell[C_COUNT]){
                       [C_SERIES] = TEXT_CELL(point->series),
                       [C_STORE] = pair ? INTEGER_CELL(kernel->bits / 8) : NO_CELL,
                       [C_LOAD] = INTEGER_CELL(pair ? kernel->load_bits / 8 : sizeof(void *)),
                       [C_PAIRS] = pair ? INTEGER_CELL(point->pairs) : NO_CELL,
                       [C_CODE] = pair ? INTEGER_CELL(stlf_bytes_a_pair(kernel)) : NO_CELL,
                       [C_CYCLES] = REAL_CELL(set->estimate[i].value),
                       [C_SPREAD] = REAL_CELL(set->estimate[i].summary.p90 - set->estimate[i].summary.p10),
                       [C_VERDICT] = word ? TEXT_CELL(word) : NO_CELL,
                       [C_ACTIVE] = REAL_CELL(set->active[i].value),
                       [C_STORE_AT] = INTEGER_CELL(point->store),
                       [C_LOAD_AT] = INTEGER_CELL(point->load),
                       [C_GAP] = INTEGER_CELL(kernel->gap),
                       [C_ADDED] = INTEGER_CELL(point->added),
                   });
    }
}

enum status stlf_sweep(struct stlf *stlf, const struct stlf_sweep *sweep, struct fault *fault)
{
    struct stlf_set set;
    stlf_set_init(&set, POINTS_MOST);
    set.count = 0;
    set.pairs = 4 * STLF_PAIRS_A_SAMPLE;
    set.enough = sweep->enough;
    for (int i = 0; i < sweep->count; i++)
        add_series(stlf, &sweep->series[i], &set);
    stlf_measure(stlf, &set, fault);
    if (sweep == &stlf_summary)
        RECORD_FACTS(stlf->run->record, {"run.stlf.rounds", .value = INTEGER_CELL(set.rounds)},
                     {"run.stlf.samples", .value = INTEGER_CELL(stlf->effort.samples)});
    if (fault->status == STATUS_OK && set.complete) {
        const size_t table = record_table_add(stlf->run->record, sweep->table);
        const struct stlf_set active = stlf_active_set(&set);
        if (sweep->report)
            sweep->report(stlf, &set);
        if (sweep->both && active.count > 0)
            sweep->report(stlf, &active);
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
