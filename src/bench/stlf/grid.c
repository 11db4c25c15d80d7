/* SPDX-License-Identifier: MIT */
#include "grid.h"

#include <stdio.h>

bool crosses(long address, unsigned bytes, long boundary)
{
    return address / boundary != (address + (long)bytes - 1) / boundary;
}

static enum crossing crossing_of(long address, unsigned bytes)
{
    if (crosses(address, bytes, STLF_PAGE))
        return CROSSES_PAGE;
    return crosses(address, bytes, STLF_LINE) ? CROSSES_LINE : CROSSES_NOTHING;
}

static enum overlap overlap_of(long store, unsigned store_bytes, long load, unsigned load_bytes)
{
    const long store_end = store + (long)store_bytes, load_end = load + (long)load_bytes;
    if (load_end <= store || store_end <= load)
        return OVERLAP_NONE;
    if (load < store || load_end > store_end)
        return OVERLAP_PARTIAL;
    return load == store ? OVERLAP_SAME : OVERLAP_CONTAINED;
}

struct geometry geometry_of(long store, unsigned store_bytes, long load, unsigned load_bytes)
{
    return (struct geometry){
        .overlap = overlap_of(store, store_bytes, load, load_bytes),
        .store = crossing_of(store, store_bytes),
        .load = crossing_of(load, load_bytes),
    };
}

struct geometry grid_geometry(const struct stlf_grid *grid, int cell)
{
    return geometry_of(grid->store_at + cell / STLF_SIDE, grid->store_bytes, grid->load_at + cell % STLF_SIDE,
                       grid->load_bytes);
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
    if (geometry.store == geometry.load)
        snprintf(name, GEOMETRY_NAME, geometry.store ? "%s, both cross %s" : "%s%s",
                 overlap[geometry.overlap], what[geometry.store]);
    else if (geometry.load == CROSSES_NOTHING)
        snprintf(name, GEOMETRY_NAME, "%s, store crosses %s", overlap[geometry.overlap],
                 what[geometry.store]);
    else if (geometry.store == CROSSES_NOTHING)
        snprintf(name, GEOMETRY_NAME, "%s, load crosses %s", overlap[geometry.overlap], what[geometry.load]);
    else
        snprintf(name, GEOMETRY_NAME, "%s, store crosses %s, load %s", overlap[geometry.overlap],
                 what[geometry.store], what[geometry.load]);
}
