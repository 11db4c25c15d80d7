/* SPDX-License-Identifier: MIT */
/* What is answered of the series: the value of each at each distance, one by another, own lines, the extremes among the
 * pairs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core_latency.h"
#include "uarchprobe/stats.h"

enum { PART_LEAST = 4 /* values of a part of the run */ };
static const double SLOWER = 1.05;

enum row_kind {
    AT_EACH, /* at each distance, whose name completes the key; a row of the matrix of series by distance */
    BY_FIRST, /* by the first series, whose name completes key and label, at the distance beyond a core found most often */
    MOST_FOUND, /* at the distance found most often */
    ALONE,      /* the first CPU, on lines that it owns */
    FASTEST,    /* pair */
    SLOWEST
};

#define EACH_SERIES(kind, key, label)                                                                        \
    {SERIES_CAS, kind, "cas." key, "CAS" label},                                                             \
        {SERIES_READWRITE, kind, "readwrite." key, "Read-write" label},                                      \
        {SERIES_TRANSFER, kind, "transfer." key, "Transfer" label},                                          \
    {                                                                                                        \
        SERIES_TRANSFER_RMW, kind, "transfer_rmw." key, "Locked transfer" label                              \
    }

static const struct row {
    enum latency_series series;
    enum row_kind kind;
    const char *key, *label;
} rows[] = {
    EACH_SERIES(AT_EACH, "", ""),
    EACH_SERIES(BY_FIRST, "per_", " by "),
    {SERIES_TRANSFER, MOST_FOUND, "queue.transfer", "Queue, reader comes later"},
    {SERIES_READWRITE, MOST_FOUND, "queue.readwrite", "Queue, reader waits"},
    EACH_SERIES(ALONE, "own_line", ", own line"),
    {SERIES_OWN_LLSC, ALONE, "cas.llsc", "CAS by LL/SC, own line"},
    EACH_SERIES(FASTEST, "fastest", ", fastest pair"),
    EACH_SERIES(SLOWEST, "slowest", ", slowest pair"),
};

void latency_answer(const struct latency_matrix *matrix, struct answer answer)
{
    if (!matrix->complete && answer.trust == TRUST_HIGH)
        answer.trust = TRUST_MEDIUM;
    record_answer(matrix->run->record, answer);
}

/* Of all pairs while they are at one distance, which repeats where a host moves its CPUs: a series, or that by another. */
static void answer_at(const struct latency_matrix *matrix, const struct row *row, enum latency_series below,
                      int index)
{
    const struct latency_selected selected =
        latency_select(matrix, (struct latency_selection){row->series, below, ALL_PAIRS, index});
    const struct distance *distance = &matrix->distances.of[index];
    const struct samples *ghz = &matrix->run->core_clock->ghz;
    const char *name = distance_names[distance->name];
    const bool is_ratio = below < SERIES_COUNT;
    char at[32], key[64], label[64], slot[96];
    struct answer answer = answer_of(&selected.estimate, selected.verdict);
    if (selected.estimate.summary.count == 0)
        return;
    snprintf(key, sizeof key, "%s%s", row->key,
             is_ratio                  ? latency_series[below].name
             : row->kind == MOST_FOUND ? ""
                                       : distance_key(distance, at, sizeof at));
    snprintf(label, sizeof label, "%s%s, %s", row->label, is_ratio ? latency_series[below].label : "", name);
    snprintf(slot, sizeof slot, "distance/%s/%s", row->label, name);
    for (char *blank = slot; (blank = strchr(blank, ' '));)
        *blank = '_';
    answer.key = key;
    answer.label = label;
    answer.slot = row->kind == AT_EACH ? slot : NULL;
    answer.unit = is_ratio ? "times" : "ns";
    answer.state = name;              /* siblings move it by less than compare allows */
    if (cell_number(&answer.low) < 0) /* the interval of two placements is wide */
        answer.low = REAL_CELL(0);
    /* The clocks of cores and of what lies between them share one budget of power, and move together: over 32 runs of a guest a
     * compare-and-swap and the core clock correlated by -0.84. */
    answer.ghz = is_ratio || ghz->count == 0 ? 0 : median_of(ghz->value, ghz->count);
    if (is_ratio && matrix->guest && selected.estimate.placements == 1)
        answer.remark = "one pair seen";
    else if (!is_ratio && selected.estimate.state == STATE_ACTIVE)
        answer.remark = "siblings busy";
    latency_answer(matrix, answer);
}

/* On lines that CPU 0 owns: cycles, or ns where its clock is not known. Build and neighbour move it by up to 3 %. An interconnect may
 * have an atomic instruction carried out at the line's home, which moves no line; the exclusive pair of instructions has to, and
 * is another quantity. */
static void answer_own(const struct latency_matrix *matrix, const struct row *row)
{
    struct engine_data data = matrix->data;
    const enum state states[] = {engine_main_state(&data), STATE_MIXED};
    struct estimate e;
    bool found = false;
    for (int attempt = 0; attempt < 4 && !found; attempt++) {
        data.cycles = attempt < 2;
        found = engine_estimate(&data, matrix->plan.pair_count * COLUMNS + row->series, states[attempt % 2],
                                0.5, &e);
    }
    if (!found)
        return;
    struct answer answer = answer_of(&e, trust_judge(&e, &promise_beyond));
    answer.key = row->key;
    answer.label = row->label;
    answer.unit = data.cycles ? "core cycles" : "ns";
    latency_answer(matrix, answer);
}

/* A CPU with itself is no pair. The extreme of many rests on the noise of one; what contradicts the topology is elsewhere the next time. */
static void answer_extreme(const struct latency_matrix *matrix, const struct row *row)
{
    size_t best = 0, candidates = 0;
    for (size_t i = 0; i < matrix->plan.pair_count; i++) {
        const float value = latency_cell(matrix, row->series, i)->value,
                    least = latency_cell(matrix, row->series, best)->value;
        if (isnan(value) || latency_relation(matrix, i) == SAME_CPU)
            continue;
        if (candidates++ == 0 || (row->kind == SLOWEST ? value > least : value < least))
            best = i;
    }
    if (candidates < 2)
        return;
    const struct latency_cell *cell = latency_cell(matrix, row->series, best);
    const struct pair *pair = &matrix->plan.pair[best];
    const struct latency_selected selected = latency_select(
        matrix, (struct latency_selection){row->series, SERIES_COUNT, (int)best, cell->distance});
    const enum trust most = cell->flags & FLAG_PLACEMENT ? TRUST_LOW : TRUST_MEDIUM;
    char remark[64];
    snprintf(remark, sizeof remark, "CPU %d and %d%s", matrix->place[pair->from].id,
             matrix->place[pair->to].id, cell->flags ? ", flagged" : "");
    struct answer answer = answer_of(
        &selected.estimate, verdict_lesser(selected.verdict, (struct verdict){most, LEG_REPETITION}));
    answer.key = row->key;
    answer.label = row->label;
    answer.unit = "ns";
    answer.remark = remark;
    answer.state = NULL; /* of a pair, whatever its siblings did */
    answer.parts.count = 0;
    answer.within = 0;
    latency_answer(matrix, answer);
}

/* What lies between the cores has a clock of its own, which the host moves by a third within a second: the run's parts held against the
 * fastest of them. All series go with it, so what one takes for the other holds where neither does in ns. */
static void answer_slower(const struct latency_matrix *matrix, enum latency_series series, int index)
{
    const struct estimate e =
        latency_select(matrix, (struct latency_selection){series, SERIES_COUNT, ALL_PAIRS, index}).estimate;
    double ns[PARTS_MOST] = {0};
    char remark[64];
    for (size_t i = 0; i < e.parts.count; i++)
        ns[i] = (double)e.parts.value[i];
    const double fastest = quantile_of(ns, e.parts.count, 0);
    const double slower = quantile_of(ns, e.parts.count, 0.95) / fastest;
    snprintf(remark, sizeof remark, "%s at best %.1f ns", latency_series[series].label, fastest);
    if (e.summary.count >= PART_LEAST * PARTS_MOST && slower > SLOWER)
        latency_answer(matrix, (struct answer){.key = "between_cores.slower",
                                               .label = "Between cores, slowest by fastest",
                                               .value = REAL_CELL(slower),
                                               .unit = "times",
                                               .remark = remark,
                                               .leg = LEG_REPETITION});
}

/* What repeats comes first, and of that what holds for the larger share of the run. */
void latency_answers(const struct latency_matrix *matrix)
{
    const struct distances *distances = &matrix->distances;
    const bool *measures = matrix->setup.measures;
    enum latency_series first = SERIES_CAS;
    while (!measures[first])
        first++;
    /* A median or an extreme over a part of the pairs may be another one over all. */
    const bool is_whole = matrix->data.rounds > 0;
    const int count = (int)distances->count;
    int order[DISTANCES_MOST], beyond = -1;
    for (int i = 0; i < count; i++) {
        int k = i;
        for (; k > 0 && distances->of[i].found > distances->of[order[k - 1]].found; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (int i = count - 1; i >= 0; i--)
        beyond = distances->of[order[i]].kind == DISTANCE_CORE ? beyond : order[i];
    for (const struct row *row = rows; row < rows + sizeof rows / sizeof *rows; row++) {
        const bool asked = matrix->params->benches >> latency_series[row->series].bench & 1;
        if (!measures[row->series])
            continue;
        for (int i = 0; row->kind == AT_EACH && asked && is_whole && i < count; i++)
            answer_at(matrix, row, SERIES_COUNT, order[i]);
        if (row->kind == BY_FIRST && row->series > first && beyond >= 0)
            answer_at(matrix, row, first, beyond);
        if (row->kind == MOST_FOUND && count > 0)
            answer_at(matrix, row, SERIES_COUNT, order[0]);
        if (row->kind == ALONE && asked)
            answer_own(matrix, row);
        /* Where pairs are moved, the extreme is another one in the next run. */
        if ((row->kind == FASTEST || row->kind == SLOWEST) && asked && is_whole && distances->changes == 0)
            answer_extreme(matrix, row);
    }
    if (beyond >= 0)
        answer_slower(matrix, first, beyond);
    latency_placement_answers(matrix);
}
