/* SPDX-License-Identifier: MIT */
#include "findings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clusters.h"
#include "uarchprobe/stats.h"

enum {
    TEXT_LENGTH = 400,
    KEY_LENGTH = 64,
    GROUPS_TEXT = 240,
    MODES_TEXT = 128,
    FLAGGED_TOLD = 8,
    ROUNDS_ENOUGH = 3
};

/* A line out of another core's cache takes longer than one out of the own L2; twice that allows for the slow
 * case of siblings that share an L1. */
static const double SIBLING_LIMIT = 2, SEPARATE_LIMIT = 4, ASYMMETRY = 0.10, CLUSTER_GAP = 0.15;

static const char *const kinship_keys[KIN_COUNT] = {"own", "smt", "l2", "l3", "node", "package", "machine"};

/* The topology shows separate cores without a common L2, but they hand over faster than any such can; or it
 * shows siblings, which share an L1, and they take longer than a way to the L2 and back. */
static bool contradicts_topology(const struct latency_matrix *matrix, size_t pair)
{
    const struct pair *ends = &matrix->plan.pair[pair];
    const enum kinship kinship = place_kinship(&matrix->place[ends->from], &matrix->place[ends->to]);

    if (kinship == KIN_SAME_CPU || kinship == KIN_L2 || !matrix->cell[SERIES_TRANSFER] ||
        matrix->cell[SERIES_TRANSFER][pair].rounds == 0)
        return false;
    const double ns = latency_verdict(matrix, SERIES_TRANSFER, pair).value;
    if (kinship == KIN_SMT)
        return ns > SEPARATE_LIMIT * matrix->own.l2_ns;
    return ns < SIBLING_LIMIT * matrix->own.l2_ns;
}

struct cell_verdict latency_final_verdict(const struct latency_matrix *matrix, enum handover_series series,
                                          size_t pair)
{
    struct cell_verdict verdict = latency_verdict(matrix, series, pair);

    if (contradicts_topology(matrix, pair))
        verdict.flags |= FLAG_PLACEMENT;
    return verdict;
}

static void add_finding(const struct latency_matrix *matrix, enum handover_series series, const char *key,
                        struct cell value, const char *unit, enum trust trust, const char *text)
{
    char path[KEY_LENGTH], sentence[TEXT_LENGTH + KEY_LENGTH];

    snprintf(path, sizeof path, "%s.%s", handover_series_names[series], key);
    snprintf(sentence, sizeof sentence, "%s, %s", handover_series_names[series], text);
    record_finding(
        matrix->run->record,
        (struct finding){.key = path, .value = value, .unit = unit, .trust = trust, .text = sentence});
}

/* All pairs of one series that have a value. */
struct survey {
    const struct latency_matrix *matrix;
    enum handover_series series;
    size_t count;
    size_t *pair;
    double *value;
    unsigned *flags;
    size_t thin; /* pairs that rest on so few rounds that another regime would not have shown */
};

static enum trust trust_in(const struct survey *survey, size_t flagged, size_t count)
{
    if (2 * flagged > count)
        return TRUST_LOW;
    return flagged || survey->thin || !survey->matrix->complete ? TRUST_MEDIUM : TRUST_HIGH;
}

static bool survey_make(struct survey *survey, const struct latency_matrix *matrix,
                        enum handover_series series)
{
    const size_t room = matrix->plan.pair_count + 1;

    *survey = (struct survey){.matrix = matrix, .series = series};
    survey->pair = malloc(room * sizeof *survey->pair);
    survey->value = malloc(room * sizeof *survey->value);
    survey->flags = malloc(room * sizeof *survey->flags);
    if (!survey->pair || !survey->value || !survey->flags)
        return false;
    for (size_t i = 0; i < matrix->plan.pair_count; i++) {
        const struct cell_verdict verdict = latency_final_verdict(matrix, series, i);
        if (isnan(verdict.value))
            continue;
        survey->thin += verdict.rounds < ROUNDS_ENOUGH;
        survey->pair[survey->count] = i;
        survey->value[survey->count] = verdict.value;
        survey->flags[survey->count++] = verdict.flags;
    }
    return true;
}

static void survey_free(struct survey *survey)
{
    free(survey->pair);
    free(survey->value);
    free(survey->flags);
}

static enum kinship kinship_at(const struct survey *survey, size_t i)
{
    const struct pair *pair = &survey->matrix->plan.pair[survey->pair[i]];
    return place_kinship(&survey->matrix->place[pair->from], &survey->matrix->place[pair->to]);
}

static void find_median_of_class(const struct survey *survey, enum kinship kinship, double *scratch)
{
    size_t count = 0, flagged = 0;
    char key[KEY_LENGTH / 2], text[TEXT_LENGTH];

    for (size_t i = 0; i < survey->count; i++) {
        if (kinship_at(survey, i) != kinship)
            continue;
        scratch[count++] = survey->value[i];
        flagged += survey->flags[i] != 0;
    }
    if (count == 0)
        return;
    const double median = median_of(scratch, count);
    size_t used = (size_t)snprintf(text, sizeof text, "%s: %.1f ns", kinship_names[kinship], median);
    if (count > 1)
        used += (size_t)snprintf(text + used, sizeof text - used, " (median of %zu pairs, %.1f to %.1f)",
                                 count, quantile_of(scratch, count, 0), quantile_of(scratch, count, 1));
    if (flagged)
        snprintf(text + used, sizeof text - used, "; %zu of %zu flagged", flagged, count);
    snprintf(key, sizeof key, "%s.median", kinship_keys[kinship]);
    add_finding(survey->matrix, survey->series, key, REAL_CELL(median), "ns",
                trust_in(survey, flagged, count), text);
}

/* A CPU with itself is no pair. */
static void find_extreme(const struct survey *survey, const char *name, bool slowest)
{
    size_t best = survey->count, candidates = 0;
    char key[KEY_LENGTH / 2], text[TEXT_LENGTH];

    for (size_t i = 0; i < survey->count; i++) {
        if (kinship_at(survey, i) == KIN_SAME_CPU)
            continue;
        if (candidates++ == 0 ||
            (slowest ? survey->value[i] > survey->value[best] : survey->value[i] < survey->value[best]))
            best = i;
    }
    if (candidates < 2)
        return;
    const struct pair *pair = &survey->matrix->plan.pair[survey->pair[best]];
    snprintf(text, sizeof text, "%s pair: CPU %d and %d (%s), %.1f ns%s", name,
             survey->matrix->place[pair->from].id, survey->matrix->place[pair->to].id,
             kinship_names[kinship_at(survey, best)], survey->value[best],
             survey->flags[best] ? ", flagged" : "");
    snprintf(key, sizeof key, "%s", name);
    add_finding(survey->matrix, survey->series, key, REAL_CELL(survey->value[best]), "ns",
                trust_in(survey, survey->flags[best] != 0, 1), text);
}

/* The two directions of a pair: of its own passes, or the two pairs that ordered pairs are. Values of a
 * message differ by the clocks' offset, not by direction. */
static double asymmetry_of(const struct survey *survey, const double *value_at, size_t i)
{
    const struct latency_matrix *matrix = survey->matrix;
    const struct latency_cell *cell = &matrix->cell[survey->series][survey->pair[i]];
    const struct pair *pair = &matrix->plan.pair[survey->pair[i]];
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
        const struct pair *pair = &survey->matrix->plan.pair[survey->pair[i]];
        if (survey->flags[i] == 0)
            value_at[(size_t)pair->from * count + (size_t)pair->to] = survey->value[i];
    }
    return value_at;
}

static void find_asymmetric(const struct survey *survey)
{
    double *value_at = values_by_ends(survey), most = 0;
    size_t count = 0, worst = 0;
    char text[TEXT_LENGTH];

    for (size_t i = 0; i < survey->count; i++) {
        const double asymmetry = survey->flags[i] ? 0 : asymmetry_of(survey, value_at, i);
        count += asymmetry > ASYMMETRY;
        worst = asymmetry > most ? i : worst;
        most = asymmetry > most ? asymmetry : most;
    }
    free(value_at);
    if (count == 0)
        return;
    const struct pair *pair = &survey->matrix->plan.pair[survey->pair[worst]];
    snprintf(text, sizeof text, "asymmetric by more than 10 %%: %zu pairs, most CPU %d and %d by %.0f %%",
             count, survey->matrix->place[pair->from].id, survey->matrix->place[pair->to].id, 100 * most);
    add_finding(survey->matrix, survey->series, "asymmetric_pairs", INTEGER_CELL(count), NULL, TRUST_MEDIUM,
                text);
}

static void find_clock_offset(const struct survey *survey, double *scratch)
{
    const struct latency_matrix *matrix = survey->matrix;
    char text[TEXT_LENGTH];

    for (size_t i = 0; i < survey->count; i++) {
        const struct latency_cell *cell = &matrix->cell[SERIES_MESSAGE][survey->pair[i]];
        const double rounds = cell->rounds - cell->failures;
        scratch[i] = fabs((double)cell->forward - (double)cell->backward) / 2 / rounds;
    }
    const double most = quantile_of(scratch, survey->count, 1);
    snprintf(text, sizeof text,
             "the clocks of two CPUs differ by %.1f ns at most, as far as both directions take the same time",
             most);
    add_finding(matrix, SERIES_MESSAGE, "clock_offset", REAL_CELL(most), "ns", TRUST_MEDIUM, text);
}

/* The first few flagged pairs by name, with the values that they were seen at. */
static void find_flagged(const struct survey *survey)
{
    size_t told = 0;
    char text[TEXT_LENGTH], key[KEY_LENGTH / 2], flags[KEY_LENGTH], modes[MODES_TEXT];

    for (size_t i = 0; i < survey->count && told < FLAGGED_TOLD; i++) {
        if (survey->flags[i] == 0)
            continue;
        const struct pair *pair = &survey->matrix->plan.pair[survey->pair[i]];
        const struct cell_verdict verdict =
            latency_final_verdict(survey->matrix, survey->series, survey->pair[i]);
        const int from = survey->matrix->place[pair->from].id, to = survey->matrix->place[pair->to].id;
        size_t used = (size_t)snprintf(text, sizeof text, "CPU %d and %d, %.1f ns, is flagged %s", from, to,
                                       verdict.value, cell_flags_text(verdict.flags, flags, sizeof flags));
        if (verdict.modes.count > 1)
            snprintf(text + used, sizeof text - used, ": rounds at %s",
                     cell_modes_text(&verdict.modes, modes, sizeof modes));
        snprintf(key, sizeof key, "flagged.%d_%d", from, to);
        add_finding(survey->matrix, survey->series, key, REAL_CELL(verdict.value), "ns", TRUST_LOW, text);
        told++;
    }
}

/* Whether some level of the topology groups the CPUs as the data do. */
static bool known_grouping(const struct latency_matrix *matrix, const int *label, int *scratch)
{
    enum { LEVELS = 5 };

    for (int level = 0; level < LEVELS; level++) {
        for (int i = 0; i < matrix->count; i++) {
            const struct cpu_place *place = &matrix->place[i];
            const int id[LEVELS] = {place->core, place->l2, place->l3, place->node, place->package};
            scratch[i] = id[level] >= 0 ? id[level] : -1 - i;
        }
        if (clusters_same(label, scratch, matrix->count))
            return true;
    }
    return false;
}

static void groups_text(const struct latency_matrix *matrix, const int *label, int groups, char *text,
                        size_t size)
{
    size_t used = 0;

    for (int group = 0; group < groups && used + 8 < size; group++) {
        used += (size_t)snprintf(text + used, size - used, "%s{", group ? " " : "");
        bool first = true;
        for (int i = 0; i < matrix->count && used + 8 < size; i++) {
            if (label[i] != group)
                continue;
            used += (size_t)snprintf(text + used, size - used, "%s%d", first ? "" : ",", matrix->place[i].id);
            first = false;
        }
        used += used < size ? (size_t)snprintf(text + used, size - used, "}") : 0;
    }
    if (used + 8 >= size)
        snprintf(text + size - 9, 9, " ...");
}

static void find_clusters_below(const struct survey *survey, double limit, const struct near_pair *near,
                                int *label, int *scratch)
{
    const struct latency_matrix *matrix = survey->matrix;
    const int groups = clusters_find(near, survey->count, matrix->count, limit, label);
    char list[GROUPS_TEXT], text[TEXT_LENGTH];

    if (groups < 2 || groups == matrix->count || known_grouping(matrix, label, scratch))
        return;
    groups_text(matrix, label, groups, list, sizeof list);
    snprintf(text, sizeof text,
             "%d groups of CPUs nearer than %.0f ns, at no level of the topology shown: %s", groups, limit,
             list);
    add_finding(matrix, survey->series, "clusters", INTEGER_CELL(groups), NULL, TRUST_MEDIUM, text);
}

/* Groups at each of the widest gaps between all values. */
static void find_clusters(const struct survey *survey)
{
    const int count = survey->matrix->count;
    struct near_pair *near = malloc((survey->count + 1) * sizeof *near);
    int *label = malloc((size_t)count * sizeof *label), *scratch = malloc((size_t)count * sizeof *scratch);

    if (near && label && scratch) {
        const struct modes modes = modes_of(survey->value, survey->count, CLUSTER_GAP);
        for (size_t i = 0; i < survey->count; i++) {
            const struct pair *pair = &survey->matrix->plan.pair[survey->pair[i]];
            near[i] = (struct near_pair){pair->from, pair->to, survey->value[i]};
        }
        for (int i = 0; i + 1 < modes.count; i++)
            find_clusters_below(survey, modes.mode[i].high, near, label, scratch);
    }
    free(near);
    free(label);
    free(scratch);
}

void latency_findings(struct latency_matrix *matrix, enum handover_series series)
{
    struct survey survey;
    double *scratch = malloc((matrix->plan.pair_count + 1) * sizeof *scratch);

    if (scratch && survey_make(&survey, matrix, series) && survey.count > 0) {
        for (int kinship = 0; kinship < KIN_COUNT; kinship++)
            find_median_of_class(&survey, (enum kinship)kinship, scratch);
        find_extreme(&survey, "fastest", false);
        find_extreme(&survey, "slowest", true);
        find_asymmetric(&survey);
        if (series == SERIES_MESSAGE)
            find_clock_offset(&survey, scratch);
        find_flagged(&survey);
        if (matrix->count > 2)
            find_clusters(&survey);
    }
    if (scratch)
        survey_free(&survey);
    free(scratch);
}

void latency_own_findings(const struct latency_matrix *matrix)
{
    static const char *const what[SERIES_COUNT] = {[SERIES_CAS] = "a compare-and-swap",
                                                   [SERIES_TRANSFER] = "a load",
                                                   [SERIES_TRANSFER_RMW] = "a locked operation"};
    char text[TEXT_LENGTH];

    for (int series = 0; series < SERIES_COUNT; series++) {
        const double ns = matrix->own.result[series].round.value;
        if (!what[series] || !latency_reports(matrix, (enum handover_series)series) || isnan(ns))
            continue;
        snprintf(text, sizeof text,
                 "%s on a line that CPU %d owns already: %.2f ns; take it off to have the hand-over alone",
                 what[series], matrix->place[0].id, ns);
        add_finding(matrix, (enum handover_series)series, "own_line", REAL_CELL(ns), "ns", TRUST_HIGH, text);
    }
}

static size_t count_flag(const struct latency_matrix *matrix, unsigned flag, size_t *unmeasured)
{
    size_t flagged = 0;

    *unmeasured = 0;
    for (size_t i = 0; i < matrix->plan.pair_count; i++) {
        unsigned flags = 0;
        bool missing = false;
        for (int series = 0; series < SERIES_COUNT; series++) {
            if (!latency_reports(matrix, (enum handover_series)series) ||
                !latency_applies(matrix, (enum handover_series)series, i))
                continue;
            const struct cell_verdict verdict =
                latency_final_verdict(matrix, (enum handover_series)series, i);
            flags |= verdict.flags;
            missing |= isnan(verdict.value);
        }
        flagged += (flags & flag) != 0;
        *unmeasured += missing;
    }
    return flagged;
}

void latency_warnings(const struct latency_matrix *matrix)
{
    static const struct {
        unsigned flag;
        const char *code, *text;
    } kind[] = {
        {FLAG_REGIME, "regime", "gave sharply different values at different moments: the CPUs were moved"},
        {FLAG_PLACEMENT, "placement",
         "contradict the topology shown (siblings that are none, or cores that are one): the host decides "
         "where they run"},
        {FLAG_NOISY, "noisy", "spread by more than 10 % between rounds"},
        {FLAG_PREEMPTED, "preempted",
         "had to share a CPU with something else that ran, in most rounds or in more than 5 % of the "
         "samples"},
        {FLAG_THROTTLED, "throttled", "were measured while a CPU quota stopped the process"},
    };
    struct record *record = matrix->run->record;
    size_t unmeasured = 0;

    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
        const size_t flagged = count_flag(matrix, kind[i].flag, &unmeasured);
        if (flagged)
            record_warning(record, kind[i].code, "%zu of %zu pairs %s", flagged, matrix->plan.pair_count,
                           kind[i].text);
    }
    if (unmeasured)
        record_warning(record, "unmeasured", "%zu of %zu pairs have a value missing: %s", unmeasured,
                       matrix->plan.pair_count,
                       matrix->complete ? "one of the two did not answer in time" : "the run was cut short");
    if (matrix->resumed)
        record_warning(record, "resumed", "%zu of %zu pairs were not measured now: they are those of %s",
                       matrix->resumed, matrix->plan.pair_count, matrix->params->resume);
    if (matrix->out_of_time)
        record_warning(
            record, "time_budget",
            "the time budget ended the measurement in round %llu of %llu: what there is rests on less",
            (unsigned long long)matrix->rounds_done + 1, (unsigned long long)matrix->min_rounds);
    if (matrix->biased)
        record_warning(
            record, "parallel_bias",
            "pairs alone differed by %.1f %% from pairs in parallel, and the time budget leaves no "
            "time to measure them one by one",
            100 * matrix->parallel_bias);
    if (matrix->fell_back)
        record_warning(
            record, "parallel_bias",
            "pairs alone differed by %.1f %% from pairs beside others: all were measured again one by one",
            100 * matrix->parallel_bias);
}
