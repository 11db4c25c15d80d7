/* SPDX-License-Identifier: MIT */
/* What is answered of the series: the value of each at each distance, one by another, own lines, the extremes among the
 * pairs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "core_latency.h"
#include "uarchprobe/stats.h"

static const double ASYMMETRY = 0.10, SLOWER = 1.05;

/* The clocks of cores and of what lies between them share one budget of power, and move together: over 32 runs of a guest
 * a compare-and-swap and the core clock correlated by -0.84. 0: unknown. */
static double mean_ghz(const struct latency_matrix *matrix)
{
    double sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < matrix->data.moments; i++) {
        const double ghz = matrix->data.moment[i].ghz;
        sum += isnan(ghz) ? 0 : ghz;
        count += !isnan(ghz);
    }
    return count ? sum / (double)count : 0;
}

/* Of all pairs while they are at one distance, which repeats where a host moves its CPUs. */
static struct latency_selected select_at(const struct latency_matrix *matrix, enum latency_series series,
                                         enum latency_series below, int distance)
{
    const struct latency_selection wanted = {series, below, 0, matrix->plan.pair_count, distance};
    return latency_select(matrix, &wanted);
}

static struct answer answer_at(const struct latency_matrix *matrix, const struct latency_selected *selected,
                               int distance, const char *key, const char *label)
{
    struct answer answer = answer_of(&selected->estimate, selected->verdict);

    answer.key = key;
    answer.label = label;
    answer.unit = "ns";
    answer.state =
        distance_name(&matrix->distances, distance); /* siblings move it by less than compare allows */
    answer.ghz = mean_ghz(matrix);
    return answer;
}

static void find_distance(const struct latency_matrix *matrix, enum latency_series series, int index)
{
    const struct distances *distances = &matrix->distances;
    const double share = 100 * (double)distances->of[index].looks / (double)distances->looks;
    struct latency_selected selected = select_at(matrix, series, SERIES_COUNT, index);
    char key[32];
    const struct answer answer =
        answer_at(matrix, &selected, index, distance_key(distances, index, key, sizeof key),
                  distance_name(distances, index));

    if (selected.known && share < 99.5)
        latency_answer(matrix, series, answer, "%.*f %% of the run", share < 10 ? 1 : 0, share);
    else if (selected.known)
        latency_answer(matrix, series, answer, "%s", selected.state == STATE_ACTIVE ? "siblings busy" : "");
    latency_selected_free(&selected);
}

/* An item in a single-producer queue, at the distance that was found most often. */
static void find_queue(const struct latency_matrix *matrix, enum latency_series series, int distance,
                       const char *key, const char *label)
{
    if (matrix->column[series] < 0)
        return;
    struct latency_selected selected = select_at(matrix, series, SERIES_COUNT, distance);
    if (selected.known)
        latency_answer(matrix, SERIES_COUNT, answer_at(matrix, &selected, distance, key, label), "%s",
                       distance_name(&matrix->distances, distance));
    latency_selected_free(&selected);
}

double latency_slower(const double *value, size_t count, double *fastest)
{
    enum { MOMENTS = 40, VALUES_LEAST = 8 };
    double moment[MOMENTS];
    const size_t most = count / VALUES_LEAST, moments = most < MOMENTS ? most : MOMENTS;

    if (moments < 2)
        return NAN;
    for (size_t i = 0; i < moments; i++) {
        const size_t begin = count * i / moments, end = count * (i + 1) / moments;
        moment[i] = quantile_of(value + begin, end - begin, latency_quantile);
    }
    *fastest = quantile_of(moment, moments, 0);
    return quantile_of(moment, moments, 0.95) / *fastest;
}

/* What lies between the cores has a clock of its own, which the host moves by a third within a second. All series go with
 * it, so what one takes for the other holds where neither does in ns. */
static void find_between(const struct latency_matrix *matrix, int distance)
{
    const char *name = distance_name(&matrix->distances, distance);
    int base = 0;
    double fastest;

    while (matrix->column[base] < 0)
        base++;
    struct latency_selected selected = select_at(matrix, (enum latency_series)base, SERIES_COUNT, distance);
    const double slower = latency_slower(selected.value, selected.count, &fastest);
    latency_selected_free(&selected);
    if (slower > SLOWER)
        latency_answer(matrix, SERIES_COUNT,
                       (struct answer){.key = "between_cores.slower",
                                       .label = "Between cores, slowest by fastest",
                                       .value = REAL_CELL(slower),
                                       .unit = "times",
                                       .leg = LEG_REPETITION},
                       "%s at best %.1f ns", latency_series[base].name, fastest);
    for (int series = base + 1; series < SERIES_OWN_LLSC; series++) {
        char key[32], label[64];
        if (matrix->column[series] < 0)
            continue;
        selected = select_at(matrix, (enum latency_series)series, (enum latency_series)base, distance);
        snprintf(key, sizeof key, "per_%s", latency_series[base].name);
        snprintf(label, sizeof label, "by %s, %s", latency_series[base].name, name);
        struct answer answer = answer_at(matrix, &selected, distance, key, label);
        answer.unit = "times";
        answer.ghz = 0;
        if (selected.known)
            latency_answer(matrix, (enum latency_series)series, answer, "%s",
                           matrix->guest && selected.estimate.placements == 1 ? "one pair of cores seen"
                                                                              : "");
        latency_selected_free(&selected);
    }
}

/* On lines that CPU 0 owns: cycles, or ns where its clock is not known. Build and neighbour move it by up to 3 %. */
static void find_own(const struct latency_matrix *matrix, enum latency_series series, const char *key,
                     const char *label)
{
    const size_t cell = matrix->plan.pair_count * matrix->width + (size_t)matrix->column[series];
    struct engine_data data = matrix->data;
    struct estimate e;
    bool found = false;

    for (int attempt = 0; attempt < 4 && !found; attempt++) {
        data.cycles = attempt < 2;
        found = engine_estimate(&data, cell, attempt % 2 ? STATE_MIXED : engine_main_state(&data), 0.5, &e);
    }
    if (!found)
        return;
    struct answer answer = answer_of(&e, trust_judge(&e, &promise_beyond));
    answer.key = key;
    answer.label = label;
    answer.unit = data.cycles ? "core cycles" : "ns";
    latency_answer(matrix, series, answer, "%s", "");
}

/* A CPU with itself is no pair. */
static void find_extreme(const struct latency_matrix *matrix, enum latency_series series, bool slowest)
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
    const struct pair *pair = &matrix->plan.pair[best - cells];
    /* The extreme of many rests on the noise of one. */
    const struct verdict verdict =
        verdict_lesser(best->verdict, (struct verdict){TRUST_MEDIUM, LEG_REPETITION});
    latency_answer(matrix, series,
                   (struct answer){.key = slowest ? "slowest" : "fastest",
                                   .label = slowest ? "slowest pair" : "fastest pair",
                                   .value = REAL_CELL(best->value),
                                   .unit = "ns",
                                   .trust = verdict.trust,
                                   .leg = verdict.leg,
                                   .samples = best->rounds,
                                   .low = REAL_CELL(best->low),
                                   .high = REAL_CELL(best->high)},
                   "CPU %d and %d%s", matrix->place[pair->from].id, matrix->place[pair->to].id,
                   best->flags ? ", flagged" : "");
}

/* By how much the directions of a pair differ: of its own passes, or of the two pairs that ordered pairs are; NaN: flagged or
 * not measured. */
static double asymmetry_of(const struct latency_matrix *matrix, enum latency_series series, size_t index)
{
    const struct latency_cell *cell = &matrix->cell[series][index];
    const struct pair *pair = &matrix->plan.pair[index];
    double there = cell->forward, back = cell->backward;

    if (isnan(cell->value) || cell->flags)
        return NAN;
    if (matrix->params->pairs != PAIRS_UNORDERED) {
        const uint32_t at = matrix->pair_at[pair->to * matrix->count + pair->from];
        const struct latency_cell *other = at && pair->from < pair->to ? &matrix->cell[series][at - 1] : NULL;
        there = cell->value;
        back = other && !other->flags ? other->value : NAN;
    }
    return 2 * fabs(there - back) / (there + back);
}

static void find_asymmetric(const struct latency_matrix *matrix, enum latency_series series)
{
    double most = 0;
    size_t count = 0, worst = 0;

    for (size_t i = 0; i < matrix->plan.pair_count; i++) {
        const double asymmetry = asymmetry_of(matrix, series, i);
        count += asymmetry > ASYMMETRY;
        worst = asymmetry > most ? i : worst;
        most = asymmetry > most ? asymmetry : most;
    }
    const struct pair *pair = &matrix->plan.pair[worst];
    if (count > 0)
        latency_answer(matrix, series,
                       (struct answer){.key = "asymmetric_pairs",
                                       .label = "asymmetric pairs",
                                       .value = INTEGER_CELL(count),
                                       .trust = TRUST_MEDIUM},
                       "most CPU %d and %d, %.0f %%", matrix->place[pair->from].id,
                       matrix->place[pair->to].id, 100 * most);
}

/* What is answered of a series is asked for, and rests on all pairs: a median or an extreme over a part of them may be another
 * one over all. */
static bool is_whole(const struct latency_matrix *matrix, int series)
{
    if (!latency_reports(matrix, (enum latency_series)series))
        return false;
    for (size_t i = 0; i < matrix->plan.pair_count; i++) {
        if (matrix->cell[series][i].measured == 0 && matrix->cell[series][i].failures == 0)
            return false;
    }
    return true;
}

/* What repeats comes first, and of that what holds for the larger share of the run; the extremes of the pairs last. */
void latency_answers(const struct latency_matrix *matrix)
{
    const struct distances *distances = &matrix->distances;
    int order[CLASSES_MOST], beyond = -1;

    for (int i = 0; i < (int)distances->count; i++) {
        int k = i;
        for (; k > 0 && distances->of[i].looks > distances->of[order[k - 1]].looks; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (int i = (int)distances->count - 1; i >= 0; i--)
        beyond = distances->of[order[i]].kind == DISTANCE_CORE ? beyond : order[i];
    for (int series = 0; series < SERIES_COUNT; series++) {
        for (size_t i = 0; is_whole(matrix, series) && i < distances->count; i++)
            find_distance(matrix, (enum latency_series)series, order[i]);
    }
    latency_placement_answers(matrix);
    if (beyond >= 0)
        find_between(matrix, beyond);
    if (distances->count > 0) {
        find_queue(matrix, SERIES_TRANSFER, order[0], "queue.transfer", "Queue item, reader comes later");
        find_queue(matrix, SERIES_READWRITE, order[0], "queue.readwrite", "Queue item, reader waits");
    }
    for (int series = 0; series < SERIES_OWN_LLSC; series++) {
        if (series != SERIES_READWRITE && latency_reports(matrix, (enum latency_series)series))
            find_own(matrix, (enum latency_series)series, "own_line", "own line");
    }
    /* An interconnect may have an atomic instruction carried out at the line's home, which moves no line; the exclusive pair of
     * instructions has to, and is another quantity. */
    if (matrix->column[SERIES_OWN_LLSC] >= 0 && latency_reports(matrix, SERIES_CAS))
        find_own(matrix, SERIES_OWN_LLSC, "llsc", "own line, LL/SC");
    /* Where pairs are moved, the extreme is another one in the next run. */
    for (int series = 0; series < SERIES_COUNT && distances->changes == 0; series++) {
        if (!is_whole(matrix, series))
            continue;
        find_extreme(matrix, (enum latency_series)series, false);
        find_extreme(matrix, (enum latency_series)series, true);
        find_asymmetric(matrix, (enum latency_series)series);
    }
}
