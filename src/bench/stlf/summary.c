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
    const struct estimate *renamed;   /* NULL: none */
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
    grounds.forwarded =
        stlf_forwarded(&of[grounds.contained], &of[chain], count, of[grounds.l1].value, &grounds.renamed);
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

static void say_forwarding(struct stlf *stlf, const struct grounds *grounds)
{
    const struct stlf_set *set = grounds->set;
    if (grounds->forwarded)
        stlf_say_level(stlf, set, (size_t)(grounds->forwarded - set->estimate), "stlf.forwarded",
                       "store-to-load forwarding",
                       grounds->renamed ? ", where the load is not renamed away" : "");
    else
        stlf_say(stlf,
                 stlf_found("stlf.forwarded", REAL_CELL(NAN), "core cycles", set->state,
                            stlf_judge(set, &set->estimate[grounds->contained])),
                 "store-to-load forwarding: every load that the store serves is renamed away");
}

/* What a load pays that gets only a part of its bytes from the store. */
static void say_penalty(struct stlf *stlf, const struct grounds *grounds)
{
    const struct stlf_set *set = grounds->set;
    const struct estimate *failed = &set->estimate[grounds->partial], *l1 = &set->estimate[grounds->l1];
    const struct estimate penalty = stlf_difference(failed, grounds->forwarded ? grounds->forwarded : l1);
    char blocked[STLF_LABEL];
    stlf_spell(failed->value, blocked);
    if (failed->value > 1.25 * (failed->value - penalty.value))
        stlf_say(stlf, stlf_estimated("stlf.failed_forward_penalty", &penalty, stlf_judge(set, &penalty)),
                 "failed forward: %s cycles, %.1f more than %s", blocked, penalty.value,
                 grounds->forwarded ? "a forward" : "a load from L1");
    else
        stlf_say(stlf,
                 stlf_found("stlf.failed_forward_penalty", REAL_CELL(0), "core cycles", set->state,
                            stlf_judge(set, failed)),
                 "a load that gets only a part of its bytes from the store is served as fast as any: %s "
                 "cycles",
                 blocked);
}

static void report(struct stlf *stlf, const struct stlf_set *set)
{
    const struct grounds grounds = find_grounds(set);
    find_levels(stlf, &grounds);
    stlf_say_level(stlf, set, grounds.l1, "stlf.l1_latency", "L1 hit", " load to use");
    say_forwarding(stlf, &grounds);
    say_penalty(stlf, &grounds);
    stlf_say_curve(stlf, set, "stlf.fast_address", "stlf.renamed", fast_address);
    stlf_say_curve(stlf, set, "stlf.fast_data", "stlf.fast_data.renamed", fast_data);
    stlf_say_curve(stlf, set, "stlf.fast_data_no_reuse", "stlf.fast_data_no_reuse.renamed", no_reuse);
    stlf_rows(stlf, record_table_add(stlf->run->record, &curves_table), set, is_of_a_curve);
}

const struct stlf_sweep stlf_summary = {&summary_table, series, sizeof series / sizeof series[0], report,
                                        .shown = is_shown};
