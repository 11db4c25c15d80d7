/* SPDX-License-Identifier: MIT */
/* What is said of where the CPUs are: what a host moves and hides, groups that last; and the warnings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "clusters.h"
#include "findings.h"
#include "groups.h"

enum { TEXT_LENGTH = 400, GROUPS_TEXT = 240 };

/* The last distance that is one L3 or nearer; -1: none. */
static int last_within_l3(const struct distances *distances)
{
    int last = -1;

    for (int i = 0; i < (int)distances->count; i++) {
        if (distances->of[i].kind == DISTANCE_CORE || distances->of[i].kind == DISTANCE_L3)
            last = i;
    }
    return last;
}

static void add(const struct latency_matrix *matrix, const char *key, struct cell value, const char *unit,
                enum trust trust, const char *text)
{
    record_finding(matrix->run->record,
                   (struct finding){.key = key, .value = value, .unit = unit, .trust = trust, .text = text});
}

/* Of what a host moves, nothing is promised for the next run. */
static void find_changes(const struct latency_matrix *matrix)
{
    const struct distances *distances = &matrix->distances;
    char text[TEXT_LENGTH];

    if (distances->changes == 0)
        return;
    snprintf(
        text, sizeof text,
        "the host moves CPUs: %zu of %zu pairs changed their distance %zu times in %.1f s; the matrix is a "
        "snapshot",
        distances->moved, matrix->plan.pair_count, distances->changes, matrix->data.seconds);
    add(matrix, "placement.changes", INTEGER_CELL(distances->changes), NULL, TRUST_LOW, text);
}

/* Turns of pairs that the topology relates so and that were found at such a distance. */
static size_t count_found(const struct latency_matrix *matrix, enum relation from, enum relation to,
                          enum distance_kind kind)
{
    const struct distances *distances = &matrix->distances;
    size_t count = 0;

    for (size_t i = 0; i < matrix->plan.pair_count; i++) {
        const struct pair *pair = &matrix->plan.pair[i];
        const enum relation relation = place_relation(&matrix->place[pair->from], &matrix->place[pair->to]);
        for (size_t sweep = 0; relation >= from && relation <= to && sweep < distances->sweeps; sweep++) {
            const int at = distances_at(distances, sweep, i);
            count += at >= 0 && distances->of[at].kind == kind;
        }
    }
    return count;
}

static void find_shared_core(const struct latency_matrix *matrix)
{
    const double share =
        (double)count_found(matrix, SAME_L3, SAME_MACHINE, DISTANCE_CORE) / (double)matrix->distances.turns;
    char text[TEXT_LENGTH];

    if (!(share > 0) || latency_witness(matrix) != SERIES_TRANSFER)
        return;
    snprintf(text, sizeof text,
             "two CPUs that are shown as separate cores shared one in %.*f %% of the looks at pairs",
             share < 0.1 ? 1 : 0, 100 * share);
    add(matrix, "placement.shared_core", REAL_CELL(share), NULL, TRUST_LOW, text);
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

static struct cpu_groups groups_up_to(const struct latency_matrix *matrix, int nearest, int *label)
{
    const struct groups_request request = {.pair = matrix->plan.pair,
                                           .pairs = matrix->plan.pair_count,
                                           .cpus = matrix->count,
                                           .nearest = nearest};
    return groups_find(&matrix->distances, &matrix->data, &request, label);
}

static void find_hidden_l3(const struct latency_matrix *matrix, int *label)
{
    const int last = last_within_l3(&matrix->distances);
    char text[TEXT_LENGTH];

    if (latency_witness(matrix) != SERIES_TRANSFER ||
        count_found(matrix, SAME_L3, SAME_L3, DISTANCE_BEYOND) == 0)
        return;
    const struct cpu_groups groups = groups_up_to(matrix, last, label);
    const int count = groups.most > 2 ? groups.most : 2;
    snprintf(text, sizeof text,
             "the host hides L3 groups: CPUs that are shown below one were found below %s%d",
             groups.count ? "" : "at least ", count);
    add(matrix, "placement.hidden_l3", INTEGER_CELL(count), NULL, groups.count ? TRUST_MEDIUM : TRUST_LOW,
        text);
}

static void find_groups(const struct latency_matrix *matrix, int nearest, int *label, int *scratch)
{
    const struct cpu_groups groups = groups_up_to(matrix, nearest, label);
    char list[GROUPS_TEXT], text[TEXT_LENGTH], name[32], key[64];

    if (groups.count < 2 || groups.count == matrix->count || known_grouping(matrix, label, scratch))
        return;
    groups_text(matrix, label, groups.count, list, sizeof list);
    snprintf(
        text, sizeof text,
        "%d groups of CPUs, each within %s, at no level of the topology shown, the same in %d looks over "
        "%.0f s: %s",
        groups.count, distance_name(&matrix->distances, nearest), GROUPS_LOOKS, matrix->data.seconds, list);
    snprintf(key, sizeof key, "placement.groups_%s",
             distance_key(&matrix->distances, nearest, name, sizeof name));
    add(matrix, key, INTEGER_CELL(groups.count), NULL, TRUST_MEDIUM, text);
}

void latency_placement_findings(const struct latency_matrix *matrix)
{
    int *label = calloc((size_t)matrix->count, sizeof *label);
    int *scratch = calloc((size_t)matrix->count, sizeof *scratch);

    find_changes(matrix);
    find_shared_core(matrix);
    if (label && scratch) {
        find_hidden_l3(matrix, label);
        for (int i = 0; matrix->count > 2 && i + 1 < (int)matrix->distances.count; i++)
            find_groups(matrix, i, label, scratch);
    }
    free(label);
    free(scratch);
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
            const struct latency_cell *cell = &matrix->cell[series][i];
            flags |= cell->flags;
            missing |= isnan(cell->value);
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
        {FLAG_REGIME, "regime",
         "were found at different distances at different moments: the CPUs were moved, and the matrix is a "
         "snapshot"},
        {FLAG_PLACEMENT, "placement",
         "contradict the topology shown (siblings that are none, cores that are one, one L3 that is "
         "several): "
         "the host decides where they run"},
        {FLAG_NOISY, "noisy", "do not repeat within 10 %"},
        {FLAG_PREEMPTED, "preempted",
         "had to share a CPU with something else that ran, in most rounds or in more than 5 % of the "
         "samples"},
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
                       matrix->complete
                           ? "their two CPUs never ran together for long enough (busy, or no longer allowed)"
                           : "the run was cut short");
    if (matrix->resumed)
        record_warning(record, "resumed", "%zu of %zu pairs were not measured now: they are those of %s",
                       matrix->resumed, matrix->plan.pair_count, matrix->params->resume);
    if (matrix->out_of_time)
        record_warning(
            record, "time_budget",
            "the time budget ended the measurement after %llu of %llu rounds: what there is rests on less",
            (unsigned long long)matrix->data.rounds, (unsigned long long)matrix->least_rounds);
    if (matrix->biased)
        record_warning(
            record, "parallel_bias",
            "pairs alone differed by %.1f %% from pairs in parallel, and the time budget leaves no "
            "time to measure them one by one",
            100 * matrix->parallel_bias);
    if (matrix->fell_back)
        record_warning(
            record, "parallel_bias",
            "pairs alone differed by %.1f %% from pairs in parallel: all were measured again one by one",
            100 * matrix->parallel_bias);
}
