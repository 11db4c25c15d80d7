/* SPDX-License-Identifier: MIT */
/* Where the CPUs were: what a host moves and hides, and groups that last. */
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "core_latency.h"

enum { GROUPS_TEXT = 240 };

/* Just below 3: a duration is met by the last probe. A pair that was elsewhere for half a second of three does not hold. */
static const double groups_seconds = 2.9, groups_share = 0.9;

int groups_label(const struct pair_plan *plan, const bool *near, int cpus, int *label)
{
    size_t within = 0, near_within = 0;
    int groups = 0;
    for (int i = 0; i < cpus; i++)
        label[i] = i;
    for (size_t i = 0; i < plan->pair_count; i++) {
        const int a = label[plan->pair[i].from], b = label[plan->pair[i].to];
        for (int cpu = 0; near[i] && a != b && cpu < cpus; cpu++)
            label[cpu] = label[cpu] == (a > b ? a : b) ? (a < b ? a : b) : label[cpu];
    }
    for (size_t i = 0; i < plan->pair_count; i++) {
        const struct pair *pair = &plan->pair[i];
        const bool together = pair->from != pair->to && label[pair->from] == label[pair->to];
        within += together;
        near_within += together && near[i];
    }
    for (int i = 0; i < cpus; i++)
        groups += label[i] == i;
    return 10 * near_within >= 9 * within ? groups : 0;
}

int groups_find(const struct latency_matrix *matrix, int nearest, int *label, bool *held)
{
    bool *near = memory_zeroed(matrix->plan.pair_count, sizeof *near), seen = true;
    *held = matrix->data.seconds >= groups_seconds;
    for (size_t i = 0; i < matrix->plan.pair_count; i++) {
        double share;
        const int at = distances_main(matrix, i, &share);
        if (latency_relation(matrix, i) == SAME_CPU)
            continue;
        near[i] = at <= nearest;
        seen = seen && at >= 0;
        *held = *held && share >= groups_share;
    }
    const int groups = seen ? groups_label(&matrix->plan, near, matrix->count, label) : 0;
    *held = *held && groups > 0;
    free(near);
    return groups;
}

/* Whether some level of the topology groups the CPUs as the data do. */
static bool is_known_grouping(const struct latency_matrix *matrix, const int *label)
{
    bool known = false;
    for (enum relation level = SAME_CORE; level <= SAME_PACKAGE && !known; level++) {
        known = true;
        for (size_t i = 0; i < matrix->plan.pair_count && known; i++) {
            const struct pair *pair = &matrix->plan.pair[i];
            known = (label[pair->from] == label[pair->to]) == (latency_relation(matrix, i) <= level);
        }
    }
    return known;
}

static void answer_hidden_l3(const struct latency_matrix *matrix, int *label)
{
    const struct distances *distances = &matrix->distances;
    int last_within = -1;
    size_t beyond = 0; /* measurements of pairs that are shown below one L3 */
    bool held;
    for (int i = 0; i < (int)distances->count; i++) {
        const struct distance *at = &distances->of[i];
        last_within = at->kind == DISTANCE_CORE || at->kind == DISTANCE_L3 ? i : last_within;
        beyond += at->kind == DISTANCE_BEYOND ? at->related[SAME_L3] : 0;
    }
    if (beyond == 0)
        return;
    const int groups = groups_find(matrix, last_within, label, &held);
    matrix->run->record->conditions.hidden_l3 = groups > 2 ? groups : 2;
    latency_answer(matrix, (struct answer){.key = "placement.hidden_l3",
                                           .label = "L3 groups that the host hides",
                                           .value = INTEGER_CELL(groups > 2 ? groups : 2),
                                           .remark = held ? NULL : "at least",
                                           .trust = held ? TRUST_MEDIUM : TRUST_LOW});
}

static void answer_groups(const struct latency_matrix *matrix, int nearest, int *label)
{
    const struct distance *distance = &matrix->distances.of[nearest];
    char name[32], key[64], heading[64];
    struct text list = {0};
    bool held;
    const int groups = groups_find(matrix, nearest, label, &held);
    if (!held || groups < 2 || groups == matrix->count || is_known_grouping(matrix, label))
        return;
    for (int group = 0; group < matrix->count && list.length <= GROUPS_TEXT; group++) {
        for (int i = group; i < matrix->count && label[group] == group; i++) {
            if (label[i] == group)
                text_printf(&list, "%s%d", i == group ? " {" : ",", matrix->place[i].id);
        }
        text_add(&list, label[group] == group ? "}" : "");
    }
    text_add(&list, list.length > GROUPS_TEXT ? " ..." : "");
    snprintf(key, sizeof key, "placement.groups_%s", distance_key(distance, name, sizeof name));
    snprintf(heading, sizeof heading, "CPU groups within %s", distance_names[distance->name]);
    latency_answer(matrix, (struct answer){.key = key,
                                           .label = heading,
                                           .value = INTEGER_CELL(groups),
                                           .remark = list.data + 1,
                                           .trust = TRUST_MEDIUM});
    text_free(&list);
}

void latency_placement_answers(const struct latency_matrix *matrix)
{
    const struct distances *distances = &matrix->distances;
    const bool loads = latency_witness(matrix) == SERIES_TRANSFER;
    int *label = memory_zeroed((size_t)matrix->count, sizeof *label);
    double shared = 0;
    for (int i = 0; i < (int)distances->count; i++) {
        const struct distance *at = &distances->of[i];
        char name[32], key[64], heading[64];
        for (int k = SAME_L3; at->kind == DISTANCE_CORE && k < RELATIONS; k++)
            shared += (double)at->related[k] / (double)distances->seen;
        snprintf(key, sizeof key, "placement.share_%s", distance_key(at, name, sizeof name));
        snprintf(heading, sizeof heading, "Share of the run, %s", distance_names[at->name]);
        /* Of what a host moves, nothing is promised for the next run. */
        if (distances->changes)
            latency_answer(
                matrix, (struct answer){.key = key,
                                        .label = heading,
                                        .value = REAL_CELL(100 * (double)at->found / (double)distances->seen),
                                        .unit = "%",
                                        .state = distance_names[at->name]});
    }
    if (distances->changes)
        latency_answer(matrix, (struct answer){.key = "placement.changes",
                                               .label = "CPUs moved by the host",
                                               .value = INTEGER_CELL(distances->changes)});
    matrix->run->record->conditions.shared_core = loads ? shared : 0;
    if (shared > 0 && loads)
        latency_answer(matrix, (struct answer){.key = "placement.shared_core",
                                               .label = "Separate cores found as one",
                                               .value = REAL_CELL(shared),
                                               .remark = "share of the run"});
    if (loads)
        answer_hidden_l3(matrix, label);
    for (int i = 0; matrix->count > 2 && i + 1 < (int)distances->count; i++)
        answer_groups(matrix, i, label);
    free(label);
}
