/* SPDX-License-Identifier: MIT */
/* Which pairs of CPUs are measured, in which order, and which of them at the same time. Pure.
 *
 * A pair keeps its caches busy, so two pairs may run together only when no L3 serves both. The circle method
 * is therefore played by L3 groups rather than by CPUs: in each of its rounds every group meets one other,
 * and all pairs of the two groups are taken one after the other, while the other meetings of the round do the
 * same. Where nothing is known of the L3, all CPUs of a package count as one group. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uarchprobe/topology.h"

/* unordered: each pair once; ordered: both (a, b) and (b, a); all: ordered and each CPU with itself. */
enum pair_set { PAIRS_UNORDERED, PAIRS_ORDERED, PAIRS_ALL };

/* Indices into the places that the plan was made from. */
struct pair {
    int from, to;
};

struct pair_request {
    const struct cpu_place *place; /* in the order of pairs_compare_places */
    int count;
    enum pair_set set;
    bool serial; /* one pair at a time */
};

/* Pairs [start[i], start[i + 1]) make up batch i, and run at the same time. */
struct pair_plan {
    struct pair *pair; /* after the last is one more: a CPU with itself */
    size_t pair_count;
    size_t *start;
    size_t batch_count;
    int widest; /* pairs in the largest batch */
};

/* STATUS_NO_RESOURCE where there is no pair to be made of so few CPUs. */
enum status pairs_plan(struct pair_plan *plan, const struct pair_request *request, struct fault *fault);
/* The same pairs, one at a time. */
void pairs_make_serial(struct pair_plan *plan);
void pairs_free(struct pair_plan *plan);
/* Modelled time in ns of going through the plan once: each batch takes as long as its slowest pair. cost_ns: of a pair,
 * by enum relation. */
double pairs_time(const struct pair_plan *plan, const struct cpu_place *place, const double *cost_ns);
/* Orders CPUs by what they share: package, L3, node, L2, core; then by sibling and number. For qsort. */
int pairs_compare_places(const void *a, const void *b);
