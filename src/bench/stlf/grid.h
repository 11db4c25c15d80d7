/* SPDX-License-Identifier: MIT */
/* A grid of store offset x load offset: how the two accesses of a cell lie to each other, what its cycles mean, and which
 * patterns say how addresses are compared and data forwarded. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum { STLF_SIDE = 64, STLF_CELLS = STLF_SIDE * STLF_SIDE };

/* How a store and a load lie to each other: an overlap, and bits for the boundaries that each of them crosses. Cells that agree in
 * all of it may be served alike. */
enum trait {
    OVERLAP_NONE,
    OVERLAP_SAME, /* the load begins where the store does and is no wider */
    OVERLAP_CONTAINED,
    OVERLAP_PARTIAL,
    OVERLAP = 3,
    STORE_LINE = 1 << 2,
    STORE_PAGE = 1 << 3,
    LOAD_LINE = 1 << 4,
    LOAD_PAGE = 1 << 5
};

enum stlf_verdict {
    VERDICT_INDEPENDENT, /* no overlap, and the load does not wait */
    VERDICT_DELAYED,     /* no overlap, but the load waits all the same */
    VERDICT_RENAMED,     /* overlap below the latency of L1: the load was never executed as one */
    VERDICT_FORWARDED,   /* the load gets its data from the store on the fly */
    VERDICT_BLOCKED,     /* the load waits until the store is in L1 */
    VERDICT_FLUSH        /* longer than that: the pipeline was emptied */
};

/* What cycles are compared with; NaN: there are no such cells, or nothing is forwarded. */
struct stlf_levels {
    double l1;
    double independent; /* median of the cells without overlap or crossing */
    double forwarded, blocked;
};

struct stlf_grid {
    unsigned store_bytes, load_bytes;
    long at;         /* address of offset 0 of both axes, counted from a page boundary */
    long line, page; /* bytes */
    struct stlf_levels levels;
    struct stlf_cell {
        unsigned traits;
        double cycles;       /* NaN: not measured */
        double crossing;     /* what its crossings cost cells without overlap */
        signed char verdict; /* enum stlf_verdict; -1: not measured */
    } cell[STLF_CELLS];      /* store offset * STLF_SIDE + load offset */
};

enum trait overlap_of(long store, unsigned store_bytes, long load, unsigned load_bytes);
/* The traits of all cells. */
void stlf_lay_out(struct stlf_grid *grid);

/* Of L1's latency: a load that takes less was not executed as one. */
bool is_renamed(double cycles, double l1);
/* A crossing costs loads that do not depend on the store, too: that share of a cell's cycles says nothing about
 * forwarding. */
enum stlf_verdict verdict_of(const struct stlf_levels *levels, unsigned traits, double crossing,
                             double cycles);
/* Fills levels, crossings and verdicts. usual: levels of an 8-byte store and a 4-byte load; NaN: unknown. */
void stlf_classify(struct stlf_grid *grid, const struct stlf_levels *usual);

/* A class is a verdict and the widest boundary that its cells cross: none, a line, a page; those make levels of their own. */
extern const char *const stlf_class_names[];
/* -1: not measured */
int stlf_class_of(const struct stlf_cell *cell);
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
