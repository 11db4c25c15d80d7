/* SPDX-License-Identifier: MIT */
/* Loads that cost more than others like them (renamed falsely, aliased with a store, after a new value),
 * and the widths and base registers at which a load from the stored address is renamed. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "stlf.h"

/* Adds the middle cost of the loads that cost more than those of the base, and in the remark their
 * offsets. Noise lowers the trust, not the cost: each load must be on one side of the limit. */
static void say_extra(const struct stlf_part *part, const struct stlf_extra *extra)
{
    const struct stlf_curve dear = stlf_curve(part, extra->series), base = stlf_curve(part, extra->base);
    struct verdict verdict = verdict_capped(LIMITED_BY_NONE, LIMITED_BY_NONE);
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
            verdict_lesser(verdict, verdict_capped(extra->has_flush ? LIMITED_BY_REPETITION : LIMITED_BY_NONE,
                                                   LIMITED_BY_NONE));
    }
    stlf_add(part, (struct answer){.key = extra->key, .label = extra->label, .remark = where}, middle,
             verdict);
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

/* Adds "4/4 8/4", the widths that are renamed at few pairs, in the order of kernels; the curve holds few
 * and many pairs of each width in turn. */
static void say_widths(const struct stlf_part *part, const char *key, const char *form)
{
    const double limit = 0.9 * part->stlf->usual.l1;
    const struct stlf_curve curve = stlf_curve(part, form);
    struct verdict verdict = verdict_capped(LIMITED_BY_NONE, LIMITED_BY_NONE);
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

static const long above[] = {1, 2, 4, 6};
static const struct stlf_series of_renaming[] = {
    {.name = two_above,
     .operation = OPERATION_FORWARD_FA,
     .store_bytes = 8,
     .load_bytes = 4,
     .pairs = {STLF_UNROLL_MAX},
     .above = above,
     .loads = sizeof above / sizeof *above},
    {.name = one_above,
     .operation = OPERATION_FORWARD_DISPLACED,
     .store_bytes = 8,
     .load_bytes = 4,
     .pairs = {STLF_UNROLL_MAX}},
    {.name = two_registers,
     .operation = OPERATION_FORWARD_FA,
     .pairs = {STLF_FEW_PAIRS, STLF_UNROLL_MAX},
     .like = OPERATION_FORWARD_SAME_BASE},
    {.name = one_register,
     .operation = OPERATION_FORWARD_SAME_BASE,
     .pairs = {STLF_FEW_PAIRS, STLF_UNROLL_MAX},
     .like = OPERATION_FORWARD_SAME_BASE},
    {0},
};

/* Where one base register costs a load above the store more than two do, the CPU predicted by the
 * register's name and was wrong. The limit is a cycle or a quarter, as a falsely renamed load is repeated. */
const struct stlf_sweep stlf_renaming = {
    .table = {.name = "renaming",
              .title = "Same address, or the same base register: is the load renamed away?",
              .note = "renamed: below the latency of L1, so the load's data never came through memory. "
                      "series: whether "
                      "the store and the load name the same register.",
              .columns = stlf_point_columns,
              .column_count = C_COUNT,
              .view = {.kind = VIEW_HIDDEN, .x = C_PAIRS, .y = -1, .value = C_CYCLES, .series = C_SERIES}},
    .series = of_renaming,
    .seconds = 0.1,
    .report = say_renamed,
    .extra = {.key = "stlf.false_renaming",
              .label = "false renaming",
              .series = one_above,
              .base = two_above,
              .absolute = 1,
              .share = 0.25,
              .has_flush = true}};

/* The chain goes through the load's address: parallel loads would hide the wait of one. */
static const long distances[] = {1 << 6,  1 << 7,  1 << 8,  1 << 9,  1 << 10, 1 << 11, 1 << 12, 1 << 13,
                                 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20};
static const struct stlf_series of_alias[] = {
    {.name = same_offset,
     .operation = OPERATION_FORWARD_LA,
     .store_bytes = 8,
     .load_bytes = 4,
     .pairs = {STLF_UNROLL_MAX},
     .above = distances,
     .loads = sizeof distances / sizeof *distances},
    {.name = shifted,
     .operation = OPERATION_FORWARD_LA,
     .store_bytes = 8,
     .load_bytes = 4,
     .load = 32,
     .pairs = {STLF_UNROLL_MAX},
     .above = distances,
     .loads = sizeof distances / sizeof *distances},
    {0},
};

const struct stlf_sweep stlf_alias = {
    .table =
        {.name = "alias",
         .title = "Loads that do not depend on the store, by their distance from it",
         .note =
             "The latency of a load and of one more cycle, next to stores. same offset: the low bits of both "
             "addresses agree. shifted: the load is 32 bytes further on.",
         .columns = stlf_point_columns,
         .column_count = C_COUNT,
         .view = {.kind = VIEW_CURVE,
                  .x = C_LOAD_AT,
                  .y = -1,
                  .value = C_CYCLES,
                  .series = C_SERIES,
                  .log_x = true}},
    .series = of_alias,
    .seconds = 0.35,
    .extra = {.key = "stlf.alias",
              .label = "aliased load waits",
              .series = same_offset,
              .base = shifted,
              .absolute = 0.05,
              .share = 0.05,
              .placements = STLF_PLACEMENTS_LEAST}};

/* Partial overlap, contained, no overlap and the same address. */
static const long overlaps[] = {-2, 2, 32, 0};
static const struct stlf_series of_values[] = {
    {.name = same_value,
     .operation = OPERATION_FORWARD_ADD,
     .store_bytes = 8,
     .load_bytes = 4,
     .store = 8,
     .load = 8,
     .pairs = {STLF_UNROLL_MAX},
     .above = overlaps,
     .loads = sizeof overlaps / sizeof *overlaps},
    {.name = new_value,
     .operation = OPERATION_FORWARD_ADD,
     .store_bytes = 8,
     .load_bytes = 4,
     .store = 8,
     .load = 8,
     .pairs = {STLF_UNROLL_MAX},
     .above = overlaps,
     .loads = sizeof overlaps / sizeof *overlaps,
     .added = 1},
    {0},
};

const struct stlf_sweep stlf_silent = {
    .table = {.name = "silent_stores",
              .title = "Silent stores: the same value against a new one",
              .note = "the same value: the addition adds 0. The addition is part of the chain and its time.",
              .columns = stlf_point_columns,
              .column_count = C_COUNT,
              .view = {.kind = VIEW_LIST, .x = 0, .y = -1, .value = C_CYCLES, .series = C_SERIES}},
    .series = of_values,
    .seconds = 0.35,
    .extra = {.key = "stlf.silent_store_gain",
              .label = "new value stored",
              .series = new_value,
              .base = same_value,
              .absolute = 0.2,
              .share = 0.05}};

/* Wong's question: does a load that waits for a store hold up other loads? They share pipes, so of as many
 * as take three quarters of the wait without a store, none of their time comes on top where it does not, and
 * all of it where it does. */
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
        stlf_add(part,
                 (struct answer){.key = key,
                                 .label = label,
                                 .remark = stlf_words(part, "%u loads, %.1f alone",
                                                      wait.point[most].kernel->gap, alone.of[most].value)},
                 &on_top, verdict_lesser(stlf_judge(&on_top, 0), stlf_judge(&alone.of[most], 0)));
}

static void say_waits(const struct stlf_part *part)
{
    say_wait(part, "stlf.loads_next_to_failed", "loads next to a failed forward", next_to_failed);
    say_wait(part, "stlf.loads_next_to_forward", "loads next to a forward", next_to_forward);
}

static const struct stlf_series of_waits[] = {
    {.name = next_to_failed,
     .operation = OPERATION_FORWARD_MORE,
     .store_bytes = 8,
     .load_bytes = 4,
     .load = 6,
     .pairs = {16}},
    {.name = next_to_forward,
     .operation = OPERATION_FORWARD_MORE,
     .store_bytes = 8,
     .load_bytes = 4,
     .load = 2,
     .pairs = {16}},
    {.name = next_to_none,
     .operation = OPERATION_FORWARD_MORE,
     .store_bytes = 8,
     .load_bytes = 4,
     .load = 256,
     .pairs = {16}},
    {0},
};

const struct stlf_sweep stlf_waits = {
    .table = {.name = "waits",
              .title = "Loads that depend on nothing, next to one that waits for a store",
              .note = "gap: so many loads in each pair, which are part of its cycles.",
              .columns = stlf_point_columns,
              .column_count = C_COUNT,
              .view = {.kind = VIEW_CURVE, .x = C_GAP, .y = -1, .value = C_CYCLES, .series = C_SERIES}},
    .series = of_waits,
    .seconds = 0.35,
    .report = say_waits};
