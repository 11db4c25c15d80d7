/* SPDX-License-Identifier: MIT */
/* What is answered of the series: the value of each at each distance, one by another, own lines, the extremes among the
 * pairs. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "core_latency.h"
#include "uarchprobe/stats.h"

static const double ASYMMETRY = 0.10, SLOWER = 1.05;

void latency_answer(const struct latency_matrix *matrix, enum latency_series series, struct answer answer,
                    const char *format, ...)
{
    const char *name = series == SERIES_COUNT ? "" : latency_series[series].name;
    char key[64], label[96], remark[LATENCY_REMARK];
    va_list arguments;
    snprintf(key, sizeof key, "%s%s%s", name, *name ? "." : "", answer.key);
    snprintf(label, sizeof label, "%s%s%s", name, *name ? ", " : "", answer.label);
    va_start(arguments, format);
    vsnprintf(remark, sizeof remark, format, arguments);
    va_end(arguments);
    answer.key = key;
    answer.label = label;
    answer.remark = *remark ? remark : NULL;
    if (!matrix->complete && answer.trust == TRUST_HIGH)
        answer.trust = TRUST_MEDIUM;
    record_answer(matrix->run->record, answer);
}

/* Of all pairs while they are at one distance, which repeats where a host moves its CPUs: a series, or that by another. key NULL: named
 * by these. */
static void answer_at(const struct latency_matrix *matrix, enum latency_series series,
                      enum latency_series below, int index, const char *key, const char *label)
{
    const struct latency_selection wanted = {series, below, 0, matrix->plan.pair_count, index};
    const struct latency_selected selected = latency_select(matrix, &wanted);
    const struct distance *distance = &matrix->distances.of[index];
    const char *name = distance_names[distance->name];
    const struct samples *ghz = &matrix->run->core_clock->ghz;
    const double share = 100 * (double)distance->looks / (double)matrix->distances.looks;
    const bool is_ratio = below != SERIES_COUNT;
    char own_key[32], own_label[64], remark[64] = "";
    struct answer answer = answer_of(&selected.estimate, selected.verdict);
    if (!selected.known)
        return;
    distance_key(distance, own_key, sizeof own_key);
    snprintf(own_label, sizeof own_label, "%s", name);
    if (is_ratio) {
        snprintf(own_key, sizeof own_key, "per_%s", latency_series[below].name);
        snprintf(own_label, sizeof own_label, "by %s, %s", latency_series[below].name, name);
    }
    if (key)
        snprintf(remark, sizeof remark, "%s", name);
    else if (is_ratio && matrix->guest && selected.estimate.placements == 1)
        snprintf(remark, sizeof remark, "one pair of cores seen");
    else if (!is_ratio && share < 99.5)
        snprintf(remark, sizeof remark, "%.*f %% of the run", share < 10 ? 1 : 0, share);
    else if (!is_ratio && selected.estimate.state == STATE_ACTIVE)
        snprintf(remark, sizeof remark, "siblings busy");
    answer.key = key ? key : own_key;
    answer.label = key ? label : own_label;
    answer.unit = is_ratio ? "times" : "ns";
    answer.state = name; /* siblings move it by less than compare allows */
    /* The clocks of cores and of what lies between them share one budget of power, and move together: over 32 runs of a guest a
     * compare-and-swap and the core clock correlated by -0.84. */
    answer.ghz = is_ratio || ghz->count == 0 ? 0 : median_of(ghz->value, ghz->count);
    latency_answer(matrix, key ? SERIES_COUNT : series, answer, "%s", remark);
}

/* What lies between the cores has a clock of its own, which the host moves by a third within a second. All series go with
 * it, so what one takes for the other holds where neither does in ns. */
static void answer_between(const struct latency_matrix *matrix, int distance)
{
    enum latency_series base = SERIES_CAS;
    while (matrix->column[base] < 0)
        base++;
    const struct latency_selection wanted = {base, SERIES_COUNT, 0, matrix->plan.pair_count, distance};
    const struct latency_selected selected = latency_select(matrix, &wanted);
    if (selected.slower > SLOWER)
        latency_answer(matrix, SERIES_COUNT,
                       (struct answer){.key = "between_cores.slower",
                                       .label = "Between cores, slowest by fastest",
                                       .value = REAL_CELL(selected.slower),
                                       .unit = "times",
                                       .leg = LEG_REPETITION},
                       "%s at best %.1f ns", latency_series[base].name, selected.fastest);
    for (enum latency_series series = base + 1; series < SERIES_OWN_LLSC; series++)
        if (matrix->column[series] >= 0)
            answer_at(matrix, series, base, distance, NULL, NULL);
}

/* On lines that CPU 0 owns: cycles, or ns where its clock is not known. Build and neighbour move it by up to 3 %. An interconnect may
 * have an atomic instruction carried out at the line's home, which moves no line; the exclusive pair of instructions has to, and
 * is another quantity. */
static void answer_own(const struct latency_matrix *matrix, enum latency_series series)
{
    const bool is_llsc = series == SERIES_OWN_LLSC;
    const size_t column = (size_t)matrix->column[series];
    struct engine_data data = matrix->data;
    struct estimate e;
    bool found = false;
    for (int attempt = 0; attempt < 4 && !found; attempt++) {
        data.cycles = attempt < 2;
        found = engine_estimate(&data, data.cells - matrix->width + column,
                                attempt % 2 ? STATE_MIXED : engine_main_state(&data), 0.5, &e);
    }
    if (!found)
        return;
    struct answer answer = answer_of(&e, trust_judge(&e, &promise_beyond));
    answer.key = is_llsc ? "llsc" : "own_line";
    answer.label = is_llsc ? "own line, LL/SC" : "own line";
    answer.unit = data.cycles ? "core cycles" : "ns";
    latency_answer(matrix, series, answer, "%s", "");
}

/* A CPU with itself is no pair. The extreme of many rests on the noise of one; what contradicts the topology is elsewhere the next time. */
static void answer_extreme(const struct latency_matrix *matrix, enum latency_series series, bool slowest)
{
    const struct latency_cell *cells = matrix->cell[series], *best = NULL;
    size_t candidates = 0;
    for (size_t i = 0; i < matrix->plan.pair_count; i++) {
        if (isnan(cells[i].value) || latency_relation(matrix, i) == SAME_CPU)
            continue;
        if (candidates++ == 0 || (slowest ? cells[i].value > best->value : cells[i].value < best->value))
            best = &cells[i];
    }
    if (candidates < 2)
        return;
    const size_t index = (size_t)(best - cells);
    const struct latency_selected selected =
        latency_select(matrix, &(struct latency_selection){series, SERIES_COUNT, index, 1, best->distance});
    const enum trust most = best->flags & FLAG_PLACEMENT ? TRUST_LOW : TRUST_MEDIUM;
    struct answer answer = answer_of(
        &selected.estimate, verdict_lesser(selected.verdict, (struct verdict){most, LEG_REPETITION}));
    answer.key = slowest ? "slowest" : "fastest";
    answer.label = slowest ? "slowest pair" : "fastest pair";
    answer.unit = "ns";
    answer.state = NULL; /* of a pair, whatever its siblings did */
    answer.parts.count = 0;
    answer.within = 0;
    latency_answer(matrix, series, answer, "CPU %d and %d%s", matrix->place[matrix->plan.pair[index].from].id,
                   matrix->place[matrix->plan.pair[index].to].id, best->flags ? ", flagged" : "");
}

/* Directions are those of the passes of a pair, or the two pairs that ordered pairs are. */
static void answer_asymmetric(const struct latency_matrix *matrix, enum latency_series series)
{
    const struct pair_plan *plan = &matrix->plan;
    double most = 0;
    size_t count = 0, worst = 0;
    for (size_t i = 0; i < plan->pair_count; i++) {
        const struct latency_cell *cell = &matrix->cell[series][i], *other;
        const struct pair *pair = &plan->pair[i];
        double there = cell->forward, back = cell->backward;
        if (isnan(cell->value) || cell->flags)
            continue;
        if (matrix->params->pairs != PAIRS_UNORDERED) {
            other = &matrix->cell[series][plan->at[pair->to * matrix->count + pair->from] - 1];
            there = cell->value;
            back = pair->from < pair->to && !other->flags ? other->value : NAN;
        }
        const double asymmetry = 2 * fabs(there - back) / (there + back);
        count += asymmetry > ASYMMETRY;
        worst = asymmetry > most ? i : worst;
        most = asymmetry > most ? asymmetry : most;
    }
    const struct pair *pair = &plan->pair[worst];
    if (count > 0)
        latency_answer(matrix, series,
                       (struct answer){.key = "asymmetric_pairs",
                                       .label = "asymmetric pairs",
                                       .value = INTEGER_CELL(count),
                                       .trust = TRUST_MEDIUM},
                       "most CPU %d and %d, %.0f %%", matrix->place[pair->from].id,
                       matrix->place[pair->to].id, 100 * most);
}

/* What repeats comes first, and of that what holds for the larger share of the run; the extremes of the pairs last. */
void latency_answers(const struct latency_matrix *matrix)
{
    const struct distances *distances = &matrix->distances;
    const int count = (int)distances->classes.count;
    /* A median or an extreme over a part of the pairs may be another one over all. */
    const bool is_whole = matrix->data.rounds > 0;
    int order[CLASSES_MOST], beyond = -1;
    for (int i = 0; i < count; i++) {
        int k = i;
        for (; k > 0 && distances->of[i].looks > distances->of[order[k - 1]].looks; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (int i = count - 1; i >= 0; i--)
        beyond = distances->of[order[i]].kind == DISTANCE_CORE ? beyond : order[i];
    for (enum latency_series series = 0; series < SERIES_COUNT; series++)
        for (int i = 0; is_whole && latency_reports(matrix, series) && i < count; i++)
            answer_at(matrix, series, SERIES_COUNT, order[i], NULL, NULL);
    latency_placement_answers(matrix);
    if (beyond >= 0)
        answer_between(matrix, beyond);
    /* An item in a single-producer queue. */
    if (count > 0 && matrix->column[SERIES_TRANSFER] >= 0)
        answer_at(matrix, SERIES_TRANSFER, SERIES_COUNT, order[0], "queue.transfer",
                  "Queue item, reader comes later");
    if (count > 0 && matrix->column[SERIES_READWRITE] >= 0)
        answer_at(matrix, SERIES_READWRITE, SERIES_COUNT, order[0], "queue.readwrite",
                  "Queue item, reader waits");
    for (enum latency_series series = 0; series < SERIES_COUNT; series++)
        if (series != SERIES_READWRITE && matrix->column[series] >= 0 &&
            matrix->params->benches >> latency_series[series].bench & 1)
            answer_own(matrix, series);
    /* Where pairs are moved, the extreme is another one in the next run. */
    for (enum latency_series series = 0; series < SERIES_COUNT; series++) {
        if (!is_whole || distances->changes > 0 || !latency_reports(matrix, series))
            continue;
        answer_extreme(matrix, series, false);
        answer_extreme(matrix, series, true);
        answer_asymmetric(matrix, series);
    }
}
