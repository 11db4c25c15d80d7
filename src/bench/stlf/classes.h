/* SPDX-License-Identifier: MIT */
/* What the cells of a grid mean: their values, held against how the two accesses lie to each other. Pure. */
#ifndef UARCHPROBE_STLF_CLASSES_H
#define UARCHPROBE_STLF_CLASSES_H

#include "grid.h"

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

/* Of L1's latency: a load that takes less was not executed as one. */
bool is_renamed(double cycles, double l1);

/* Whether a core can have this latency of L1: a whole number where nothing shares the core, and never less than what is
 * published (NaN: nothing is). A clock that a sibling slows while it is read makes cycles too few. */
bool is_plausible_l1(double cycles, bool idle, double published);

/* What cells are held against, in cycles; NaN: the grid has no such cells, or nothing is forwarded. */
struct stlf_levels {
    double l1;
    double independent; /* median of the cells without overlap or crossing */
    double partial, forwarded, blocked;
    double crossing[CROSSING_COUNT][CROSSING_COUNT]; /* [store][load]: what it costs cells without overlap */
};

struct stlf_classes {
    struct stlf_levels levels;
    signed char verdict[STLF_CELLS]; /* enum stlf_verdict; -1: not measured */
};

/* What is known from elsewhere, in cycles; NaN: unknown. */
struct stlf_reference {
    double l1;                 /* a load that hits */
    double forwarded, blocked; /* 8-byte store, 4-byte load, fast address: contained, and partial overlap */
    bool late_address; /* the grid's stores have late addresses, so its own blocked loads say nothing */
};

void stlf_classify(const struct stlf_grid *grid, const struct stlf_reference *reference,
                   struct stlf_classes *classes);
enum stlf_verdict verdict_of(const struct stlf_levels *levels, struct geometry geometry, double cycles);

/* What values of other widths than the usual are held against: their own same address (the lowest that is not renamed) and
 * partial overlap, as far as these differ; NaN: not measured. */
struct stlf_levels stlf_levels_of_width(const struct stlf_levels *usual, double same, double partial);

/* A class is a verdict and what its cells cross at most: what that costs makes levels of its own. */
enum { STLF_CLASSES = VERDICT_COUNT * CROSSING_COUNT, STLF_MEANING = 160 };
extern const char *const stlf_class_names[];
/* -1: not measured */
int stlf_class_of(const struct stlf_grid *grid, const struct stlf_classes *classes, int cell);

struct stlf_class {
    double low, cycles, high; /* of its cells; cycles: the median */
    size_t cells;
    char meaning[STLF_MEANING]; /* its geometries: "contained (234), same address (61)" */
};
/* False: the grid has no cell of that class. */
bool stlf_class_at(const struct stlf_grid *grid, const struct stlf_classes *classes, int index,
                   struct stlf_class *class);

#endif
