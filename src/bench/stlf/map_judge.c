/* SPDX-License-Identifier: MIT */
/* How sure the verdicts of a grid's cells are, and how far its levels can be trusted. Pure. */
#include <math.h>

#include "map.h"

enum { SURE_SAMPLES = 8 };

static bool is_placed(const struct map *map)
{
    return map->alias || map->window == WINDOW_PAGE;
}

/* A cell's verdict is sure where it is the same in both halves of the run, all through the interval as far as samples
 * lie there, and, where pages matter, at several placements. */
void stlf_map_take(void *context, const struct stlf_set *set, size_t cell, const struct estimate *e)
{
    struct map *map = context;
    const bool placed = is_placed(map);
    const double at[] = {e->first,
                         e->second,
                         fmax(e->low, e->summary.min),
                         fmin(e->high, e->summary.p90),
                         placed ? e->placement_low : e->first,
                         placed ? e->placement_high : e->first};
    struct cell_facts *facts = &map->facts[cell];
    map->grid.cycles[cell] = e->value;
    map->grid.spread[cell] = stlf_spread(e);
    for (int i = 0; i < 6; i++)
        facts->at[i] = (float)at[i];
    facts->enough = e->summary.count >= SURE_SAMPLES && !(placed && e->placements < STLF_PLACEMENTS_LEAST);
    facts->trust = (unsigned char)(placed ? stlf_judge_placed(set, e) : stlf_judge(set, e)).trust;
}

void stlf_map_judge(struct map *map, const struct stlf_set *set)
{
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        struct cell_facts *facts = &map->facts[cell];
        const struct geometry geometry = grid_geometry(&map->grid, cell);
        facts->sure = facts->enough && map->classes.verdict[cell] >= 0;
        for (int i = 0; i < 6; i++)
            facts->sure =
                facts->sure && !isnan(facts->at[i]) &&
                (int)verdict_of(&map->classes.levels, geometry, facts->at[i]) == map->classes.verdict[cell];
    }
    map->state = set->state;
}

/* Share of the cells of a kind whose verdict is sure, or whose value has at least that trust. */
static double share_of(const struct map *map, enum stlf_cells cells, bool verdicts, enum trust least)
{
    size_t of = 0, good = 0;
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        const bool apart = grid_geometry(&map->grid, cell).overlap == OVERLAP_NONE;
        if (cells != CELLS_ALL && apart != (cells == CELLS_APART))
            continue;
        of++;
        good += verdicts ? map->facts[cell].sure : map->facts[cell].trust >= least;
    }
    return of ? (double)good / (double)of : 0;
}

/* Cells in doubt are those whose interval is too wide. */
static struct verdict judged(bool high, bool medium)
{
    const struct verdict doubt = {medium ? TRUST_MEDIUM : TRUST_LOW, LEG_PRECISION};
    return high ? (struct verdict){TRUST_HIGH, LEG_NONE} : doubt;
}

double stlf_map_sure(const struct map *map, enum stlf_cells cells)
{
    return share_of(map, cells, true, TRUST_LOW);
}

struct verdict stlf_map_trust(const struct map *map, enum stlf_cells cells)
{
    const double share = stlf_map_sure(map, cells);
    return judged(share >= 0.999, share >= 0.99);
}

struct verdict stlf_map_level_trust(const struct map *map)
{
    return judged(share_of(map, CELLS_APART, false, TRUST_HIGH) >= 0.9,
                  share_of(map, CELLS_APART, false, TRUST_MEDIUM) >= 0.9);
}
