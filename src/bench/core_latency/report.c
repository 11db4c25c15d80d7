/* SPDX-License-Identifier: MIT */
/* What the rounds amount to: tables with the value, the flags and the spread of every pair, and the answers. */
#include <math.h>

#include "base/text.h"
#include "core_latency.h"

enum pair_column {
    PAIR_FROM,
    PAIR_TO,
    PAIR_RELATION,
    PAIR_LATENCY,
    PAIR_DISTANCE,
    PAIR_FLAGS,
    PAIR_MODES,
    PAIR_FORWARD,
    PAIR_BACKWARD,
    PAIR_LINE_LOW,
    PAIR_LINE_HIGH,
    PAIR_SPREAD,
    PAIR_ROUNDS,
    PAIR_SAMPLES,
    PAIR_DROPPED,
    PAIR_COLUMNS
};

static const struct column pair_columns[PAIR_COLUMNS] = {
    [PAIR_FROM] = {"from", "from CPU", NULL, CELL_CPU, ROLE_PARAMETER, 0},
    [PAIR_TO] = {"to", "to CPU", NULL, CELL_CPU, ROLE_PARAMETER, 0},
    [PAIR_RELATION] = {"relation", "relation", NULL, CELL_CLASS, ROLE_LABEL, 0, relation_names},
    [PAIR_LATENCY] = {"latency_ns", "latency", "ns", CELL_REAL, ROLE_MEASURE, 1},
    [PAIR_DISTANCE] = {"distance", "distance", NULL, CELL_CLASS, ROLE_LABEL, 0, distance_names},
    [PAIR_FLAGS] = {"flags", "flags", NULL, CELL_FLAGS, ROLE_LABEL, 0, cell_flag_names},
    [PAIR_MODES] = {"modes", "modes", NULL, CELL_TEXT, ROLE_LABEL, 0},
    [PAIR_FORWARD] = {"forward_ns", "from -> to", "ns", CELL_REAL, ROLE_MEASURE, 1},
    [PAIR_BACKWARD] = {"backward_ns", "to -> from", "ns", CELL_REAL, ROLE_MEASURE, 1},
    [PAIR_LINE_LOW] = {"line_min_ns", "fastest line", "ns", CELL_REAL, ROLE_MEASURE, 1},
    [PAIR_LINE_HIGH] = {"line_max_ns", "slowest line", "ns", CELL_REAL, ROLE_MEASURE, 1},
    [PAIR_SPREAD] = {"round_spread", "spread of rounds", NULL, CELL_REAL, ROLE_MEASURE, 3},
    [PAIR_ROUNDS] = {"rounds", "rounds", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
    [PAIR_SAMPLES] = {"samples", "samples", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
    [PAIR_DROPPED] = {"dropped", "dropped", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
};

#define MATRIX_VIEW                                                                                          \
    {                                                                                                        \
        .kind = VIEW_MATRIX, .x = PAIR_TO, .y = PAIR_FROM, .value = PAIR_LATENCY, .series = -1,              \
        .shade = true, .flag = PAIR_FLAGS, .spread = PAIR_SPREAD, .class = PAIR_DISTANCE                     \
    }
#define MATRIX_TABLE(key, words, definition)                                                                 \
    {                                                                                                        \
        .name = key, .title = words, .note = definition, .columns = pair_columns,                            \
        .column_count = PAIR_COLUMNS, .view = MATRIX_VIEW                                                    \
    }

static const struct table_spec cell_tables[SERIES_COUNT] = {
    [SERIES_CAS] =
        MATRIX_TABLE("cas", "Compare-and-swap ping-pong on one line, ns one way",
                     "Half a round trip: both CPUs spin on the same word with a bare "
                     "compare-and-swap, the one 0 -> 1, the "
                     "other 1 -> 0. Mean over lines of the p10 of each, lower quartile of the rounds."),
    [SERIES_READWRITE] = MATRIX_TABLE("readwrite", "Load/store ping-pong on two lines, ns one way",
                                      "Half a round trip: each CPU spins on its word with acquiring loads "
                                      "and answers with a releasing store to "
                                      "the other's, 256 bytes apart. Each way is two transactions. "
                                      "Mean over lines of the p10 of each, lower quartile of the rounds."),
    [SERIES_TRANSFER] = MATRIX_TABLE(
        "transfer", "Transfer of a dirty line, ns a load",
        "One CPU has written the lines, the other follows pointers through them in random order: "
        "what a load waits for one line. Median of passes, both directions where not ordered."),
    [SERIES_TRANSFER_RMW] =
        MATRIX_TABLE("transfer_rmw", "Transfer of a dirty line for writing, ns a locked read-modify-write",
                     "As transfer, each step a locked read-modify-write: the line comes to be owned."),
};

void latency_report_begin(struct latency_matrix *matrix)
{
    struct record *record = matrix->run->record;

    for (int series = 0; series < SERIES_COUNT; series++) {
        if (latency_reports(matrix, (enum latency_series)series))
            matrix->table[series] = record_table_add(record, &cell_tables[series]);
    }
}

static struct cell distance_cell(const struct latency_matrix *matrix, int distance)
{
    return distance < 0 ? NO_CELL : INTEGER_CELL(distance_class(&matrix->distances, distance));
}

/* "27.7 ns (23), 105.8 ns (232)": each distance with its measurements; no cell where there are not several. */
static struct cell modes_cell(const struct latency_matrix *matrix, enum latency_series series, size_t pair,
                              struct text *text)
{
    size_t found = 0;

    for (int i = 0; i < (int)matrix->distances.count; i++) {
        struct latency_found at;
        const struct latency_selection wanted = {series, pair, 1, i, STATE_MIXED};
        const double ns = latency_value_at(matrix, &wanted, &at);
        if (at.all > 0)
            text_printf(text, "%s%.1f ns (%zu)", found++ ? ", " : "", ns, at.all);
    }
    return found > 1 ? TEXT_CELL(text->data) : NO_CELL;
}

static void report_cell(const struct latency_matrix *matrix, enum latency_series series, size_t index)
{
    const struct latency_cell *cell = &matrix->cell[series][index];
    const struct pair *pair = &matrix->plan.pair[index];
    const double forward = cell->forward / cell->measured, backward = cell->backward / cell->measured;
    struct text modes = {0};
    const struct cell row[PAIR_COLUMNS] = {
        [PAIR_FROM] = INTEGER_CELL(matrix->place[pair->from].id),
        [PAIR_TO] = INTEGER_CELL(matrix->place[pair->to].id),
        [PAIR_RELATION] = INTEGER_CELL(latency_relation(matrix, index)),
        [PAIR_LATENCY] = REAL_CELL(cell->value),
        [PAIR_DISTANCE] = distance_cell(matrix, cell->distance),
        [PAIR_FLAGS] = INTEGER_CELL(cell->flags),
        [PAIR_MODES] = modes_cell(matrix, series, index, &modes),
        [PAIR_FORWARD] = REAL_CELL(forward),
        [PAIR_BACKWARD] = REAL_CELL(backward),
        [PAIR_LINE_LOW] = REAL_CELL(cell->line_low),
        [PAIR_LINE_HIGH] = REAL_CELL(cell->line_high),
        [PAIR_SPREAD] = REAL_CELL(cell->spread),
        [PAIR_ROUNDS] = INTEGER_CELL(cell->rounds),
        [PAIR_SAMPLES] = INTEGER_CELL(cell->samples),
        [PAIR_DROPPED] = INTEGER_CELL(cell->dropped),
    };
    record_row(matrix->run->record, matrix->table[series], row);
    text_free(&modes);
}

/* Keeps the columns of a matrix of both directions in the order of its rows. */
static void report_diagonal(const struct latency_matrix *matrix, enum latency_series series, int index)
{
    const struct cell cpu = INTEGER_CELL(matrix->place[index].id);
    const struct cell row[PAIR_COLUMNS] = {
        [PAIR_FROM] = cpu, [PAIR_TO] = cpu, [PAIR_RELATION] = INTEGER_CELL(SAME_CPU)};
    record_row(matrix->run->record, matrix->table[series], row);
}

/* In the order of the machine; the plan has that of the measurement. */
static void report_series(const struct latency_matrix *matrix, enum latency_series series)
{
    for (int from = 0; from < matrix->count; from++) {
        for (int to = 0; to < matrix->count; to++) {
            const uint32_t at = matrix->pair_at[(size_t)from * (size_t)matrix->count + (size_t)to];
            if (at)
                report_cell(matrix, series, at - 1);
            else if (from == to && matrix->params->pairs == PAIRS_ORDERED)
                report_diagonal(matrix, series, from);
        }
    }
}

/* A median or an extreme over a part of the pairs may be another one over all. */
static bool every_pair_seen(const struct latency_matrix *matrix, enum latency_series series)
{
    for (size_t i = 0; i < matrix->plan.pair_count; i++) {
        const struct latency_cell *cell = &matrix->cell[series][i];
        if (cell->measured == 0 && cell->failures == 0)
            return false;
    }
    return true;
}

static void add_answers(const struct latency_matrix *matrix,
                        void (*add)(const struct latency_matrix *matrix, enum latency_series series))
{
    for (int i = 0; i < SERIES_COUNT; i++) {
        const enum latency_series series = (enum latency_series)i;
        if (latency_reports(matrix, series) && every_pair_seen(matrix, series))
            add(matrix, series);
    }
}

/* What repeats comes first, the extremes of the pairs last. */
void latency_report(struct latency_matrix *matrix)
{
    for (int i = 0; i < SERIES_COUNT; i++) {
        if (latency_reports(matrix, (enum latency_series)i))
            report_series(matrix, (enum latency_series)i);
    }
    add_answers(matrix, latency_distance_answers);
    latency_placement_answers(matrix);
    latency_common_answers(matrix);
    latency_own_answers(matrix);
    add_answers(matrix, latency_pair_answers);
    latency_warnings(matrix);
}
