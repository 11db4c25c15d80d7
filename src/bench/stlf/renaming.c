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

/* What stays renamed when there are many pairs is what the two forms differ in. */
static void say_still(const struct renamed *found, char *text, size_t size)
{
    if (found->many == found->few)
        snprintf(text, size, ", and at %d pairs too", STLF_UNROLL_MAX);
    else if (found->many == 0)
        snprintf(text, size, ", none of them at %d pairs", STLF_UNROLL_MAX);
    else
        snprintf(text, size, ", at %d pairs only %s", STLF_UNROLL_MAX, found->still);
}

static void report(struct stlf *stlf, const struct stlf_set *set)
{
    static const char *const key[FORMS] = {"stlf.renamed_two_registers", "stlf.renamed_same_register"};
    struct renamed found[FORMS];
    for (int i = 0; i < FORMS; i++) {
        char still[WIDTHS_TEXT + 40];
        found[i] = find_renamed(stlf, set, series[i].name);
        const struct renamed *of = &found[i];
        const bool same = i && strcmp(of->yes, found[0].yes) == 0;
        const struct finding finding = stlf_found(key[i], TEXT_CELL(of->yes), NULL, set->state, of->verdict);
        say_still(of, still, sizeof still);
        if (of->few == 0)
            stlf_say(stlf, finding, "%s: nothing is renamed at %d pairs%s", series[i].name, STLF_FEW_PAIRS,
                     stlf_while(set));
        else
            stlf_say(stlf, finding, "%s: %s at %d pairs%s%s%s%s%s%s", series[i].name,
                     same ? "the same widths are renamed" : "renamed", STLF_FEW_PAIRS,
                     same ? "" : " for store/load bytes ", same ? "" : of->yes,
                     !same && *of->no ? ", not for " : "", same ? "" : of->no, still, stlf_while(set));
    }
}

const struct stlf_sweep stlf_renaming = {&renaming_table, series, FORMS, report, .coarse = true};
