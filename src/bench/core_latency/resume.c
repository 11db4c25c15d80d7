/* SPDX-License-Identifier: MIT */
/* --resume: pairs that an earlier run has finished are taken over, the others are measured. */
#include <math.h>
#include <string.h>

#include "core_latency.h"
#include "result/subject.h"
#include "uarchprobe/load.h"

enum { ROUNDS_ENOUGH = 3 };

/* Values of another machine or another question must not be mixed in. */
static enum status check_origin(const struct latency_matrix *matrix, const struct record *old,
                                struct fault *fault)
{
    static const char *const alike[] = {"run.command",           "host.cpu.brand",  "host.hypervisor",
                                        "plan.cas_kernel",       "plan.rmw_kernel", "run.core_latency.memory",
                                        "run.core_latency.pairs"};

    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
        const char *before = fact_text(old, alike[i], "");
        const char *here = fact_text(matrix->run->record, alike[i], "");
        if (strcmp(before, here) != 0)
            return fault_set(
                fault, STATUS_USAGE,
                "--resume %s: its %s is \"%s\", here it is \"%s\": give the file of a run like this one",
                matrix->params->resume, alike[i], before, here);
    }
    return STATUS_OK;
}

/* NULL: there is no such column. */
static const struct cell *cell_at(const struct record_table *table, size_t row, const char *key)
{
    for (int i = 0; i < table->spec->column_count; i++) {
        if (strcmp(table->spec->columns[i].key, key) == 0)
            return record_cell(table, row, i);
    }
    return NULL;
}

/* NaN where there is no such number. */
static double number_at(const struct record_table *table, size_t row, const char *key)
{
    const struct cell *cell = cell_at(table, row, key);
    return cell ? cell_number(cell) : NAN;
}

static uint32_t count_at(const struct record_table *table, size_t row, const char *key)
{
    const double value = number_at(table, row, key);
    return value >= 0 && value < (double)UINT32_MAX ? (uint32_t)value : 0;
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

/* The old run's distances are not those of this one. */
static void restore_cell(struct latency_cell *cell, const struct record_table *table, size_t row)
{
    const struct cell *flags = cell_at(table, row, "flags");
    const double value = number_at(table, row, "latency_ns");

    if (isnan(value) || count_at(table, row, "rounds") < ROUNDS_ENOUGH)
        return;
    *cell = (struct latency_cell){.restored = true,
                                  .distance = -1,
                                  .value = (float)value,
                                  .low = NAN,
                                  .high = NAN,
                                  .flags = flags && flags->type == CELL_FLAGS ? (uint8_t)flags->integer : 0,
                                  .spread = (float)number_at(table, row, "round_spread"),
                                  .rounds = count_at(table, row, "rounds"),
                                  .samples = count_at(table, row, "samples"),
                                  .dropped = count_at(table, row, "dropped"),
                                  .line_low = (float)number_at(table, row, "line_min_ns"),
                                  .line_high = (float)number_at(table, row, "line_max_ns"),
                                  .forward = number_at(table, row, "forward_ns"),
                                  .backward = number_at(table, row, "backward_ns"),
                                  .measured = 1,
                                  .verdict = {TRUST_LOW, LEG_NONE}};
}

static void restore_table(struct latency_matrix *matrix, enum latency_series series,
                          const struct record_table *table)
{
    for (size_t row = 0; row < table->row_count; row++) {
        const int from = place_index(matrix, number_at(table, row, "from"));
        const int to = place_index(matrix, number_at(table, row, "to"));
        const uint32_t pair =
            from < 0 || to < 0 ? 0 : matrix->pair_at[(size_t)from * (size_t)matrix->count + (size_t)to];
        if (pair)
            restore_cell(&matrix->cell[series][pair - 1], table, row);
    }
}

static void restore_tables(struct latency_matrix *matrix, const struct record *old)
{
    for (size_t i = 0; i < record_table_count(old); i++) {
        const struct record_table *table = record_table_at(old, i);
        for (int series = 0; series < SERIES_COUNT; series++) {
            if (matrix->cell[series] && strcmp(table->spec->name, latency_series_names[series]) == 0)
                restore_table(matrix, (enum latency_series)series, table);
        }
    }
}

/* A pair is taken over whole or not at all, so that its rounds stay the same for all of its series. */
static void settle_restored(struct latency_matrix *matrix)
{
    for (size_t i = 0; i < matrix->plan.pair_count; i++) {
        bool whole = true;
        for (int series = 0; series < SERIES_COUNT; series++) {
            if (latency_reports(matrix, (enum latency_series)series))
                whole = whole && matrix->cell[series][i].restored;
        }
        matrix->resumed += whole;
        for (int series = 0; series < SERIES_COUNT; series++) {
            if (matrix->cell[series] && !whole)
                latency_cell_clear(&matrix->cell[series][i]);
            else if (matrix->cell[series])
                matrix->cell[series][i].restored = true;
        }
    }
}

enum status latency_resume(struct latency_matrix *matrix, struct fault *fault)
{
    struct record *old = NULL;

    if (!matrix->params->resume || record_load(matrix->params->resume, &old, fault))
        return fault->status;
    if (check_origin(matrix, old, fault) == STATUS_OK) {
        restore_tables(matrix, old);
        settle_restored(matrix);
    }
    record_free(old);
    return fault->status;
}
