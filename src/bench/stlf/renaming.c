/* SPDX-License-Identifier: MIT */
/* Whether a load from the address just stored to is renamed away: by widths, by the base registers, and by
 * whether the value is a new one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stlf.h"

enum { C_STORE, C_LOAD, C_BASE, C_FEW, C_MANY, C_RENAMED, C_STILL, COLUMN_COUNT };

static const struct column columns[COLUMN_COUNT] = {
    [C_STORE] = {"store_bytes", "store", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [C_LOAD] = {"load_bytes", "load", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [C_BASE] = {"base", "base", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    [C_FEW] = {"cycles_8_pairs", "8 pairs", "core cycles", CELL_REAL, ROLE_MEASURE, 2},
    [C_MANY] = {"cycles_64_pairs", "64 pairs", "core cycles", CELL_REAL, ROLE_MEASURE, 2},
    [C_RENAMED] = {"renamed_8_pairs", "renamed", NULL, CELL_BOOL, ROLE_LABEL, 0},
    [C_STILL] = {"renamed_64_pairs", "at 64 pairs", NULL, CELL_BOOL, ROLE_LABEL, 0},
};

static const struct table_spec renaming_table = {
    .name = "renaming",
    .title = "Same address: is the load renamed away?",
    .note =
        "renamed: below the latency of L1, so the load's data never came through memory. base: whether the "
        "store and the load name the same register.",
    .columns = columns,
    .column_count = COLUMN_COUNT,
};

enum { FEW_PAIRS = 8, RENAMING_POINTS = 64, SURE_SAMPLES = 8 };

/* At few and at many pairs, one after the other */
static void add_points(struct stlf_set *set, const struct kernel *kernel)
{
    if (!kernel || set->count + 2 > RENAMING_POINTS)
        return;
    set->point[set->count++] = (struct stlf_point){.kernel = kernel, .pairs = FEW_PAIRS};
    set->point[set->count++] = (struct stlf_point){.kernel = kernel, .pairs = STLF_UNROLL_MAX};
}

/* Every width that a kernel with one base register has, in both forms. */
static void make_points(const struct stlf *stlf, struct stlf_set *set)
{
    const struct kernel_filter any = {.allowed = stlf->run->kernels.allowed};
    const struct kernel *same = kernel_next(&any, OPERATION_FORWARD_SAME_BASE, NULL);
    for (; same; same = kernel_next(&any, OPERATION_FORWARD_SAME_BASE, same)) {
        add_points(set, stlf_kernel(stlf->run, OPERATION_FORWARD_FA, same->bits / 8, same->load_bits / 8));
        add_points(set, same);
    }
}

static bool is_same_base(const struct stlf_point *point)
{
    return point->kernel->operation == OPERATION_FORWARD_SAME_BASE;
}

static bool is_renamed(const struct stlf *stlf, double cycles)
{
    return cycles < 0.9 * stlf->facts.l1;
}

static void add_rows(struct stlf *stlf, const struct stlf_set *set)
{
    const size_t table = record_table_add(stlf->run->record, &renaming_table);
    for (size_t i = 0; i < set->count; i += 2) {
        const struct stlf_point *point = &set->point[i];
        record_row(stlf->run->record, table,
                   (struct cell[COLUMN_COUNT]){
                       [C_STORE] = INTEGER_CELL(point->kernel->bits / 8),
                       [C_LOAD] = INTEGER_CELL(point->kernel->load_bits / 8),
                       [C_BASE] = TEXT_CELL(is_same_base(point) ? "same register" : "two registers"),
                       [C_FEW] = REAL_CELL(set->estimate[i].value),
                       [C_MANY] = REAL_CELL(set->estimate[i + 1].value),
                       [C_RENAMED] = BOOL_CELL(is_renamed(stlf, set->estimate[i].value)),
                       [C_STILL] = BOOL_CELL(is_renamed(stlf, set->estimate[i + 1].value)),
                   });
    }
}

enum { WIDTHS_TEXT = 120 };

/* Of one form: the widths that are renamed at a few pairs, those of them that still are at many, and the others. */
struct renamed {
    int few, many, of;
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
    const bool yes = is_renamed(stlf, e->value);
    if (isnan(e->value) || e->summary.count < SURE_SAMPLES)
        return (struct verdict){TRUST_LOW, LEG_PRECISION};
    if (is_renamed(stlf, e->first) != yes || is_renamed(stlf, e->second) != yes)
        return (struct verdict){TRUST_LOW, LEG_REPETITION};
    if (is_renamed(stlf, e->low) != yes || is_renamed(stlf, e->high) != yes)
        return (struct verdict){TRUST_MEDIUM, LEG_PRECISION};
    return (struct verdict){TRUST_HIGH, LEG_NONE};
}

static struct renamed find_renamed(const struct stlf *stlf, const struct stlf_set *set, bool same_base)
{
    struct renamed found = {.verdict = {TRUST_HIGH, LEG_NONE}};
    for (size_t i = 0; i < set->count; i += 2) {
        const struct estimate *few = &set->estimate[i], *many = &set->estimate[i + 1];
        if (is_same_base(&set->point[i]) != same_base)
            continue;
        const bool yes = is_renamed(stlf, few->value), still = yes && is_renamed(stlf, many->value);
        add_width(&set->point[i], yes ? found.yes : found.no);
        if (still)
            add_width(&set->point[i], found.still);
        found.of++;
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

static void add_findings(struct stlf *stlf, const struct stlf_set *set)
{
    static const char *const key[] = {"stlf.renamed_two_registers", "stlf.renamed_same_register"};
    static const char *const form[] = {"two base registers", "one base register"};
    struct renamed found[2];
    for (int same = 0; same < 2; same++) {
        char still[WIDTHS_TEXT + 40], text[600];
        found[same] = find_renamed(stlf, set, same);
        const struct renamed *of = &found[same];
        say_still(of, still, sizeof still);
        if (same && of->few && strcmp(of->yes, found[0].yes) == 0)
            snprintf(text, sizeof text, "%s: the same widths are renamed at %d pairs%s%s", form[same],
                     FEW_PAIRS, still, stlf_while(set));
        else if (of->few == 0)
            snprintf(text, sizeof text, "%s: nothing is renamed at %d pairs%s", form[same], FEW_PAIRS,
                     stlf_while(set));
        else
            snprintf(text, sizeof text, "%s: renamed at %d pairs for store/load bytes %s%s%s%s%s", form[same],
                     FEW_PAIRS, of->yes, of->of > of->few ? ", not for " : "", of->no, still,
                     stlf_while(set));
        stlf_text(stlf, key[same], of->yes, set->state, of->verdict, text);
    }
}

enum status stlf_renaming(struct stlf *stlf, struct fault *fault)
{
    struct stlf_set set;
    if (!stlf_set_init(&set, RENAMING_POINTS, false))
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for %d points", RENAMING_POINTS);
    set.count = 0;
    set.total = 4 * STLF_PAIRS_A_SAMPLE;
    make_points(stlf, &set);
    const enum status status = stlf_measure(&stlf->lab, &set, &stlf->effort, fault);
    stlf->complete = stlf->complete && set.complete;
    if (status == STATUS_OK && set.complete) {
        add_rows(stlf, &set);
        add_findings(stlf, &set);
    }
    stlf_set_free(&set);
    return status;
}

enum { S_CASE, S_LOAD, S_PAIRS, S_VALUE, S_CYCLES, S_SPREAD, S_VERDICT, S_COUNT };

static const struct column silent_columns[S_COUNT] = {
    [S_CASE] = {"case", "case", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    [S_LOAD] = {"load_bytes", "load", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [S_PAIRS] = {"pairs", "pairs", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [S_VALUE] = {"value", "value stored", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    [S_CYCLES] = {"cycles", "a pair takes", "core cycles", CELL_REAL, ROLE_MEASURE, 2},
    [S_SPREAD] = {"spread", "p90 - p10", "core cycles", CELL_REAL, ROLE_LABEL, 2},
    [S_VERDICT] = {"verdict", "verdict", NULL, CELL_CLASS, ROLE_LABEL, 0},
};

static const struct table_spec silent_table = {
    .name = "silent_stores",
    .title = "Silent stores: the value that is there already against a new one",
    .note = "An addition of 0 or of 1 is part of the chain and of the time in both cases.",
    .columns = silent_columns,
    .column_count = S_COUNT,
};

struct silent_case {
    const char *name;
    enum overlap overlap;
    long store, load;
};

static const struct silent_case silent_cases[] = {{"same address", OVERLAP_SAME, 0, 0},
                                                  {"contained", OVERLAP_CONTAINED, 0, 2},
                                                  {"partial overlap", OVERLAP_PARTIAL, 2, 0},
                                                  {"no overlap", OVERLAP_NONE, 0, 32}};
enum { SILENT_CASES = sizeof silent_cases / sizeof silent_cases[0], SILENT_POINTS = SILENT_CASES * 4 };

static void make_silent_points(const struct stlf *stlf, struct stlf_set *set)
{
    for (int i = 0; i < SILENT_POINTS; i++) {
        const struct silent_case *at = &silent_cases[i / 4];
        set->point[i] = (struct stlf_point){
            .kernel = stlf_kernel(stlf->run, OPERATION_FORWARD_ADD, 8, 4),
            .store = at->store,
            .load = at->load,
            .pairs = i / 2 % 2 ? STLF_UNROLL_MAX : FEW_PAIRS,
            .added = (uint64_t)(i % 2),
        };
    }
}

static void report_silent(struct stlf *stlf, const struct stlf_set *set)
{
    const size_t table = record_table_add(stlf->run->record, &silent_table);
    struct estimate worst = {0};
    struct verdict verdict = {TRUST_HIGH, LEG_NONE};
    for (int i = 0; i < SILENT_POINTS; i++) {
        record_row(
            stlf->run->record, table,
            (struct cell[S_COUNT]){
                [S_CASE] = TEXT_CELL(silent_cases[i / 4].name),
                [S_LOAD] = INTEGER_CELL(set->point[i].kernel->load_bits / 8),
                [S_PAIRS] = INTEGER_CELL(set->point[i].pairs),
                [S_VALUE] = TEXT_CELL(i % 2 ? "new" : "the same"),
                [S_CYCLES] = REAL_CELL(set->estimate[i].value),
                [S_SPREAD] = REAL_CELL(stlf_spread(&set->estimate[i])),
                [S_VERDICT] = TEXT_CELL(
                    verdict_names[stlf_verdict(stlf, silent_cases[i / 4].overlap, set->estimate[i].value)]),
            });
        verdict = verdict_lesser(verdict, stlf_judge(set, &set->estimate[i]));
        if (i % 2 == 0)
            continue;
        const struct estimate gain = stlf_difference(&set->estimate[i], &set->estimate[i - 1]);
        if (fabs(gain.value) > fmax(0.5, 0.05 * set->estimate[i].value) &&
            fabs(gain.value) > fabs(worst.value))
            worst = gain;
    }
    if (worst.value == 0)
        stlf_finding(
            stlf, "stlf.silent_store_gain", 0, "core cycles", set->state, verdict,
            "silent stores: storing the value that is there already takes as long as storing a new one%s",
            stlf_while(set));
    else
        stlf_estimated(
            stlf, "stlf.silent_store_gain", &worst, stlf_judge(set, &worst),
            "silent stores: a new value takes up to %.1f cycles %s than the one that is there already%s",
            fabs(worst.value), worst.value > 0 ? "longer" : "less", stlf_while(set));
}

enum status stlf_silent(struct stlf *stlf, struct fault *fault)
{
    struct stlf_set set;
    if (!stlf_set_init(&set, SILENT_POINTS, false))
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for %d points", SILENT_POINTS);
    set.total = 4 * STLF_PAIRS_A_SAMPLE;
    make_silent_points(stlf, &set);
    const enum status status = stlf_measure(&stlf->lab, &set, &stlf->few_effort, fault);
    stlf->complete = stlf->complete && set.complete;
    if (status == STATUS_OK && set.complete)
        report_silent(stlf, &set);
    stlf_set_free(&set);
    return status;
}
