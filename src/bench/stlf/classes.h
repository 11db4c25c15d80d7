/* SPDX-License-Identifier: MIT */
/* What the cells of a grid mean: their plateaus, found from the values alone, held against the geometry.
 * Pure. */
#ifndef UARCHPROBE_STLF_CLASSES_H
#define UARCHPROBE_STLF_CLASSES_H

#include "cluster.h"
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

enum { STLF_CLASS_MAX = CLUSTER_MAX * 2, STLF_MEANING = 160 };

struct stlf_class {
    double low, cycles, high; /* of its cells; cycles: the median */
    size_t cells;
    int family; /* classes that only the finer rule for throughputs parts share one */
    enum stlf_verdict verdict;
    char meaning[STLF_MEANING]; /* its geometries: "contained (234), same address (61)" */
};

/* What the plateaus are held against, in cycles; NaN: the grid has no such cells, or nothing is forwarded. */
struct stlf_levels {
    double l1;
    double independent; /* median of the cells without overlap or crossing */
    double same, contained, partial;
    double forwarded;
    double blocked;
    double crossing[CROSSING_COUNT][CROSSING_COUNT]; /* [store][load]: what it costs cells without overlap */
};

struct stlf_classes {
    struct stlf_levels levels;
    int count;
    struct stlf_class class[STLF_CLASS_MAX]; /* by ascending cycles */
    int label[STLF_CELLS];                   /* class of each cell; -1: not measured */
};

/* What is known from elsewhere, in cycles; NaN: unknown. */
struct stlf_reference {
    double l1;                 /* a load that hits */
    double forwarded, blocked; /* 8-byte store, 4-byte load, fast address: contained, and partial overlap */
    bool late_address; /* the grid's stores have late addresses, so its own blocked loads say nothing */
};

/* False: out of memory. */
bool stlf_classify(const struct stlf_grid *grid, const struct stlf_reference *reference,
                   struct stlf_classes *classes);
enum stlf_verdict verdict_of(const struct stlf_levels *levels, struct geometry geometry, double cycles);
/* Share of the cells that have the same verdict and the same level in both. */
double stlf_agreement(const struct stlf_classes *a, const struct stlf_classes *b);

#endif
