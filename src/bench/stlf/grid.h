/* SPDX-License-Identifier: MIT */
/* A grid of store offset x load offset: the geometry of its cells, the meaning of their cycles, and the
 * distances that forward. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum { STLF_SIDE = 64, STLF_CELLS = STLF_SIDE * STLF_SIDE };

/* Geometry of a store and a load: their overlap, and a bit for each boundary that either crosses. Cells of
 * equal traits may be served alike. */
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
    VERDICT_DELAYED,     /* no overlap, but the load waits */
    VERDICT_RENAMED,     /* overlap, yet faster than L1: no load was executed */
    VERDICT_FORWARDED,   /* the load gets its data from the store on the fly */
    VERDICT_BLOCKED,     /* the load waits until the store is in L1 */
    VERDICT_FLUSH        /* longer than blocked: the pipeline was emptied */
};

/* Cycles of each kind of service; NaN: no cell is served so. */
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
        double crossing;     /* cost of its crossings, from cells without overlap */
        signed char verdict; /* enum stlf_verdict; -1: not measured */
    } cell[STLF_CELLS];      /* store offset * STLF_SIDE + load offset */
};

enum trait overlap_of(long store, unsigned store_bytes, long load, unsigned load_bytes);
/* Sets the traits of all cells. */
void stlf_lay_out(struct stlf_grid *grid);

/* Whether a load takes clearly less than the latency of L1, so that none was executed. */
bool is_renamed(double cycles, double l1);
/* crossing: cycles that independent loads pay for the same crossings, which say nothing about forwarding. */
enum stlf_verdict classify_cycles(const struct stlf_levels *levels, unsigned traits, double crossing,
                                  double cycles);
/* Fills levels, crossings and verdicts. usual: levels of an 8-byte store and a 4-byte load; NaN: unknown. */
void stlf_classify(struct stlf_grid *grid, const struct stlf_levels *usual);

/* A class is a verdict and the widest boundary that its cells cross: none, a line, a page. */
extern const char *const stlf_class_names[];
/* Index of the class; -1: not measured. */
int stlf_class_of(const struct stlf_cell *cell);
/* Cost of crossing a boundary, from accesses without overlap, where it exceeds that of a smaller boundary. */
struct stlf_cost {
    long bytes;         /* 16, 32, a line or a page */
    double store, load; /* cycles; 0: too little to report */
};
enum { STLF_COSTS = 4 };
/* Returns how many. */
int stlf_crossing_costs(const struct stlf_grid *grid, struct stlf_cost cost[STLF_COSTS]);

/* Distances (load minus store) that forward at nearly every offset within a line, then those that forward
 * at some: "64b->32b [0,4]", or as a list "64b->32b {0,4}", then ", at some offsets {...}". */
void stlf_spell_distances(const struct stlf_grid *grid, struct text *text);
