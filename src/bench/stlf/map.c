/* SPDX-License-Identifier: MIT */
/* Grids: which, measured and classified. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "map.h"

/* More widths than that get one grid each and one sentence. */
enum { FEW_WIDTHS = 4 };

static const char *const window_titles[WINDOW_COUNT] = {"", ", a line's end in the middle",
                                                        ", a page's end in the middle"};
static const char *const chain_titles[CHAIN_COUNT] = {"", ", fast data", ", fast data without reuse"};

long stlf_map_offset(enum stlf_window window)
{
    return window == WINDOW_ALIGNED ? 0 : -(STLF_SIDE / 2);
}

static long boundary_of(const struct stlf_lab *lab, enum stlf_window window)
{
    return window == WINDOW_LINE ? lab->page + 8 * lab->line : lab->page * (window == WINDOW_PAGE ? 2 : 1);
}

static void set_up(const struct stlf_lab *lab, struct map *map)
{
    char alias[48] = "";
    const long store_at = boundary_of(lab, map->window) + stlf_map_offset(map->window);
    map->grid.store_bytes = map->width.store;
    map->grid.load_bytes = map->width.load;
    map->grid.store_at = store_at;
    map->grid.load_at = store_at + (long)map->alias;
    map->grid.line = lab->line;
    map->grid.page = lab->page;
    if (map->alias)
        snprintf(alias, sizeof alias, ", loads %llu bytes above", (unsigned long long)map->alias);
    snprintf(map->name, sizeof map->name, "%s bytes, %u pairs%s%s%s", map->width.name, map->pairs,
             chain_titles[map->chain], window_titles[map->window], alias);
}

static void evaluate(const struct stlf *stlf, struct map *map, const struct stlf_set *set)
{
    const struct stlf_levels levels = stlf_levels_in(stlf, set->state);
    const struct stlf_reference reference = {.l1 = levels.l1,
                                             .forwarded = levels.forwarded,
                                             .blocked = levels.blocked,
                                             .late_address = map->chain != CHAIN_FA};
    stlf_classify(&map->grid, &reference, &map->classes);
    stlf_map_judge(map, set);
}

/* What all grids of a run share. */
struct plan {
    struct stlf *stlf;
    struct map *map;
    struct stlf_set set;
    struct map_tables tables;
};

static enum status measure(struct plan *plan, unsigned pairs, struct fault *fault)
{
    struct map *map = plan->map;
    map->pairs = pairs;
    set_up(&plan->stlf->lab, map);
    for (int cell = 0; cell < STLF_CELLS; cell++)
        plan->set.point[cell] = (struct stlf_point){.kernel = map->width.kernel,
                                                    .store = grid_store(&map->grid, cell),
                                                    .load = grid_load(&map->grid, cell),
                                                    .pairs = pairs};
    if (stlf_measure(&plan->stlf->lab, &plan->set, &plan->stlf->effort, fault) == STATUS_OK &&
        plan->set.complete) {
        evaluate(plan->stlf, map, &plan->set);
        stlf_map_report(plan->stlf, &plan->tables, map);
    }
    return fault->status;
}

/* One grid at the asked number of pairs, or two whose difference is what is renamed. With an alias nothing
 * overlaps, so nothing can be. */
static enum status measure_width(struct plan *plan, bool both, struct fault *fault)
{
    const unsigned asked = (unsigned)plan->stlf->params->unroll;
    struct map *map = plan->map;
    map->many = NULL;
    if (measure(plan, asked ? asked : STLF_UNROLL_MAX, fault) || asked || !both || !plan->set.complete)
        return fault->status;
    struct map_verdicts many = stlf_map_verdicts(map);
    map->many = &many;
    map->says = SAYS_DISTANCES;
    measure(plan, STLF_UNROLL_SHORT, fault);
    return fault->status;
}

static const struct name_list usual = {.count = 1, .name = {"8/4"}};

/* For --all, of the usual widths, in addition to those that were asked for; alias: in pages. */
static const struct {
    enum stlf_chain chain;
    enum stlf_window window;
    unsigned alias, says;
} more[] = {{CHAIN_FA, WINDOW_LINE, 0, 0},
            {CHAIN_FA, WINDOW_PAGE, 0, SAYS_CROSSINGS},
            {CHAIN_FA, WINDOW_ALIGNED, 1, 0},
            {CHAIN_FD, WINDOW_ALIGNED, 0, SAYS_ALL},
            {CHAIN_FD_NOREUSE, WINDOW_ALIGNED, 0, SAYS_ALL}};
enum { MORE = sizeof more / sizeof more[0] };

static enum status find_widths(const struct run *run, struct stlf_width width[STLF_WIDTHS_MAX], int *count,
                               struct fault *fault)
{
    const struct stlf_params *params = run->params;
    const bool usual_only = params->widths.count == 0 && !params->all && !run->kernels.name;
    return stlf_find_widths(run, (enum stlf_chain)params->chain, usual_only ? &usual : &params->widths, width,
                            count, fault);
}

int stlf_grid_count(const struct run *run)
{
    const struct stlf_params *params = run->params;
    struct stlf_width width[STLF_WIDTHS_MAX];
    struct fault ignored = {0};
    int count = 0;
    find_widths(run, width, &count, &ignored);
    return (count <= FEW_WIDTHS && !params->unroll && !params->alias ? 2 * count : count) +
           (params->all ? MORE : 0);
}

/* Every width with two grids would take too long for --all: there the widths get the one that forwards. */
static enum status measure_all(struct plan *plan, struct fault *fault)
{
    const struct run *run = plan->stlf->run;
    const struct stlf_params *params = run->params;
    struct stlf_width width[STLF_WIDTHS_MAX];
    struct map *map = plan->map;
    int count = 0, found;
    if (find_widths(run, width, &count, fault))
        return fault->status;
    const int grids = count + (params->all ? MORE : 0);
    const bool both = count <= FEW_WIDTHS && !params->alias;
    for (int i = 0; i < grids && plan->set.complete; i++) {
        const bool one_of_many = count > FEW_WIDTHS && i < count && strcmp(width[i].name, usual.name[0]) != 0;
        map->says = i >= count ? more[i - count].says : one_of_many ? SAYS_DISTANCES : SAYS_ALL;
        map->chain = i < count ? (enum stlf_chain)params->chain : more[i - count].chain;
        map->window = i < count ? (enum stlf_window)params->window : more[i - count].window;
        map->alias = i < count ? params->alias : more[i - count].alias * (uint64_t)plan->stlf->lab.page;
        if (i < count)
            map->width = width[i];
        else if (stlf_find_widths(run, map->chain, &usual, &map->width, &found, fault))
            return fault->status;
        if (measure_width(plan, i < count && both, fault))
            return fault->status;
    }
    return STATUS_OK;
}

enum status stlf_grids(struct stlf *stlf, struct fault *fault)
{
    struct plan plan = {.stlf = stlf,
                        .map = memory_zeroed(1, sizeof *plan.map),
                        .tables = stlf_map_tables(stlf->run->record)};
    stlf_set_init(&plan.set, STLF_CELLS, stlf_map_take, plan.map);
    plan.set.complete = true;
    measure_all(&plan, fault);
    stlf_set_free(&plan.set);
    free(plan.map);
    return fault->status;
}
