/* SPDX-License-Identifier: MIT */
/* How results are written: answers, and a table of each series with the value, the flags and the spread of every pair. */
#include <math.h>

#include "base/text.h"
#include "core_latency.h"

/* Of a pair; rows are written in this order. */
static const struct column pair_columns[] = {
    {"from", "from CPU", NULL, CELL_CPU, ROLE_PARAMETER, 0},
    {"to", "to CPU", NULL, CELL_CPU, ROLE_PARAMETER, 0},
    {"relation", "relation", NULL, CELL_CLASS, ROLE_LABEL, 0, relation_names},
    {"latency_ns", "latency", "ns", CELL_REAL, ROLE_MEASURE, 1},
    {"distance", "distance", NULL, CELL_CLASS, ROLE_LABEL, 0, distance_names},
    {"flags", "flags", NULL, CELL_FLAGS, ROLE_LABEL, 0, cell_flag_names},
    {"round_spread", "spread of rounds", NULL, CELL_REAL, ROLE_MEASURE, 3},
    {"modes", "modes", NULL, CELL_TEXT, ROLE_LABEL, 0},
    {"forward_ns", "from -> to", "ns", CELL_REAL, ROLE_MEASURE, 1},
    {"backward_ns", "to -> from", "ns", CELL_REAL, ROLE_MEASURE, 1},
    {"line_min_ns", "fastest line", "ns", CELL_REAL, ROLE_MEASURE, 1},
    {"line_max_ns", "slowest line", "ns", CELL_REAL, ROLE_MEASURE, 1},
    {"rounds", "rounds", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
    {"samples", "samples", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
    {"dropped", "dropped", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
};
enum { PAIR_FROM, PAIR_TO, PAIR_RELATION, PAIR_LATENCY, PAIR_DISTANCE, PAIR_FLAGS, PAIR_SPREAD };
enum { PAIR_COLUMNS = sizeof pair_columns / sizeof *pair_columns };

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

void latency_answer(const struct latency_matrix *matrix, enum latency_series series, struct answer answer,
                    const char *format, ...)
{
    const char *name = series == SERIES_COUNT ? "" : latency_series[series].name;
    struct text key = {0}, label = {0}, remark = {0};
    va_list arguments;

    text_printf(&key, "%s%s%s", name, *name ? "." : "", answer.key);
    text_printf(&label, "%s%s%s", name, *name ? ", " : "", answer.label);
    va_start(arguments, format);
    text_vprintf(&remark, format, arguments);
    va_end(arguments);
    answer.key = key.data;
    answer.label = label.data;
    answer.remark = remark.length ? remark.data : NULL;
    if (!matrix->complete && answer.trust == TRUST_HIGH)
        answer.trust = TRUST_MEDIUM;
    record_answer(matrix->run->record, answer);
    text_free(&key);
    text_free(&label);
    text_free(&remark);
}

/* "27.7 ns (23), 105.8 ns (232)": each distance with its measurements; no cell where there are not several. */
static struct cell modes_cell(const struct latency_matrix *matrix, enum latency_series series, size_t pair,
                              struct text *text)
{
    size_t found = 0;

    for (int i = 0; i < (int)matrix->distances.count; i++) {
        const struct latency_selection wanted = {series, SERIES_COUNT, pair, 1, i};
        struct latency_selected at = latency_select(matrix, &wanted);
        if (at.all > 0)
            text_printf(text, "%s%.1f ns (%zu)", found++ ? ", " : "", at.estimate.value, at.all);
        latency_selected_free(&at);
    }
    return found > 1 ? TEXT_CELL(text->data) : NO_CELL;
}

static void report_pair(const struct latency_matrix *matrix, enum latency_series series, size_t table,
                        size_t from, size_t to)
{
    const uint32_t at = matrix->pair_at[from * (size_t)matrix->count + to];
    const struct cell cpu[] = {INTEGER_CELL(matrix->place[from].id), INTEGER_CELL(matrix->place[to].id)};
    struct text modes = {0};

    if (at) {
        const struct latency_cell *cell = &matrix->cell[series][at - 1];
        const int class = cell->distance < 0 ? 0 : distance_class(&matrix->distances, cell->distance);
        const struct cell row[PAIR_COLUMNS] = {cpu[0],
                                               cpu[1],
                                               INTEGER_CELL(latency_relation(matrix, at - 1)),
                                               REAL_CELL(cell->value),
                                               cell->distance < 0 ? NO_CELL : INTEGER_CELL(class),
                                               INTEGER_CELL(cell->flags),
                                               REAL_CELL(cell->spread),
                                               modes_cell(matrix, series, at - 1, &modes),
                                               REAL_CELL(cell->forward / cell->measured),
                                               REAL_CELL(cell->backward / cell->measured),
                                               REAL_CELL(cell->line_low),
                                               REAL_CELL(cell->line_high),
                                               INTEGER_CELL(cell->rounds),
                                               INTEGER_CELL(cell->samples),
                                               INTEGER_CELL(cell->dropped)};
        record_row(matrix->run->record, table, row);
    } else if (from == to && matrix->params->pairs == PAIRS_ORDERED) {
        /* Keeps the columns of a matrix of both directions in the order of its rows. */
        const struct cell row[PAIR_COLUMNS] = {cpu[0], cpu[1], INTEGER_CELL(SAME_CPU)};
        record_row(matrix->run->record, table, row);
    }
    text_free(&modes);
}

/* In the order of the machine; the plan has that of the measurement. */
void latency_report(const struct latency_matrix *matrix)
{
    const size_t count = (size_t)matrix->count;

    for (int series = 0; series < SERIES_COUNT; series++) {
        if (!latency_reports(matrix, (enum latency_series)series))
            continue;
        const size_t table = record_table_add(matrix->run->record, &cell_tables[series]);
        for (size_t i = 0; i < count * count; i++)
            report_pair(matrix, (enum latency_series)series, table, i / count, i % count);
    }
}
