/* SPDX-License-Identifier: MIT */
/* Curves: over the number of pairs, over what lies between a store and its load,
 * over the distance of loads that only look as if they depended on the store; and what is stored. */
#include <math.h>
#include <stdio.h>

#include "judge.h"

#define TABLE(id, what, said, count, across, logarithmic)                                                    \
    {                                                                                                        \
        .name = id, .title = what, .note = said, .columns = stlf_point_columns, .column_count = count,       \
        .view = {.kind = VIEW_CURVE,                                                                         \
                 .x = across,                                                                                \
                 .y = -1,                                                                                    \
                 .value = C_CYCLES,                                                                          \
                 .series = C_SERIES,                                                                         \
                 .log_x = logarithmic},                                                                      \
    }

static const struct stlf_series over_pairs[CHAIN_COUNT][5] = {
    [CHAIN_FA] = {{"same address", OPERATION_FORWARD_FA, 8, 4, 0, 0, 0, OVER_PAIRS},
                  {"same address, one base register", OPERATION_FORWARD_SAME_BASE, 8, 4, 0, 0, 0, OVER_PAIRS},
                  {"same address, with an addition", OPERATION_FORWARD_ADD, 8, 4, 0, 0, 0, OVER_PAIRS},
                  {"contained", OPERATION_FORWARD_FA, 8, 4, 0, 2, 0, OVER_PAIRS},
                  {"partial overlap", OPERATION_FORWARD_FA, 8, 4, 2, 0, 0, OVER_PAIRS}},
    [CHAIN_FD] = {{"pointer", OPERATION_FORWARD_FD_POINTER, 8, 8, 0, 0, 0, OVER_PAIRS},
                  {"same address", OPERATION_FORWARD_FD, 8, 4, 0, 0, 0, OVER_PAIRS},
                  {"contained", OPERATION_FORWARD_FD, 8, 4, 0, 2, 0, OVER_PAIRS},
                  {"partial overlap", OPERATION_FORWARD_FD, 8, 4, 2, 0, 0, OVER_PAIRS},
                  {"no overlap", OPERATION_FORWARD_FD, 8, 4, 0, 32, 0, OVER_PAIRS}},
    [CHAIN_FD_NOREUSE] = {{"pointer", OPERATION_FORWARD_FD_POINTER_APART, 8, 8, 0, 0, 0, OVER_PAIRS},
                          {"same address", OPERATION_FORWARD_FD_APART, 8, 4, 0, 0, 0, OVER_PAIRS},
                          {"contained", OPERATION_FORWARD_FD_APART, 8, 4, 0, 2, 0, OVER_PAIRS},
                          {"partial overlap", OPERATION_FORWARD_FD_APART, 8, 4, 2, 0, 0, OVER_PAIRS},
                          {"no overlap", OPERATION_FORWARD_FD_APART, 8, 4, 0, 32, 0, OVER_PAIRS}},
};

static void say_curves(struct stlf *stlf, const struct stlf_set *set)
{
    for (int i = 0; i < 5; i++) {
        const char *name = over_pairs[stlf->params->chain][i].name;
        char key[STLF_KEY], renamed[STLF_KEY];
        snprintf(key, sizeof key, "stlf.sweep_unroll.%s", name);
        for (char *at = key; *at; at++)
            *at = *at == ' ' || *at == ',' ? '_' : *at;
        snprintf(renamed, sizeof renamed, "%.64s.renamed", key);
        stlf_say_curve(stlf, set, key, renamed, name, name);
    }
}

static const struct stlf_series over_distance[] = {
    {"contained", OPERATION_FORWARD_DISTANCE, 0, 0, 0, 2, STLF_FEW_PAIRS, OVER_GAPS},
    {"same address", OPERATION_FORWARD_DISTANCE, 0, 0, 0, 0, STLF_FEW_PAIRS, OVER_GAPS},
    {"no overlap", OPERATION_FORWARD_DISTANCE, 0, 0, 0, 64, STLF_FEW_PAIRS, OVER_GAPS},
};

/* How far apart the chain must be for nothing to be left of the forward's latency, half a cycle more than a load without
 * overlap: the stop before must cost more, and this one no more, all through their intervals. */
static void say_hidden(struct stlf *stlf, const struct stlf_set *set)
{
    const double hidden = 0.5;
    size_t count;
    const size_t near = stlf_series_at(set, over_distance[0].name, &count);
    const size_t far = stlf_series_at(set, over_distance[2].name, &count);
    struct estimate before = {.low = INFINITY};
    for (size_t i = 0; i < count; i++) {
        const struct estimate cost = stlf_difference(&set->estimate[near + i], &set->estimate[far + i]);
        const unsigned gap = set->point[near + i].kernel->gap;
        struct verdict verdict = {TRUST_HIGH, LEG_NONE};
        if (cost.state != set->state || !(cost.first <= hidden && cost.second <= hidden))
            verdict = (struct verdict){TRUST_LOW, LEG_REPETITION};
        else if (!(cost.high <= hidden && before.low > hidden))
            verdict = (struct verdict){TRUST_LOW, LEG_PRECISION};
        before = cost;
        if (!(cost.value <= hidden))
            continue;
        stlf_add(stlf, set,
                 stlf_found(set, "stlf.hidden_after", "forward hidden by", REAL_CELL(gap), "instructions",
                            verdict),
                 NULL);
        return;
    }
    if (count > 0)
        stlf_add(stlf, set,
                 stlf_found(set, "stlf.hidden_after", "forward hidden by", REAL_CELL(NAN), "instructions",
                            (struct verdict){TRUST_LOW, LEG_PRECISION}),
                 "by none of these numbers");
}

static const struct table_spec pairs_table =
    TABLE("sweep_unroll", "Pairs in one pass of the loop", NULL, C_STORE_AT, C_PAIRS, false);
static const struct table_spec distance_table =
    TABLE("sweep_distance", "Independent instructions between a store and its load",
          "8 pairs a pass. gap: instructions. Where the series meet, the latency of the forward is hidden.",
          C_COUNT, C_GAP, false);

/* The chain goes through the address of the load: of loads that run side by side, the others hide what one waits. */
static const struct stlf_series over_distances[] = {
    {"same offset", OPERATION_FORWARD_LA, 8, 4, 0, 0, STLF_UNROLL_MAX, OVER_DISTANCES},
    {"shifted", OPERATION_FORWARD_LA, 8, 4, 0, 32, STLF_UNROLL_MAX, OVER_DISTANCES},
};

static const struct table_spec alias_table =
    TABLE("alias", "Loads that do not depend on the store, by their distance from it",
          "The latency of a load, and of one cycle more, next to stores. same offset: the low bits of both "
          "addresses agree. shifted: the load is 32 bytes further on.",
          C_COUNT, C_LOAD_AT, true);

/* A twentieth of a cycle, or of the load further on. Noise counts in the trust, not as "no distance". */
static bool is_delayed(const struct estimate *cost, const struct estimate *shifted)
{
    return cost->value > fmax(0.05, 0.05 * shifted->value);
}

/* Where all wait from a distance on, the middle one of these counts, and a placement of one point may have been disturbed;
 * else the greatest cost does, and rests on all points. */
static void say_alias(struct stlf *stlf, const struct stlf_set *set)
{
    size_t count, from = 0, waiting = 0, greatest = 0, at;
    const size_t same = stlf_series_at(set, over_distances[0].name, &count);
    struct verdict all = {TRUST_HIGH, LEG_NONE}, all_but_one = all;
    struct estimate cost[STLF_DISTANCES], worst = {.value = -INFINITY};
    for (size_t i = 0; i < count; i++) {
        const struct estimate *e = &set->estimate[same + i];
        const struct estimate more = stlf_difference(e, e + count);
        const struct verdict verdict = stlf_judge(set, e, STLF_PLACEMENTS_LEAST);
        all_but_one = verdict.trust < all.trust ? all : verdict_lesser(all_but_one, verdict);
        all = verdict_lesser(all, verdict);
        if (more.value > worst.value) {
            worst = more;
            greatest = same + i;
        }
        if (!is_delayed(&more, e + count)) {
            from = i + 1;
            waiting = 0;
            continue;
        }
        for (at = waiting++; at > 0 && cost[at - 1].value > more.value; at--)
            cost[at] = cost[at - 1];
        cost[at] = more;
    }
    char remark[STLF_REMARK];
    const struct estimate *middle = waiting ? &cost[waiting / 2] : &worst;
    struct verdict verdict = verdict_lesser(stlf_judge(set, middle, 0), waiting ? all_but_one : all);
    if (waiting)
        snprintf(remark, sizeof remark, "from a distance of %ld bytes on", set->point[same + from].load);
    else if (is_delayed(&worst, &set->estimate[greatest + count]))
        snprintf(remark, sizeof remark, "%ld bytes above a store alone", set->point[greatest].load);
    else
        snprintf(remark, sizeof remark, "no distance makes a load wait");
    stlf_add(stlf, set, stlf_estimated("stlf.alias", "aliased load waits", middle, verdict), remark);
}

static const struct stlf_series over_values[] = {
    {"same address", OPERATION_FORWARD_ADD, 8, 4, 0, 0, 0, OVER_VALUES},
    {"contained", OPERATION_FORWARD_ADD, 8, 4, 0, 2, 0, OVER_VALUES},
    {"partial overlap", OPERATION_FORWARD_ADD, 8, 4, 2, 0, 0, OVER_VALUES},
    {"no overlap", OPERATION_FORWARD_ADD, 8, 4, 0, 32, 0, OVER_VALUES},
};

static const struct table_spec silent_table = {
    .name = "silent_stores",
    .title = "Silent stores: the value that is there already against a new one",
    .note =
        "added 0: the value that is there already is stored. The addition is part of the chain and of the "
        "time.",
    .columns = stlf_point_columns,
    .column_count = C_COUNT,
};

/* The same value and a new one follow each other. */
static void say_silent(struct stlf *stlf, const struct stlf_set *set)
{
    struct estimate worst = {.value = 0};
    struct verdict verdict = {TRUST_HIGH, LEG_NONE};
    for (size_t i = 0; i + 1 < set->count; i += 2) {
        const struct estimate *same = &set->estimate[i], *new = same + 1, gain = stlf_difference(new, same);
        verdict = verdict_lesser(verdict, verdict_lesser(stlf_judge(set, same, 0), stlf_judge(set, new, 0)));
        if (i == 0 || fabs(gain.value) > fabs(worst.value))
            worst = gain;
    }
    verdict = verdict_lesser(stlf_judge(set, &worst, 0), verdict);
    stlf_add(stlf, set, stlf_estimated("stlf.silent_store_gain", "new value stored", &worst, verdict),
             "against the same again");
}

const struct stlf_sweep stlf_unroll[CHAIN_COUNT] = {
    {&pairs_table, over_pairs[CHAIN_FA], 5, say_curves, .both = true},
    {&pairs_table, over_pairs[CHAIN_FD], 5, say_curves, .both = true},
    {&pairs_table, over_pairs[CHAIN_FD_NOREUSE], 5, say_curves, .both = true}};
const struct stlf_sweep stlf_distance = {&distance_table, over_distance, 3, say_hidden};
const struct stlf_sweep stlf_alias = {&alias_table, over_distances, 2, say_alias};
const struct stlf_sweep stlf_silent = {&silent_table, over_values, 4, say_silent};
