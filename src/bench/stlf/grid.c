/* SPDX-License-Identifier: MIT */
#include "grid.h"

#include <stdio.h>

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

int geometry_index(struct geometry geometry)
{
    return ((int)geometry.overlap * CROSSING_COUNT + (int)geometry.store) * CROSSING_COUNT +
           (int)geometry.load;
}

struct geometry geometry_at(int index)
{
    return (struct geometry){
        .overlap = (enum overlap)(index / (CROSSING_COUNT * CROSSING_COUNT)),
        .store = (enum crossing)(index / CROSSING_COUNT % CROSSING_COUNT),
        .load = (enum crossing)(index % CROSSING_COUNT),
    };
}

void geometry_name(struct geometry geometry, char name[GEOMETRY_NAME])
{
    static const char *const overlap[] = {"no overlap", "same address", "contained", "partial overlap"};
    static const char *const what[] = {"", "a line", "a page"};
    const char *first = overlap[geometry.overlap], *store = what[geometry.store], *load = what[geometry.load];
    if (geometry.store == geometry.load)
        snprintf(name, GEOMETRY_NAME, geometry.store ? "%s, both cross %s" : "%s%s", first, store);
    else if (geometry.load == CROSSES_NOTHING)
        snprintf(name, GEOMETRY_NAME, "%s, store crosses %s", first, store);
    else if (geometry.store == CROSSES_NOTHING)
        snprintf(name, GEOMETRY_NAME, "%s, load crosses %s", first, load);
    else
        snprintf(name, GEOMETRY_NAME, "%s, store crosses %s, load %s", first, store, load);
}
