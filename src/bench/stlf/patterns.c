/* SPDX-License-Identifier: MIT */
/* Patterns of a classified grid. */
#include <math.h>

#include "grid.h"
#include "uarchprobe/stats.h"

enum { BLOCK = 16 };

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

/* A load waits that takes a quarter more than one that has nothing to do with the store, and more than noise. Some cores
 * charge every crossing of 16 bytes, which would hide what sharing a block costs. */
struct stlf_granule stlf_granule_of(const struct stlf_grid *grid)
{
    const double independent = grid->levels.independent;
    struct stlf_granule best = {0, 0, 0, NAN};
    for (int block = 4; block <= BLOCK; block *= 2) {
        size_t of[2] = {0}, waiting[2] = {0};
        double value[STLF_CELLS];
        for (int cell = 0; cell < STLF_CELLS; cell++) {
            if (!is_apart(grid, cell) || access_crosses(grid, cell, true, BLOCK) ||
                access_crosses(grid, cell, false, BLOCK))
                continue;
            const bool near = shares_block(grid, cell, block);
            of[near]++;
            if (!(grid->cycles[cell] > independent + fmax(0.35, 0.25 * independent)))
                continue;
            if (near)
                value[waiting[near]] = grid->cycles[cell];
            waiting[near]++;
        }
        if (of[0] == 0 || of[1] == 0)
            continue;
        const double share = (double)waiting[1] / (double)of[1], others = (double)waiting[0] / (double)of[0];
        if (share >= 0.8 && others <= 0.15 && share - others > best.share - best.others)
            best = (struct stlf_granule){block, share, others, median_of(value, waiting[1])};
    }
    return best;
}

/* Median over the cells without overlap in which the one access crosses that boundary and not the next one, and the
 * other crosses nothing. boundary 0: neither does. Wherever it lies, an access need not cross a boundary that is as far
 * apart as it is wide. */
static double crossing_level(const struct stlf_grid *grid, bool of_store, long boundary, long next)
{
    const long store_block = grid->store_bytes > BLOCK ? (long)grid->store_bytes : BLOCK;
    const long load_block = grid->load_bytes > BLOCK ? (long)grid->load_bytes : BLOCK;
    double value[STLF_CELLS];
    size_t count = 0;
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        const bool store = access_crosses(grid, cell, true, store_block);
        const bool load = access_crosses(grid, cell, false, load_block);
        const bool wanted = boundary ? access_crosses(grid, cell, of_store, boundary) &&
                                           !(next && access_crosses(grid, cell, of_store, next))
                                     : !store && !load;
        if (wanted && is_apart(grid, cell) && !shares_block(grid, cell, BLOCK) && !(of_store ? load : store))
            value[count++] = grid->cycles[cell];
    }
    return median_of(value, count);
}

/* A difference too small to report is none; where the grid does not show it, it is as much as for the boundary before. */
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

/* Distances in order; runs: without a gap. */
struct distances {
    long of[2 * STLF_SIDE];
    int count, runs;
};

static void add_distance(struct distances *distances, long distance)
{
    distances->runs += distances->count == 0 || distances->of[distances->count - 1] != distance - 1;
    distances->of[distances->count++] = distance;
}

/* As ranges where these are few and long, else as a list. */
static void spell(const struct distances *distances, struct text *text)
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

void stlf_spell_distances(const struct stlf_grid *grid, struct text *text)
{
    const long store_bytes = (long)grid->store_bytes, load_bytes = (long)grid->load_bytes;
    const long last_of_half = store_bytes / 2 - load_bytes;
    struct distances every = {.count = 0}, some = {.count = 0};
    for (long distance = 1 - load_bytes; distance < store_bytes; distance++) {
        size_t cells = 0, forwarding = 0;
        for (int cell = 0; cell < STLF_CELLS; cell++) {
            const struct geometry geometry = grid_geometry(grid, cell);
            const int verdict = grid->verdict[cell];
            if (grid_load(grid, cell) - grid_store(grid, cell) != distance || verdict < 0 || geometry.store ||
                geometry.load)
                continue;
            cells++;
            forwarding += verdict == VERDICT_FORWARDED || verdict == VERDICT_RENAMED;
        }
        if (cells > 0 && 10 * forwarding >= cells)
            add_distance(10 * forwarding >= 9 * cells ? &every : &some, distance);
    }
    text_printf(text, "%ub->%ub ", grid->store_bytes * 8, grid->load_bytes * 8);
    spell(&every, text);
    /* A core that splits a store in two forwards from one part or the other. */
    if (last_of_half > 0 && every.runs == 2 && every.count == 2 * (last_of_half + 1) && every.of[0] == 0 &&
        every.of[last_of_half + 1] == store_bytes / 2)
        text_printf(text, " (the two %u-byte halves)", grid->store_bytes / 2);
    if (some.count) {
        text_add(text, ", at some offsets ");
        spell(&some, text);
    }
}
