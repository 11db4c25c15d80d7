/* SPDX-License-Identifier: MIT */
/* Patterns of a classified grid that say how addresses are compared and data handed over. Pure. */
#ifndef UARCHPROBE_STLF_PATTERNS_H
#define UARCHPROBE_STLF_PATTERNS_H

#include "classes.h"

/* Block within which a store holds up a load that it does not overlap. */
struct stlf_granule {
    int bytes;     /* 4, 8 or 16; 0: addresses are compared byte by byte, as far as the grid shows */
    double share;  /* of the cells that share a block of that size, how many wait */
    double others; /* of the cells that do not */
    double cycles; /* median of those that wait */
};
struct stlf_granule stlf_granule_of(const struct stlf_grid *grid, const struct stlf_levels *levels);

/* The smallest boundary (16, 32 or 64 bytes) that an access without overlap pays for crossing; 0: none. */
struct stlf_boundary {
    int bytes;
    double cycles; /* what it pays */
};
struct stlf_boundary stlf_store_boundary(const struct stlf_grid *grid);
struct stlf_boundary stlf_load_boundary(const struct stlf_grid *grid);

enum { STLF_DISTANCES = 200 };
/* Distances, load minus store, that forward at (nearly) every offset within a line: "64b->32b [0,4]", or as a
 * list "64b->32b {0,4}"; then those that do so at some offsets only. */
void stlf_distances(const struct stlf_grid *grid, const struct stlf_classes *classes,
                    char text[STLF_DISTANCES]);

/* Cells whose verdict is not that of most cells of their geometry. */
struct stlf_deviation {
    struct geometry geometry;
    enum stlf_verdict verdict, rule;
    size_t cells, of;
    double cycles, rule_cycles; /* medians */
};
enum { STLF_DEVIATION_MAX = 32 };
int stlf_deviations(const struct stlf_grid *grid, const struct stlf_classes *classes,
                    struct stlf_deviation deviation[STLF_DEVIATION_MAX]);

#endif
