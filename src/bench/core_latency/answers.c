/* SPDX-License-Identifier: MIT */
/* What is answered of the series: the value of each at each distance, one by another, own lines, the extremes among the
 * pairs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "core_latency.h"
#include "uarchprobe/stats.h"

enum { ENOUGH = 4 };

static const double ASYMMETRY = 0.10, SLOWER = 1.05, FIFTH = 0.2;

void latency_answer(const struct latency_matrix *matrix, enum latency_series series, struct answer answer,
                    const char *format, ...)
{
    const char *name = series == SERIES_COUNT ? NULL : latency_series[series].name;
    struct text key = {0}, text = {0};
    va_list arguments;

    text_printf(&key, "%s%s%s", name ? name : "", name ? "." : "", answer.key);
    text_printf(&text, "%s%s", name ? name : "", name ? ", " : "");
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    answer.key = key.data;
    answer.text = text.data;
    if (!matrix->complete && answer.trust == TRUST_HIGH)
        answer.trust = TRUST_MEDIUM;
    record_answer(matrix->run->record, answer);
    text_free(&key);
    text_free(&text);
}

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

/* The values of all pairs while they are at one distance, which repeat where a host moves its CPUs. Such pairs are not equally
 * far: a mesh has longer and shorter ways. How they vary is what the others have in common with the median pair, so each value
 * is scaled to that pair; a pair seen too seldom stays as it is. */
static struct latency_selected select_at(const struct latency_matrix *matrix, enum latency_series series,
                                         int distance)
{
    const size_t pairs = matrix->plan.pair_count;
    const struct latency_selection wanted = {series, SERIES_COUNT, 0, pairs, distance};
    struct latency_selected s = latency_select(matrix, &wanted);
    double *by_pair = memory_zeroed(s.count, sizeof *by_pair), *of = memory_zeroed(pairs, sizeof *of);
    size_t *end = memory_zeroed(pairs + 1, sizeof *end);

    for (size_t i = 0; i < s.count; i++)
        end[s.pair[i] + 1]++;
    for (size_t pair = 0; pair < pairs; pair++)
        end[pair + 1] += end[pair];
    for (size_t i = 0; i < s.count; i++)
        by_pair[end[s.pair[i]]++] = s.value[i];
    for (size_t pair = 0; pair < pairs; pair++) {
        const size_t begin = pair ? end[pair - 1] : 0, count = end[pair] - begin;
        of[pair] = count < ENOUGH ? NAN : quantile_of(by_pair + begin, count, latency_quantile);
    }
    const double median = median_of(of, pairs); /* NaN are left out */
    for (size_t i = 0; i < s.count; i++)
        s.value[i] *= isnan(of[s.pair[i]]) ? 1 : median / of[s.pair[i]];
    free(by_pair);
    free(of);
    free(end);
    return s;
}

/* False: there are no values. */
static bool answer_at(const struct latency_matrix *matrix, const struct latency_selected *selected,
                      int distance, struct answer *answer)
{
    struct estimate estimate;

    if (!latency_estimate(selected, &estimate))
        return false;
    *answer = answer_of(&estimate, latency_judge(matrix, &estimate, distance));
    answer->unit = "ns";
    answer->state =
        distance_name(&matrix->distances, distance); /* siblings move it by less than compare allows */
    answer->ghz = mean_ghz(matrix);
    return true;
}

static void find_distance(const struct latency_matrix *matrix, enum latency_series series, int index)
{
    const struct distance *at = &matrix->distances.of[index];
    const double share = 100 * (double)at->looks / (double)matrix->distances.looks;
    struct latency_selected selected = select_at(matrix, series, index);
    struct answer answer;
    struct text more = {0};
    char key[32];

    if (answer_at(matrix, &selected, index, &answer)) {
        answer.key = distance_key(&matrix->distances, index, key, sizeof key);
        if (answer.ghz > 0)
            text_printf(&more, ", at %.2f GHz", answer.ghz);
        if (selected.state == STATE_ACTIVE)
            text_add(&more, ", SMT siblings busy");
        if (share < 99.5)
            text_printf(&more, ", in %.*f %% of the looks", share < 10 ? 1 : 0, share);
        else if (matrix->distances.count == 1)
            text_add(&more, ", the only distance seen");
        if (at->kind == DISTANCE_UNNAMED)
            text_add(&more, ", in one L3 or beyond");
        latency_answer(matrix, series, answer, "%s: %.1f ns one way (lower quartile; upper %.1f)%s",
                       answer.state, cell_number(&answer.value),
                       quantile_of(selected.value, selected.count, 0.75), more.data ? more.data : "");
    }
    text_free(&more);
    latency_selected_free(&selected);
}

static void find_queue(const struct latency_matrix *matrix, enum latency_series series, int distance,
                       const char *key, const char *meaning)
{
    struct latency_selected selected = select_at(matrix, series, distance);
    struct answer answer;

    if (answer_at(matrix, &selected, distance, &answer)) {
        answer.key = key;
        latency_answer(matrix, SERIES_COUNT, answer, "an item in a single-producer queue, %s: %.0f ns %s",
                       answer.state, cell_number(&answer.value), meaning);
    }
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
    struct latency_selected selected = select_at(matrix, (enum latency_series)base, distance);
    const double slower = latency_slower(selected.value, selected.count, &fastest);
    latency_selected_free(&selected);
    if (slower > SLOWER)
        latency_answer(matrix, SERIES_COUNT,
                       (struct answer){.key = "between_cores.slower",
                                       .value = REAL_CELL(slower),
                                       .unit = "times",
                                       .leg = LEG_REPETITION},
                       "what lies between the cores was up to %.0f %% slower at times than in its fastest "
                       "moment (%s, %s: %.1f ns), for all series alike%s",
                       100 * (slower - 1), latency_series[base].name, name, fastest,
                       matrix->guest ? "; another run may find it so throughout" : "");
    for (int series = base + 1; series < SERIES_OWN_LLSC; series++) {
        const struct latency_selection wanted = {(enum latency_series)series, (enum latency_series)base, 0,
                                                 matrix->plan.pair_count, distance};
        struct estimate e;
        char key[32];
        if (matrix->column[series] < 0)
            continue;
        selected = latency_select(matrix, &wanted);
        if (latency_estimate_ratio(&selected, &e)) {
            struct answer answer = answer_of(&e, latency_judge_ratio(matrix, &e, wanted.series));
            snprintf(key, sizeof key, "per_%s", latency_series[base].name);
            answer.key = key;
            answer.unit = "times";
            answer.state = name;
            latency_answer(matrix, wanted.series, answer, "%s: %.2f times %s%s", name, e.value,
                           latency_series[base].name,
                           matrix->guest && e.placements == 1 ? ", of the one pair of cores that was seen"
                                                              : "");
        }
        latency_selected_free(&selected);
    }
}

/* On lines that CPU 0 owns: in cycles of its clock, or in ns where that is not known. False: no values. */
static bool answer_own(const struct latency_matrix *matrix, int column, struct estimate *e,
                       struct answer *answer)
{
    const size_t cell = matrix->plan.pair_count * matrix->width + (size_t)column;
    struct engine_data data = matrix->data;
    bool found = false;

    for (int attempt = 0; attempt < 4 && !found; attempt++) {
        data.cycles = attempt < 2;
        found = engine_estimate(&data, cell, attempt % 2 ? STATE_MIXED : engine_main_state(&data), 0.5, e);
    }
    *answer = answer_of(e, trust_judge(e, &promise_core));
    answer->unit = data.cycles ? "core cycles" : "ns";
    return found;
}

bool latency_differs(const struct estimate *one, const struct estimate *other)
{
    const struct estimate *less = one->value < other->value ? one : other;
    const struct estimate *more = less == one ? other : one;

    return more->value > less->value * (1 + FIFTH) && more->low > less->high;
}

static void find_own(const struct latency_matrix *matrix)
{
    const int cpu = matrix->place[0].id;
    struct estimate cas = {.value = NAN}, e;
    struct answer answer;
    const char *unit = NULL;

    for (int series = 0; series < SERIES_OWN_LLSC; series++) {
        if (!latency_series[series].own || !latency_reports(matrix, (enum latency_series)series) ||
            !answer_own(matrix, matrix->column[series], &e, &answer))
            continue;
        if (series == SERIES_CAS) {
            cas = e;
            unit = answer.unit;
        }
        answer.key = "own_line";
        latency_answer(matrix, (enum latency_series)series, answer,
                       "%s on a line that CPU %d owns already: %.*f %s%s%s; take it off to have the transfer "
                       "alone",
                       latency_series[series].own, cpu, text_decimals(e.value), e.value, answer.unit,
                       answer.state ? ", " : "", answer.state ? answer.state : "");
    }
    /* An interconnect may have an atomic instruction carried out at the line's home: what a pair is measured with then moves
     * no line, and the exclusive pair of instructions, which has to, is another quantity. */
    if (matrix->column[SERIES_OWN_LLSC] >= 0 && latency_reports(matrix, SERIES_CAS) &&
        answer_own(matrix, matrix->column[SERIES_OWN_LLSC], &e, &answer) && answer.unit == unit &&
        e.state == cas.state && latency_differs(&cas, &e)) {
        answer.key = "llsc";
        latency_answer(
            matrix, SERIES_CAS, answer,
            "on a line that CPU %d owns already: %.*f %s by load-exclusive and store-exclusive, "
            "%.*f by the one instruction with which the pairs are measured%s",
            cpu, text_decimals(e.value), e.value, answer.unit, text_decimals(cas.value), cas.value,
            cas.value > e.value ? ": it may be carried out away from the core, and then moves no line" : "");
    }
}

/* A CPU with itself is no pair. */
static void find_extreme(const struct latency_matrix *matrix, enum latency_series series, bool slowest)
{
    const struct latency_cell *cells = matrix->cell[series], *best = NULL;
    const char *name = slowest ? "slowest" : "fastest";
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
                   (struct answer){.key = name,
                                   .value = REAL_CELL(best->value),
                                   .unit = "ns",
                                   .trust = verdict.trust,
                                   .leg = verdict.leg,
                                   .samples = best->rounds,
                                   .low = REAL_CELL(best->low),
                                   .high = REAL_CELL(best->high)},
                   "%s pair over the whole run: CPU %d and %d (%s), %.1f ns%s", name,
                   matrix->place[pair->from].id, matrix->place[pair->to].id,
                   relation_names[latency_relation(matrix, (size_t)(best - cells))], (double)best->value,
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
        latency_answer(
            matrix, series,
            (struct answer){.key = "asymmetric_pairs", .value = INTEGER_CELL(count), .trust = TRUST_MEDIUM},
            "asymmetric by more than 10 %%: %zu pairs, most CPU %d and %d by %.0f %%", count,
            matrix->place[pair->from].id, matrix->place[pair->to].id, 100 * most);
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
    if (distances->count > 0 && matrix->column[SERIES_TRANSFER] >= 0)
        find_queue(matrix, SERIES_TRANSFER, order[0], "queue.transfer",
                   "a line to a consumer that comes later (transfer)");
    if (distances->count > 0 && matrix->column[SERIES_READWRITE] >= 0)
        find_queue(matrix, SERIES_READWRITE, order[0], "queue.readwrite",
                   "from its store to a consumer that waits for it (readwrite)");
    find_own(matrix);
    /* Where pairs are moved, the extreme is another one in the next run. */
    for (int series = 0; series < SERIES_COUNT && distances->changes == 0; series++) {
        if (!is_whole(matrix, series))
            continue;
        find_extreme(matrix, (enum latency_series)series, false);
        find_extreme(matrix, (enum latency_series)series, true);
        find_asymmetric(matrix, (enum latency_series)series);
    }
}
