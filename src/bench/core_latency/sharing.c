/* SPDX-License-Identifier: MIT */
/* How far apart two CPUs must keep what they write: the smallest distance from which on no larger one is
 * cheaper. */
#include <math.h>

#include "core_latency.h"

/* A cost is the same that lies within this share: of the cost at the largest distance where both write,
 * and of a shared line's where one reads, as that is the share of lines which went along. */
static const double SAME = 0.05;
enum { AT_64 = 3, AT_128, FARTHEST = SHARING_DISTANCES - 1, KINDS = 2 };

static const struct kind {
    enum latency_series first;
    int by;
    const char *prefix, *label;
} kinds[KINDS] = {{SERIES_SHARING, FARTHEST, "sharing.pad_written.", "Pad where both write"},
                  {SERIES_TOUCHED, 0, "sharing.pad_read.", "Pad where the other reads"}};

static struct estimate times(const struct latency_matrix *matrix, const struct kind *kind, int distance,
                             int by, int at)
{
    const enum latency_series below = by < 0 ? SERIES_COUNT : kind->first + (enum latency_series)by;
    return latency_select(matrix, (struct latency_selection){kind->first + (enum latency_series)distance,
                                                             below, ALL_PAIRS, at})
        .estimate;
}

/* In the whole run, at both ends of the interval, in each half. */
enum { WHOLE, LOW, HIGH, FIRST, SECOND, VIEWS };

/* The smallest distance from which on all cost the same. */
static int pad_of(const struct estimate *cost, int view)
{
    int i = FARTHEST;
    for (; i > 0; i--) {
        const struct estimate *e = &cost[i - 1];
        const double of[VIEWS] = {e->value, e->low, e->high, e->first, e->second};
        if (!(of[view] <= cost[FARTHEST].value + SAME))
            break;
    }
    return i;
}

/* Costs that still differ at the largest distances leave the question open; so does an interval with the
 * limit in it. */
static void answer_pad(const struct latency_matrix *matrix, const struct kind *kind, int at)
{
    struct estimate cost[SHARING_DISTANCES];
    int pad[VIEWS];
    for (int i = 0; i < SHARING_DISTANCES; i++)
        cost[i] = times(matrix, kind, i, kind->by, at);
    if (cost[FARTHEST].summary.count == 0 || estimate_is_disturbed(&cost[FARTHEST]))
        return;
    for (int view = WHOLE; view < VIEWS; view++)
        pad[view] = pad_of(cost, view);
    struct promise promise = promise_beyond;
    promise.absolute = SAME;
    promise.doubt = matrix->complete ? LIMITED_BY_NONE : LIMITED_BY_REPETITION;
    promise.refusal = pad[LOW] != pad[HIGH] || pad[WHOLE] == FARTHEST ? LIMITED_BY_PRECISION
                      : pad[FIRST] != pad[SECOND]                     ? LIMITED_BY_REPETITION
                                                                      : LIMITED_BY_NONE;
    const struct estimate *e = &cost[pad[WHOLE]];
    struct answer answer = answer_judged(e, &promise);
    const double gain = kind->by == FARTHEST
                            ? times(matrix, kind, AT_64, AT_128, at).value - 1
                            : (cost[AT_64].value - cost[FARTHEST].value) / (1 - cost[FARTHEST].value);
    answer.remark = record_text(matrix->run->record,
                                kind->by == FARTHEST ? "%.0f %% gained by 128" : "%.0f %% taken along",
                                100 * fmax(0, gain));
    answer.unit = "bytes";
    answer.value = INTEGER_CELL(sharing_bytes(pad[WHOLE]));
    if (cell_has_value(&answer.low)) {
        answer.low = REAL_CELL(sharing_bytes(pad[LOW]));
        answer.high = REAL_CELL(sharing_bytes(pad[HIGH]));
    }
    answer.parts = (struct parts){0};
    distance_record(matrix, at, kind->prefix, kind->label, true, answer);
}

enum { C_DISTANCE, C_APART, C_WRITTEN, C_WRITTEN_TIMES, C_READ, C_READ_TIMES, COLUMNS };
static const struct column columns[COLUMNS] = {
    {"distance", "distance", NULL, CELL_CLASS, ROLE_PARAMETER, 0, distance_names},
    {"apart", "apart", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    {"written_ns", "both write", "ns", CELL_REAL, ROLE_MEASURE, 1},
    {"written_times", "against 512 bytes", "times", CELL_REAL, ROLE_MEASURE, 3},
    {"read_ns", "other reads", "ns", CELL_REAL, ROLE_MEASURE, 1},
    {"read_times", "against 8 bytes", "times", CELL_REAL, ROLE_MEASURE, 3},
};
static const struct table_spec table_spec = {
    .name = "sharing",
    .title = "Words of two CPUs by their distance, ns an increment",
    .note =
        "both write: each CPU increments its words by a locked instruction, in an order of its own. other "
        "reads: one CPU increments its words after the other CPU has read its own.",
    .columns = columns,
    .column_count = COLUMNS,
    .view = {
        .kind = VIEW_CURVE, .x = C_APART, .y = -1, .value = C_WRITTEN, .series = C_DISTANCE, .log_x = true}};

/* A pair on one core shares its L1, so that nothing is shared falsely. */
void latency_sharing_answers(const struct latency_matrix *matrix)
{
    for (int at = 0; at < (int)matrix->distances.count; at++)
        for (int k = 0; k < KINDS && matrix->distances.of[at].kind != DISTANCE_CORE; k++)
            answer_pad(matrix, &kinds[k], at);
}

void latency_sharing_rows(const struct latency_matrix *matrix)
{
    const size_t table = record_table_add(matrix->run->record, &table_spec);
    for (int at = 0; at < (int)matrix->distances.count; at++)
        for (int i = 0; i < SHARING_DISTANCES; i++) {
            struct cell row[COLUMNS] = {INTEGER_CELL(matrix->distances.of[at].name),
                                        INTEGER_CELL(sharing_bytes(i))};
            for (int k = 0; k < KINDS; k++) {
                row[C_WRITTEN + 2 * k] = REAL_CELL(times(matrix, &kinds[k], i, -1, at).value);
                row[C_WRITTEN_TIMES + 2 * k] = REAL_CELL(times(matrix, &kinds[k], i, kinds[k].by, at).value);
            }
            record_row(matrix->run->record, table, row);
        }
}
