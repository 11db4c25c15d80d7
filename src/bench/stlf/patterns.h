/* SPDX-License-Identifier: MIT */
/* Patterns of a classified grid that say how addresses are compared and data handed over. Pure. */
#ifndef UARCHPROBE_STLF_PATTERNS_H
#define UARCHPROBE_STLF_PATTERNS_H

#include "base/text.h"
#include "classes.h"

/* Block within which a store holds up a load that it does not overlap. */
struct stlf_granule {
    int bytes;     /* 4, 8 or 16; 0: addresses are compared byte by byte, as far as the grid shows */
    double share;  /* of the cells that share a block of that size, how many wait */
    double others; /* of the cells that do not */
    double cycles; /* median of those that wait */
};
struct stlf_granule stlf_granule_of(const struct stlf_grid *grid, const struct stlf_levels *levels);

/* What accesses without overlap pay for crossing a boundary, where that is more than for a smaller one. */
struct stlf_cost {
    long bytes;         /* 16, 32, a line or a page */
    double store, load; /* cycles; 0: nothing to speak of */
};
enum { STLF_COSTS = 4 };
/* Returns how many. */
int stlf_crossing_costs(const struct stlf_grid *grid, struct stlf_cost cost[STLF_COSTS]);

/* Distances, load minus store, in order. */
enum { STLF_DISTANCE_RANGE = 128 }; /* -63..64 and more than the widest store */
struct stlf_distances {
    struct stlf_distance_list {
        long of[2 * STLF_DISTANCE_RANGE];
        int count, runs; /* runs: without a gap */
    } every, some;       /* that forward at (nearly) every offset within a line; at some offsets only */
};
struct stlf_distances stlf_distances_of(const struct stlf_grid *grid, const struct stlf_classes *classes);
/* "64b->32b [0,4]", or as a list "64b->32b {0,4}"; then ", at some offsets {...}". */
void stlf_spell_distances(const struct stlf_grid *grid, const struct stlf_distances *distances,
                          struct text *text);

#endif
