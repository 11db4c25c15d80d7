/* SPDX-License-Identifier: MIT */
/* Groups of CPUs that are nearer to each other than to the rest, found in measured values alone. Pure. */
#ifndef UARCHPROBE_CLUSTERS_H
#define UARCHPROBE_CLUSTERS_H

#include <stdbool.h>
#include <stddef.h>

struct near_pair {
    int a, b; /* 0 .. count - 1 */
    double value;
};

/* Values up to `limit` count as near. Writes the number of its group to label[i] for each of `count` objects,
 * groups numbered by their first member, and returns how many there are. 0 when nearness is no equivalence
 * here (fewer than nine in ten of the pairs within groups are near) or when memory ran out. */
int clusters_find(const struct near_pair *pair, size_t pairs, int count, double limit, int *label);
/* Whether two labellings part `count` objects alike. */
bool clusters_same(const int *a, const int *b, int count);

#endif
