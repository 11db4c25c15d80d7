/* SPDX-License-Identifier: MIT */
/* Memory renaming: which loads from the address just stored to are not executed, by widths and base registers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "points.h"

enum { WIDTHS_TEXT = 120, SURE_SAMPLES = 8, FORMS = 2 };

static const struct stlf_series series[FORMS] = {
    {.name = "two base registers", .operation = OPERATION_FORWARD_FA, .points = stlf_over_widths},
    {.name = "one base register", .operation = OPERATION_FORWARD_SAME_BASE, .points = stlf_over_widths},
};

static const struct table_spec renaming_table = {
    .name = "renaming",
    .title = "Same address: is the load renamed away?",
    .note =
        "renamed: below the latency of L1, so the load's data never came through memory. series: whether the "
        "store and the load name the same register.",
    .columns = stlf_point_columns,
    .column_count = C_STORE_AT,
};

/* Of one form: the widths that are renamed at a few pairs, those of them that still are at many, and the others. */
struct renamed {
    int few, many;
    char yes[WIDTHS_TEXT], still[WIDTHS_TEXT], no[WIDTHS_TEXT];
    struct verdict verdict;
};

static void add_width(const struct stlf_point *point, char text[WIDTHS_TEXT])
{
    const size_t length = strlen(text);
    snprintf(text + length, WIDTHS_TEXT - length, "%s%u/%u", length ? " " : "", point->kernel->bits / 8,
             point->kernel->load_bits / 8);
}

/* Sure where the value is on the same side of L1's latency in both halves of the run and all through its interval. */
static struct verdict judge(const struct stlf *stlf, const struct estimate *e)
{
    const double l1 = stlf->levels.l1;
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
    size_t count;
    const size_t first = stlf_series_at(set, form, &count);
    for (size_t i = first; i + 1 < first + count; i += 2) {
        const struct estimate *few = &set->estimate[i], *many = &set->estimate[i + 1];
        const bool yes = is_renamed(few->value, stlf->levels.l1);
        const bool still = yes && is_renamed(many->value, stlf->levels.l1);
        add_width(&set->point[i], yes ? found.yes : found.no);
        if (still)
            add_width(&set->point[i], found.still);
        found.few += yes;
        found.many += still;
        found.verdict = verdict_lesser(found.verdict, verdict_lesser(judge(stlf, few), judge(stlf, many)));
    }
    return found;
}

/* What stays renamed when there are many pairs is what the two forms differ in. before: the other form, or NULL. */
static void spell(const struct renamed *of, const struct renamed *before, struct text *text)
{
    const bool same = before && strcmp(of->yes, before->yes) == 0;
    if (of->few == 0) {
        text_printf(text, "nothing is renamed at %d pairs", STLF_FEW_PAIRS);
        return;
    }
    text_printf(
        text, same ? "the same widths are renamed at %d pairs" : "renamed at %d pairs for store/load bytes ",
        STLF_FEW_PAIRS);
    if (!same)
        text_printf(text, "%s%s%s", of->yes, *of->no ? ", not for " : "", of->no);
    if (same && before->many == 0 && of->many == of->few)
        text_printf(text, ", and stay renamed at %d, as they do not with two registers", STLF_UNROLL_MAX);
    else if (of->many == of->few)
        text_printf(text, ", and at %d pairs too", STLF_UNROLL_MAX);
    else if (of->many == 0)
        text_printf(text, ", none of them at %d pairs", STLF_UNROLL_MAX);
    else
        text_printf(text, ", at %d pairs only %s", STLF_UNROLL_MAX, of->still);
}

static void report(struct stlf *stlf, const struct stlf_set *set)
{
    static const char *const key[FORMS] = {"stlf.renamed_two_registers", "stlf.renamed_same_register"};
    struct renamed found[FORMS];
    for (int i = 0; i < FORMS; i++) {
        struct text text = {0};
        found[i] = find_renamed(stlf, set, series[i].name);
        spell(&found[i], i ? &found[0] : NULL, &text);
        stlf_say(stlf, stlf_found(key[i], TEXT_CELL(found[i].yes), NULL, set->state, found[i].verdict),
                 "%s: %s%s", series[i].name, text.data, stlf_while(set));
        text_free(&text);
    }
}

const struct stlf_sweep stlf_renaming = {&renaming_table, series, FORMS, report};
