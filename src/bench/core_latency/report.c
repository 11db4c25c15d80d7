/* SPDX-License-Identifier: MIT */
/* A table of each series with the value, the flags and the spread of every pair; and the warnings. */
#include <math.h>

#include "base/text.h"
#include "core_latency.h"
#include "uarchprobe/experiment.h"
#include "uarchprobe/stats.h"

/* Share of dropped samples; half width of the interval, relative. */
static const double PREEMPTED = 0.05, NOISY = 0.10;
/* Siblings share an L1; twice the limit of one core allows for slow ones. */
static const double SEPARATE_LIMIT = 4;

/* By their bits, ended by NULL. */
enum { REGIME, NOISE, PREEMPTION, PLACEMENT, FLAGS };
static const char *const flag_names[] = {"regime", "noisy", "preempted", "placement", NULL};
static const char *const flag_meanings[FLAGS] = {
    "were found at several distances: the CPUs were moved, and the matrix is a snapshot",
    "do not repeat within 10 %",
    "shared a CPU with something else, in most rounds or in more than 5 % of the samples",
    "contradict the topology shown: the host decides where CPUs run",
};

/* Of a pair; rows are written in this order. */
static const struct column pair_columns[] = {
    {"from", "from CPU", NULL, CELL_CPU, ROLE_PARAMETER, 0},
    {"to", "to CPU", NULL, CELL_CPU, ROLE_PARAMETER, 0},
    {"relation", "relation", NULL, CELL_CLASS, ROLE_LABEL, 0, relation_names},
    {"latency_ns", "latency", "ns", CELL_REAL, ROLE_MEASURE, 1},
    {"distance", "distance", NULL, CELL_CLASS, ROLE_LABEL, 0, distance_names},
    {"flags", "flags", NULL, CELL_FLAGS, ROLE_LABEL, 0, flag_names},
    {"round_spread", "spread of rounds", NULL, CELL_REAL, ROLE_MEASURE, 3},
    {"modes", "modes", NULL, CELL_TEXT, ROLE_LABEL, 0},
    {"rounds", "rounds", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
    {"samples", "samples", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
    {"dropped", "dropped", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
};
enum { PAIR_FROM, PAIR_TO, PAIR_RELATION, PAIR_LATENCY, PAIR_DISTANCE, PAIR_FLAGS };
enum { PAIR_COLUMNS = sizeof pair_columns / sizeof *pair_columns };

static const struct table_spec tables[SERIES_OWN_LLSC] = {
    [SERIES_CAS] =
        {.name = "cas",
         .title = "Compare-and-swap ping-pong on one line, ns one way",
         .note = "Half a round trip: both CPUs spin on the same word with a bare compare-and-swap, the "
                 "one 0 -> 1, the other 1 -> 0. Mean over lines of the p10 of each, lower quartile of "
                 "the rounds.",
         .columns = pair_columns,
         .column_count = PAIR_COLUMNS,
         .view = {.kind = VIEW_MATRIX,
                  .x = PAIR_TO,
                  .y = PAIR_FROM,
                  .value = PAIR_LATENCY,
                  .series = -1,
                  .shade = true,
                  .flag = PAIR_FLAGS,
                  .class = PAIR_DISTANCE}},
    [SERIES_READWRITE] =
        {.name = "readwrite",
         .title = "Load/store ping-pong on two lines, ns one way",
         .note = "Half a round trip: each CPU spins on its word with acquiring loads and answers with a "
                 "releasing store to the other's, 256 bytes apart. Each way is two transactions. Mean "
                 "over lines of the p10 of each, lower quartile of the rounds.",
         .columns = pair_columns,
         .column_count = PAIR_COLUMNS,
         .view = {.kind = VIEW_MATRIX,
                  .x = PAIR_TO,
                  .y = PAIR_FROM,
                  .value = PAIR_LATENCY,
                  .series = -1,
                  .shade = true,
                  .flag = PAIR_FLAGS,
                  .class = PAIR_DISTANCE}},
    [SERIES_TRANSFER] =
        {.name = "transfer",
         .title = "Transfer of a dirty line, ns a load",
         .note = "One CPU has written the lines, the other follows pointers through them in random "
                 "order: what a load waits for one line. Median of passes, both directions alternating.",
         .columns = pair_columns,
         .column_count = PAIR_COLUMNS,
         .view = {.kind = VIEW_MATRIX,
                  .x = PAIR_TO,
                  .y = PAIR_FROM,
                  .value = PAIR_LATENCY,
                  .series = -1,
                  .shade = true,
                  .flag = PAIR_FLAGS,
                  .class = PAIR_DISTANCE}},
    [SERIES_TRANSFER_RMW] =
        {.name = "transfer_rmw",
         .title = "Transfer of a dirty line for writing, ns a locked read-modify-write",
         .note = "As transfer, each step a locked read-modify-write: the line comes to be owned.",
         .columns = pair_columns,
         .column_count = PAIR_COLUMNS,
         .view = {.kind = VIEW_MATRIX,
                  .x = PAIR_TO,
                  .y = PAIR_FROM,
                  .value = PAIR_LATENCY,
                  .series = -1,
                  .shade = true,
                  .flag = PAIR_FLAGS,
                  .class = PAIR_DISTANCE}},
    [SERIES_COMPILED] = {.name = "compiled",
                         .title = "Compare-and-swap ping-pong by the compiler's loop, ns one way",
                         .note = "As cas, in C with atomics instead of assembly.",
                         .columns = pair_columns,
                         .column_count = PAIR_COLUMNS,
                         .view = {.kind = VIEW_MATRIX,
                                  .x = PAIR_TO,
                                  .y = PAIR_FROM,
                                  .value = PAIR_LATENCY,
                                  .series = -1,
                                  .shade = true,
                                  .flag = PAIR_FLAGS,
                                  .class = PAIR_DISTANCE}},
};

/* Separate cores found on one, siblings that are none, or one L3 that is several. */
static bool contradicts_topology(const struct latency_matrix *matrix, size_t pair, int distance)
{
    const enum relation relation = latency_relation(matrix, pair);
    if (distance < 0 || relation == SAME_L2 || latency_witness(matrix) != SERIES_TRANSFER)
        return false;
    const struct distance *found = &matrix->distances.of[distance];
    if (relation == SAME_CORE)
        return found->ns > SEPARATE_LIMIT * matrix->l2.least;
    return found->kind == DISTANCE_CORE || (relation == SAME_L3 && found->kind == DISTANCE_BEYOND);
}

/* Adds a row: the value at the pair's most frequent distance, and flags. False: there is no value. */
static bool report_pair(const struct latency_matrix *matrix, enum latency_series series, size_t table,
                        size_t pair, unsigned *flags)
{
    const struct distances *distances = &matrix->distances;
    const struct pair_tally *tally = &matrix->tally[pair];
    const struct pair *ends = &matrix->pair[pair];
    struct text modes = {0};
    size_t found = 0;
    const int main = tally->main;
    const struct latency_selected selected =
        latency_select(matrix, (struct latency_selection){series, SERIES_COUNT, (int)pair, main});
    const struct estimate *e = &selected.estimate;
    const struct summary *rounds = &e->summary;
    /* "27.7 ns (23), 105.8 ns (232)": each distance with its measurements; none where there are not
     * several. */
    for (int i = 0; i < (int)distances->count; i++) {
        const struct latency_selected there =
            latency_select(matrix, (struct latency_selection){series, SERIES_COUNT, (int)pair, i});
        if (there.estimate.summary.count > 0)
            text_printf(&modes, "%s%.1f ns (%zu)", found++ ? ", " : "", there.estimate.value,
                        there.estimate.taken);
    }
    const bool raised[FLAGS] = {
        [REGIME] = tally->share<1, [NOISE] = fmax(e->high - e->value, e->value - e->low)> NOISY * e->value,
        [PREEMPTION] = (double)tally->dropped[series] > PREEMPTED * (double)tally->samples[series] ||
                       2 * e->disturbed > e->taken,
        [PLACEMENT] = contradicts_topology(matrix, pair, main),
    };
    unsigned own = 0;
    for (int i = 0; i < FLAGS && rounds->count > 0; i++)
        own |= (unsigned)raised[i] << i;
    record_row(matrix->run->record, table,
               (const struct cell[PAIR_COLUMNS]){
                   INTEGER_CELL(matrix->place[ends->from].id), INTEGER_CELL(matrix->place[ends->to].id),
                   INTEGER_CELL(latency_relation(matrix, pair)), REAL_CELL(e->value),
                   main < 0 ? NO_CELL : INTEGER_CELL(distances->of[main].name), INTEGER_CELL(own),
                   rounds->count < 2 ? NO_CELL : REAL_CELL((rounds->p90 - rounds->p10) / rounds->median),
                   found > 1 ? TEXT_CELL(modes.data) : NO_CELL, INTEGER_CELL(rounds->count),
                   INTEGER_CELL(tally->samples[series]), INTEGER_CELL(tally->dropped[series])});
    text_free(&modes);
    *flags |= own;
    return rounds->count > 0;
}

static void warn_of_rounds(const struct latency_matrix *matrix)
{
    const struct engine_data *data = &matrix->data;
    if (matrix->out_of_time)
        effort_warn(matrix->run, &(struct engine_effort){.rounds = matrix->least_rounds}, data);
    else if (data->end == ENGINE_BUDGET)
        record_warning(matrix->run->record, "late",
                       "%llu of %llu rounds were made in %.1f s, where %.1f were planned: pairs seldom had "
                       "their CPUs at once (-r takes all rounds); values have fewer samples",
                       (unsigned long long)data->rounds, (unsigned long long)matrix->least_rounds,
                       data->seconds, latency_planned_s(matrix));
}

void latency_report(const struct latency_matrix *matrix, struct fault *fault)
{
    struct run *run = matrix->run;
    size_t table[SERIES_OWN_LLSC], flagged[FLAGS] = {0}, missing = 0, without = 0;
    for (enum latency_series i = 0; i < SERIES_OWN_LLSC; i++)
        table[i] = latency_reports(matrix, i) ? record_table_add(run->record, &tables[i]) : 0;
    for (size_t pair = 0; pair < matrix->pairs; pair++) {
        unsigned flags = 0, values = 0, wanted = 0;
        for (enum latency_series i = 0; i < SERIES_OWN_LLSC; i++) {
            if (!latency_reports(matrix, i))
                continue;
            wanted++;
            values += report_pair(matrix, i, table[i], pair, &flags);
        }
        if (matrix->setup.measures[SERIES_SHARING]) {
            wanted++;
            values += matrix->tally[pair].measured > 0;
        }
        for (int i = 0; i < FLAGS; i++)
            flagged[i] += flags >> i & 1;
        missing += values < wanted;
        without += values == 0;
    }
    if (matrix->setup.measures[SERIES_SHARING])
        latency_sharing_rows(matrix);
    run->untrusted = missing > 0 || record_has_low_trust(run->record);
    for (int i = 0; i < FLAGS; i++)
        if (flagged[i]) {
            run->untrusted = true;
            record_warning(run->record, flag_names[i], "%zu of %zu pairs %s", flagged[i], matrix->pairs,
                           flag_meanings[i]);
        }
    if (missing)
        record_warning(
            run->record, "unmeasured", "%zu of %zu pairs have a value missing: %s", missing, matrix->pairs,
            matrix->complete ? "their CPUs never ran together for long enough (busy, or no longer allowed)"
                             : "the run was cut short");
    warn_of_rounds(matrix);
    run->left_out = !matrix->complete || missing > 0;
    /* In time enough and without any value, the run failed. */
    if (without == matrix->pairs && matrix->complete && fault->status == STATUS_OK)
        fault_set(
            fault, STATUS_FAILED,
            "no pair gave a value: its CPUs never ran together for long enough; see that they are still "
            "allowed (taskset) and not all busy");
}
