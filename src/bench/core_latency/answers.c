/* SPDX-License-Identifier: MIT */
/* What is found of one series: its value at each distance, the extremes among the pairs, directions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "core_latency.h"
#include "uarchprobe/stats.h"

enum { ENOUGH = 4 };

static const double ASYMMETRY = 0.10, SLOWER = 1.05;

void latency_answer(const struct latency_matrix *matrix, enum latency_series series, struct answer answer,
                    const char *format, ...)
{
    const bool of_series = series != SERIES_COUNT;
    const char *name = of_series ? latency_series_names[series] : "";
    struct text key = {0}, text = {0};
    va_list arguments;

    text_printf(&key, "%s%s%s", name, of_series ? "." : "", answer.key);
    text_printf(&text, "%s%s", name, of_series ? ", " : "");
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

/* Pairs at one distance are not equally far: a mesh has longer and shorter ways. What the others have in common with
 * the median pair is how they vary, so each value is scaled to that pair; a pair seen too seldom stays as it is. */
static void scale_to_median_pair(const struct latency_matrix *matrix, struct latency_selection wanted,
                                 double *value, const uint32_t *of, size_t count)
{
    const size_t pairs = wanted.pairs;
    double *scale = memory_zeroed(pairs, sizeof *scale);

    wanted.pairs = 1;
    for (wanted.first = 0; wanted.first < pairs; wanted.first++) {
        struct latency_found found;
        const double ns = latency_value_at(matrix, &wanted, &found);
        scale[wanted.first] = found.count < ENOUGH ? NAN : ns;
    }
    const double median = median_of(scale, pairs); /* NaN are left out */
    for (size_t i = 0; i < count; i++) {
        if (!isnan(scale[of[i]]))
            value[i] *= median / scale[of[i]];
    }
    free(scale);
}

/* The clocks of cores and of what lies between them share one budget of power, and move together: over 32 runs of a guest
 * a compare-and-swap and the core clock correlated by -0.84. 0: unknown. */
double latency_mean_ghz(const struct latency_matrix *matrix)
{
    double sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < matrix->data.moments; i++) {
        const double ghz = matrix->data.moment[i].ghz;
        if (!isnan(ghz)) {
            sum += ghz;
            count++;
        }
    }
    return count ? sum / (double)count : 0;
}

/* What repeats where a host moves its CPUs: the values of all pairs while they are at one distance. Freed by the caller;
 * NULL: there are none. */
static double *values_at(const struct latency_matrix *matrix, enum latency_series series, int index,
                         struct latency_found *found)
{
    const size_t room = matrix->data.sweeps * matrix->plan.pair_count;
    struct latency_selection wanted = {series, 0, matrix->plan.pair_count, index, STATE_MIXED};
    double *value = memory_zeroed(room, sizeof *value);
    uint32_t *of = memory_zeroed(room, sizeof *of);

    *found = latency_collect(matrix, &wanted, value, of);
    wanted.state = found->state;
    scale_to_median_pair(matrix, wanted, value, of, found->count);
    free(of);
    if (found->count > 0)
        return value;
    free(value);
    return NULL;
}

static struct answer judged_at(const struct latency_matrix *matrix, int index,
                               const struct latency_found *found, const double *value, const char *key)
{
    struct estimate estimate;

    latency_estimate(found, value, &estimate);
    struct answer answer = answer_of(&estimate, latency_judge(matrix, &estimate, index));
    answer.key = key;
    answer.unit = "ns";
    answer.state =
        distance_name(&matrix->distances, index); /* siblings move it by less than compare allows */
    answer.ghz = latency_mean_ghz(matrix);
    return answer;
}

/* How much of the run it holds for, and why it has a number for a name. */
static void add_share(const struct distances *distances, int index, struct text *text)
{
    const double share = 100 * (double)distances->of[index].looks / (double)distances->looks;

    if (share < 99.5)
        text_printf(text, ", in %.*f %% of the looks", share < 10 ? 1 : 0, share);
    else if (distances->count == 1)
        text_add(text, ", the only distance seen");
    if (distances->of[index].kind == DISTANCE_UNNAMED)
        text_add(text, ", in one L3 or beyond");
}

static void find_distance(const struct latency_matrix *matrix, enum latency_series series, int index)
{
    char key[32], clock[32] = "";
    struct text share = {0};
    struct latency_found found;
    double *value = values_at(matrix, series, index, &found);

    if (!value)
        return;
    const struct answer answer =
        judged_at(matrix, index, &found, value, distance_key(&matrix->distances, index, key, sizeof key));
    add_share(&matrix->distances, index, &share);
    if (answer.ghz > 0)
        snprintf(clock, sizeof clock, ", at %.2f GHz", answer.ghz);
    latency_answer(matrix, series, answer, "%s: %.1f ns one way (lower quartile; upper %.1f)%s%s%s",
                   answer.state, cell_number(&answer.value), quantile_of(value, found.count, 0.75), clock,
                   found.state == STATE_ACTIVE ? ", SMT siblings busy" : "", share.data ? share.data : "");
    text_free(&share);
    free(value);
}

/* -1: nothing was found at any. */
static int most_frequent(const struct distances *distances, bool beyond_core)
{
    int most = -1;

    for (int i = 0; i < (int)distances->count; i++) {
        if ((!beyond_core || distances->of[i].kind != DISTANCE_CORE) &&
            (most < 0 || distances->of[i].looks > distances->of[most].looks))
            most = i;
    }
    return most;
}

static void find_queue(const struct latency_matrix *matrix, enum latency_series series, const char *key,
                       const char *meaning)
{
    const int index = most_frequent(&matrix->distances, false);
    struct latency_found found;
    double *value = index < 0 || matrix->column[series] < 0 ? NULL : values_at(matrix, series, index, &found);

    if (!value)
        return;
    const struct answer answer = judged_at(matrix, index, &found, value, key);
    latency_answer(matrix, SERIES_COUNT, answer, "an item in a single-producer queue, %s: %.0f ns %s",
                   answer.state, cell_number(&answer.value), meaning);
    free(value);
}

/* What lies between the cores has a clock of its own, which the host moves by a third within a second. All series go with
 * it, so what one takes for the other holds where neither does in ns. */
static void find_ratio(const struct latency_matrix *matrix, enum latency_series base,
                       enum latency_series series, int index)
{
    struct estimate estimate;
    char key[32];

    if (!latency_ratio(matrix, series, base, index, &estimate))
        return;
    struct answer answer = answer_of(&estimate, latency_judge_ratio(matrix, &estimate, series));
    snprintf(key, sizeof key, "per_%s", latency_series_names[base]);
    answer.key = key;
    answer.unit = "times";
    answer.state = distance_name(&matrix->distances, index);
    latency_answer(matrix, series, answer, "%s: %.2f times %s%s", answer.state, estimate.value,
                   latency_series_names[base],
                   matrix->guest && estimate.placements == 1 ? ", of the one pair of cores that was seen"
                                                             : "");
}

static void find_slower(const struct latency_matrix *matrix, enum latency_series base, int index)
{
    struct latency_found found;
    double *value = values_at(matrix, base, index, &found), fastest = NAN;
    const double slower = value ? latency_slower(value, found.count, &fastest) : NAN;

    free(value);
    if (slower > SLOWER)
        latency_answer(matrix, SERIES_COUNT,
                       (struct answer){.key = "between_cores.slower",
                                       .value = REAL_CELL(slower),
                                       .unit = "times",
                                       .leg = LEG_REPETITION},
                       "what lies between the cores was up to %.0f %% slower at times than in its fastest "
                       "moment (%s, %s: %.1f "
                       "ns), for all series alike%s",
                       100 * (slower - 1), latency_series_names[base],
                       distance_name(&matrix->distances, index), fastest,
                       matrix->guest ? "; another run may find it so throughout" : "");
}

/* What the series have in common, at the distance beyond one core that was found most often. */
static void find_common(const struct latency_matrix *matrix)
{
    const int index = most_frequent(&matrix->distances, true);
    int base = 0;

    while (base < SERIES_COUNT - 1 && matrix->column[base] < 0)
        base++;
    if (index < 0)
        return;
    find_slower(matrix, (enum latency_series)base, index);
    for (int series = base + 1; series < SERIES_COUNT; series++) {
        if (matrix->column[series] >= 0)
            find_ratio(matrix, (enum latency_series)base, (enum latency_series)series, index);
    }
}

static int cpu_at(const struct latency_matrix *matrix, int index)
{
    return matrix->place[index].id;
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
                   cpu_at(matrix, pair->from), cpu_at(matrix, pair->to),
                   relation_names[latency_relation(matrix, (size_t)(best - cells))], (double)best->value,
                   best->flags ? ", flagged" : "");
}

/* NaN: the pair of that index + 1 is flagged or was not measured. */
static double plain_value(const struct latency_matrix *matrix, enum latency_series series, uint32_t at)
{
    const struct latency_cell *cell = at ? &matrix->cell[series][at - 1] : NULL;
    return cell && cell->flags == 0 ? cell->value : NAN;
}

/* The two directions of a pair: of its own passes, or the two pairs that ordered pairs are. */
static double asymmetry_of(const struct latency_matrix *matrix, enum latency_series series, size_t index)
{
    const struct latency_cell *cell = &matrix->cell[series][index];
    const struct pair *pair = &matrix->plan.pair[index];
    const size_t from = (size_t)pair->from, to = (size_t)pair->to, count = (size_t)matrix->count;
    double there = cell->forward, back = cell->backward;

    if (isnan(cell->value) || cell->flags)
        return NAN;
    if (matrix->params->pairs != PAIRS_UNORDERED) {
        there = plain_value(matrix, series, matrix->pair_at[from * count + to]);
        back = from < to ? plain_value(matrix, series, matrix->pair_at[to * count + from]) : NAN;
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
            cpu_at(matrix, pair->from), cpu_at(matrix, pair->to), 100 * most);
}

/* What holds for the larger share of the run comes first. */
void latency_distance_answers(const struct latency_matrix *matrix, enum latency_series series)
{
    const struct distances *distances = &matrix->distances;
    bool told[CLASSES_MOST] = {false};

    for (size_t i = 0; i < distances->count; i++) {
        int most = -1;
        for (int k = 0; k < (int)distances->count; k++) {
            if (!told[k] && (most < 0 || distances->of[k].looks > distances->of[most].looks))
                most = k;
        }
        told[most] = true;
        find_distance(matrix, series, most);
    }
}

void latency_pair_answers(const struct latency_matrix *matrix, enum latency_series series)
{
    /* Where pairs are moved, the extreme is another one in the next run. */
    if (matrix->distances.changes == 0) {
        find_extreme(matrix, series, false);
        find_extreme(matrix, series, true);
        find_asymmetric(matrix, series);
    }
}

void latency_common_answers(const struct latency_matrix *matrix)
{
    find_common(matrix);
    find_queue(matrix, SERIES_TRANSFER, "queue.transfer", "a line to a consumer that comes later (transfer)");
    find_queue(matrix, SERIES_READWRITE, "queue.readwrite",
               "from its store to a consumer that waits for it (readwrite)");
}
