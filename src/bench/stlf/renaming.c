/* SPDX-License-Identifier: MIT */
/* Memory renaming: which loads from the address just stored to are not executed, by widths and base registers. */
#include <math.h>

#include "points.h"

enum { SURE_SAMPLES = 8, FORMS = 2, DISPLACED = 2, SERIES = 6 };

static const struct stlf_series series[SERIES] = {
    {.name = "two base registers", .operation = OPERATION_FORWARD_FA, .points = stlf_over_widths},
    {.name = "one base register", .operation = OPERATION_FORWARD_SAME_BASE, .points = stlf_over_widths},
    [DISPLACED] = {"one base register, load above", OPERATION_FORWARD_DISPLACED, 8, 4, 0, 0, STLF_UNROLL_MAX,
                   stlf_over_displacements},
    {"two base registers, load above", OPERATION_FORWARD_FA, 8, 4, 0, 0, STLF_UNROLL_MAX,
     stlf_over_displacements},
    {"one base register, load above, few pairs", OPERATION_FORWARD_DISPLACED, 8, 4, 0, 0, STLF_FEW_PAIRS,
     stlf_over_displacements},
    {"half of a vector missing", OPERATION_FORWARD_FA, 16, 16, 0, 0, STLF_UNROLL_MAX, stlf_over_vectors},
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

/* A bit for each pair of widths: 8 * log2(bytes of the store) + log2(those of the load). */
typedef uint64_t width_set;

/* Of one form: the widths that are renamed at a few pairs, those of them that still are at many, and the others. */
struct renamed {
    width_set yes, still, no;
    struct verdict verdict;
};

static width_set width_of(const struct kernel *kernel)
{
    return UINT64_C(1) << (8 * __builtin_ctz(kernel->bits / 8) + __builtin_ctz(kernel->load_bits / 8));
}

/* "4/4 8/4" */
static void add_widths(struct text *text, width_set widths)
{
    for (int bit = 0; bit < 64; bit++)
        if (widths >> bit & 1)
            text_printf(text, "%s%d/%d", widths & ((UINT64_C(1) << bit) - 1) ? " " : "", 1 << bit / 8,
                        1 << bit % 8);
}

/* Sure where the value is on the same side of L1's latency in both halves of the run and all through its interval. */
static struct verdict judge(const struct estimate *e, double l1)
{
    const bool yes = is_renamed(e->value, l1);
    if (isnan(e->value) || e->summary.count < SURE_SAMPLES)
        return (struct verdict){TRUST_LOW, LEG_PRECISION};
    if (is_renamed(e->first, l1) != yes || is_renamed(e->second, l1) != yes)
        return (struct verdict){TRUST_LOW, LEG_REPETITION};
    if (is_renamed(e->low, l1) != yes || is_renamed(e->high, l1) != yes)
        return (struct verdict){TRUST_MEDIUM, LEG_PRECISION};
    return (struct verdict){TRUST_HIGH, LEG_NONE};
}

/* A few pairs and many of each width follow each other. */
static struct renamed find_renamed(const struct stlf *stlf, const struct stlf_set *set, const char *form)
{
    struct renamed found = {.verdict = {TRUST_HIGH, LEG_NONE}};
    const double l1 = stlf_levels_in(stlf, set->state).l1;
    size_t count;
    const size_t first = stlf_series_at(set, form, &count);
    for (size_t i = first; i + 1 < first + count; i += 2) {
        const struct estimate *few = &set->estimate[i], *many = &set->estimate[i + 1];
        const bool yes = is_renamed(few->value, l1);
        const bool still = yes && is_renamed(many->value, l1);
        const width_set width = width_of(set->point[i].kernel);
        found.yes |= yes ? width : 0;
        found.still |= still ? width : 0;
        found.no |= yes ? 0 : width;
        found.verdict = verdict_lesser(found.verdict, verdict_lesser(judge(few, l1), judge(many, l1)));
    }
    return found;
}

/* What stays renamed when there are many pairs is what the two forms differ in. before: the other form, or NULL. */
static void spell(const struct renamed *of, const struct renamed *before, struct text *text)
{
    const bool same = before && of->yes == before->yes;
    if (of->yes == 0) {
        text_printf(text, "nothing is renamed at %d pairs", STLF_FEW_PAIRS);
        return;
    }
    if (same && before->still == 0 && of->still == of->yes) {
        text_printf(text,
                    "the same widths are renamed at %d pairs, and stay renamed at %d, as they do not "
                    "with two registers",
                    STLF_FEW_PAIRS, STLF_UNROLL_MAX);
        return;
    }
    text_add(text, same ? "the same widths are renamed" : "renamed for store/load bytes ");
    if (!same) {
        add_widths(text, of->yes);
        text_add(text, of->no ? " (not for " : "");
        add_widths(text, of->no);
        text_add(text, of->no ? ")" : "");
    }
    text_printf(text, of->still == of->yes ? " at %d and at %d pairs" : " at %d pairs, at %d ",
                STLF_FEW_PAIRS, STLF_UNROLL_MAX);
    if (of->still == 0)
        text_add(text, "none of them");
    else if (of->still != of->yes) {
        text_add(text, "only ");
        add_widths(text, of->still);
    }
}

/* What one base register costs a load that begins above the store, more than two do. */
struct displaced {
    struct estimate cost;
    double one, two, few; /* cycles a pair */
    bool is_false;
};

/* A cycle, or a quarter: what is renamed falsely has to be done again. */
static bool is_false(double cost, double two)
{
    return cost > fmax(1, 0.25 * two);
}

/* Sure where the answer is the same in both halves of the run and all through the interval. */
static struct verdict judge_displaced(const struct stlf_set *set, const struct displaced *of)
{
    const struct estimate *cost = &of->cost;
    if (isnan(cost->value) || cost->state != set->state || cost->summary.count < SURE_SAMPLES)
        return (struct verdict){TRUST_LOW, LEG_PRECISION};
    if (is_false(cost->first, of->two) != of->is_false || is_false(cost->second, of->two) != of->is_false)
        return (struct verdict){TRUST_LOW, LEG_REPETITION};
    if (is_false(cost->low, of->two) != of->is_false || is_false(cost->high, of->two) != of->is_false)
        return (struct verdict){TRUST_MEDIUM, LEG_PRECISION};
    return (struct verdict){TRUST_HIGH, LEG_NONE};
}

static struct displaced displaced_at(const struct stlf_set *set, size_t index)
{
    size_t count;
    const struct estimate *one = &set->estimate[stlf_series_at(set, series[DISPLACED].name, &count) + index];
    const struct estimate *two =
        &set->estimate[stlf_series_at(set, series[DISPLACED + 1].name, &count) + index];
    const struct estimate *few =
        &set->estimate[stlf_series_at(set, series[DISPLACED + 2].name, &count) + index];
    struct displaced found = {stlf_difference(one, two), one->value, two->value, few->value, false};
    found.is_false = is_false(found.cost.value, found.two);
    return found;
}

static void say_displaced(struct stlf *stlf, const struct displaced *worst, const char *above,
                          struct verdict verdict)
{
    char one[STLF_LABEL], two[STLF_LABEL], few[STLF_LABEL];
    stlf_spell(worst->one, one);
    stlf_spell(worst->two, two);
    stlf_spell(worst->few, few);
    stlf_say(stlf, stlf_estimated("stlf.false_renaming", &worst->cost, verdict),
             "false renaming: with one base register a load that begins %s bytes above the store takes %s "
             "cycles a "
             "pair, with two registers %s (at %d pairs; at %d %s)",
             above, one, two, STLF_UNROLL_MAX, STLF_FEW_PAIRS, few);
}

/* Where one base register costs more, the CPU went by the text, and was wrong. */
static void say_false_renaming(struct stlf *stlf, const struct stlf_set *set)
{
    size_t count;
    const size_t first = stlf_series_at(set, series[DISPLACED].name, &count);
    struct verdict verdict = {TRUST_HIGH, LEG_NONE};
    struct displaced worst = {.cost.value = -INFINITY};
    struct text above = {0};
    for (size_t i = 0; i < count; i++) {
        const struct displaced found = displaced_at(set, i);
        verdict = verdict_lesser(verdict, judge_displaced(set, &found));
        if (found.is_false)
            text_printf(&above, "%s%ld", above.length ? ", " : "", set->point[first + i].load);
        if (found.cost.value > worst.cost.value)
            worst = found;
    }
    if (worst.is_false)
        say_displaced(stlf, &worst, above.data, verdict_lesser(verdict, stlf_judge(set, &worst.cost)));
    else if (count > 0)
        stlf_say(stlf, stlf_found("stlf.false_renaming", REAL_CELL(0), "core cycles", set->state, verdict),
                 "no false renaming: with one base register a load that begins above the store takes no "
                 "longer than "
                 "with two");
    text_free(&above);
}

static void report(struct stlf *stlf, const struct stlf_set *set)
{
    static const char *const key[FORMS] = {"stlf.renamed_two_registers", "stlf.renamed_same_register"};
    struct renamed found[FORMS];
    for (int i = 0; i < FORMS; i++) {
        struct text text = {0}, widths = {0};
        found[i] = find_renamed(stlf, set, series[i].name);
        spell(&found[i], i ? &found[0] : NULL, &text);
        add_widths(&widths, found[i].yes);
        stlf_say(
            stlf,
            stlf_found(key[i], TEXT_CELL(widths.data ? widths.data : ""), NULL, set->state, found[i].verdict),
            "%s: %s", series[i].name, text.data);
        text_free(&text);
        text_free(&widths);
    }
    say_false_renaming(stlf, set);
}

const struct stlf_sweep stlf_renaming = {&renaming_table, series, SERIES, report};
