/* SPDX-License-Identifier: MIT */
/* Groups of CPUs that are nearer to each other than to the rest, and whether they last. Pure. */
#ifndef UARCHPROBE_BENCH_CORE_LATENCY_GROUPS_H
#define UARCHPROBE_BENCH_CORE_LATENCY_GROUPS_H

#include "distances.h"

/* A group holds that was there in each of so many looks, spread over so many seconds. */
enum { GROUPS_LOOKS = 5 };
extern const double groups_seconds;

struct groups_request {
    const struct pair *pair;
    size_t pairs;
    int cpus;
    int nearest; /* distances up to this index count as near */
};

struct cpu_groups {
    int count; /* that held; 0: none did, or the run was too short to know */
    int most;  /* in any look */
};

/* label: of each CPU in the first look, as groups_label has it. */
struct cpu_groups groups_find(const struct distances *distances, const struct engine_data *data,
                              const struct groups_request *request, int *label);
/* Each CPU has the first of its group as its label, so the same groups have the same labels. How many there are; 0 where
 * nearness is no equivalence: fewer than nine in ten of the pairs within groups are near. */
int groups_label(const struct pair *pair, const bool *near, size_t pairs, int cpus, int *label);

#endif
