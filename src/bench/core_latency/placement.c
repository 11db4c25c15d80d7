/* SPDX-License-Identifier: MIT */
/* Where the CPUs were: what a host moves and hides, groups that last; and the warnings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "core_latency.h"
#include "groups.h"

enum { GROUPS_TEXT = 240 };

/* Of what a host moves, nothing is promised for the next run. */
static void find_changes(const struct latency_matrix *matrix)
{
    const struct distances *distances = &matrix->distances;

    if (distances->changes == 0)
        return;
    latency_answer(
        matrix, SERIES_COUNT,
        (struct answer){.key = "placement.changes", .value = INTEGER_CELL(distances->changes)},
        "the host moves CPUs: %zu of %zu pairs changed their distance %zu times in %.1f s; the matrix is a "
        "snapshot",
        distances->moved, matrix->plan.pair_count, distances->changes, matrix->data.seconds);
}

/* Looks at pairs that the topology relates so and that were found at such a distance. */
static size_t count_found(const struct latency_matrix *matrix, enum relation from, enum relation to,
                          enum distance_kind kind)
{
    const struct distances *distances = &matrix->distances;
    size_t count = 0;

    for (size_t i = 0; i < matrix->plan.pair_count; i++) {
        const enum relation relation = latency_relation(matrix, i);
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
        (double)count_found(matrix, SAME_L3, SAME_MACHINE, DISTANCE_CORE) / (double)matrix->distances.looks;

    if (share > 0 && latency_witness(matrix) == SERIES_TRANSFER)
        latency_answer(
            matrix, SERIES_COUNT, (struct answer){.key = "placement.shared_core", .value = REAL_CELL(share)},
            "two CPUs that are shown as separate cores shared one in %.*f %% of the looks at pairs",
            share < 0.1 ? 1 : 0, 100 * share);
}

/* Whether some level of the topology groups the CPUs as the data do. */
static bool known_grouping(const struct latency_matrix *matrix, const int *label)
{
    enum { LEVELS = 5 };

    for (int level = 0; level < LEVELS; level++) {
        bool same = true;
        for (size_t i = 0; same && i < (size_t)matrix->count * (size_t)matrix->count; i++) {
            const size_t a = i / (size_t)matrix->count, b = i % (size_t)matrix->count;
            const struct cpu_place *x = &matrix->place[a], *y = &matrix->place[b];
            const int id_x[LEVELS] = {x->core, x->l2, x->l3, x->node, x->package};
            const int id_y[LEVELS] = {y->core, y->l2, y->l3, y->node, y->package};
            const bool together = a == b || (id_x[level] >= 0 && id_x[level] == id_y[level]);
            same = together == (label[a] == label[b]);
        }
        if (same)
            return true;
    }
    return false;
}

static void add_groups(const struct latency_matrix *matrix, const int *label, struct text *list)
{
    for (int group = 0; group < matrix->count; group++) {
        const char *before = list->length ? " {" : "{";
        for (int i = group; i < matrix->count && label[group] == group; i++) {
            if (label[i] == group)
                text_printf(list, "%s%d", i == group ? before : ",", matrix->place[i].id);
        }
        text_add(list, label[group] == group ? "}" : "");
        if (list->length > GROUPS_TEXT) {
            text_add(list, " ...");
            return;
        }
    }
}

static struct cpu_groups groups_up_to(const struct latency_matrix *matrix, int nearest, int *label)
{
    const struct groups_request request = {matrix->plan.pair, matrix->plan.pair_count, matrix->count,
                                           nearest};
    return groups_find(&matrix->distances, &matrix->data, &request, label);
}

static void find_hidden_l3(const struct latency_matrix *matrix, int *label)
{
    const struct distances *distances = &matrix->distances;
    int last_within = -1;

    if (latency_witness(matrix) != SERIES_TRANSFER ||
        count_found(matrix, SAME_L3, SAME_L3, DISTANCE_BEYOND) == 0)
        return;
    for (int i = 0; i < (int)distances->count; i++) {
        if (distances->of[i].kind == DISTANCE_CORE || distances->of[i].kind == DISTANCE_L3)
            last_within = i;
    }
    const struct cpu_groups groups = groups_up_to(matrix, last_within, label);
    const int count = groups.most > 2 ? groups.most : 2;
    latency_answer(matrix, SERIES_COUNT,
                   (struct answer){.key = "placement.hidden_l3",
                                   .value = INTEGER_CELL(count),
                                   .trust = groups.count ? TRUST_MEDIUM : TRUST_LOW},
                   "the host hides L3 groups: CPUs that are shown below one were found below %s%d",
                   groups.count ? "" : "at least ", count);
}

static void find_groups(const struct latency_matrix *matrix, int nearest, int *label)
{
    const struct cpu_groups groups = groups_up_to(matrix, nearest, label);
    char name[32], key[64];
    struct text list = {0};

    if (groups.count < 2 || groups.count == matrix->count || known_grouping(matrix, label))
        return;
    add_groups(matrix, label, &list);
    snprintf(key, sizeof key, "placement.groups_%s",
             distance_key(&matrix->distances, nearest, name, sizeof name));
    latency_answer(
        matrix, SERIES_COUNT,
        (struct answer){.key = key, .value = INTEGER_CELL(groups.count), .trust = TRUST_MEDIUM},
        "%d groups of CPUs, each within %s, at no level of the topology shown, the same in %d looks over "
        "%.0f s: %s",
        groups.count, distance_name(&matrix->distances, nearest), GROUPS_LOOKS, matrix->data.seconds,
        list.data);
    text_free(&list);
}

void latency_placement_answers(const struct latency_matrix *matrix)
{
    int *label = memory_zeroed((size_t)matrix->count, sizeof *label);

    find_changes(matrix);
    find_shared_core(matrix);
    find_hidden_l3(matrix, label);
    for (int i = 0; matrix->count > 2 && i + 1 < (int)matrix->distances.count; i++)
        find_groups(matrix, i, label);
    free(label);
}

struct latency_tally latency_tally(const struct latency_matrix *matrix)
{
    struct latency_tally tally = {0};

    for (size_t i = 0; i < matrix->plan.pair_count; i++) {
        unsigned flags = 0;
        bool missing = false;
        for (int series = 0; series < SERIES_COUNT; series++) {
            if (!latency_reports(matrix, (enum latency_series)series) ||
                !latency_applies(matrix, (enum latency_series)series, i))
                continue;
            const struct latency_cell *cell = &matrix->cell[series][i];
            tally.values++;
            tally.missing += isnan(cell->value);
            flags |= cell->flags;
            missing |= isnan(cell->value);
        }
        for (unsigned k = 0; k < CELL_FLAGS_COUNT; k++)
            tally.pairs_flagged[k] += flags >> k & 1;
        tally.pairs_missing += missing;
    }
    return tally;
}

void latency_warnings(const struct latency_matrix *matrix)
{
    static const char *const kind[CELL_FLAGS_COUNT] = {
        "were found at different distances at different moments: the CPUs were moved, and the matrix is a "
        "snapshot",
        "do not repeat within 10 %",
        "had to share a CPU with something else that ran, in most rounds or in more than 5 % of the samples",
        "contradict the topology shown (siblings that are none, cores that are one, one L3 that is "
        "several): the host decides where they run",
    };
    struct record *record = matrix->run->record;
    const size_t pairs = matrix->plan.pair_count;
    const struct latency_tally tally = latency_tally(matrix);

    for (size_t i = 0; i < CELL_FLAGS_COUNT; i++) {
        if (tally.pairs_flagged[i])
            record_warning(record, cell_flag_names[i], "%zu of %zu pairs %s", tally.pairs_flagged[i], pairs,
                           kind[i]);
    }
    if (tally.pairs_missing)
        record_warning(record, "unmeasured", "%zu of %zu pairs have a value missing: %s", tally.pairs_missing,
                       pairs,
                       matrix->complete
                           ? "their two CPUs never ran together for long enough (busy, or no longer allowed)"
                           : "the run was cut short");
    if (matrix->out_of_time)
        record_warning(
            record, "time_budget",
            "the time budget ended the measurement after %llu of %llu rounds: what there is rests on less",
            (unsigned long long)matrix->data.rounds, (unsigned long long)matrix->least_rounds);
    if (matrix->late)
        record_warning(record, "late",
                       "%llu of %llu rounds were made in %.1f s, where %.1f were planned: pairs seldom had "
                       "their CPUs at once, and what there is rests on less; see that the CPUs are idle, or "
                       "take all rounds with --repeat %llu",
                       (unsigned long long)matrix->data.rounds, (unsigned long long)matrix->least_rounds,
                       matrix->data.seconds, latency_planned_s(matrix),
                       (unsigned long long)matrix->least_rounds);
    if (isnan(matrix->parallel_bias) && matrix->plan.widest > 1 && matrix->complete)
        record_warning(
            record, "parallel_bias",
            "pairs were measured in parallel, and whether that changes them is not known: none was "
            "found at the same distance alone; --serial measures them one by one");
    if (matrix->biased || matrix->fell_back)
        record_warning(record, "parallel_bias", "pairs alone differed by %.1f %% from pairs in parallel%s",
                       100 * matrix->parallel_bias,
                       matrix->biased ? ", and the time budget leaves no time to measure them one by one"
                                      : ": all were measured again one by one");
}
