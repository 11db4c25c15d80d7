/* SPDX-License-Identifier: MIT */
#include "patterns.h"

#include <math.h>

#include "uarchprobe/stats.h"

enum { BLOCK = 16 };

static bool is_plain(struct geometry geometry)
{
    return geometry.store == CROSSES_NOTHING && geometry.load == CROSSES_NOTHING;
}

static bool is_apart(const struct stlf_grid *grid, int cell)
{
    return grid_geometry(grid, cell).overlap == OVERLAP_NONE && !isnan(grid->cycles[cell]);
}

static bool shares_block(const struct stlf_grid *grid, int cell, long block)
{
    const long store = grid_store(grid, cell), load = grid_load(grid, cell);
    return load / block <= (store + (long)grid->store_bytes - 1) / block &&
           store / block <= (load + (long)grid->load_bytes - 1) / block;
}

/* Either access of a cell: its store, or its load. */
static bool access_crosses(const struct stlf_grid *grid, int cell, bool store, long boundary)
{
    return store ? crosses(grid_store(grid, cell), grid->store_bytes, boundary)
                 : crosses(grid_load(grid, cell), grid->load_bytes, boundary);
}

/* A quarter more than a load that has nothing to do with the store, and more than noise. */
static bool waits(const struct stlf_levels *levels, double cycles)
{
    return cycles > levels->independent + fmax(0.35, 0.25 * levels->independent);
}

/* Some cores charge every crossing of 16 bytes, which would hide what sharing a block costs. */
static struct stlf_granule split_by_block(const struct stlf_grid *grid, const struct stlf_levels *levels,
                                          int block)
{
    size_t of[2] = {0}, waiting[2] = {0};
    double value[STLF_CELLS];
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        if (!is_apart(grid, cell) || access_crosses(grid, cell, true, BLOCK) ||
            access_crosses(grid, cell, false, BLOCK))
            continue;
        const bool near = shares_block(grid, cell, block);
        of[near]++;
        if (!waits(levels, grid->cycles[cell]))
            continue;
        if (near)
            value[waiting[near]] = grid->cycles[cell];
        waiting[near]++;
    }
    if (of[0] == 0 || of[1] == 0)
        return (struct stlf_granule){0, 0, 0, NAN};
    return (struct stlf_granule){.bytes = block,
                                 .share = (double)waiting[1] / (double)of[1],
                                 .others = (double)waiting[0] / (double)of[0],
                                 .cycles = median_of(value, waiting[1])};
}

struct stlf_granule stlf_granule_of(const struct stlf_grid *grid, const struct stlf_levels *levels)
{
    struct stlf_granule best = {0, 0, 0, NAN};
    for (int block = 4; block <= BLOCK; block *= 2) {
        const struct stlf_granule split = split_by_block(grid, levels, block);
        if (split.share >= 0.8 && split.others <= 0.15 &&
            split.share - split.others > best.share - best.others)
            best = split;
    }
    return best;
}

/* What an access need not cross, wherever it lies. */
static long block_of(unsigned bytes)
{
    return bytes > BLOCK ? (long)bytes : BLOCK;
}

/* Median over the cells without overlap in which the one access crosses that boundary and not the next one, and the
 * other crosses nothing. boundary 0: neither does. */
static double crossing_level(const struct stlf_grid *grid, bool of_store, long boundary, long next)
{
    double value[STLF_CELLS];
    size_t count = 0;
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        const bool store = access_crosses(grid, cell, true, block_of(grid->store_bytes));
        const bool load = access_crosses(grid, cell, false, block_of(grid->load_bytes));
        const bool wanted = boundary ? access_crosses(grid, cell, of_store, boundary) &&
                                           !(next && access_crosses(grid, cell, of_store, next))
                                     : !store && !load;
        if (wanted && is_apart(grid, cell) && !shares_block(grid, cell, BLOCK) && !(of_store ? load : store))
            value[count++] = grid->cycles[cell];
    }
    return median_of(value, count);
}

/* What is too little to speak of is nothing; where the grid does not show it, as much as for the boundary before. */
static double cost_over(double base, double level, double before)
{
    if (isnan(level))
        return before;
    return level - base > fmax(0.1, 0.25 * base) ? level - base : 0;
}

int stlf_crossing_costs(const struct stlf_grid *grid, struct stlf_cost cost[STLF_COSTS])
{
    const long boundary[STLF_COSTS + 1] = {16, 32, grid->line, grid->page, 0};
    const double base = crossing_level(grid, true, 0, 0), least = fmax(0.1, 0.25 * base);
    struct stlf_cost last = {0, 0, 0};
    int count = 0;
    for (int i = 0; i < STLF_COSTS; i++) {
        const double store = crossing_level(grid, true, boundary[i], boundary[i + 1]);
        const double load = crossing_level(grid, false, boundary[i], boundary[i + 1]);
        const struct stlf_cost here = {boundary[i], cost_over(base, store, last.store),
                                       cost_over(base, load, last.load)};
        if (fabs(here.store - last.store) > least || fabs(here.load - last.load) > least)
            last = cost[count++] = here;
    }
    return count;
}

/* Share of the plain cells at this distance that get their data from the store; -1: no such cells. */
static double forwarding_share(const struct stlf_grid *grid, const struct stlf_classes *classes,
                               long distance)
{
    size_t all = 0, forwarding = 0;
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        const int verdict = classes->verdict[cell];
        if (grid_load(grid, cell) - grid_store(grid, cell) != distance || verdict < 0 ||
            !is_plain(grid_geometry(grid, cell)))
            continue;
        all++;
        forwarding += verdict == VERDICT_FORWARDED || verdict == VERDICT_RENAMED;
    }
    return all ? (double)forwarding / (double)all : -1;
}

static void add_distance(struct stlf_distance_list *distances, long distance)
{
    distances->runs += distances->count == 0 || distances->of[distances->count - 1] != distance - 1;
    distances->of[distances->count++] = distance;
}

/* As ranges where these are few and long, else as a list. */
static void spell_list(const struct stlf_distance_list *distances, struct text *text)
{
    const int count = distances->count;
    const bool ranges = count > 1 && distances->runs <= (count > 3 ? count / 3 : 1);
    for (int begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; ranges && end < count && distances->of[end] == distances->of[end - 1] + 1;)
            end++;
        if (ranges)
            text_printf(text, "%s[%ld,%ld]", begin ? " " : "", distances->of[begin], distances->of[end - 1]);
        else
            text_printf(text, "%s%ld", begin ? "," : "{", distances->of[begin]);
    }
    text_add(text, count == 0 ? "none" : ranges ? "" : "}");
}

/* A core that splits a store in two forwards from one part or the other. */
static bool is_in_halves(const struct stlf_grid *grid, const struct stlf_distance_list *every)
{
    const long half = (long)grid->store_bytes / 2, last = half - (long)grid->load_bytes;
    return last > 0 && every->runs == 2 && every->count == 2 * (last + 1) && every->of[0] == 0 &&
           every->of[last + 1] == half;
}

struct stlf_distances stlf_distances_of(const struct stlf_grid *grid, const struct stlf_classes *classes)
{
    struct stlf_distances found = {0};
    for (long distance = 1 - (long)grid->load_bytes; distance < (long)grid->store_bytes; distance++) {
        const double share = forwarding_share(grid, classes, distance);
        if (share >= 0.1)
            add_distance(share >= 0.9 ? &found.every : &found.some, distance);
    }
    return found;
}

void stlf_spell_distances(const struct stlf_grid *grid, const struct stlf_distances *distances,
                          struct text *text)
{
    text_printf(text, "%ub->%ub ", grid->store_bytes * 8, grid->load_bytes * 8);
    spell_list(&distances->every, text);
    if (is_in_halves(grid, &distances->every))
        text_printf(text, " (the two %u-byte halves)", grid->store_bytes / 2);
    if (distances->some.count) {
        text_add(text, ", at some offsets ");
        spell_list(&distances->some, text);
    }
}
