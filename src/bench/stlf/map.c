/* SPDX-License-Identifier: MIT */
/* Grids: which, measured and classified. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"

/* More widths than that get one grid each and one sentence. */
enum { FEW_WIDTHS = 4 };

static const char *const window_titles[WINDOW_COUNT] = {"", ", a line's end in the middle",
                                                        ", a page's end in the middle"};
static const char *const chain_titles[CHAIN_COUNT] = {"", ", fast data", ", fast data without reuse"};

static long boundary_of(enum stlf_window window)
{
    return window == WINDOW_LINE ? STLF_PAGE + 8 * STLF_LINE : STLF_PAGE * (window == WINDOW_PAGE ? 2 : 1);
}

static void set_up(struct map *map)
{
    map->grid.store_bytes = map->width.store;
    map->grid.load_bytes = map->width.load;
    map->grid.store_at = boundary_of(map->window) + stlf_map_offset(map->window);
    map->grid.load_at = map->grid.store_at + (long)map->alias;
    char alias[48] = "";
    if (map->alias)
        snprintf(alias, sizeof alias, ", loads %llu bytes above", (unsigned long long)map->alias);
    snprintf(map->name, sizeof map->name, "%s bytes, %u pairs%s%s%s", map->width.name, map->pairs,
             chain_titles[map->chain], window_titles[map->window], alias);
}

static enum status classify(struct stlf *stlf, struct map *map, struct fault *fault)
{
    const struct stlf_reference reference = {.l1 = stlf->facts.l1,
                                             .forwarded = stlf->facts.forwarded,
                                             .blocked = stlf->facts.blocked,
                                             .late_address = map->chain != CHAIN_FA};
    if (stlf_classify(&map->grid, &reference, &map->classes))
        return STATUS_OK;
    return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for the classes of a grid");
}

static void copy_values(struct map *map, const struct stlf_set *set)
{
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        map->grid.cycles[cell] = set->estimate[cell].value;
        map->grid.spread[cell] = stlf_spread(&set->estimate[cell]);
    }
}

static enum status measure_map(struct stlf *stlf, struct map *map, struct stlf_set *set, struct fault *fault)
{
    for (int cell = 0; cell < STLF_CELLS; cell++)
        set->point[cell] = (struct stlf_point){.kernel = map->width.kernel,
                                               .store = map->grid.store_at + cell / STLF_SIDE,
                                               .load = map->grid.load_at + cell % STLF_SIDE,
                                               .pairs = map->pairs};
    if (stlf_measure(&stlf->lab, set, &stlf->effort, fault))
        return fault->status;
    stlf->complete = stlf->complete && set->complete;
    if (!set->complete)
        return STATUS_OK;
    copy_values(map, set);
    if (classify(stlf, map, fault))
        return fault->status;
    stlf_map_judge(map, set);
    return STATUS_OK;
}

static enum status measure_and_report(struct stlf *stlf, struct map *map, struct stlf_set *set,
                                      struct fault *fault)
{
    set_up(map);
    if (measure_map(stlf, map, set, fault) == STATUS_OK && set->complete)
        stlf_map_report(stlf, map);
    return fault->status;
}

/* One grid at the asked number of pairs, or two whose difference is what is renamed. */
static enum status one_width(struct stlf *stlf, struct map *many, struct map *few, struct stlf_set *set,
                             struct fault *fault)
{
    const bool both = few && stlf->params->unroll == 0;
    many->pairs = stlf->params->unroll ? (unsigned)stlf->params->unroll : STLF_UNROLL_MAX;
    if (measure_and_report(stlf, many, set, fault) || !both || !set->complete)
        return fault->status;
    *few = (struct map){.width = many->width,
                        .window = many->window,
                        .chain = many->chain,
                        .alias = many->alias,
                        .brief = true,
                        .pairs = STLF_UNROLL_SHORT};
    if (measure_and_report(stlf, few, set, fault) == STATUS_OK && set->complete)
        stlf_map_compare(stlf, few, many);
    return fault->status;
}

struct plan {
    struct map *many, *few;
    struct stlf_set set;
};

static enum status grid_of(struct stlf *stlf, struct plan *plan, struct map wanted, bool both,
                           struct fault *fault)
{
    *plan->many = wanted;
    return one_width(stlf, plan->many, both ? plan->few : NULL, &plan->set, fault);
}

static void show_share(struct stlf *stlf, int done, int of)
{
    stlf->lab.done = (double)done / of;
    stlf->lab.share = 1.0 / of;
}

/* Every width with two grids would take too long for --all: there the widths get the one that forwards. */
static enum status widths(struct stlf *stlf, struct plan *plan, struct fault *fault)
{
    const struct stlf_params *params = stlf->params;
    struct name_list usual = {.count = 1, .name = {"8/4"}};
    struct stlf_width width[STLF_WIDTHS_MAX];
    int count = 0;
    const bool usual_only = params->widths.count == 0 && !params->all && !stlf->run->kernels.name;
    const struct name_list *names = usual_only ? &usual : &params->widths;
    if (stlf_find_widths(stlf->run, (enum stlf_chain)params->chain, names, width, &count, fault))
        return fault->status;
    for (int i = 0; i < count && plan->set.complete; i++) {
        const struct map wanted = {.width = width[i],
                                   .window = (enum stlf_window)params->window,
                                   .chain = (enum stlf_chain)params->chain,
                                   .alias = params->alias,
                                   .brief = count > FEW_WIDTHS && strcmp(width[i].name, "8/4") != 0};
        show_share(stlf, i, count);
        if (grid_of(stlf, plan, wanted, count <= FEW_WIDTHS, fault))
            return fault->status;
    }
    return STATUS_OK;
}

static enum status one_more(struct stlf *stlf, struct plan *plan, enum stlf_chain chain,
                            enum stlf_window window, uint64_t alias, struct fault *fault)
{
    const struct name_list usual = {.count = 1, .name = {"8/4"}};
    struct map wanted = {.window = window, .chain = chain, .alias = alias};
    int count;
    if (!plan->set.complete)
        return STATUS_OK;
    if (stlf_find_widths(stlf->run, chain, &usual, &wanted.width, &count, fault))
        return fault->status;
    return grid_of(stlf, plan, wanted, false, fault);
}

static enum status all_the_rest(struct stlf *stlf, struct plan *plan, struct fault *fault)
{
    if (one_more(stlf, plan, CHAIN_FA, WINDOW_LINE, 0, fault) ||
        one_more(stlf, plan, CHAIN_FA, WINDOW_PAGE, 0, fault) ||
        one_more(stlf, plan, CHAIN_FA, WINDOW_ALIGNED, STLF_PAGE, fault) ||
        one_more(stlf, plan, CHAIN_FD, WINDOW_ALIGNED, 0, fault))
        return fault->status;
    return one_more(stlf, plan, CHAIN_FD_NOREUSE, WINDOW_ALIGNED, 0, fault);
}

enum status stlf_grids(struct stlf *stlf, struct fault *fault)
{
    struct plan plan = {.many = calloc(1, sizeof *plan.many), .few = calloc(1, sizeof *plan.few)};
    if (!plan.many || !plan.few || !stlf_set_init(&plan.set, STLF_CELLS, false)) {
        fault_set(fault, STATUS_NO_RESOURCE, "out of memory for a grid");
    } else {
        stlf_map_tables(stlf);
        plan.set.complete = true;
        if (widths(stlf, &plan, fault) == STATUS_OK && stlf->params->all)
            all_the_rest(stlf, &plan, fault);
        stlf_set_free(&plan.set);
    }
    free(plan.many);
    free(plan.few);
    return fault->status;
}
