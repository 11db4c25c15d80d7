/* SPDX-License-Identifier: MIT */
/* Which loads from the address just stored to are not executed, by widths and base registers; how far away loads are that only seem
 * to depend on the store; and what is stored. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "stlf.h"

static const char two_registers[] = "two base registers", one_register[] = "one base register",
                  one_above[] = "one base register, load above",
                  two_above[] = "two base registers, load above";
#define FEW_AND_MANY .pairs = {STLF_FEW_PAIRS, STLF_UNROLL_MAX}
static const struct stlf_series of_renaming[] = {
    {two_above, OPERATION_FORWARD_FA, 8, 4, .pairs = {STLF_UNROLL_MAX}, .above = {1, 2, 4, 6}},
    {one_above, OPERATION_FORWARD_DISPLACED, 8, 4, .pairs = {STLF_UNROLL_MAX}},
    {two_registers, OPERATION_FORWARD_FA, FEW_AND_MANY, .like = OPERATION_FORWARD_SAME_BASE},
    {one_register, OPERATION_FORWARD_SAME_BASE, FEW_AND_MANY, .like = OPERATION_FORWARD_SAME_BASE},
    {0},
};

/* "4/4 8/4": the widths that are renamed at a few pairs, in the order of kernels; a few pairs and many of each width follow each
 * other. */
static void say_widths(const struct stlf_part *part, const char *key, const char *form)
{
    const double limit = 0.9 * part->stlf->usual.l1;
    const struct stlf_curve curve = stlf_curve(part, form);
    struct verdict verdict = {TRUST_HIGH, LEG_NONE};
    struct text few = {0}, many = {0};
    for (size_t i = 0; i + 1 < curve.count; i += 2) {
        const struct estimate *e = &curve.of[i];
        const char *width =
            stlf_words("%u/%u", curve.point[i].kernel->bits / 8, curve.point[i].kernel->load_bits / 8);
        verdict =
            verdict_lesser(verdict, verdict_lesser(stlf_judge_side(e, limit), stlf_judge_side(e + 1, limit)));
        if (e[0].value < limit)
            text_printf(&few, "%s%s", few.length ? " " : "", width);
        if (e[0].value < limit && e[1].value < limit)
            text_printf(&many, "%s%s", many.length ? " " : "", width);
    }
    const char *of_many = !many.length ? "none" : strcmp(many.data, few.data) == 0 ? "the same" : many.data;
    stlf_say(part,
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
static void say_renaming(const struct stlf_part *part)
{
    const struct stlf_curve one = stlf_curve(part, one_above), two = stlf_curve(part, two_above);
    struct verdict verdict = {TRUST_HIGH, LEG_NONE};
    struct estimate worst = {.value = -INFINITY};
    struct text above = {0};
    size_t at = 0;
    say_widths(part, "stlf.renamed_two_registers", two_registers);
    say_widths(part, "stlf.renamed_same_register", one_register);
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
        stlf_add(part, "stlf.false_renaming", "false renaming",
                 stlf_words("%.1f, %.1f with two; %s bytes above the store", one.of[at].value,
                            two.of[at].value, above.data),
                 &worst, verdict_lesser(verdict, stlf_judge(&worst, 0)));
    else if (one.count > 0)
        stlf_say(part,
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
        VIEW_HIDDEN, C_PAIRS),
    of_renaming, 0.1, say_renaming};

/* The chain goes through the address of the load: of loads that run side by side, the others hide what one waits. */
static const char same_offset[] = "same offset", shifted[] = "shifted";
enum { DISTANCES = 15 };
#define AT_DISTANCES                                                                                         \
    .above = {1 << 6,  1 << 7,  1 << 8,  1 << 9,  1 << 10, 1 << 11, 1 << 12, 1 << 13,                        \
              1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20}
static const struct stlf_series of_alias[] = {
    {same_offset, OPERATION_FORWARD_LA, 8, 4, 0, 0, {STLF_UNROLL_MAX}, AT_DISTANCES},
    {shifted, OPERATION_FORWARD_LA, 8, 4, 0, 32, {STLF_UNROLL_MAX}, AT_DISTANCES},
    {0},
};

/* A twentieth of a cycle, or of the load further on. Noise counts in the trust, not as "no distance". */
static bool is_delayed(const struct estimate *cost, const struct estimate *shifted_by)
{
    return cost->value > fmax(0.05, 0.05 * shifted_by->value);
}

/* Where all wait from a distance on, the middle one of these counts, and a placement of one point may have been disturbed;
 * else the greatest cost does, and rests on all points. */
static void say_alias(const struct stlf_part *part)
{
    const struct stlf_curve same = stlf_curve(part, same_offset), far = stlf_curve(part, shifted);
    size_t from = 0, worst = 0;
    struct verdict all = {TRUST_HIGH, LEG_NONE}, all_but_one = all;
    struct estimate cost[DISTANCES];
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
    stlf_add(part, "stlf.alias", "aliased load waits", remark, middle,
             verdict_lesser(stlf_judge(middle, 0), all_wait ? all_but_one : all));
}

const struct stlf_sweep stlf_alias = {
    STLF_TABLE(
        "alias", "Loads that do not depend on the store, by their distance from it",
        "The latency of a load, and of one cycle more, next to stores. same offset: the low bits of both "
        "addresses agree. shifted: the load is 32 bytes further on.",
        VIEW_CURVE, C_LOAD_AT),
    of_alias, 0.35, say_alias};

#define SAME_AND_NEW .added = 1, FEW_AND_MANY
static const struct stlf_series of_values[] = {
    {"contained", OPERATION_FORWARD_ADD, 8, 4, 0, 2, SAME_AND_NEW},
    {"partial overlap", OPERATION_FORWARD_ADD, 8, 4, 2, 0, SAME_AND_NEW},
    {"no overlap", OPERATION_FORWARD_ADD, 8, 4, 0, 32, SAME_AND_NEW},
    {"same address", OPERATION_FORWARD_ADD, 8, 4, 0, 0, SAME_AND_NEW},
    {0},
};

/* The same value and a new one follow each other. */
static void say_silent(const struct stlf_part *part)
{
    struct estimate worst = {.value = 0};
    struct verdict verdict = {TRUST_HIGH, LEG_NONE};
    for (size_t i = 0; i + 1 < part->count; i += 2) {
        const struct estimate *same = &part->estimate[i], *new = same + 1, gain = stlf_difference(new, same);
        verdict = verdict_lesser(verdict, verdict_lesser(stlf_judge(same, 0), stlf_judge(new, 0)));
        if (i == 0 || fabs(gain.value) > fabs(worst.value))
            worst = gain;
    }
    stlf_add(part, "stlf.silent_store_gain", "new value stored", "against the same again", &worst,
             verdict_lesser(stlf_judge(&worst, 0), verdict));
}

const struct stlf_sweep stlf_silent = {
    STLF_TABLE("silent_stores", "Silent stores: the value that is there already against a new one",
               "added 0: the value that is there already is stored. The addition is part of the chain and of "
               "the time.",
               VIEW_LIST, 0),
    of_values, 0.35, say_silent};
