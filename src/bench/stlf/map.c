/* SPDX-License-Identifier: MIT */
/* Maps: which, and how one is measured. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"

/* More widths than that get one map each and one answer. */
enum { FEW_WIDTHS = 4 };

static const struct name_list usual = {.count = 1, .name = {"8/4"}};

/* For --all, of the usual widths, in addition to those that were asked for. */
static const struct {
    enum stlf_chain chain;
    enum stlf_window window;
    unsigned says;
} more[] = {{CHAIN_FA, WINDOW_LINE, 0},
            {CHAIN_FA, WINDOW_PAGE, SAYS_CROSSINGS},
            {CHAIN_FD, WINDOW_ALIGNED, SAYS_ALL},
            {CHAIN_FD_NOREUSE, WINDOW_ALIGNED, SAYS_ALL}};
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
    return (count <= FEW_WIDTHS && !params->unroll ? 2 * count : count) + (params->all ? MORE : 0);
}

/* Offsets count from the middle boundary where there is one, so that -8 is 8 bytes before it. */
static void lay_out(const struct stlf *stlf, struct map *map)
{
    static const char *const windows[WINDOW_COUNT] = {"", ", a line's end in the middle",
                                                      ", a page's end in the middle"};
    static const char *const chains[CHAIN_COUNT] = {"", ", fast data", ", fast data without reuse"};
    const long boundary[WINDOW_COUNT] = {stlf->page, stlf->page + 8 * stlf->line, 2 * stlf->page};
    const long store_at = boundary[map->window] - (map->window == WINDOW_ALIGNED ? 0 : STLF_SIDE / 2);
    map->grid.store_bytes = map->width.store;
    map->grid.load_bytes = map->width.load;
    map->grid.store_at = store_at;
    map->grid.load_at = store_at;
    map->grid.line = stlf->line;
    map->grid.page = stlf->page;
    snprintf(map->name, sizeof map->name, "%s bytes, %u pairs%s%s", map->width.name, map->pairs,
             chains[map->chain], windows[map->window]);
}

static enum status measure(struct stlf *stlf, struct map *map, struct stlf_set *set, struct fault *fault)
{
    lay_out(stlf, map);
    for (int cell = 0; cell < STLF_CELLS; cell++)
        set->point[cell] = (struct stlf_point){.kernel = map->width.kernel,
                                               .store = grid_store(&map->grid, cell),
                                               .load = grid_load(&map->grid, cell),
                                               .pairs = map->pairs};
    if (stlf_measure(stlf, set, fault) || !set->complete)
        return fault->status;
    const struct stlf_levels levels = stlf_levels_in(stlf, set->state);
    stlf_map_judge(map, set, &levels);
    stlf_map_report(stlf, map, set);
    return STATUS_OK;
}

/* One map at the asked number of pairs, or two whose difference is what is renamed. Every width with two maps would take too long for --all: there the widths get the one that forwards. */
enum status stlf_grids(struct stlf *stlf, struct fault *fault)
{
    const struct run *run = stlf->run;
    const struct stlf_params *params = run->params;
    const unsigned asked = (unsigned)params->unroll;
    struct map *map = memory_zeroed(2, sizeof *map);
    struct stlf_width width[STLF_WIDTHS_MAX];
    struct stlf_set set;
    int count = 0, found;
    find_widths(run, width, &count, fault);
    stlf_map_tables(stlf);
    const int grids = count + (params->all ? MORE : 0);
    stlf_set_init(&set, STLF_CELLS);
    set.complete = true;
    for (int i = 0; i < grids && set.complete && !fault->status; i++) {
        const bool one_of_many = count > FEW_WIDTHS && i < count && strcmp(width[i].name, usual.name[0]) != 0;
        map[0] = (struct map){.says = one_of_many ? SAYS_DISTANCES : SAYS_ALL,
                              .pairs = asked ? asked : STLF_UNROLL_MAX,
                              .chain = (enum stlf_chain)params->chain,
                              .window = (enum stlf_window)params->window};
        if (i < count) {
            map->width = width[i];
        } else {
            map->says = more[i - count].says;
            map->chain = more[i - count].chain;
            map->window = more[i - count].window;
            if (stlf_find_widths(run, map->chain, &usual, &map->width, &found, fault))
                break;
        }
        measure(stlf, &map[0], &set, fault);
        map[1] = map[0];
        map[1].many = &map[0];
        map[1].says = SAYS_DISTANCES;
        map[1].pairs = STLF_UNROLL_SHORT;
        map[1].distances = (struct text){0};
        if (i < count && count <= FEW_WIDTHS && !asked && set.complete && !fault->status)
            measure(stlf, &map[1], &set, fault);
        text_free(&map[0].distances);
        text_free(&map[1].distances);
    }
    stlf_set_free(&set);
    free(map);
    return fault->status;
}
