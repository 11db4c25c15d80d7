/* SPDX-License-Identifier: MIT */
/* Loads that cost more than others like them (renamed falsely, aliased with a store, after a new value), and the
 * widths and base registers at which a load from the stored address is renamed. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "stlf.h"

/* Adds the middle cost of the loads that cost more than those of the base, and in the remark their offsets. Noise
 * lowers the trust, not the cost: each load must be on one side of the limit. */
static void say_extra(const struct stlf_part *part, const struct stlf_extra *extra)
{
    const struct stlf_curve dear = stlf_curve(part, extra->series), base = stlf_curve(part, extra->base);
    struct verdict verdict = verdict_capped(LEG_NONE, LEG_NONE);
    struct estimate above[STLF_LOADS_MAX], none = {.value = 0};
    struct text loads = {0};
    size_t count = 0, from = 0;
    if (dear.count == 0)
        return;
    for (size_t i = 0; i < dear.count; i++) {
        const struct estimate cost = stlf_difference(&dear.of[i], &base.of[i]);
        const double limit = fmax(extra->absolute, extra->share * base.of[i].value);
        verdict = verdict_lesser(verdict, stlf_judge_side(&cost, limit, extra->placements));
        from = cost.value > limit ? from : i + 1;
        if (!(cost.value > limit))
            continue;
        text_printf(&loads, "%s%ld", count ? ", " : "at ", dear.point[i].load - dear.point[i].store);
        above[count++] = cost;
    }
    const struct estimate *middle = count ? stlf_middle(above, count) : &none;
    const char *where = from + 1 < dear.count ? stlf_words(part, "from %ld bytes on", dear.point[from].load)
                        : count               ? stlf_words(part, "%s bytes", loads.data)
                                              : NULL;
    if (count > 0) {
        verdict = verdict_lesser(verdict, stlf_judge(middle, 0));
        verdict =
            verdict_lesser(verdict, verdict_capped(extra->has_flush ? LEG_REPETITION : LEG_NONE, LEG_NONE));
    }
    stlf_add(part, extra->key, extra->label, where, middle, verdict);
    text_free(&loads);
}

void stlf_report(const struct stlf_part *part)
{
    if (part->sweep->report)
        part->sweep->report(part);
    if (part->sweep->extra.key)
        say_extra(part, &part->sweep->extra);
    if (part->sweep->series && !part->is_second)
        stlf_rows(part);
}

static const char two_registers[] = "two base registers", one_register[] = "one base register",
                  one_above[] = "one base register, load above",
                  two_above[] = "two base registers, load above", same_offset[] = "same offset",
                  shifted[] = "shifted", same_value[] = "the same value", new_value[] = "a new value";

/* Adds "4/4 8/4", the widths that are renamed at few pairs, in the order of kernels; the curve holds few and many
 * pairs of each width in turn. */
static void say_widths(const struct stlf_part *part, const char *key, const char *form)
{
    const double limit = 0.9 * part->stlf->usual.l1;
    const struct stlf_curve curve = stlf_curve(part, form);
    struct verdict verdict = verdict_capped(LEG_NONE, LEG_NONE);
    struct text few = {0}, many = {0};
    for (size_t i = 0; i + 1 < curve.count; i += 2) {
        const struct estimate *e = &curve.of[i];
        const struct kernel *kernel = curve.point[i].kernel;
        for (int j = 0; j < 2; j++) {
            struct text *text = j ? &many : &few;
            verdict = verdict_lesser(verdict, stlf_judge_side(&e[j], limit, 0));
            if (e[0].value < limit && e[j].value < limit)
                text_printf(text, "%s%u/%u", text->length ? " " : "", kernel->bits / 8,
                            kernel->load_bits / 8);
        }
    }
    const char *of_many = !many.length ? "none" : strcmp(many.data, few.data) == 0 ? "the same" : many.data;
    stlf_say(part,
             (struct answer){.key = key,
                             .label = stlf_words(part, "renamed, %s", form),
                             .value = TEXT_CELL(few.length ? few.data : ""),
                             .remark = few.length ? stlf_words(part, "%d pairs, at %d %s", STLF_FEW_PAIRS,
                                                               STLF_UNROLL_MAX, of_many)
                                                  : "none"},
             verdict);
    text_free(&few);
    text_free(&many);
}

static void say_renamed(const struct stlf_part *part)
{
    say_widths(part, "stlf.renamed_two_registers", two_registers);
    say_widths(part, "stlf.renamed_same_register", one_register);
}

#define FEW_AND_MANY .pairs = {STLF_FEW_PAIRS, STLF_UNROLL_MAX}
static const struct stlf_series of_renaming[] = {
    {two_above, OPERATION_FORWARD_FA, 8, 4, 0, 0, {STLF_UNROLL_MAX}, 4, {1, 2, 4, 6}},
    {one_above, OPERATION_FORWARD_DISPLACED, 8, 4, .pairs = {STLF_UNROLL_MAX}},
    {two_registers, OPERATION_FORWARD_FA, FEW_AND_MANY, .like = OPERATION_FORWARD_SAME_BASE},
    {one_register, OPERATION_FORWARD_SAME_BASE, FEW_AND_MANY, .like = OPERATION_FORWARD_SAME_BASE},
    {0},
};

/* Where one base register costs a load above the store more than two do, the CPU predicted by the register's name and
 * was wrong. The limit is a cycle or a quarter, as a falsely renamed load is repeated. */
const struct stlf_sweep stlf_renaming = {
    STLF_TABLE(
        "renaming", "Same address, or the same base register: is the load renamed away?",
        "renamed: below the latency of L1, so the load's data never came through memory. series: whether "
        "the store and the load name the same register.",
        VIEW_HIDDEN, C_PAIRS),
    of_renaming, 0.1, say_renamed,
    .extra = {"stlf.false_renaming", "false renaming", one_above, two_above, 1, 0.25, .has_flush = true}};

/* The chain goes through the load's address: parallel loads would hide the wait of one. */
#define AT_DISTANCES                                                                                         \
    STLF_LOADS_MAX,                                                                                          \
    {                                                                                                        \
        1 << 6, 1 << 7, 1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16,       \
            1 << 17, 1 << 18, 1 << 19, 1 << 20                                                               \
    }
static const struct stlf_series of_alias[] = {
    {same_offset, OPERATION_FORWARD_LA, 8, 4, 0, 0, {STLF_UNROLL_MAX}, AT_DISTANCES},
    {shifted, OPERATION_FORWARD_LA, 8, 4, 0, 32, {STLF_UNROLL_MAX}, AT_DISTANCES},
    {0},
};

const struct stlf_sweep stlf_alias = {
    STLF_TABLE(
        "alias", "Loads that do not depend on the store, by their distance from it",
        "The latency of a load and of one more cycle, next to stores. same offset: the low bits of both "
        "addresses agree. shifted: the load is 32 bytes further on.",
        VIEW_CURVE, C_LOAD_AT),
    of_alias, 0.35,
    .extra = {"stlf.alias", "aliased load waits", same_offset, shifted, 0.05, 0.05, STLF_PLACEMENTS_LEAST}};

/* Partial overlap, contained, no overlap and the same address. */
#define KINDS                                                                                                \
    {STLF_UNROLL_MAX}, 4,                                                                                    \
    {                                                                                                        \
        -2, 2, 32, 0                                                                                         \
    }
static const struct stlf_series of_values[] = {
    {same_value, OPERATION_FORWARD_ADD, 8, 4, 8, 8, KINDS},
    {new_value, OPERATION_FORWARD_ADD, 8, 4, 8, 8, KINDS, .added = 1},
    {0},
};

const struct stlf_sweep stlf_silent = {
    STLF_TABLE("silent_stores", "Silent stores: the same value against a new one",
               "the same value: the addition adds 0. The addition is part of the chain and its time.",
               VIEW_LIST, 0),
    of_values, 0.35,
    .extra = {"stlf.silent_store_gain", "new value stored", new_value, same_value, 0.2, 0.05}};

/* Wong's question: does a load that waits for a store hold up other loads? They share pipes, so of as many as take three quarters
 * of the wait without a store, none of their time comes on top where it does not, and all of it where it does. */
static const char next_to_failed[] = "next to a failed forward", next_to_forward[] = "next to a forward",
                  next_to_none[] = "next to no store";
static const double OF_THE_WAIT = 0.75;

static void say_wait(const struct stlf_part *part, const char *key, const char *label, const char *series)
{
    const struct stlf_curve wait = stlf_curve(part, series), alone = stlf_curve(part, next_to_none);
    const struct estimate *least = wait.of;
    size_t most = 0;
    for (size_t i = 0; i < wait.count; i++)
        least = wait.of[i].value < least->value ? &wait.of[i] : least;
    while (most + 1 < wait.count && alone.of[most + 1].value <= OF_THE_WAIT * least->value)
        most++;
    const struct estimate on_top = stlf_difference(&wait.of[most], least);
    if (most > 0)
        stlf_add(part, key, label,
                 stlf_words(part, "%u loads, %.1f alone", wait.point[most].kernel->gap, alone.of[most].value),
                 &on_top, verdict_lesser(stlf_judge(&on_top, 0), stlf_judge(&alone.of[most], 0)));
}

static void say_waits(const struct stlf_part *part)
{
    say_wait(part, "stlf.loads_next_to_failed", "loads next to a failed forward", next_to_failed);
    say_wait(part, "stlf.loads_next_to_forward", "loads next to a forward", next_to_forward);
}

static const struct stlf_series of_waits[] = {
    {next_to_failed, OPERATION_FORWARD_MORE, 8, 4, 0, 6, .pairs = {16}},
    {next_to_forward, OPERATION_FORWARD_MORE, 8, 4, 0, 2, .pairs = {16}},
    {next_to_none, OPERATION_FORWARD_MORE, 8, 4, 0, 256, .pairs = {16}},
    {0},
};

const struct stlf_sweep stlf_waits = {
    STLF_TABLE("waits", "Loads that depend on nothing, next to one that waits for a store",
               "gap: so many loads in each pair, which are part of its cycles.", VIEW_CURVE, C_GAP),
    of_waits, 0.35, say_waits};
