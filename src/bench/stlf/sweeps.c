/* SPDX-License-Identifier: MIT */
/* Curves: over the number of pairs, over what lies between a store and its load,
 * over the distance of loads that only look as if they depended on the store; and what is stored. */
#include <math.h>
#include <stdio.h>

#include "points.h"

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
    [CHAIN_FA] = {{"same address", OPERATION_FORWARD_FA, 8, 4, 0, 0, 0, stlf_over_pairs},
                  {"same address, one base register", OPERATION_FORWARD_SAME_BASE, 8, 4, 0, 0, 0,
                   stlf_over_pairs},
                  {"same address, with an addition", OPERATION_FORWARD_ADD, 8, 4, 0, 0, 0, stlf_over_pairs},
                  {"contained", OPERATION_FORWARD_FA, 8, 4, 0, 2, 0, stlf_over_pairs},
                  {"partial overlap", OPERATION_FORWARD_FA, 8, 4, 2, 0, 0, stlf_over_pairs}},
    [CHAIN_FD] = {{"pointer", OPERATION_FORWARD_FD_POINTER, 8, 8, 0, 0, 0, stlf_over_pairs},
                  {"same address", OPERATION_FORWARD_FD, 8, 4, 0, 0, 0, stlf_over_pairs},
                  {"contained", OPERATION_FORWARD_FD, 8, 4, 0, 2, 0, stlf_over_pairs},
                  {"partial overlap", OPERATION_FORWARD_FD, 8, 4, 2, 0, 0, stlf_over_pairs},
                  {"no overlap", OPERATION_FORWARD_FD, 8, 4, 0, 32, 0, stlf_over_pairs}},
    [CHAIN_FD_NOREUSE] = {{"pointer", OPERATION_FORWARD_FD_POINTER_APART, 8, 8, 0, 0, 0, stlf_over_pairs},
                          {"same address", OPERATION_FORWARD_FD_APART, 8, 4, 0, 0, 0, stlf_over_pairs},
                          {"contained", OPERATION_FORWARD_FD_APART, 8, 4, 0, 2, 0, stlf_over_pairs},
                          {"partial overlap", OPERATION_FORWARD_FD_APART, 8, 4, 2, 0, 0, stlf_over_pairs},
                          {"no overlap", OPERATION_FORWARD_FD_APART, 8, 4, 0, 32, 0, stlf_over_pairs}},
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
        stlf_say_curve(stlf, set, key, renamed, name);
    }
}

static const struct stlf_series over_distance[] = {
    {"contained", OPERATION_FORWARD_DISTANCE, 0, 0, 0, 2, STLF_FEW_PAIRS, stlf_over_gaps},
    {"same address", OPERATION_FORWARD_DISTANCE, 0, 0, 0, 0, STLF_FEW_PAIRS, stlf_over_gaps},
    {"no overlap", OPERATION_FORWARD_DISTANCE, 0, 0, 0, 64, STLF_FEW_PAIRS, stlf_over_gaps},
};

/* Cycles more than a load without overlap takes. */
static const double HIDDEN = 0.5;

/* The stop before must cost more, and this one no more, all through their intervals. */
static struct verdict judge_hidden(const struct stlf_set *set, const struct estimate *before,
                                   const struct estimate *cost)
{
    if (cost->state != set->state || !(cost->first <= HIDDEN && cost->second <= HIDDEN))
        return (struct verdict){TRUST_LOW, LEG_REPETITION};
    if (!(cost->high <= HIDDEN && before->low > HIDDEN))
        return (struct verdict){TRUST_LOW, LEG_PRECISION};
    return (struct verdict){TRUST_HIGH, LEG_NONE};
}

/* How far apart the chain must be for nothing to be left of the forward's latency. */
static void say_hidden(struct stlf *stlf, const struct stlf_set *set)
{
    size_t count;
    const size_t near = stlf_series_at(set, over_distance[0].name, &count);
    const size_t far = stlf_series_at(set, over_distance[2].name, &count);
    struct estimate before = {.low = INFINITY};
    for (size_t i = 0; i < count; i++) {
        const struct estimate cost = stlf_difference(&set->estimate[near + i], &set->estimate[far + i]);
        const unsigned gap = set->point[near + i].kernel->gap;
        if (cost.value <= HIDDEN) {
            stlf_say(stlf,
                     stlf_found("stlf.hidden_after", REAL_CELL(gap), "instructions", set->state,
                                judge_hidden(set, &before, &cost)),
                     "a forward's latency is hidden by %u independent instructions between the store and "
                     "its load",
                     gap);
            return;
        }
        before = cost;
    }
}

static const struct table_spec pairs_table =
    TABLE("sweep_unroll", "Pairs in one pass of the loop", NULL, C_STORE_AT, C_PAIRS, false);
static const struct table_spec distance_table =
    TABLE("sweep_distance", "Independent instructions between a store and its load",
          "8 pairs a pass. gap: instructions. Where the series meet, the latency of the forward is hidden.",
          C_COUNT, C_GAP, false);

/* The chain goes through the address of the load: of loads that run side by side, the others hide what one waits. */
static const struct stlf_series over_distances[] = {
    {"same offset", OPERATION_FORWARD_LA, 8, 4, 0, 0, STLF_UNROLL_MAX, stlf_over_distances},
    {"shifted", OPERATION_FORWARD_LA, 8, 4, 0, 32, STLF_UNROLL_MAX, stlf_over_distances},
};

static const struct table_spec alias_table =
    TABLE("alias", "Loads that do not depend on the store, by their distance from it",
          "The latency of a load, and of one cycle more, next to stores. same offset: the low bits of both "
          "addresses agree. shifted: the load is 32 bytes further on.",
          C_COUNT, C_LOAD_AT, true);

/* Of the greatest difference of any kind: of its sentence either way, so that it rests on all points. */
static void say_greatest(struct stlf *stlf, const struct stlf_set *set, const char *key,
                         const struct estimate *greatest, struct verdict all, const char *text)
{
    stlf_say(stlf, stlf_estimated(key, greatest, verdict_lesser(stlf_judge(set, greatest), all)), "%s", text);
}

/* A twentieth of a cycle, or of what the load takes else. Noise speaks in the trust, not for "no distance". */
static bool is_delayed(const struct estimate *cost, const struct estimate *shifted)
{
    return cost->value > fmax(0.05, 0.05 * shifted->value);
}

/* The least trust of all points but one: a placement of one of them may have been disturbed. */
static struct verdict judge_all_but_one(const struct stlf_set *set, size_t first, size_t count)
{
    struct verdict least = {TRUST_HIGH, LEG_NONE}, next = least;
    for (size_t i = first; i < first + count; i++) {
        const struct verdict verdict = stlf_judge_placed(set, &set->estimate[i]);
        if (verdict.trust < least.trust) {
            next = least;
            least = verdict;
        } else {
            next = verdict_lesser(next, verdict);
        }
    }
    return next;
}

/* From a distance on all wait: the middle one speaks for them. */
static void say_all_wait(struct stlf *stlf, const struct stlf_set *set, size_t same, size_t count,
                         size_t from)
{
    struct estimate cost[STLF_DISTANCES];
    size_t waiting = 0;
    for (size_t i = from; i < same + count && waiting < STLF_DISTANCES; i++, waiting++) {
        const struct estimate new = stlf_difference(&set->estimate[i], &set->estimate[i + count]);
        size_t at = waiting;
        for (; at > 0 && cost[at - 1].value > new.value; at--)
            cost[at] = cost[at - 1];
        cost[at] = new;
    }
    const struct estimate *middle = &cost[waiting / 2];
    const struct verdict verdict =
        verdict_lesser(stlf_judge(set, middle), judge_all_but_one(set, same, count));
    stlf_say(
        stlf, stlf_estimated("stlf.alias", middle, verdict),
        "aliasing: a load at the same offset takes %.1f cycles more than one 32 bytes further on, from a "
        "distance of %ld bytes on",
        middle->value, set->point[from].load);
}

static void say_alias(struct stlf *stlf, const struct stlf_set *set)
{
    size_t count, greatest = 0, from = 0;
    const size_t same = stlf_series_at(set, over_distances[0].name, &count);
    struct estimate worst = {.value = -INFINITY};
    struct verdict verdict = {TRUST_HIGH, LEG_NONE};
    char text[FAULT_TEXT / 2];
    for (size_t i = same; i < same + count; i++) {
        const struct estimate *shifted = &set->estimate[i + count];
        const struct estimate cost = stlf_difference(&set->estimate[i], shifted);
        verdict = verdict_lesser(verdict, stlf_judge_placed(set, &set->estimate[i]));
        if (!is_delayed(&cost, shifted))
            from = i + 1;
        if (cost.value > worst.value) {
            worst = cost;
            greatest = i;
        }
    }
    if (is_delayed(&worst, &set->estimate[greatest + count]) && from < same + count) {
        say_all_wait(stlf, set, same, count, from);
        return;
    }
    if (!is_delayed(&worst, &set->estimate[greatest + count]))
        snprintf(
            text, sizeof text,
            "aliasing: no distance from 64 bytes to 1 MiB makes a load wait for a store to another address");
    else
        snprintf(
            text, sizeof text,
            "aliasing: a load %ld bytes above a store takes %.1f cycles more than one 32 bytes further on",
            set->point[greatest].load, worst.value);
    say_greatest(stlf, set, "stlf.alias", &worst, verdict, text);
}

static const struct stlf_series over_values[] = {
    {"same address", OPERATION_FORWARD_ADD, 8, 4, 0, 0, 0, stlf_over_values},
    {"contained", OPERATION_FORWARD_ADD, 8, 4, 0, 2, 0, stlf_over_values},
    {"partial overlap", OPERATION_FORWARD_ADD, 8, 4, 2, 0, 0, stlf_over_values},
    {"no overlap", OPERATION_FORWARD_ADD, 8, 4, 0, 32, 0, stlf_over_values},
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
    char text[FAULT_TEXT / 2];
    double of = 0;
    for (size_t i = 0; i + 1 < set->count; i += 2) {
        const struct estimate gain = stlf_difference(&set->estimate[i + 1], &set->estimate[i]);
        verdict = verdict_lesser(verdict, verdict_lesser(stlf_judge(set, &set->estimate[i]),
                                                         stlf_judge(set, &set->estimate[i + 1])));
        if (i == 0 || fabs(gain.value) > fabs(worst.value)) {
            worst = gain;
            of = set->estimate[i + 1].value;
        }
    }
    if (fabs(worst.value) > fmax(0.5, 0.05 * of))
        snprintf(text, sizeof text,
                 "silent stores: a new value takes up to %.1f cycles %s than the one that is there already",
                 fabs(worst.value), worst.value > 0 ? "longer" : "less");
    else
        snprintf(text, sizeof text,
                 "silent stores: storing the value that is there already takes as long as storing a new one");
    say_greatest(stlf, set, "stlf.silent_store_gain", &worst, verdict, text);
}

const struct stlf_sweep stlf_unroll[CHAIN_COUNT] = {
    {&pairs_table, over_pairs[CHAIN_FA], 5, say_curves},
    {&pairs_table, over_pairs[CHAIN_FD], 5, say_curves},
    {&pairs_table, over_pairs[CHAIN_FD_NOREUSE], 5, say_curves}};
const struct stlf_sweep stlf_distance = {&distance_table, over_distance, 3, say_hidden};
const struct stlf_sweep stlf_alias = {&alias_table, over_distances, 2, say_alias};
const struct stlf_sweep stlf_silent = {&silent_table, over_values, 4, say_silent};
