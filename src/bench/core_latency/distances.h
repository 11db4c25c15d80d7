/* SPDX-License-Identifier: MIT */
/* Distance classes: at which of a few sharply different distances each measurement found its pair. A host that moves
 * virtual CPUs gives the same pair two or three values in a second; what repeats are the distances, and the
 * values while a pair is at one of them. Pure. */
#pragma once

#include "pairs.h"
#include "uarchprobe/engine.h"

enum distance_kind { DISTANCE_CORE, DISTANCE_L3, DISTANCE_BEYOND, DISTANCE_UNNAMED };

struct distance {
    enum distance_kind kind;
    int rank;                         /* among those of its kind, the nearest has 0 */
    double ns;                        /* median of what the witness saw */
    size_t looks, related[RELATIONS]; /* all, and by how the topology relates the pair */
};

struct distances {
    size_t count;
    struct distance of[CLASSES_MOST]; /* ascending */
    struct value_classes classes;     /* of the witness */
    size_t looks;                     /* measurements of pairs, in which the witness saw something */
    size_t changes, moved; /* how often a pair was found elsewhere than before; how many pairs were */
    size_t points, sweeps;
    int8_t *at; /* sweeps x points: index of a distance; -1: none, or not known */
};

/* Of several readings, at moments far apart; NaN: none. */
struct own_ns {
    double least, most;
};

/* What tells where a pair was, and what the distances are named by. */
struct distance_rules {
    const struct pair *pair;
    const struct cpu_place *place;
    size_t pairs;     /* the points that are pairs come first */
    size_t column;    /* of the witness, among the values of a point */
    bool guest;       /* what is shown of the L3 is a hypervisor's word */
    double l2_ns;     /* a load that hits the own L2; NaN: not known, or the witness is no load */
    struct own_ns l3; /* or the own L3 */
};

/* Freed by distances_free. */
void distances_find(struct distances *distances, const struct engine_data *data,
                    const struct distance_rules *rules);
void distances_free(struct distances *distances);
/* -1 for a measurement that is at no distance, or was not taken. */
int distances_at(const struct distances *distances, size_t sweep, size_t point);
/* The one at which a pair was found most often, of equals the nearer; -1: none. *share: of its measurements. */
int distances_main(const struct distances *distances, size_t point, double *share);
/* Of a distance among all that have names, ended by NULL: "one core", "one L3", "one L3 2", "distance 1". */
extern const char *const distance_names[];
int distance_class(const struct distances *distances, int index);
const char *distance_name(const struct distances *distances, int index);
/* The same for a key: "one_core". Returns buffer. */
const char *distance_key(const struct distances *distances, int index, char *buffer, size_t size);

/* Groups of CPUs that are nearer to each other than to the rest, and whether they last: for some seconds nearly all measurements
 * of each pair found it at its distance. */
struct cpu_groups {
    int count; /* that held; 0: none did, or the run was too short to know */
    int most;  /* by the distances at which pairs were found most often; 0: a pair was not seen */
};
/* Distances up to the index `nearest` count as near. label: of each CPU, as groups_label has it. */
struct cpu_groups groups_find(const struct distances *distances, double seconds, const struct pair_plan *plan,
                              int cpus, int nearest, int *label);
/* Each CPU has the first of its group as its label, so the same groups have the same labels. How many there are; 0 where
 * nearness is no equivalence: fewer than nine in ten of the pairs within groups are near. */
int groups_label(const struct pair *pair, const bool *near, size_t pairs, int cpus, int *label);
