/* SPDX-License-Identifier: MIT */
/* Rows become points and series of the engine, and points rows of a table. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "stlf.h"

const struct column stlf_point_columns[C_COUNT] = {
    [C_SERIES] = {"series", "series", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    [C_STORE] = {"store_bytes", "store", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [C_LOAD] = {"load_bytes", "load", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [C_PAIRS] = {"pairs", "pairs", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [C_CODE] = {"code_bytes", "code a pair", "Byte", CELL_SIZE, ROLE_LABEL, 0},
    [C_CYCLES] = {"cycles", "a pair takes", "core cycles", CELL_REAL, ROLE_MEASURE, 2},
    [C_SPREAD] = {"spread", "p90 - p10", "core cycles", CELL_REAL, ROLE_LABEL, 2},
    [C_VERDICT] = {"verdict", "verdict", NULL, CELL_CLASS, ROLE_LABEL, 0},
    [C_STORE_AT] = {"store_offset", "store offset", "Byte", CELL_INTEGER, ROLE_PARAMETER, 0},
    [C_LOAD_AT] = {"load_offset", "load above store", "Byte", CELL_INTEGER, ROLE_PARAMETER, 0},
    [C_GAP] = {"gap", "gap", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [C_ADDED] = {"added", "added", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
};

static bool is_wanted(const struct kernel_filter *any, const struct stlf_series *row,
                      const struct kernel *kernel)
{
    if (row->store_bytes > 0)
        return kernel->bits == 8 * row->store_bytes && kernel->load_bits == 8 * row->load_bytes;
    const struct kernel *like = kernel_next(any, row->like, NULL);
    while (like && (like->bits != kernel->bits || like->load_bits != kernel->load_bits))
        like = kernel_next(any, row->like, like);
    return like;
}

static void add_points(struct stlf_part *part, const struct stlf_series *row, const struct kernel *kernel)
{
    const size_t numbers = row->pairs[0] ? strlen((const char *)row->pairs) : STLF_UNROLL_MAX;
    for (size_t i = 0; i < numbers; i++)
        for (int at = 0; at == 0 || row->above[at]; at++)
            for (uint64_t added = 0; added <= row->added; added++)
                part->point[part->count++] = (struct stlf_point){
                    .kernel = kernel,
                    .store = row->store,
                    .load = row->load + row->above[at] +
                            (kernel->operation == OPERATION_FORWARD_DISPLACED ? kernel->gap : 0),
                    .pairs = row->pairs[0] ? row->pairs[i] : (unsigned)i + 1,
                    .added = added,
                    .series = row->name};
}

void stlf_series_add(struct stlf_part *part, const char *name, size_t first)
{
    struct series *series = part->series;
    while (series->name)
        series++;
    if (part->count > first)
        *series = (struct series){
            .name = name, .first = 1, .last = part->count - first, .apart = true, .row = &part->point[first]};
}

void stlf_points_make(struct stlf_part *part)
{
    part->point = memory_zeroed(STLF_CELLS, sizeof *part->point);
    part->estimate = memory_zeroed(STLF_CELLS + 1, sizeof *part->estimate);
}

void stlf_points_add(struct stlf_part *part)
{
    const struct kernel_filter any = {.allowed = part->stlf->run->kernels.allowed};
    stlf_points_make(part);
    for (const struct stlf_series *row = part->sweep->series; row->name; row++) {
        const size_t first = part->count;
        for (const struct kernel *one = NULL; (one = kernel_next(&any, row->operation, one));)
            if (is_wanted(&any, row, one))
                add_points(part, row, one);
        stlf_series_add(part, row->name, first);
    }
}

struct stlf_curve stlf_curve(const struct stlf_part *part, const char *series)
{
    size_t first = 0, end;
    while (first < part->count && strcmp(part->point[first].series, series) != 0)
        first++;
    for (end = first; end < part->count && strcmp(part->point[end].series, series) == 0;)
        end++;
    return (struct stlf_curve){&part->point[first], &part->estimate[first], end - first};
}

unsigned stlf_bytes_a_pair(const struct kernel *kernel)
{
    return kernel->sled.units ? (unsigned)(kernel->sled.end - kernel->sled.begin) / kernel->sled.units : 0;
}

void stlf_rows(const struct stlf_part *part)
{
    struct record *record = part->stlf->run->record;
    const size_t table = record_table_add(record, &part->sweep->table);
    for (size_t i = 0; i < part->count; i++) {
        const struct stlf_point *point = &part->point[i];
        const struct kernel *kernel = point->kernel;
        const struct estimate *e = &part->estimate[i];
        const bool pair = !stlf_has_no_store(point);
        const bool overlaps = pair && overlap_of(point->store, kernel->bits / 8, point->load,
                                                 kernel->load_bits / 8) != OVERLAP_NONE;
        record_row(record, table,
                   (struct cell[C_COUNT]){
                       [C_SERIES] = TEXT_CELL(point->series),
                       [C_STORE] = pair ? INTEGER_CELL(kernel->bits / 8) : NO_CELL,
                       [C_LOAD] = INTEGER_CELL(pair ? kernel->load_bits / 8 : sizeof(void *)),
                       [C_PAIRS] = pair ? INTEGER_CELL(point->pairs) : NO_CELL,
                       [C_CODE] = pair ? INTEGER_CELL(stlf_bytes_a_pair(kernel)) : NO_CELL,
                       [C_CYCLES] = REAL_CELL(e->value),
                       [C_SPREAD] = REAL_CELL(e->summary.p90 - e->summary.p10),
                       [C_VERDICT] = overlaps && is_renamed(e->value, part->stlf->usual.l1)
                                         ? TEXT_CELL("renamed")
                                         : NO_CELL,
                       [C_STORE_AT] = INTEGER_CELL(point->store),
                       [C_LOAD_AT] = INTEGER_CELL(point->load),
                       [C_GAP] = INTEGER_CELL(kernel->gap),
                       [C_ADDED] = INTEGER_CELL(point->added),
                   });
    }
}
