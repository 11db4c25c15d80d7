/* SPDX-License-Identifier: MIT */
/* The article's three chains at every number of pairs, and what they are measured against. */
#include <math.h>
#include <string.h>

#include "points.h"

static const char l1_hit[] = "L1 hit, load to use", contained[] = "contained, 2 bytes in",
                  partial[] = "partial overlap, 2 bytes missing", apart[] = "no overlap",
                  fast_address[] = "fast address", fast_data[] = "fast data",
                  no_reuse[] = "fast data, no address reuse";

static const struct stlf_series series[] = {
    {l1_hit, OPERATION_LATENCY, 8, 0, 0, 0, STLF_UNROLL_MAX, stlf_one},
    {fast_address, OPERATION_FORWARD_FA, 8, 4, 0, 0, 0, stlf_over_pairs},
    {fast_data, OPERATION_FORWARD_FD_POINTER, 8, 8, 0, 0, 0, stlf_over_pairs},
    {no_reuse, OPERATION_FORWARD_FD_POINTER_APART, 8, 8, 0, 0, 0, stlf_over_pairs},
    {contained, OPERATION_FORWARD_FA, 8, 4, 0, 2, STLF_UNROLL_MAX, stlf_one},
    {partial, OPERATION_FORWARD_FA, 8, 4, 2, 0, STLF_UNROLL_MAX, stlf_one},
    {apart, OPERATION_FORWARD_FA, 8, 4, 0, 32, STLF_UNROLL_MAX, stlf_one},
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

/* People see the knees of these curves as sentences; --sweep unroll draws them, with more of their kind. */
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

/* What the summary's sentences rest on. */
struct grounds {
    const struct stlf_set *set;
    size_t l1, contained, partial;
    const struct estimate *forwarded; /* NULL: every load that the store serves is renamed */
};

static const struct estimate *last_of(const struct stlf_set *set, const char *name)
{
    size_t count;
    const size_t first = stlf_series_at(set, name, &count);
    return &set->estimate[first + count - 1];
}

static struct grounds find_grounds(const struct stlf_set *set)
{
    size_t count;
    struct grounds grounds = {.set = set,
                              .l1 = stlf_series_at(set, l1_hit, &count),
                              .contained = stlf_series_at(set, contained, &count),
                              .partial = stlf_series_at(set, partial, &count)};
    const struct estimate *of = set->estimate;
    const size_t chain = stlf_series_at(set, fast_address, &count);
    grounds.forwarded = stlf_forwarded(&of[grounds.contained], &of[chain], count, of[grounds.l1].value);
    return grounds;
}

static struct stlf_levels levels_of(const struct grounds *grounds)
{
    const struct estimate *of = grounds->set->estimate;
    return (struct stlf_levels){.l1 = of[grounds->l1].value,
                                .independent = last_of(grounds->set, apart)->value,
                                .partial = of[grounds->partial].value,
                                .forwarded = grounds->forwarded ? grounds->forwarded->value : NAN,
                                .blocked = of[grounds->partial].value};
}

/* Of either state that was seen. */
static void find_levels(struct stlf *stlf, const struct grounds *grounds)
{
    const struct stlf_set active = stlf_active_set(grounds->set);
    stlf->levels[grounds->set->state] = levels_of(grounds);
    if (active.count > 0) {
        const struct grounds others = find_grounds(&active);
        stlf->levels[active.state] = levels_of(&others);
    }
}

static void report(struct stlf *stlf, const struct stlf_set *set)
{
    const struct grounds grounds = find_grounds(set);
    find_levels(stlf, &grounds);
    stlf_say_l1(stlf, set, grounds.l1);
    stlf_say_curve(stlf, set, "stlf.fast_address", "stlf.renamed", fast_address);
    stlf_say_curve(stlf, set, "stlf.fast_data", "stlf.fast_data.renamed", fast_data);
    stlf_say_curve(stlf, set, "stlf.fast_data_no_reuse", "stlf.fast_data_no_reuse.renamed", no_reuse);
    stlf_rows(stlf, record_table_add(stlf->run->record, &curves_table), set, is_of_a_curve);
}

const struct stlf_sweep stlf_summary = {&summary_table, series, sizeof series / sizeof series[0], report,
                                        .shown = is_shown};
