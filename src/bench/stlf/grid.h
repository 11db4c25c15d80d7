/* SPDX-License-Identifier: MIT */
/* A grid of store offset x load offset: how the two accesses of a cell lie to each other, what its cycles mean, and which
 * patterns say how addresses are compared and data forwarded. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum { STLF_SIDE = 64, STLF_CELLS = STLF_SIDE * STLF_SIDE };

/* same: the load begins where the store does and is no wider. */
enum overlap { OVERLAP_NONE, OVERLAP_SAME, OVERLAP_CONTAINED, OVERLAP_PARTIAL, OVERLAP_COUNT };
/* The widest boundary that an access crosses */
enum crossing { CROSSES_NOTHING, CROSSES_LINE, CROSSES_PAGE, CROSSING_COUNT };

struct geometry {
    enum overlap overlap;
    enum crossing store, load;
};

enum stlf_verdict {
    VERDICT_INDEPENDENT, /* no overlap, and the load does not wait */
    VERDICT_DELAYED,     /* no overlap, but the load waits all the same */
    VERDICT_RENAMED,     /* overlap below the latency of L1: the load was never executed as one */
    VERDICT_FORWARDED,   /* the load gets its data from the store on the fly */
    VERDICT_BLOCKED,     /* the load waits until the store is in L1 */
    VERDICT_FLUSH,       /* longer than that: the pipeline was emptied */
    VERDICT_COUNT
};
extern const char *const verdict_names[];

/* What cycles are compared with; NaN: there are no such cells, or nothing is forwarded. */
struct stlf_levels {
    double l1;
    double independent; /* median of the cells without overlap or crossing */
    double partial, forwarded, blocked;
    double crossing[CROSSING_COUNT][CROSSING_COUNT]; /* [store][load]: what it costs cells without overlap */
};

struct stlf_grid {
    unsigned store_bytes, load_bytes;
    long store_at, load_at;          /* address of offset 0 of each axis, counted from a page boundary */
    long line, page;                 /* bytes */
    double cycles[STLF_CELLS];       /* store offset * STLF_SIDE + load offset; NaN: not measured */
    struct stlf_levels levels;       /* its own, by stlf_classify */
    signed char verdict[STLF_CELLS]; /* enum stlf_verdict; -1: not measured */
};

long grid_store(const struct stlf_grid *grid, int cell);
long grid_load(const struct stlf_grid *grid, int cell);
struct geometry grid_geometry(const struct stlf_grid *grid, int cell);
enum overlap overlap_of(long store, unsigned store_bytes, long load, unsigned load_bytes);
bool crosses(long address, unsigned bytes, long boundary);

/* Of L1's latency: a load that takes less was not executed as one. */
bool is_renamed(double cycles, double l1);
/* A crossing costs loads that do not depend on the store, too: that share of a cell's cycles says nothing about
 * forwarding. */
enum stlf_verdict verdict_of(const struct stlf_levels *levels, struct geometry geometry, double cycles);
/* What cycles of other widths than the usual are compared with: their own same address (the lowest that is not renamed) and
 * partial overlap, as far as these differ; NaN: not measured. */
struct stlf_levels stlf_levels_of_width(const struct stlf_levels *usual, double same, double partial);
/* Fills levels and verdicts. usual: levels of an 8-byte store and a 4-byte load with a fast address; NaN: unknown.
 * late_address: the grid's stores have late addresses, so its own blocked loads take longer. */
void stlf_classify(struct stlf_grid *grid, const struct stlf_levels *usual, bool late_address);

/* A class is a verdict and the widest boundary that its cells cross, which makes levels of its own. */
enum { STLF_CLASSES = VERDICT_COUNT * CROSSING_COUNT, STLF_MEANING = 240 };
extern const char *const stlf_class_names[];
/* -1: not measured */
int stlf_class_of(const struct stlf_grid *grid, int cell);
struct stlf_class {
    double low, cycles, high; /* of its cells; cycles: the median */
    size_t cells;
    char meaning
        [STLF_MEANING]; /* its geometries, the most frequent ones: "contained (234), same address (61)" */
};
/* False: the grid has no cell of that class. */
bool stlf_class_at(const struct stlf_grid *grid, int index, struct stlf_class *class);

/* Block within which a store holds up a load that it does not overlap. */
struct stlf_granule {
    int bytes;     /* 4, 8 or 16; 0: addresses are compared byte by byte, as far as the grid shows */
    double share;  /* of the cells that share a block of that size, how many wait */
    double others; /* of the cells that do not */
    double cycles; /* median of those that wait */
};
struct stlf_granule stlf_granule_of(const struct stlf_grid *grid);

/* What accesses without overlap pay for crossing a boundary, where that is more than for a smaller one. */
struct stlf_cost {
    long bytes;         /* 16, 32, a line or a page */
    double store, load; /* cycles; 0: too little to report */
};
enum { STLF_COSTS = 4 };
/* Returns how many. */
int stlf_crossing_costs(const struct stlf_grid *grid, struct stlf_cost cost[STLF_COSTS]);

/* Distances, load minus store, that forward at nearly every offset within a line, and those that forward at some:
 * "64b->32b [0,4]", or as a list "64b->32b {0,4}"; then ", at some offsets {...}". The widths are set off by the first
 * blank. */
void stlf_spell_distances(const struct stlf_grid *grid, struct text *text);
