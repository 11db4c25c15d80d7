/* SPDX-License-Identifier: MIT */
/* The article's three chains at every number of pairs, and what they are measured against. */
#include <math.h>
#include <string.h>

#include "judge.h"

static const char l1_hit[] = "L1 hit, load to use", contained[] = "contained, 2 bytes in",
                  partial[] = "partial overlap, 2 bytes missing", apart[] = "no overlap",
                  fast_address[] = "fast address", fast_data[] = "fast data",
                  no_reuse[] = "fast data, no address reuse";

static const struct stlf_series series[] = {
    {l1_hit, OPERATION_LATENCY, 8, 0, 0, 0, STLF_UNROLL_MAX, OVER_NOTHING},
    {fast_address, OPERATION_FORWARD_FA, 8, 4, 0, 0, 0, OVER_PAIRS},
    {fast_data, OPERATION_FORWARD_FD_POINTER, 8, 8, 0, 0, 0, OVER_PAIRS},
    {no_reuse, OPERATION_FORWARD_FD_POINTER_APART, 8, 8, 0, 0, 0, OVER_PAIRS},
    {contained, OPERATION_FORWARD_FA, 8, 4, 0, 2, STLF_UNROLL_MAX, OVER_NOTHING},
    {partial, OPERATION_FORWARD_FA, 8, 4, 2, 0, STLF_UNROLL_MAX, OVER_NOTHING},
    {apart, OPERATION_FORWARD_FA, 8, 4, 0, 32, STLF_UNROLL_MAX, OVER_NOTHING},
};

static const struct table_spec summary_table = {
    .name = "summary",
    .title = "Store-to-load forwarding",
    .note =
        "Time of a pair of a store and a dependent load, lower quartile. pairs: in one pass of the loop.\n"
        "fast address: only the stored data is late. fast data: only the store's address is late.",
    .columns = stlf_point_columns,
    .column_count = C_STORE_AT,
};

/* People see the knees of these curves as answers; --sweep unroll draws them, with more of their kind. */
static const struct table_spec curves_table = {
    .name = "chains_by_pairs",
    .columns = stlf_point_columns,
    .column_count = C_STORE_AT,
    .view = {.kind = VIEW_HIDDEN, .x = C_PAIRS, .y = -1, .value = C_CYCLES, .series = C_SERIES},
};

static bool is_of_a_curve(const struct stlf_point *point)
{
    return point->series == fast_address || point->series == fast_data || point->series == no_reuse;
}

static bool is_shown(const struct stlf_point *point)
{
    return !is_of_a_curve(point) || point->pairs == 1 || point->pairs == STLF_FEW_PAIRS ||
           point->pairs == STLF_UNROLL_MAX;
}

/* Levels first: the verdicts in answers and rows compare with those of the same state. */
static void report(struct stlf *stlf, const struct stlf_set *set)
{
    size_t count;
    const struct estimate *of = set->estimate;
    const size_t l1 = stlf_series_at(set, l1_hit, &count), served = stlf_series_at(set, contained, &count);
    const double blocked = of[stlf_series_at(set, partial, &count)].value;
    const double independent = of[stlf_series_at(set, apart, &count)].value;
    const size_t chain = stlf_series_at(set, fast_address, &count);
    stlf->levels[set->state] =
        (struct stlf_levels){.l1 = of[l1].value,
                             .independent = independent,
                             .partial = blocked,
                             .forwarded = stlf_forwarded(&of[served], &of[chain], count, of[l1].value),
                             .blocked = blocked};
    stlf_say_l1(stlf, set, l1);
    stlf_say_curve(stlf, set, "stlf.fast_address", "stlf.renamed", fast_address, fast_address);
    stlf_say_curve(stlf, set, "stlf.fast_data", "stlf.fast_data.renamed", fast_data, fast_data);
    stlf_say_curve(stlf, set, "stlf.fast_data_no_reuse", "stlf.fast_data_no_reuse.renamed", no_reuse,
                   "fast data, no reuse");
    if (!set->second)
        stlf_rows(stlf, record_table_add(stlf->run->record, &curves_table), set, is_of_a_curve);
}

const struct stlf_sweep stlf_summary = {&summary_table, series,       sizeof series / sizeof series[0],
                                        report,         .both = true, .shown = is_shown};
