/* SPDX-License-Identifier: MIT */
/* Memory renaming: which loads from the address just stored to are not executed, by widths and base registers. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "stlf.h"

static const char two_registers[] = "two base registers", one_register[] = "one base register",
                  one_above[] = "one base register, load above",
                  two_above[] = "two base registers, load above";

static const struct stlf_series series[] = {
    {two_registers, OPERATION_FORWARD_FA, .over = OVER_WIDTHS, .pairs = {STLF_FEW_PAIRS, STLF_UNROLL_MAX}},
    {one_register, OPERATION_FORWARD_SAME_BASE, .over = OVER_WIDTHS,
     .pairs = {STLF_FEW_PAIRS, STLF_UNROLL_MAX}},
    {one_above, OPERATION_FORWARD_DISPLACED, .over = OVER_DISPLACEMENTS, .pairs = {STLF_UNROLL_MAX}},
    {two_above, OPERATION_FORWARD_FA, .over = OVER_DISPLACEMENTS, .pairs = {STLF_UNROLL_MAX}},
    {"one base register, load above, few pairs", OPERATION_FORWARD_DISPLACED, .over = OVER_DISPLACEMENTS,
     .pairs = {STLF_FEW_PAIRS}},
    {"half of a vector missing", OPERATION_FORWARD_FA, .over = OVER_VECTORS, .pairs = {STLF_UNROLL_MAX}},
};

static const struct table_spec renaming_table = {
    .name = "renaming",
    .title = "Same address, or the same base register: is the load renamed away?",
    .note =
        "renamed: below the latency of L1, so the load's data never came through memory. series: whether the "
        "store and the load name the same register.",
    .columns = stlf_point_columns,
    .column_count = C_GAP,
};

/* "4/4 8/4": the widths that are renamed at a few pairs, by store and by load; a few pairs and many of each width follow each
 * other. */
static void say_widths(const struct stlf_set *set, const char *key, const char *form)
{
    const double limit = 0.9 * stlf_levels_in(set->stlf, set->state).l1;
    struct verdict verdict = {TRUST_HIGH, LEG_NONE};
    struct text few = {0}, many = {0};
    size_t count;
    const size_t first = stlf_series_at(set, form, &count);
    for (unsigned store = 1; store <= 64; store *= 2)
        for (unsigned load = 1; load <= 64; load *= 2)
            for (size_t i = first; i + 1 < first + count; i += 2) {
                const struct kernel *kernel = set->point[i].kernel;
                const struct estimate *e = &set->estimate[i];
                if (kernel->bits != 8 * store || kernel->load_bits != 8 * load)
                    continue;
                verdict = verdict_lesser(
                    verdict, verdict_lesser(stlf_judge_side(e, limit), stlf_judge_side(e + 1, limit)));
                if (e[0].value < limit)
                    text_printf(&few, "%s%u/%u", few.length ? " " : "", store, load);
                if (e[0].value < limit && e[1].value < limit)
                    text_printf(&many, "%s%u/%u", many.length ? " " : "", store, load);
            }
    const char *of_many = !many.length ? "none" : strcmp(many.data, few.data) == 0 ? "the same" : many.data;
    stlf_add(set,
             (struct answer){.key = key,
                             .label = stlf_words("renamed, %s", form),
                             .value = TEXT_CELL(few.length ? few.data : ""),
                             .remark = few.length ? stlf_words("%d pairs; at %d %s", STLF_FEW_PAIRS,
                                                               STLF_UNROLL_MAX, of_many)
                                                  : "none"},
             NULL, verdict);
    text_free(&few);
    text_free(&many);
}

/* Where one base register costs a load that begins above the store more than two do, the CPU went by the text, and was
 * wrong: a cycle more and a quarter, as what is renamed falsely has to be done again. */
static void say_false_renaming(const struct stlf_set *set)
{
    size_t count, ignored, at = 0;
    const size_t one = stlf_series_at(set, one_above, &count), two = stlf_series_at(set, two_above, &ignored);
    struct verdict verdict = {TRUST_HIGH, LEG_NONE};
    struct estimate worst = {.value = -INFINITY};
    struct text above = {0};
    for (size_t i = 0; i < count; i++) {
        const struct estimate cost = stlf_difference(&set->estimate[one + i], &set->estimate[two + i]);
        const double limit = fmax(1, 0.25 * set->estimate[two + i].value);
        verdict = verdict_lesser(verdict, stlf_judge_side(&cost, limit));
        if (cost.value > limit)
            text_printf(&above, "%s%ld", above.length ? ", " : "", set->point[one + i].load);
        if (cost.value > worst.value) {
            worst = cost;
            at = i;
        }
    }
    struct answer answer = {.key = "stlf.false_renaming",
                            .label = "false renaming",
                            .value = REAL_CELL(0),
                            .unit = "core cycles"};
    if (above.length) {
        answer.remark = stlf_words("%.1f, %.1f with two; %s bytes above the store",
                                   set->estimate[one + at].value, set->estimate[two + at].value, above.data);
        verdict = verdict_lesser(verdict, stlf_judge(&worst, 0));
    }
    if (count > 0)
        stlf_add(set, answer, above.length ? &worst : NULL, verdict);
    text_free(&above);
}

static void report(const struct stlf_set *set)
{
    say_widths(set, "stlf.renamed_two_registers", two_registers);
    say_widths(set, "stlf.renamed_same_register", one_register);
    say_false_renaming(set);
}

const struct stlf_sweep stlf_renaming = {
    {{&renaming_table}}, series, sizeof series / sizeof series[0], 0.1, report};
