/* SPDX-License-Identifier: MIT */
/* Geometry of a grid's cells, and what their cycles mean. */
#include "grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "uarchprobe/stats.h"

const char *const verdict_names[] = {"independent", "delayed", "renamed", "forwarded",
                                     "blocked",     "flush",   NULL};
#define CLASS(verdict) verdict, verdict " across a line", verdict " across a page"
const char *const stlf_class_names[] = {CLASS("independent"),
                                        CLASS("delayed"),
                                        CLASS("renamed"),
                                        CLASS("forwarded"),
                                        CLASS("blocked"),
                                        CLASS("flush"),
                                        NULL};

/* A load that is blocked alone takes 19 to 22 cycles on some cores. */
static const double FLUSH_RATIO = 1.4;
/* Of a blocked load and a forward: less is no two levels. */
static const double LEVELS_APART = 1.25;

bool crosses(long address, unsigned bytes, long boundary)
{
    return address / boundary != (address + (long)bytes - 1) / boundary;
}

long grid_store(const struct stlf_grid *grid, int cell)
{
    return grid->store_at + cell / STLF_SIDE;
}

long grid_load(const struct stlf_grid *grid, int cell)
{
    return grid->load_at + cell % STLF_SIDE;
}

enum overlap overlap_of(long store, unsigned store_bytes, long load, unsigned load_bytes)
{
    const long store_end = store + (long)store_bytes, load_end = load + (long)load_bytes;
    if (load_end <= store || store_end <= load)
        return OVERLAP_NONE;
    if (load < store || load_end > store_end)
        return OVERLAP_PARTIAL;
    return load == store ? OVERLAP_SAME : OVERLAP_CONTAINED;
}

static enum crossing crossing_of(const struct stlf_grid *grid, long address, unsigned bytes)
{
    if (crosses(address, bytes, grid->page))
        return CROSSES_PAGE;
    return crosses(address, bytes, grid->line) ? CROSSES_LINE : CROSSES_NOTHING;
}

struct geometry grid_geometry(const struct stlf_grid *grid, int cell)
{
    const long store = grid_store(grid, cell), load = grid_load(grid, cell);
    return (struct geometry){
        .overlap = overlap_of(store, grid->store_bytes, load, grid->load_bytes),
        .store = crossing_of(grid, store, grid->store_bytes),
        .load = crossing_of(grid, load, grid->load_bytes),
    };
}

enum { GEOMETRIES = OVERLAP_COUNT * CROSSING_COUNT * CROSSING_COUNT };

/* Below GEOMETRIES, and back. */
static int geometry_index(struct geometry geometry)
{
    return ((int)geometry.overlap * CROSSING_COUNT + (int)geometry.store) * CROSSING_COUNT +
           (int)geometry.load;
}

static struct geometry geometry_at(int index)
{
    return (struct geometry){
        .overlap = (enum overlap)(index / (CROSSING_COUNT * CROSSING_COUNT)),
        .store = (enum crossing)(index / CROSSING_COUNT % CROSSING_COUNT),
        .load = (enum crossing)(index % CROSSING_COUNT),
    };
}

bool is_renamed(double cycles, double l1)
{
    return cycles < 0.9 * l1;
}

/* Cycles of one geometry, ascending. */
static size_t select_cells(const struct stlf_grid *grid, struct geometry geometry, double value[STLF_CELLS])
{
    size_t count = 0;
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        if (!isnan(grid->cycles[cell]) &&
            geometry_index(grid_geometry(grid, cell)) == geometry_index(geometry))
            value[count++] = grid->cycles[cell];
    }
    values_sort(value, count);
    return count;
}

static double level_of(const struct stlf_grid *grid, struct geometry geometry)
{
    double value[STLF_CELLS];
    const size_t count = select_cells(grid, geometry, value);
    return count ? quantile_of_sorted(value, count, 0.5) : NAN;
}

/* The lowest level at which overlapping cells are served without being renamed. A tenth of a geometry is
 * enough: some cores forward only certain offsets. */
static double forwarded_level(const struct stlf_grid *grid, double l1)
{
    double lowest = NAN, value[STLF_CELLS];
    for (int overlap = OVERLAP_SAME; overlap <= OVERLAP_PARTIAL; overlap++) {
        const size_t count = select_cells(grid, (struct geometry){.overlap = (enum overlap)overlap}, value);
        size_t renamed = 0;
        while (renamed < count && is_renamed(value[renamed], l1))
            renamed++;
        if (renamed < count && (count - renamed) * 10 >= count)
            lowest = fmin(lowest, quantile_of_sorted(value + renamed, count - renamed, 0.1));
    }
    return lowest;
}

static void find_levels(struct stlf_grid *grid, const struct stlf_levels *usual, bool late_address)
{
    struct stlf_levels *own = &grid->levels;
    *own = (struct stlf_levels){.l1 = usual->l1,
                                .independent = level_of(grid, (struct geometry){.overlap = OVERLAP_NONE}),
                                .partial = level_of(grid, (struct geometry){.overlap = OVERLAP_PARTIAL}),
                                .forwarded = forwarded_level(grid, usual->l1)};
    /* Where all that overlaps costs the same, it is either all forwarded or all blocked: the usual widths decide. */
    if (usual->blocked > LEVELS_APART * usual->forwarded && own->forwarded > 0.8 * usual->blocked &&
        !(own->partial > LEVELS_APART * own->forwarded))
        own->forwarded = NAN;
    /* With late addresses the chain is a few cycles longer, and a flush is longer than that: only what is near the usual
     * blocked level is one. */
    const bool is_blocked =
        !isnan(own->partial) && (!late_address || own->partial <= FLUSH_RATIO * usual->blocked);
    own->blocked = isnan(usual->blocked) || is_blocked ? own->partial : usual->blocked;
    /* Where no cells without overlap cross so, the dearer of the two crossings stands in. */
    double(*cost)[CROSSING_COUNT] = own->crossing;
    for (int store = 0; store < CROSSING_COUNT; store++) {
        for (int load = 0; load < CROSSING_COUNT; load++) {
            const struct geometry geometry = {OVERLAP_NONE, (enum crossing)store, (enum crossing)load};
            const double level = level_of(grid, geometry);
            cost[store][load] = isnan(level) ? fmax(cost[store][CROSSES_NOTHING], cost[CROSSES_NOTHING][load])
                                             : fmax(0, level - own->independent);
        }
    }
}

struct stlf_levels stlf_levels_of_width(const struct stlf_levels *usual, double same, double partial)
{
    struct stlf_levels own = *usual;
    if (partial > LEVELS_APART * same) {
        own.forwarded = same;
        own.partial = own.blocked = partial;
    }
    return own;
}

enum stlf_verdict verdict_of(const struct stlf_levels *levels, struct geometry geometry, double cycles)
{
    const double bare = cycles - levels->crossing[geometry.store][geometry.load];
    const bool page = geometry.store == CROSSES_PAGE || geometry.load == CROSSES_PAGE;
    if (geometry.overlap == OVERLAP_NONE && bare < 0.75 * levels->l1)
        return VERDICT_INDEPENDENT;
    if (!page && bare > 20 && !(bare <= FLUSH_RATIO * levels->blocked))
        return VERDICT_FLUSH;
    if (geometry.overlap == OVERLAP_NONE)
        return VERDICT_DELAYED;
    if (is_renamed(cycles, levels->l1))
        return VERDICT_RENAMED;
    /* By the nearest level; where the two are the same, what lies far above is not served by them. */
    const bool forwarded = levels->blocked > LEVELS_APART * levels->forwarded
                               ? bare - levels->forwarded < levels->blocked - bare
                               : bare <= FLUSH_RATIO * levels->forwarded;
    return forwarded ? VERDICT_FORWARDED : VERDICT_BLOCKED;
}

/* Cells of a geometry that no gap parts have one verdict: a limit would cut what is one population in two. */
static void label_geometry(struct stlf_grid *grid, struct geometry geometry)
{
    double value[STLF_CELLS];
    const size_t count = select_cells(grid, geometry, value);
    size_t begin = 0;
    for (size_t i = 1; i <= count; i++) {
        if (i < count && value[i] - value[i - 1] <= fmax(0.35, 0.03 * value[i - 1]))
            continue;
        const double middle = quantile_of_sorted(value + begin, i - begin, 0.5);
        const enum stlf_verdict verdict = verdict_of(&grid->levels, geometry, middle);
        for (int cell = 0; cell < STLF_CELLS; cell++) {
            if (grid->cycles[cell] >= value[begin] && grid->cycles[cell] <= value[i - 1] &&
                geometry_index(grid_geometry(grid, cell)) == geometry_index(geometry))
                grid->verdict[cell] = (signed char)verdict;
        }
        begin = i;
    }
}

void stlf_classify(struct stlf_grid *grid, const struct stlf_levels *usual, bool late_address)
{
    memset(grid->verdict, -1, sizeof grid->verdict);
    find_levels(grid, usual, late_address);
    for (int i = 0; i < GEOMETRIES; i++)
        label_geometry(grid, geometry_at(i));
}

int stlf_class_of(const struct stlf_grid *grid, int cell)
{
    const struct geometry geometry = grid_geometry(grid, cell);
    const enum crossing widest = geometry.store > geometry.load ? geometry.store : geometry.load;
    return grid->verdict[cell] < 0 ? -1 : grid->verdict[cell] * CROSSING_COUNT + (int)widest;
}

bool stlf_class_at(const struct stlf_grid *grid, int index, struct stlf_class *class)
{
    size_t by_geometry[GEOMETRIES] = {0}, count = 0;
    double value[STLF_CELLS];
    int length = 0;
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        if (stlf_class_of(grid, cell) != index)
            continue;
        value[count++] = grid->cycles[cell];
        by_geometry[geometry_index(grid_geometry(grid, cell))]++;
    }
    if (count == 0)
        return false;
    values_sort(value, count);
    *class = (struct stlf_class){.low = value[0],
                                 .cycles = quantile_of_sorted(value, count, 0.5),
                                 .high = value[count - 1],
                                 .cells = count};
    for (int listed = 0; listed < 3; listed++) {
        static const char *const overlap[] = {"no overlap", "same address", "contained", "partial overlap"};
        static const char *const store[] = {"", ", store crosses a line", ", store crosses a page"};
        static const char *const load[] = {"", ", load crosses a line", ", load crosses a page"};
        int most = 0;
        for (int i = 1; i < GEOMETRIES; i++)
            most = by_geometry[i] > by_geometry[most] ? i : most;
        const struct geometry of = geometry_at(most);
        if (by_geometry[most] == 0 || length + 80 > STLF_MEANING)
            break;
        length += snprintf(class->meaning + length, (size_t)(STLF_MEANING - length), "%s%s%s%s (%zu)",
                           listed ? ", " : "", overlap[of.overlap], store[of.store], load[of.load],
                           by_geometry[most]);
        by_geometry[most] = 0;
    }
    return true;
}
