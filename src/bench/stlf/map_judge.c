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
static bool is_sure(const struct map *map, int cell, const struct estimate *e)
{
    const double low = fmax(e->low, e->summary.min), high = fmin(e->high, e->summary.p90);
    const double at[] = {e->first, e->second, low, high, e->placement_low, e->placement_high};
    const int count = is_placed(map) ? 6 : 4, verdict = map->classes.verdict[cell];
    const struct geometry geometry = grid_geometry(&map->grid, cell);
    if (verdict < 0 || e->summary.count < SURE_SAMPLES ||
        (is_placed(map) && e->placements < STLF_PLACEMENTS_LEAST))
        return false;
    for (int i = 0; i < count; i++) {
        if (isnan(at[i]) || (int)verdict_of(&map->classes.levels, geometry, at[i]) != verdict)
            return false;
    }
    return true;
}

void stlf_map_judge(struct map *map, const struct stlf_set *set)
{
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        const struct estimate *e = &set->estimate[cell];
        map->sure[cell] = is_sure(map, cell, e);
        map->trust[cell] =
            (unsigned char)(is_placed(map) ? stlf_judge_placed(set, e) : stlf_judge(set, e)).trust;
    }
    map->state = set->state;
    map->during = stlf_while(set);
}

static bool is_one_of(const struct map *map, int cell, enum stlf_cells cells)
{
    const bool apart = grid_geometry(&map->grid, cell).overlap == OVERLAP_NONE;
    return cells == CELLS_ALL || apart == (cells == CELLS_APART);
}

double stlf_map_sure(const struct map *map, enum stlf_cells cells)
{
    size_t of = 0, sure = 0;
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        of += is_one_of(map, cell, cells);
        sure += is_one_of(map, cell, cells) && map->sure[cell];
    }
    return of ? (double)sure / (double)of : 0;
}

/* Cells in doubt are those whose interval is too wide. */
static struct verdict judged(enum trust trust)
{
    return (struct verdict){trust, trust == TRUST_HIGH ? LEG_NONE : LEG_PRECISION};
}

struct verdict stlf_map_trust(const struct map *map, enum stlf_cells cells)
{
    const double share = stlf_map_sure(map, cells);
    return judged(share >= 0.999 ? TRUST_HIGH : share >= 0.99 ? TRUST_MEDIUM : TRUST_LOW);
}

struct verdict stlf_map_level_trust(const struct map *map)
{
    size_t of = 0, at_least[TRUST_HIGH + 1] = {0};
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        if (!is_one_of(map, cell, CELLS_APART))
            continue;
        of++;
        for (int trust = TRUST_LOW; trust <= map->trust[cell]; trust++)
            at_least[trust]++;
    }
    for (int trust = TRUST_HIGH; trust > TRUST_LOW; trust--) {
        if (of && at_least[trust] * 10 >= of * 9)
            return judged((enum trust)trust);
    }
    return judged(TRUST_LOW);
}
