/* SPDX-License-Identifier: MIT */
/* What lies between a store and its load, how far away loads are that only seem to depend on the store, and what is stored. */
#include <math.h>

#include "stlf.h"

static const char contained[] = "contained", no_overlap[] = "no overlap";
static const struct stlf_series over_distance[] = {
    {contained, OPERATION_FORWARD_DISTANCE, 0, 0, 0, 2, .pairs = {STLF_FEW_PAIRS}},
    {"same address", OPERATION_FORWARD_DISTANCE, 0, 0, 0, 0, .pairs = {STLF_FEW_PAIRS}},
    {no_overlap, OPERATION_FORWARD_DISTANCE, 0, 0, 0, 64, .pairs = {STLF_FEW_PAIRS}},
};

/* How far apart the chain must be for nothing to be left of the forward's latency, half a cycle more than a load without
 * overlap: the stop before must cost more, and this one no more, all through their intervals. */
static void say_hidden(const struct stlf_set *set)
{
    const double hidden = 0.5;
    size_t count, i = 0;
    const size_t near = stlf_series_at(set, contained, &count), far = stlf_series_at(set, no_overlap, &count);
    struct estimate before = {.low = INFINITY}, cost = before;
    for (; i < count; i++, before = cost) {
        cost = stlf_difference(&set->estimate[near + i], &set->estimate[far + i]);
        if (cost.value <= hidden)
            break;
    }
    const bool found = i < count;
    struct verdict verdict = {TRUST_LOW, LEG_PRECISION};
    if (found && !(cost.first <= hidden && cost.second <= hidden))
        verdict.leg = LEG_REPETITION;
    else if (found && cost.high <= hidden && before.low > hidden)
        verdict = (struct verdict){TRUST_HIGH, LEG_NONE};
    if (count > 0)
        stlf_add(set,
                 (struct answer){.key = "stlf.hidden_after",
                                 .label = "forward hidden by",
                                 .value = REAL_CELL(found ? set->point[near + i].kernel->gap : NAN),
                                 .unit = "instructions",
                                 .remark = found ? NULL : "by none of these numbers"},
                 NULL, verdict);
}

static const struct table_spec distance_table = {
    .name = "sweep_distance",
    .title = "Independent instructions between a store and its load",
    .note = "8 pairs a pass. gap: instructions. Where the series meet, the latency of the forward is hidden.",
    .columns = stlf_point_columns,
    .column_count = C_COUNT,
    .view = {.kind = VIEW_CURVE, .x = C_GAP, .y = -1, .value = C_CYCLES, .series = C_SERIES},
};

/* The chain goes through the address of the load: of loads that run side by side, the others hide what one waits. */
static const char same_offset[] = "same offset";
static const struct stlf_series over_distances[] = {
    {same_offset, OPERATION_FORWARD_LA, 8, 4, 0, 0, OVER_DISTANCES, {STLF_UNROLL_MAX}},
    {"shifted", OPERATION_FORWARD_LA, 8, 4, 0, 32, OVER_DISTANCES, {STLF_UNROLL_MAX}},
};

static const struct table_spec alias_table = {
    .name = "alias",
    .title = "Loads that do not depend on the store, by their distance from it",
    .note =
        "The latency of a load, and of one cycle more, next to stores. same offset: the low bits of both "
        "addresses agree. shifted: the load is 32 bytes further on.",
    .columns = stlf_point_columns,
    .column_count = C_COUNT,
    .view =
        {.kind = VIEW_CURVE, .x = C_LOAD_AT, .y = -1, .value = C_CYCLES, .series = C_SERIES, .log_x = true},
};

/* A twentieth of a cycle, or of the load further on. Noise counts in the trust, not as "no distance". */
static bool is_delayed(const struct estimate *cost, const struct estimate *shifted)
{
    return cost->value > fmax(0.05, 0.05 * shifted->value);
}

/* Where all wait from a distance on, the middle one of these counts, and a placement of one point may have been disturbed;
 * else the greatest cost does, and rests on all points. */
static void say_alias(const struct stlf_set *set)
{
    size_t count, from = 0, waiting = 0, greatest = 0, at;
    const size_t same = stlf_series_at(set, same_offset, &count);
    struct verdict all = {TRUST_HIGH, LEG_NONE}, all_but_one = all;
    struct estimate cost[STLF_DISTANCES], worst = {.value = -INFINITY};
    for (size_t i = 0; i < count; i++) {
        const struct estimate *e = &set->estimate[same + i];
        const struct estimate more = stlf_difference(e, e + count);
        const struct verdict verdict = stlf_judge(e, STLF_PLACEMENTS_LEAST);
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
    const struct estimate *middle = waiting ? &cost[waiting / 2] : &worst;
    const char *remark = "no distance makes a load wait";
    if (waiting)
        remark = stlf_words("from a distance of %ld bytes on", set->point[same + from].load);
    else if (is_delayed(&worst, &set->estimate[greatest + count]))
        remark = stlf_words("%ld bytes above a store alone", set->point[greatest].load);
    stlf_add(set, (struct answer){.key = "stlf.alias", .label = "aliased load waits", .remark = remark},
             middle, verdict_lesser(stlf_judge(middle, 0), waiting ? all_but_one : all));
}

#define VALUES .over = OVER_VALUES, .pairs = {STLF_FEW_PAIRS, STLF_UNROLL_MAX}
static const struct stlf_series over_values[] = {
    {"same address", OPERATION_FORWARD_ADD, 8, 4, 0, 0, VALUES},
    {"contained", OPERATION_FORWARD_ADD, 8, 4, 0, 2, VALUES},
    {"partial overlap", OPERATION_FORWARD_ADD, 8, 4, 2, 0, VALUES},
    {"no overlap", OPERATION_FORWARD_ADD, 8, 4, 0, 32, VALUES},
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
static void say_silent(const struct stlf_set *set)
{
    struct estimate worst = {.value = 0};
    struct verdict verdict = {TRUST_HIGH, LEG_NONE};
    for (size_t i = 0; i + 1 < set->count; i += 2) {
        const struct estimate *same = &set->estimate[i], *new = same + 1, gain = stlf_difference(new, same);
        verdict = verdict_lesser(verdict, verdict_lesser(stlf_judge(same, 0), stlf_judge(new, 0)));
        if (i == 0 || fabs(gain.value) > fabs(worst.value))
            worst = gain;
    }
    stlf_add(set,
             (struct answer){.key = "stlf.silent_store_gain",
                             .label = "new value stored",
                             .remark = "against the same again"},
             &worst, verdict_lesser(stlf_judge(&worst, 0), verdict));
}

const struct stlf_sweep stlf_distance = {{{&distance_table}}, over_distance, 3, 0.35, say_hidden};
const struct stlf_sweep stlf_alias = {{{&alias_table}}, over_distances, 2, 0.35, say_alias};
const struct stlf_sweep stlf_silent = {{{&silent_table}}, over_values, 4, 0.35, say_silent};
