/* SPDX-License-Identifier: MIT */
/* A table of each series with the value, the flags and the spread of every pair; and the warnings. */
#include <math.h>

#include "base/text.h"
#include "core_latency.h"
#include "uarchprobe/experiment.h"

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
        .shade = true, .flag = PAIR_FLAGS, .class = PAIR_DISTANCE                                            \
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

static void report_pair(const struct latency_matrix *matrix, enum latency_series series, size_t table,
                        size_t from, size_t to)
{
    const uint32_t at = matrix->plan.at[from * (size_t)matrix->count + to];
    const struct cell cpu[] = {INTEGER_CELL(matrix->place[from].id), INTEGER_CELL(matrix->place[to].id)};
    struct text modes = {0};
    size_t found = 0;
    /* Keeps the columns of a matrix of both directions in the order of its rows. */
    if (!at && from == to && matrix->params->pairs == PAIRS_ORDERED)
        record_row(matrix->run->record, table,
                   (const struct cell[PAIR_COLUMNS]){cpu[0], cpu[1], INTEGER_CELL(SAME_CPU)});
    if (!at)
        return;
    /* "27.7 ns (23), 105.8 ns (232)": each distance with its measurements; none where there are not several. */
    for (int i = 0; i < (int)matrix->distances.count; i++) {
        const struct latency_selected there =
            latency_select(matrix, (struct latency_selection){series, SERIES_COUNT, (int)at - 1, i});
        if (there.estimate.summary.count > 0)
            text_printf(&modes, "%s%.1f ns (%zu)", found++ ? ", " : "", there.estimate.value, there.count);
    }
    const struct latency_cell *cell = latency_cell(matrix, series, at - 1);
    const struct distance *distance = cell->distance < 0 ? NULL : &matrix->distances.of[cell->distance];
    record_row(matrix->run->record, table,
               (const struct cell[PAIR_COLUMNS]){
                   cpu[0], cpu[1], INTEGER_CELL(latency_relation(matrix, at - 1)), REAL_CELL(cell->value),
                   distance ? INTEGER_CELL(distance->name) : NO_CELL, INTEGER_CELL(cell->flags),
                   REAL_CELL(cell->spread), found > 1 ? TEXT_CELL(modes.data) : NO_CELL,
                   REAL_CELL(cell->forward / cell->measured), REAL_CELL(cell->backward / cell->measured),
                   REAL_CELL(cell->line_low), REAL_CELL(cell->line_high), INTEGER_CELL(cell->rounds),
                   INTEGER_CELL(cell->samples), INTEGER_CELL(cell->dropped)});
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

static void warn_of_rounds(const struct latency_matrix *matrix, struct run *run)
{
    if (matrix->out_of_time)
        effort_warn(run, &(struct engine_effort){.rounds = matrix->least_rounds}, &matrix->data);
    else if (matrix->data.end == ENGINE_BUDGET)
        record_warning(run->record, "late",
                       "%llu of %llu rounds were made in %.1f s, where %.1f were planned: pairs seldom had "
                       "their CPUs at once (-r takes all rounds); results rest on less",
                       (unsigned long long)matrix->data.rounds, (unsigned long long)matrix->least_rounds,
                       matrix->data.seconds, latency_planned_s(matrix));
    const bool checked = !isnan(matrix->parallel_bias);
    if (!checked && matrix->plan.widest > 1 && matrix->complete)
        record_warning(run->record, "parallel_bias",
                       "pairs were measured in parallel, and none of them gave a value alone: --serial "
                       "measures them one by one");
    if (checked && matrix->plan.widest == 1)
        record_warning(run->record, "parallel_bias",
                       "pairs alone differed by %.1f %% from pairs in parallel: all were measured one by one",
                       100 * matrix->parallel_bias);
}

void latency_warnings(const struct latency_matrix *matrix, struct run *run, struct fault *fault)
{
    static const char *const kind[CELL_FLAGS_COUNT] = {
        "were found at several distances: the CPUs were moved, and the matrix is a snapshot",
        "do not repeat within 10 %",
        "shared a CPU with something else, in most rounds or in more than 5 % of the samples",
        "contradict the topology shown: the host decides where CPUs run",
        "take over 10 % longer in one direction: where the lines lie makes a difference",
    };
    const size_t pairs = matrix->plan.pair_count;
    size_t flagged[CELL_FLAGS_COUNT] = {0}, missing = 0, without = 0;
    for (size_t i = 0; i < pairs; i++) {
        unsigned flags = 0, values = 0, wanted = 0;
        for (enum latency_series series = 0; series < SERIES_COUNT; series++) {
            /* Of a CPU with itself, readwrite has no meaning. */
            if (!latency_reports(matrix, series) ||
                (series == SERIES_READWRITE && latency_relation(matrix, i) == SAME_CPU))
                continue;
            wanted++;
            values += !isnan(latency_cell(matrix, series, i)->value);
            flags |= latency_cell(matrix, series, i)->flags;
        }
        for (unsigned k = 0; k < CELL_FLAGS_COUNT; k++)
            flagged[k] += flags >> k & 1;
        missing += values < wanted;
        without += values == 0;
    }
    run->untrusted = missing > 0 || record_has_low_trust(run->record);
    for (size_t k = 0; k < CELL_FLAGS_COUNT; k++)
        if (flagged[k]) {
            run->untrusted = true;
            record_warning(run->record, cell_flag_names[k], "%zu of %zu pairs %s", flagged[k], pairs,
                           kind[k]);
        }
    if (missing)
        record_warning(run->record, "unmeasured", "%zu of %zu pairs have a value missing: %s", missing, pairs,
                       matrix->complete
                           ? "their CPUs never ran together for long enough (busy, or no longer allowed)"
                           : "the run was cut short");
    warn_of_rounds(matrix, run);
    run->left_out = !matrix->complete || missing > 0;
    /* Values that no pair gave, in time enough, are no result. */
    if (without == pairs && matrix->complete && fault->status == STATUS_OK)
        fault_set(
            fault, STATUS_FAILED,
            "no pair gave a value: its CPUs never ran together for long enough; see that they are still "
            "allowed (taskset) and not all busy");
}
