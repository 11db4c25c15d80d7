/* SPDX-License-Identifier: MIT */
/* --resume: pairs that an earlier run has finished are taken over, the others are measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "result/subject.h"
#include "uarchprobe/load.h"

enum { ROUNDS_ENOUGH = 3 };

static const char *text_fact(const struct record *record, const char *path)
{
    return fact_text(record, path, "");
}

/* Values of another machine or another question must not be mixed in. */
static enum status check_origin(const struct latency_matrix *matrix, const struct record *old,
                                struct fault *fault)
{
    static const char *const alike[] = {"run.command",           "host.cpu.brand",  "host.hypervisor",
                                        "plan.cas_kernel",       "plan.rmw_kernel", "run.core_latency.memory",
                                        "run.core_latency.pairs"};
    const struct record *now = matrix->run->record;

    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
        const char *before = text_fact(old, alike[i]), *here = text_fact(now, alike[i]);
        if (strcmp(before, here) != 0)
            return fault_set(
                fault, STATUS_USAGE,
                "--resume %s: its %s is \"%s\", here it is \"%s\": give the file of a run like this one",
                matrix->params->resume, alike[i], before, here);
    }
    return STATUS_OK;
}

static int column_of(const struct record_table *table, const char *key)
{
    for (int i = 0; i < table->spec->column_count; i++) {
        if (strcmp(table->spec->columns[i].key, key) == 0)
            return i;
    }
    return -1;
}

/* NaN where there is no such number. */
static double number_at(const struct record_table *table, size_t row, const char *key)
{
    const int column = column_of(table, key);
    if (column < 0)
        return NAN;
    return cell_number(record_cell(table, row, column));
}

static unsigned flags_at(const struct record_table *table, size_t row)
{
    const int column = column_of(table, "flags");
    const struct cell *cell = column < 0 ? NULL : record_cell(table, row, column);
    return cell && cell->type == CELL_FLAGS ? (unsigned)cell->integer : 0;
}

/* Index of the place of a CPU; -1: not among those of this run. */
static int place_index(const struct latency_matrix *matrix, double cpu)
{
    for (int i = 0; i < matrix->count; i++) {
        if (matrix->place[i].id == cpu)
            return i;
    }
    return -1;
}

static uint64_t count_at(const struct record_table *table, size_t row, const char *key)
{
    const double value = number_at(table, row, key);
    return value >= 0 && value < (double)UINT32_MAX ? (uint64_t)value : 0;
}

/* The old run's distances are not those of this one. */
static void restore_cell(struct latency_cell *cell, const struct record_table *table, size_t row)
{
    const double value = number_at(table, row, "latency_ns");

    if (isnan(value) || count_at(table, row, "rounds") < ROUNDS_ENOUGH)
        return;
    cell->restored = true;
    cell->flags = (uint8_t)flags_at(table, row);
    cell->value = (float)value;
    cell->spread = (float)number_at(table, row, "round_spread");
    cell->rounds = (uint32_t)count_at(table, row, "rounds");
    cell->samples = count_at(table, row, "samples");
    cell->dropped = count_at(table, row, "dropped");
    cell->line_low = (float)number_at(table, row, "line_min_ns");
    cell->line_high = (float)number_at(table, row, "line_max_ns");
    cell->forward = number_at(table, row, "forward_ns");
    cell->backward = number_at(table, row, "backward_ns");
    cell->turns = 1;
    cell->trust = TRUST_LOW;
}

/* pair_at: place_count x place_count, index of the pair + 1. */
static void restore_table(struct latency_matrix *matrix, enum handover_series series,
                          const struct record_table *table, const uint32_t *pair_at)
{
    for (size_t row = 0; row < table->row_count; row++) {
        const int from = place_index(matrix, number_at(table, row, "from"));
        const int to = place_index(matrix, number_at(table, row, "to"));
        const uint32_t pair =
            from < 0 || to < 0 ? 0 : pair_at[(size_t)from * (size_t)matrix->count + (size_t)to];
        if (pair)
            restore_cell(&matrix->cell[series][pair - 1], table, row);
    }
}

static void restore_tables(struct latency_matrix *matrix, const struct record *old, const uint32_t *pair_at)
{
    for (size_t i = 0; i < record_table_count(old); i++) {
        const struct record_table *table = record_table_at(old, i);
        for (int series = 0; series < SERIES_COUNT; series++) {
            if (matrix->cell[series] && strcmp(table->spec->name, handover_series_names[series]) == 0)
                restore_table(matrix, (enum handover_series)series, table, pair_at);
        }
    }
}

/* A pair is taken over whole or not at all, so that its rounds stay the same for all of its series. */
static void settle_restored(struct latency_matrix *matrix)
{
    for (size_t i = 0; i < matrix->plan.pair_count; i++) {
        bool whole = true;
        for (int series = 0; series < SERIES_COUNT; series++) {
            if (latency_reports(matrix, (enum handover_series)series))
                whole = whole && matrix->cell[series][i].restored;
        }
        matrix->resumed += whole;
        for (int series = 0; series < SERIES_COUNT; series++) {
            if (!matrix->cell[series])
                continue;
            if (whole)
                matrix->cell[series][i].restored = true;
            else
                latency_cell_clear(&matrix->cell[series][i]);
        }
    }
}

enum status latency_resume(struct latency_matrix *matrix, struct fault *fault)
{
    const size_t count = (size_t)matrix->count;
    struct record *old = NULL;

    if (record_load(matrix->params->resume, &old, fault))
        return fault->status;
    uint32_t *pair_at = calloc(count * count, sizeof *pair_at);
    if (!pair_at)
        fault_set(fault, STATUS_NO_RESOURCE, "out of memory for %d CPUs", matrix->count);
    if (pair_at && check_origin(matrix, old, fault) == STATUS_OK) {
        for (size_t i = 0; i < matrix->plan.pair_count; i++) {
            const struct pair *pair = &matrix->plan.pair[i];
            pair_at[(size_t)pair->from * count + (size_t)pair->to] = (uint32_t)i + 1;
        }
        restore_tables(matrix, old, pair_at);
        settle_restored(matrix);
    }
    free(pair_at);
    record_free(old);
    return fault->status;
}
