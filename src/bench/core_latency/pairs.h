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

/* What runs at the same time is the points from start[i] to start[i + 1] - 1, in the order of the measurement. */
struct pair_plan {
    struct pair *pair; /* by point: pair_count pairs, then the first CPU alone */
    size_t pair_count;
    size_t *start, batch_count; /* of pairs; one more has the CPU alone */
    int widest;                 /* pairs in the largest batch */
    size_t cpus;
    uint32_t *at; /* cpus x cpus, by from and to: index of the pair + 1; 0: none */
};

/* place: in the order of pairs_compare_places. serial: one pair at a time. STATUS_NO_RESOURCE where there is no pair to be made of
 * so few CPUs. */
enum status pairs_plan(struct pair_plan *plan, const struct cpu_place *place, int count, enum pair_set set,
                       bool serial, struct fault *fault);
void pairs_free(struct pair_plan *plan);
/* Orders CPUs by what they share: package, L3, node, L2, core; then by sibling and number. For qsort. */
int pairs_compare_places(const void *a, const void *b);
