/* SPDX-License-Identifier: MIT */
/* Where the CPUs were: what a host moves and hides, groups that last; and the warnings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "core_latency.h"

enum { GROUPS_TEXT = 240 };

/* Whether some level of the topology groups the CPUs as the data do. */
static bool known_grouping(const struct latency_matrix *matrix, const int *label)
{
    enum { LEVELS = 5 };

    for (int level = 0; level < LEVELS; level++) {
        bool same = true;
        for (int i = 0; same && i < matrix->count * matrix->count; i++) {
            const int a = i / matrix->count, b = i % matrix->count;
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

static void find_hidden_l3(const struct latency_matrix *matrix, int *label)
{
    const struct distances *distances = &matrix->distances;
    int last_within = -1;
    size_t beyond = 0; /* measurements of pairs that are shown below one L3 */

    for (int i = 0; i < (int)distances->count; i++) {
        const struct distance *at = &distances->of[i];
        last_within = at->kind == DISTANCE_CORE || at->kind == DISTANCE_L3 ? i : last_within;
        beyond += at->kind == DISTANCE_BEYOND ? at->related[SAME_L3] : 0;
    }
    if (beyond == 0)
        return;
    const struct cpu_groups groups =
        groups_find(distances, matrix->data.seconds, &matrix->plan, matrix->count, last_within, label);
    const int count = groups.most > 2 ? groups.most : 2;
    latency_answer(matrix, SERIES_COUNT,
                   (struct answer){.key = "placement.hidden_l3",
                                   .label = "L3 groups that the host hides",
                                   .value = INTEGER_CELL(count),
                                   .trust = groups.count ? TRUST_MEDIUM : TRUST_LOW},
                   "%s", groups.count ? "" : "at least");
}

static void find_groups(const struct latency_matrix *matrix, int nearest, int *label)
{
    const struct distances *distances = &matrix->distances;
    const struct cpu_groups groups =
        groups_find(distances, matrix->data.seconds, &matrix->plan, matrix->count, nearest, label);
    char name[32], key[64];
    struct text list = {0}, heading = {0};

    if (groups.count < 2 || groups.count == matrix->count || known_grouping(matrix, label))
        return;
    for (int group = 0; group < matrix->count && list.length <= GROUPS_TEXT; group++) {
        for (int i = group; i < matrix->count && label[group] == group; i++) {
            if (label[i] == group)
                text_printf(&list, "%s%d", i == group ? " {" : ",", matrix->place[i].id);
        }
        text_add(&list, label[group] == group ? "}" : "");
    }
    snprintf(key, sizeof key, "placement.groups_%s", distance_key(distances, nearest, name, sizeof name));
    text_printf(&heading, "CPU groups within %s", distance_name(distances, nearest));
    latency_answer(
        matrix, SERIES_COUNT,
        (struct answer){
            .key = key, .label = heading.data, .value = INTEGER_CELL(groups.count), .trust = TRUST_MEDIUM},
        "%s%s", list.data + 1, list.length > GROUPS_TEXT ? " ..." : "");
    text_free(&heading);
    text_free(&list);
}

void latency_placement_answers(const struct latency_matrix *matrix)
{
    const struct distances *distances = &matrix->distances;
    const bool loads = latency_witness(matrix) == SERIES_TRANSFER;
    int *label = memory_zeroed((size_t)matrix->count, sizeof *label);
    double shared = 0;

    for (size_t i = 0; i < distances->count; i++) {
        for (int k = SAME_L3; distances->of[i].kind == DISTANCE_CORE && k < RELATIONS; k++)
            shared += (double)distances->of[i].related[k] / (double)distances->looks;
    }
    /* Of what a host moves, nothing is promised for the next run. */
    if (distances->changes)
        latency_answer(matrix, SERIES_COUNT,
                       (struct answer){.key = "placement.changes",
                                       .label = "CPUs moved by the host",
                                       .value = INTEGER_CELL(distances->changes)},
                       "%zu of %zu pairs", distances->moved, matrix->plan.pair_count);
    if (shared > 0 && loads)
        latency_answer(matrix, SERIES_COUNT,
                       (struct answer){.key = "placement.shared_core",
                                       .label = "Separate cores found as one",
                                       .value = REAL_CELL(shared)},
                       "share of the run");
    if (loads)
        find_hidden_l3(matrix, label);
    for (int i = 0; matrix->count > 2 && i + 1 < (int)distances->count; i++)
        find_groups(matrix, i, label);
    free(label);
}

static void warn_of_rounds(const struct latency_matrix *matrix)
{
    struct record *record = matrix->run->record;

    if (matrix->out_of_time || matrix->late)
        record_warning(
            record, matrix->late ? "late" : "time_budget",
            "%llu of %llu rounds were made in %.1f s, where %.1f were planned: %s; results rest on less",
            (unsigned long long)matrix->data.rounds, (unsigned long long)matrix->least_rounds,
            matrix->data.seconds, effort_planned_s(matrix),
            matrix->late ? "pairs seldom had their CPUs at once (-r takes all rounds)"
                         : "the time budget ended them");
    if (isnan(matrix->parallel_bias) && matrix->plan.widest > 1 && matrix->complete)
        record_warning(record, "parallel_bias",
                       "pairs were measured in parallel, and none was found at the same distance alone: "
                       "--serial measures them one by one");
    if (matrix->biased)
        record_warning(record, "parallel_bias", "pairs alone differed by %.1f %% from pairs in parallel: %s",
                       100 * matrix->parallel_bias,
                       matrix->fell_back ? "all were measured again one by one"
                                         : "give more time, or --serial");
}

void latency_warnings(const struct latency_matrix *matrix, struct run *run, struct fault *fault)
{
    static const char *const kind[CELL_FLAGS_COUNT] = {
        "were found at several distances: the CPUs were moved, and the matrix is a snapshot",
        "do not repeat within 10 %",
        "shared a CPU with something else, in most rounds or in more than 5 % of the samples",
        "contradict the topology shown: the host decides where CPUs run",
    };
    const size_t pairs = matrix->plan.pair_count;
    size_t flagged[CELL_FLAGS_COUNT] = {0}, pairs_missing = 0, values = 0, missing = 0;
    unsigned all_flags = 0;

    for (size_t i = 0; i < pairs; i++) {
        const size_t missing_before = missing;
        unsigned flags = 0;
        for (int series = 0; series < SERIES_COUNT; series++) {
            /* Of a CPU with itself, readwrite has no meaning. */
            if (!latency_reports(matrix, (enum latency_series)series) ||
                (series == SERIES_READWRITE && latency_relation(matrix, i) == SAME_CPU))
                continue;
            const struct latency_cell *cell = &matrix->cell[series][i];
            values++;
            missing += isnan(cell->value);
            flags |= cell->flags;
        }
        for (unsigned k = 0; k < CELL_FLAGS_COUNT; k++)
            flagged[k] += flags >> k & 1;
        all_flags |= flags;
        pairs_missing += missing > missing_before;
    }
    for (size_t k = 0; k < CELL_FLAGS_COUNT; k++) {
        if (flagged[k])
            record_warning(run->record, cell_flag_names[k], "%zu of %zu pairs %s", flagged[k], pairs,
                           kind[k]);
    }
    if (pairs_missing)
        record_warning(
            run->record, "unmeasured", "%zu of %zu pairs have a value missing: %s", pairs_missing, pairs,
            matrix->complete ? "their CPUs never ran together for long enough (busy, or no longer allowed)"
                             : "the run was cut short");
    warn_of_rounds(matrix);
    run->left_out = !matrix->complete || missing > 0;
    run->untrusted = missing > 0 || all_flags || record_has_low_trust(run->record);
    /* Values that no pair gave, in time enough, are no result. */
    if (missing == values && matrix->complete && fault->status == STATUS_OK)
        fault_set(
            fault, STATUS_FAILED,
            "no pair gave a value: its CPUs never ran together for long enough; see that they are still "
            "allowed (taskset) and not all busy");
}
