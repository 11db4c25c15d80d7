/* SPDX-License-Identifier: MIT */
/* Grids of 8-byte stores and 4-byte loads, written down from what has been published of the cores: Zen 5 from
 * the plateaus and cell counts that were measured on it, the others from the descriptions in Henry Wong's
 * article (Store-to-Load Forwarding and Memory Disambiguation in x86 Processors, 2014). Where the article
 * gives no number for a loss, a round one stands in; only its order among the others matters here. */
#pragma once

#include <stdint.h>

#include "bench/stlf/grid.h"

typedef double stlf_core(long store, long load, unsigned traits);

enum { STORE_CROSSES = STORE_LINE | STORE_PAGE, LOAD_CROSSES = LOAD_LINE | LOAD_PAGE };

static bool shares(long store, long store_bytes, long load, long load_bytes, long block)
{
    return load / block <= (store + store_bytes - 1) / block &&
           store / block <= (load + load_bytes - 1) / block;
}

static bool splits(long at, long bytes, long boundary)
{
    return at / boundary != (at + bytes - 1) / boundary;
}

static inline double zen5_64(long store, long load, unsigned traits)
{
    static const double level[] = {0.49, 7.0, 7.02, 14.01};
    const bool s = traits & STORE_CROSSES, l = traits & LOAD_CROSSES;
    switch (traits & OVERLAP) {
    case OVERLAP_NONE:
        return s ? 0.89 : l ? 0.74 : 0.49;
    case OVERLAP_PARTIAL:
        return !l ? 14.01 : s ? (load < store ? 17.0 : 15.3) : store == 56 ? 8.03 : 15.16;
    default:
        return s && l ? 8.04 : level[traits & OVERLAP];
    }
}

/* Addresses compared in blocks of 8 bytes; the upper half of an aligned store is the only part forwarded. */
static inline double core2(long store, long load, unsigned traits)
{
    const bool s = traits & STORE_CROSSES, l = traits & LOAD_CROSSES;
    const bool served = (traits & OVERLAP) == OVERLAP_SAME || (store % 8 == 0 && load == store + 4);
    if ((traits & OVERLAP) == OVERLAP_NONE && !shares(store, 8, load, 4, 8))
        return l ? 13.1 : s ? 10.7 : shares(load, 8, store, 4, 8) ? 2.9 : 1.0;
    if (s && l)
        return 23.1;
    if (served)
        return s ? 15.0 : 5.0;
    return l ? 22.0 : s ? 21.7 : 12.0;
}

static inline double sandy_bridge(long store, long load, unsigned traits)
{
    const bool s = traits & STORE_CROSSES, l = traits & LOAD_CROSSES;
    const double crossing = l ? 4.9 : s ? 3.0 : 0;
    if ((traits & OVERLAP) == OVERLAP_SAME || (traits & OVERLAP) == OVERLAP_CONTAINED)
        return 5.32 + crossing;
    if ((traits & OVERLAP) == OVERLAP_PARTIAL)
        return 14 + crossing;
    return crossing > 0 ? crossing : shares(store, 8, load, 4, 4) ? 2.5 : 1.0;
}

/* Forwards the same address only, and not where the store crosses 16 bytes; blocks of 4 bytes. */
static inline double phenom(long store, long load, unsigned traits)
{
    const bool s = splits(store, 8, 16), l = splits(load, 4, 16);
    if ((traits & OVERLAP) == OVERLAP_NONE && !shares(store, 8, load, 4, 4))
        return s && l ? 3.0 : s || l ? 2.0 : 1.0;
    if ((traits & OVERLAP) == OVERLAP_SAME && !s)
        return 4.5;
    return s && l ? 19 : 12;
}

/* noise: the greatest share by which a value is off, spread evenly by a fixed sequence. */
static inline void synthesise_wide(struct stlf_grid *grid, stlf_core *core, double noise,
                                   unsigned store_bytes, unsigned load_bytes)
{
    uint32_t state = 12345;
    *grid =
        (struct stlf_grid){.store_bytes = store_bytes, .load_bytes = load_bytes, .line = 64, .page = 4096};
    stlf_lay_out(grid);
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        state = state * 1664525 + 1013904223;
        const double off = noise * ((double)(state >> 8) / (1 << 23) - 1);
        grid->cell[cell].cycles =
            core(cell / STLF_SIDE, cell % STLF_SIDE, grid->cell[cell].traits) * (1 + off);
    }
}

static inline void synthesise(struct stlf_grid *grid, stlf_core *core, double noise)
{
    synthesise_wide(grid, core, noise, 8, 4);
}
