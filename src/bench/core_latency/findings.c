/* SPDX-License-Identifier: MIT */
/* What is said of one series: its value at each distance, the extremes among the pairs, directions. */
#include "findings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "uarchprobe/stats.h"

enum { TEXT_LENGTH = 400, KEY_LENGTH = 64, FLAGGED_MOST = 8, TURNS_ENOUGH = 4 };

static const double ASYMMETRY = 0.10;

void latency_add_finding(const struct latency_matrix *matrix, enum handover_series series, const char *key,
                         struct finding finding)
{
    char path[KEY_LENGTH], sentence[TEXT_LENGTH + KEY_LENGTH];

    snprintf(path, sizeof path, "%s.%s", handover_series_names[series], key);
    snprintf(sentence, sizeof sentence, "%s, %s", handover_series_names[series], finding.text);
    finding.key = path;
    finding.text = sentence;
    if (!matrix->complete && finding.trust == TRUST_HIGH)
        finding.trust = TRUST_MEDIUM;
    record_finding(matrix->run->record, finding);
}

/* Pairs at one distance are not equally far: a mesh has longer and shorter ways. What the others have in common with
 * the median pair is how they vary, so each value is scaled to that pair; a pair seen too seldom stays as it is. */
static void scale_to_median_pair(const struct latency_matrix *matrix, enum handover_series series,
                                 int distance, double *value, const uint32_t *of, size_t count)
{
    const size_t pairs = matrix->plan.pair_count;
    double *scale = malloc((pairs + 1) * sizeof *scale);

    for (size_t i = 0; scale && i < pairs; i++) {
        size_t turns;
        scale[i] = latency_value_at(matrix, series, i, distance, &turns);
        if (turns < TURNS_ENOUGH)
            scale[i] = NAN;
    }
    const double median = scale ? median_of(scale, pairs) : NAN; /* NaN are left out */
    for (size_t i = 0; scale && i < count; i++) {
        if (!isnan(scale[of[i]]))
            value[i] *= median / scale[of[i]];
    }
    free(scale);
}

static void add_distance(const struct latency_matrix *matrix, enum handover_series series, int index,
                         const struct summary *raw, const struct estimate *estimate)
{
    const struct distances *distances = &matrix->distances;
    const double share = (double)distances->of[index].turns / (double)distances->turns;
    char key[32], text[TEXT_LENGTH];

    size_t used = (size_t)snprintf(text, sizeof text, "%s: %.1f ns (%.1f to %.1f)",
                                   distance_name(distances, index), estimate->value, raw->p10, raw->p90);
    if (share < 0.995)
        snprintf(text + used, sizeof text - used, ", %.*f %% of the looks", share < 0.1 ? 1 : 0, 100 * share);
    struct finding finding = finding_of(estimate, trust_judge(estimate, &claim_beyond));
    finding.unit = "ns";
    finding.text = text;
    finding.state = distance_name(distances, index);
    latency_add_finding(matrix, series, distance_key(distances, index, key, sizeof key), finding);
}

/* What repeats where a host moves its CPUs: the values of all pairs while they are at one distance. */
static void find_distances(const struct latency_matrix *matrix, enum handover_series series)
{
    const size_t room = matrix->data.sweeps * matrix->plan.pair_count + 1;
    double *value = malloc(room * sizeof *value);
    uint32_t *of = malloc(room * sizeof *of);

    for (int i = 0; value && of && i < (int)matrix->distances.count; i++) {
        const struct latency_selection all = {series, 0, matrix->plan.pair_count, i};
        const size_t count = latency_collect(matrix, &all, value, of);
        const struct summary raw = summary_of(value, count);
        struct estimate estimate;
        scale_to_median_pair(matrix, series, i, value, of, count);
        if (estimate_of(value, count, latency_quantile, &estimate))
            add_distance(matrix, series, i, &raw, &estimate);
    }
    free(value);
    free(of);
}

/* All pairs of one series that have a value. */
struct survey {
    const struct latency_matrix *matrix;
    enum handover_series series;
    size_t count;
    size_t *pair;
};

static const struct latency_cell *cell_at(const struct survey *survey, size_t i)
{
    return &survey->matrix->cell[survey->series][survey->pair[i]];
}

static bool survey_make(struct survey *survey, const struct latency_matrix *matrix,
                        enum handover_series series)
{
    *survey = (struct survey){.matrix = matrix, .series = series};
    survey->pair = malloc((matrix->plan.pair_count + 1) * sizeof *survey->pair);
    for (size_t i = 0; survey->pair && i < matrix->plan.pair_count; i++) {
        if (!isnan(matrix->cell[series][i].value))
            survey->pair[survey->count++] = i;
    }
    return survey->pair != NULL;
}

static const struct pair *pair_at(const struct survey *survey, size_t i)
{
    return &survey->matrix->plan.pair[survey->pair[i]];
}

static enum relation relation_at(const struct survey *survey, size_t i)
{
    const struct cpu_place *place = survey->matrix->place;
    return place_relation(&place[pair_at(survey, i)->from], &place[pair_at(survey, i)->to]);
}

/* A CPU with itself is no pair. Where pairs are moved, the extreme is another one in the next run. */
static void find_extreme(const struct survey *survey, const char *name, bool slowest)
{
    const struct latency_matrix *matrix = survey->matrix;
    size_t best = 0, candidates = 0;
    char text[TEXT_LENGTH];

    for (size_t i = 0; i < survey->count; i++) {
        if (relation_at(survey, i) == SAME_CPU)
            continue;
        const double value = cell_at(survey, i)->value, least = cell_at(survey, best)->value;
        if (candidates++ == 0 || (slowest ? value > least : value < least))
            best = i;
    }
    if (candidates < 2)
        return;
    const struct latency_cell *cell = cell_at(survey, best);
    /* The extreme of many rests on the noise of one. */
    const struct verdict verdict =
        verdict_lesser((struct verdict){(enum trust)cell->trust, (enum leg)cell->leg},
                       (struct verdict){TRUST_MEDIUM, LEG_REPETITION});
    snprintf(text, sizeof text, "%s pair: CPU %d and %d (%s), %.1f ns%s", name,
             matrix->place[pair_at(survey, best)->from].id, matrix->place[pair_at(survey, best)->to].id,
             relation_names[relation_at(survey, best)], (double)cell->value, cell->flags ? ", flagged" : "");
    latency_add_finding(matrix, survey->series, name,
                        (struct finding){.value = REAL_CELL(cell->value),
                                         .unit = "ns",
                                         .trust = verdict.trust,
                                         .leg = verdict.leg,
                                         .samples = cell->rounds,
                                         .low = REAL_CELL(cell->low),
                                         .high = REAL_CELL(cell->high),
                                         .text = text});
}

/* The two directions of a pair: of its own passes, or the two pairs that ordered pairs are. Values of a
 * message differ by the clocks' offset, not by direction. */
static double asymmetry_of(const struct survey *survey, const double *value_at, size_t i)
{
    const struct latency_matrix *matrix = survey->matrix;
    const struct latency_cell *cell = cell_at(survey, i);
    const struct pair *pair = pair_at(survey, i);
    const size_t count = (size_t)matrix->count;
    double there = cell->forward, back = cell->backward;

    if (survey->series == SERIES_MESSAGE)
        return NAN;
    if (value_at) {
        there = value_at[(size_t)pair->from * count + (size_t)pair->to];
        back = pair->from < pair->to ? value_at[(size_t)pair->to * count + (size_t)pair->from] : NAN;
    }
    return 2 * fabs(there - back) / (there + back);
}

/* By from and to; NULL where pairs are unordered or memory ran out. */
static double *values_by_ends(const struct survey *survey)
{
    const size_t count = (size_t)survey->matrix->count;
    double *value_at =
        survey->matrix->params->pairs == PAIRS_UNORDERED ? NULL : malloc(count * count * sizeof *value_at);

    for (size_t i = 0; value_at && i < count * count; i++)
        value_at[i] = NAN;
    for (size_t i = 0; value_at && i < survey->count; i++) {
        if (cell_at(survey, i)->flags == 0)
            value_at[(size_t)pair_at(survey, i)->from * count + (size_t)pair_at(survey, i)->to] =
                cell_at(survey, i)->value;
    }
    return value_at;
}

static void find_asymmetric(const struct survey *survey)
{
    double *value_at = values_by_ends(survey), most = 0;
    size_t count = 0, worst = 0;
    char text[TEXT_LENGTH];

    for (size_t i = 0; i < survey->count; i++) {
        const double asymmetry = cell_at(survey, i)->flags ? 0 : asymmetry_of(survey, value_at, i);
        count += asymmetry > ASYMMETRY;
        worst = asymmetry > most ? i : worst;
        most = asymmetry > most ? asymmetry : most;
    }
    free(value_at);
    if (count == 0)
        return;
    const struct pair *pair = pair_at(survey, worst);
    snprintf(text, sizeof text, "asymmetric by more than 10 %%: %zu pairs, most CPU %d and %d by %.0f %%",
             count, survey->matrix->place[pair->from].id, survey->matrix->place[pair->to].id, 100 * most);
    latency_add_finding(survey->matrix, survey->series, "asymmetric_pairs",
                        (struct finding){.value = INTEGER_CELL(count), .trust = TRUST_MEDIUM, .text = text});
}

static void find_clock_offset(const struct survey *survey)
{
    double most = 0;
    char text[TEXT_LENGTH];

    for (size_t i = 0; i < survey->count; i++) {
        const struct latency_cell *cell = cell_at(survey, i);
        most = fmax(most, fabs(cell->forward - cell->backward) / 2 / cell->turns);
    }
    snprintf(text, sizeof text,
             "the clocks of two CPUs differ by %.1f ns at most, as far as both directions take the same time",
             most);
    latency_add_finding(
        survey->matrix, SERIES_MESSAGE, "clock_offset",
        (struct finding){.value = REAL_CELL(most), .unit = "ns", .trust = TRUST_MEDIUM, .text = text});
}

/* The first few pairs that were disturbed; those that were moved are said once for all. */
static void find_flagged(const struct survey *survey)
{
    size_t listed = 0;
    char text[TEXT_LENGTH], key[KEY_LENGTH / 2], flags[KEY_LENGTH];

    for (size_t i = 0; i < survey->count && listed < FLAGGED_MOST; i++) {
        const struct latency_cell *cell = cell_at(survey, i);
        if (!(cell->flags & (FLAG_NOISY | FLAG_PREEMPTED)))
            continue;
        const int from = survey->matrix->place[pair_at(survey, i)->from].id;
        const int to = survey->matrix->place[pair_at(survey, i)->to].id;
        snprintf(text, sizeof text, "CPU %d and %d, %.1f ns, is flagged %s", from, to, (double)cell->value,
                 cell_flags_text(cell->flags, flags, sizeof flags));
        snprintf(key, sizeof key, "flagged.%d_%d", from, to);
        latency_add_finding(
            survey->matrix, survey->series, key,
            (struct finding){
                .value = REAL_CELL(cell->value), .unit = "ns", .trust = TRUST_LOW, .text = text});
        listed++;
    }
}

void latency_findings(const struct latency_matrix *matrix, enum handover_series series)
{
    struct survey survey;

    find_distances(matrix, series);
    if (survey_make(&survey, matrix, series) && survey.count > 0) {
        if (matrix->distances.changes == 0) {
            find_extreme(&survey, "fastest", false);
            find_extreme(&survey, "slowest", true);
            find_asymmetric(&survey);
        }
        if (series == SERIES_MESSAGE)
            find_clock_offset(&survey);
        find_flagged(&survey);
    }
    free(survey.pair);
}

static void find_own(const struct latency_matrix *matrix, enum handover_series series, const char *what)
{
    const size_t cell = matrix->plan.pair_count * matrix->width + (size_t)matrix->column[series];
    struct estimate estimate;
    char text[TEXT_LENGTH];

    if (!engine_estimate(&matrix->data, cell, engine_main_state(&matrix->data), 0.5, &estimate) &&
        !engine_estimate(&matrix->data, cell, STATE_MIXED, 0.5, &estimate))
        return;
    snprintf(text, sizeof text,
             "%s on a line that CPU %d owns already: %.2f ns%s; take it off to have the "
             "transfer alone",
             what, matrix->place[0].id, estimate.value,
             estimate.state == STATE_IDLE     ? " while the sibling idles"
             : estimate.state == STATE_ACTIVE ? " while the sibling works"
                                              : "");
    struct finding finding = finding_of(&estimate, trust_judge(&estimate, &claim_core));
    finding.unit = "ns";
    finding.text = text;
    latency_add_finding(matrix, series, "own_line", finding);
}

void latency_own_findings(const struct latency_matrix *matrix)
{
    static const char *const what[SERIES_COUNT] = {[SERIES_CAS] = "a compare-and-swap",
                                                   [SERIES_TRANSFER] = "a load",
                                                   [SERIES_TRANSFER_RMW] = "a locked operation"};

    for (int series = 0; series < SERIES_COUNT; series++) {
        if (what[series] && latency_reports(matrix, (enum handover_series)series))
            find_own(matrix, (enum handover_series)series, what[series]);
    }
}
