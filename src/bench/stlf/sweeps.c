/* SPDX-License-Identifier: MIT */
/* What lies between a store and its load, how far away loads are that only seem to depend on the store, what is stored, and which
 * loads from the address just stored to are not executed, by widths and base registers. */
#include <math.h>
#include <string.h>

#include "base/text.h"
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
    const struct stlf_curve near = stlf_curve(set, contained), far = stlf_curve(set, no_overlap);
    struct estimate before = {.low = INFINITY}, cost = before;
    struct verdict verdict = {TRUST_LOW, LEG_PRECISION};
    size_t i = 0;
    for (; i < near.count; i++, before = cost) {
        cost = stlf_difference(&near.of[i], &far.of[i]);
        if (cost.value <= hidden)
            break;
    }
    const bool found = i < near.count;
    if (found && !(cost.first <= hidden && cost.second <= hidden))
        verdict.leg = LEG_REPETITION;
    else if (found && cost.high <= hidden && before.low > hidden)
        verdict = (struct verdict){TRUST_HIGH, LEG_NONE};
    if (near.count > 0)
        stlf_say(set,
                 (struct answer){.key = "stlf.hidden_after",
                                 .label = "forward hidden by",
                                 .value = REAL_CELL(found ? near.point[i].kernel->gap : NAN),
                                 .unit = "instructions",
                                 .remark = found ? NULL : "by none of these numbers"},
                 verdict);
}

const struct stlf_sweep stlf_distance = {
    STLF_TABLE(
        "sweep_distance", "Independent instructions between a store and its load",
        "8 pairs a pass. gap: instructions. Where the series meet, the latency of the forward is hidden.",
        C_COUNT, VIEW_CURVE, C_GAP),
    over_distance, 3, 0.35, say_hidden};

/* The chain goes through the address of the load: of loads that run side by side, the others hide what one waits. */
static const char same_offset[] = "same offset", shifted[] = "shifted";
static const struct stlf_series over_distances[] = {
    {same_offset, OPERATION_FORWARD_LA, 8, 4, 0, 0, OVER_DISTANCES, {STLF_UNROLL_MAX}},
    {shifted, OPERATION_FORWARD_LA, 8, 4, 0, 32, OVER_DISTANCES, {STLF_UNROLL_MAX}},
};

/* A twentieth of a cycle, or of the load further on. Noise counts in the trust, not as "no distance". */
static bool is_delayed(const struct estimate *cost, const struct estimate *shifted_by)
{
    return cost->value > fmax(0.05, 0.05 * shifted_by->value);
}

/* Where all wait from a distance on, the middle one of these counts, and a placement of one point may have been disturbed;
 * else the greatest cost does, and rests on all points. */
static void say_alias(const struct stlf_set *set)
{
    const struct stlf_curve same = stlf_curve(set, same_offset), far = stlf_curve(set, shifted);
    size_t from = 0, worst = 0;
    struct verdict all = {TRUST_HIGH, LEG_NONE}, all_but_one = all;
    struct estimate cost[STLF_DISTANCES];
    for (size_t i = 0; i < same.count; i++) {
        const struct verdict verdict = stlf_judge(&same.of[i], STLF_PLACEMENTS_LEAST);
        all_but_one = verdict.trust < all.trust ? all : verdict_lesser(all_but_one, verdict);
        all = verdict_lesser(all, verdict);
        cost[i] = stlf_difference(&same.of[i], &far.of[i]);
        worst = cost[i].value > cost[worst].value ? i : worst;
        from = is_delayed(&cost[i], &far.of[i]) ? from : i + 1;
    }
    const bool all_wait = from < same.count;
    const struct estimate *middle = all_wait ? stlf_middle(&cost[from], same.count - from) : &cost[worst];
    const char *remark = all_wait ? stlf_words("from a distance of %ld bytes on", same.point[from].load)
                         : is_delayed(&cost[worst], &far.of[worst])
                             ? stlf_words("%ld bytes above a store alone", same.point[worst].load)
                             : "no distance makes a load wait";
    stlf_add(set, "stlf.alias", "aliased load waits", remark, middle,
             verdict_lesser(stlf_judge(middle, 0), all_wait ? all_but_one : all));
}

const struct stlf_sweep stlf_alias = {
    STLF_TABLE(
        "alias", "Loads that do not depend on the store, by their distance from it",
        "The latency of a load, and of one cycle more, next to stores. same offset: the low bits of both "
        "addresses agree. shifted: the load is 32 bytes further on.",
        C_COUNT, VIEW_CURVE, C_LOAD_AT),
    over_distances, 2, 0.35, say_alias};

#define VALUES .over = OVER_VALUES, .pairs = {STLF_FEW_PAIRS, STLF_UNROLL_MAX}
static const struct stlf_series over_values[] = {
    {"same address", OPERATION_FORWARD_ADD, 8, 4, 0, 0, VALUES},
    {contained, OPERATION_FORWARD_ADD, 8, 4, 0, 2, VALUES},
    {"partial overlap", OPERATION_FORWARD_ADD, 8, 4, 2, 0, VALUES},
    {no_overlap, OPERATION_FORWARD_ADD, 8, 4, 0, 32, VALUES},
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
    stlf_add(set, "stlf.silent_store_gain", "new value stored", "against the same again", &worst,
             verdict_lesser(stlf_judge(&worst, 0), verdict));
}

const struct stlf_sweep stlf_silent = {
    STLF_TABLE("silent_stores", "Silent stores: the value that is there already against a new one",
               "added 0: the value that is there already is stored. The addition is part of the chain and of "
               "the time.",
               C_COUNT, VIEW_LIST, 0),
    over_values, 4, 0.35, say_silent};

#define WIDTHS .over = OVER_WIDTHS, .pairs = {STLF_FEW_PAIRS, STLF_UNROLL_MAX}
static const char two_registers[] = "two base registers", one_register[] = "one base register",
                  one_above[] = "one base register, load above",
                  two_above[] = "two base registers, load above";
static const struct stlf_series over_registers[] = {
    {two_registers, OPERATION_FORWARD_FA, WIDTHS},
    {one_register, OPERATION_FORWARD_SAME_BASE, WIDTHS},
    {one_above, OPERATION_FORWARD_DISPLACED, .over = OVER_DISPLACEMENTS, .pairs = {STLF_UNROLL_MAX}},
    {two_above, OPERATION_FORWARD_FA, .over = OVER_DISPLACEMENTS, .pairs = {STLF_UNROLL_MAX}},
};

/* "4/4 8/4": the widths that are renamed at a few pairs, in the order of kernels; a few pairs and many of each width follow each
 * other. */
static void say_widths(const struct stlf_set *set, const char *key, const char *form)
{
    const double limit = 0.9 * stlf_levels_in(set->stlf, set->state).l1;
    const struct stlf_curve curve = stlf_curve(set, form);
    struct verdict verdict = {TRUST_HIGH, LEG_NONE};
    struct text few = {0}, many = {0};
    for (size_t i = 0; i + 1 < curve.count; i += 2) {
        const struct estimate *e = &curve.of[i];
        const unsigned store = curve.point[i].kernel->bits / 8, load = curve.point[i].kernel->load_bits / 8;
        verdict =
            verdict_lesser(verdict, verdict_lesser(stlf_judge_side(e, limit), stlf_judge_side(e + 1, limit)));
        if (e[0].value < limit)
            text_printf(&few, "%s%u/%u", few.length ? " " : "", store, load);
        if (e[0].value < limit && e[1].value < limit)
            text_printf(&many, "%s%u/%u", many.length ? " " : "", store, load);
    }
    const char *of_many = !many.length ? "none" : strcmp(many.data, few.data) == 0 ? "the same" : many.data;
    stlf_say(set,
             (struct answer){.key = key,
                             .label = stlf_words("renamed, %s", form),
                             .value = TEXT_CELL(few.length ? few.data : ""),
                             .remark = few.length ? stlf_words("%d pairs; at %d %s", STLF_FEW_PAIRS,
                                                               STLF_UNROLL_MAX, of_many)
                                                  : "none"},
             verdict);
    text_free(&few);
    text_free(&many);
}

/* Where one base register costs a load that begins above the store more than two do, the CPU went by the text, and was
 * wrong: a cycle more and a quarter, as what is renamed falsely has to be done again. */
static void say_renaming(const struct stlf_set *set)
{
    const struct stlf_curve one = stlf_curve(set, one_above), two = stlf_curve(set, two_above);
    struct verdict verdict = {TRUST_HIGH, LEG_NONE};
    struct estimate worst = {.value = -INFINITY};
    struct text above = {0};
    size_t at = 0;
    say_widths(set, "stlf.renamed_two_registers", two_registers);
    say_widths(set, "stlf.renamed_same_register", one_register);
    for (size_t i = 0; i < one.count; i++) {
        const struct estimate cost = stlf_difference(&one.of[i], &two.of[i]);
        const double limit = fmax(1, 0.25 * two.of[i].value);
        verdict = verdict_lesser(verdict, stlf_judge_side(&cost, limit));
        if (cost.value > limit)
            text_printf(&above, "%s%ld", above.length ? ", " : "", one.point[i].load);
        if (cost.value > worst.value) {
            worst = cost;
            at = i;
        }
    }
    if (above.length)
        stlf_add(set, "stlf.false_renaming", "false renaming",
                 stlf_words("%.1f, %.1f with two; %s bytes above the store", one.of[at].value,
                            two.of[at].value, above.data),
                 &worst, verdict_lesser(verdict, stlf_judge(&worst, 0)));
    else if (one.count > 0)
        stlf_say(set,
                 (struct answer){.key = "stlf.false_renaming",
                                 .label = "false renaming",
                                 .value = REAL_CELL(0),
                                 .unit = "core cycles"},
                 verdict);
    text_free(&above);
}

const struct stlf_sweep stlf_renaming = {
    STLF_TABLE(
        "renaming", "Same address, or the same base register: is the load renamed away?",
        "renamed: below the latency of L1, so the load's data never came through memory. series: whether "
        "the store and the load name the same register.",
        C_GAP, VIEW_LIST, 0),
    over_registers, sizeof over_registers / sizeof over_registers[0], 0.1, say_renaming};
