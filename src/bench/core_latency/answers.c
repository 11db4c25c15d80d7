/* SPDX-License-Identifier: MIT */
/* Answers: the value of each series at each distance, ratios, own lines, and where the CPUs were. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/key.h"
#include "core_latency.h"
#include "uarchprobe/stats.h"

static void record_at(struct record *record, const char *name, const char *prefix, const char *label,
                      bool is_cell, struct answer answer)
{
    struct text key = {0}, sheet_cell = {0};
    text_printf(&key, "%s", prefix);
    const char *const comma = strchr(name, ',');
    text_add_key(&key, comma ? record_text(record, "%.*s.%s", (int)(comma - name), name, comma + 2) : name);
    text_printf(&sheet_cell, "distance/%s/%s", label, name);
    for (char *blank = sheet_cell.data; (blank = strchr(blank, ' '));)
        *blank = '_';
    answer.key = key.data;
    answer.label = record_text(record, "%s, %s", label, name);
    answer.sheet_cell = is_cell ? sheet_cell.data : NULL;
    answer.state = name;
    record_answer(record, answer);
    text_free(&key);
    text_free(&sheet_cell);
}

void distance_record(const struct latency_matrix *matrix, int at, const char *prefix, const char *label,
                     bool is_cell, struct answer answer)
{
    record_at(matrix->run->record, distance_names[matrix->distances.of[at].name], prefix, label, is_cell,
              answer);
}

/* "one L3, P-E": the more capable kind first. */
static const char *place_name(const struct latency_matrix *matrix, int distance, unsigned kinds)
{
    const char *name = distance_names[matrix->distances.of[distance].name];
    const struct topology *topology = matrix->run->topology;
    const int a = (int)(kinds - 1) / KIND_MAX, b = (int)(kinds - 1) % KIND_MAX;
    char first[2], second[2];
    if (kinds == 0)
        return name;
    const bool swap = topology->kind[a].rank < topology->kind[b].rank;
    topology_kind_letter(topology, swap ? b : a, first);
    topology_kind_letter(topology, swap ? a : b, second);
    return record_text(matrix->run->record, "%s, %s-%s", name, first, second);
}

/* A series or a ratio, of all pairs while they are at one distance: that repeats where a host moves its
 * CPUs. */
static void answer_at(const struct latency_matrix *matrix, struct latency_selection wanted,
                      const char *prefix, const char *label, bool is_cell)
{
    const struct latency_selected selected = latency_select(matrix, wanted);
    const struct samples *ghz = &matrix->run->core_clock->ghz;
    const bool is_ratio = wanted.below < SERIES_COUNT;
    struct answer answer = answer_judged(&selected.estimate, &selected.promise);
    if (selected.estimate.summary.count == 0)
        return;
    answer.unit = is_ratio ? "times" : "ns";
    /* Cores and interconnect share one budget of power, so their clocks move together: over 32 runs of a
     * guest a compare-and-swap and the core clock correlated by -0.84. */
    answer.ghz = is_ratio || ghz->count == 0 ? 0 : median_of(ghz->value, ghz->count);
    if (!answer.remark && selected.lacks_placements)
        answer.remark = "one placement seen";
    record_at(matrix->run->record, place_name(matrix, wanted.distance, wanted.kinds), prefix, label, is_cell,
              answer);
}

/* The next higher number of latency_kinds among the pairs; 0: none, or all CPUs have one kind of core. */
static unsigned next_kinds(const struct latency_matrix *matrix, unsigned after)
{
    unsigned next = 0;
    bool differ = false;
    for (int cpu = 1; cpu < matrix->count; cpu++)
        differ |= matrix->place[cpu].kind != matrix->place[0].kind;
    for (size_t pair = 0; differ && pair < matrix->pairs; pair++) {
        const unsigned kinds = latency_kinds(matrix, pair);
        next = kinds > after && (next == 0 || kinds < next) ? kinds : next;
    }
    return next;
}

/* Rows of the matrix of series by distance, the most frequent distance first; then of pairs by their kinds
 * of core. */
static void answer_series(const struct latency_matrix *matrix, enum latency_series series,
                          enum latency_series below, const char *name, const char *label, const int *order)
{
    for (int i = 0; i < (int)matrix->distances.count; i++)
        answer_at(matrix, (struct latency_selection){series, below, ALL_PAIRS, order[i]},
                  record_text(matrix->run->record, "%s.", name), label, true);
    for (unsigned kinds = 0; below == SERIES_COUNT && (kinds = next_kinds(matrix, kinds)) > 0;)
        for (int i = 0; i < (int)matrix->distances.count; i++)
            answer_at(matrix, (struct latency_selection){series, below, ALL_PAIRS, order[i], kinds},
                      record_text(matrix->run->record, "%s.", name), label, true);
}

/* Over the pairs, each at its most frequent distance, as programs that print a matrix sum it up. */
static void answer_matrix(const struct latency_matrix *matrix, enum latency_series series)
{
    double *value = memory_zeroed(matrix->pairs, sizeof *value);
    struct record *record = matrix->run->record;
    struct answer mean = {.key = record_text(record, "%s.matrix_mean", latency_series[series].name),
                          .label =
                              record_text(record, "%s, mean over the matrix", latency_series[series].label),
                          .unit = "ns"};
    size_t count = 0;
    answer_cap(&mean, LIMITED_BY_NONE, LIMITED_BY_NONE);
    for (size_t i = 0; i < matrix->pairs; i++) {
        const struct latency_selected pair = latency_select(
            matrix, (struct latency_selection){series, SERIES_COUNT, (int)i, matrix->tally[i].main});
        value[count] = pair.estimate.value;
        count += pair.estimate.summary.count > 0;
        const struct answer part = answer_judged(&pair.estimate, &pair.promise);
        answer_rests_on(&mean, &part);
    }
    const struct summary all = summary_of(value, count);
    free(value);
    if (all.count < 2)
        return;
    mean.value = REAL_CELL(all.mean);
    mean.remark = record_text(record, "pairs %.1f to %.1f", all.min, all.max);
    mean.within = promise_beyond.relative;
    record_answer(record, mean);
}

/* On lines that CPU 0 owns: cycles, or ns where its clock is not known. Build and neighbour move it by up
 * to 3 %. Some interconnects execute an atomic instruction at the line's home and move no line; LL/SC has to
 * move it, and is another quantity. */
static void answer_own(const struct latency_matrix *matrix, enum latency_series series)
{
    const size_t cell = matrix->pairs * matrix->width + series;
    struct engine_data data = matrix->data;
    struct record *record = matrix->run->record;
    struct estimate e;
    data.cycles = true;
    if (!engine_estimate(&data, cell, engine_main_state(&data), 0.5, &e) &&
        !engine_estimate(&data, cell, STATE_MIXED, 0.5, &e)) {
        data.cycles = false;
        if (!engine_estimate(&data, cell, STATE_MIXED, 0.5, &e))
            return;
    }
    struct promise promise = promise_beyond;
    promise.doubt = matrix->complete ? LIMITED_BY_NONE : LIMITED_BY_REPETITION;
    struct answer answer = answer_judged(&e, &promise);
    const bool is_llsc = series == SERIES_OWN_LLSC;
    answer.key = record_text(record, "%s.%s", latency_series[series].name, is_llsc ? "llsc" : "own_line");
    answer.label =
        record_text(record, "%s%s, own line", latency_series[series].label, is_llsc ? " by LL/SC" : "");
    answer.unit = data.cycles ? "cycles" : "ns";
    answer.sheet_cell = series == SERIES_CAS ? "core/own-line" : NULL;
    record_answer(record, answer);
}

static bool is_apart(enum distance_kind kind)
{
    return kind != DISTANCE_CORE && kind != DISTANCE_L2 && kind != DISTANCE_L3;
}

/* Counts groups where pairs shown below one L3 were found beyond it: a CPU without a nearer one before it
 * begins a group. */
static void answer_hidden_l3(const struct latency_matrix *matrix)
{
    const struct distances *distances = &matrix->distances;
    bool *joins = memory_zeroed((size_t)matrix->count, sizeof *joins);
    size_t beyond = 0;
    int groups = matrix->count;
    for (size_t i = 0; i < distances->count; i++)
        beyond += distances->of[i].kind == DISTANCE_BEYOND ? distances->of[i].related[SAME_L3] : 0;
    for (size_t i = 0; i < matrix->pairs; i++) {
        const int at = matrix->tally[i].main, to = matrix->pair[i].to;
        if (to < matrix->pair[i].from || (at >= 0 && is_apart(distances->of[at].kind)) || joins[to])
            continue;
        joins[to] = true;
        groups--;
    }
    free(joins);
    if (beyond == 0)
        return;
    groups = groups > 2 ? groups : 2;
    matrix->run->record->conditions.hidden_l3 = groups;
    record_answer(matrix->run->record, (struct answer){.key = "placement.hidden_l3",
                                                       .label = "L3 groups that the host hides",
                                                       .value = INTEGER_CELL(groups),
                                                       .low = REAL_CELL(groups)});
}

/* A host may move and hide CPUs otherwise in the next run: nothing is promised. */
static void answer_placement(const struct latency_matrix *matrix)
{
    const struct distances *distances = &matrix->distances;
    double shared = 0;
    for (size_t i = 0; i < distances->count; i++) {
        const struct distance *at = &distances->of[i];
        const double share = 100 * (double)at->found / (double)distances->seen;
        for (int k = SAME_L3; at->kind == DISTANCE_CORE && k < RELATIONS; k++)
            shared += (double)at->related[k] / (double)distances->seen;
        if (distances->changes)
            distance_record(matrix, (int)i, "placement.share_", "Share of the run", true,
                            (struct answer){.value = REAL_CELL(share), .unit = "%"});
    }
    if (distances->changes)
        record_answer(matrix->run->record, (struct answer){.key = "placement.changes",
                                                           .label = "CPUs moved by the host",
                                                           .value = INTEGER_CELL(distances->changes)});
    if (latency_witness(matrix) != SERIES_TRANSFER)
        return;
    matrix->run->record->conditions.shared_core = shared;
    if (shared > 0)
        record_answer(matrix->run->record, (struct answer){.key = "placement.shared_core",
                                                           .label = "Separate cores found as one",
                                                           .value = REAL_CELL(shared),
                                                           .remark = "share of the run"});
    answer_hidden_l3(matrix);
}

void latency_answers(const struct latency_matrix *matrix)
{
    const struct distances *distances = &matrix->distances;
    const bool *measures = matrix->setup.measures;
    struct record *record = matrix->run->record;
    int order[DISTANCES_MOST], beyond = -1; /* beyond: of those beyond a core the one found most often */
    enum latency_series first = SERIES_CAS;
    while (!measures[first])
        first++;
    for (int i = 0; i < (int)distances->count; i++) {
        int k = i;
        for (; k > 0 && distances->of[i].found > distances->of[order[k - 1]].found; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (int i = (int)distances->count; i-- > 0;)
        beyond = distances->of[order[i]].kind == DISTANCE_CORE ? beyond : order[i];
    /* None without a whole round: the median over a part of the pairs may be another. */
    for (enum latency_series i = 0; matrix->data.rounds > 0 && i < SERIES_OWN_LLSC; i++)
        if (measures[i])
            answer_series(matrix, i, SERIES_COUNT, latency_series[i].name, latency_series[i].label, order);
    for (enum latency_series i = first + 1; beyond >= 0 && i < SERIES_OWN_LLSC; i++)
        if (measures[i])
            answer_at(matrix, (struct latency_selection){i, first, ALL_PAIRS, beyond},
                      record_text(record, "%s.per_%s.", latency_series[i].name, latency_series[first].name),
                      record_text(record, "%s per %s", latency_series[i].label,
                                  first == SERIES_TRANSFER ? "transfer" : latency_series[first].label),
                      false);
    for (enum latency_series i = 0; matrix->data.rounds > 0 && i < SERIES_OWN_LLSC; i++)
        if (latency_reports(matrix, i))
            answer_matrix(matrix, i);
    for (enum latency_series i = SERIES_TRANSFER; distances->count > 0 && i >= SERIES_READWRITE; i--)
        if (measures[i])
            answer_at(matrix, (struct latency_selection){i, SERIES_COUNT, ALL_PAIRS, order[0]},
                      i == SERIES_TRANSFER ? "queue.transfer." : "queue.readwrite.",
                      i == SERIES_TRANSFER ? "Queue, reader comes later" : "Queue, reader waits", false);
    if (matrix->data.rounds > 0 && measures[SERIES_SHARING]) {
        answer_series(matrix, SERIES_SHARING, SERIES_COUNT, "sharing", "Increment of a shared line", order);
        answer_series(matrix, SERIES_SHARING, SERIES_TOUCHED - 1, "sharing.times",
                      "Slowdown by a shared line", order);
        latency_sharing_answers(matrix);
    }
    for (enum latency_series i = 0; i < SERIES_NAMED; i++)
        if (latency_reports(matrix, i))
            answer_own(matrix, i);
    answer_placement(matrix);
}
