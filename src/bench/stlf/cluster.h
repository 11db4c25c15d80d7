/* SPDX-License-Identifier: MIT */
/* Plateaus of a set of values: sorted, they are cut where the gap to the next is wide. Nothing is assumed of
 * their number, as k-means would, nor are large ones split, as Jenks' breaks would. Pure. */
#ifndef UARCHPROBE_CLUSTER_H
#define UARCHPROBE_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>

struct gap_rule {
    double absolute, relative; /* cut where the gap exceeds the greater of absolute and relative * value */
    double fine_below, fine;   /* below this value a gap of `fine` cuts a plateau within its family */
    size_t least;              /* a plateau of fewer values is an outlier */
};

/* For latencies in cycles: 0.35 cycles or 3 %; 0.2 cycles below 1.5, where throughputs lie: those that were
 * measured are 0.24 and more apart where they repeat, and what is nearer comes and goes; 2 values. */
extern const struct gap_rule gap_rule_cycles;

struct cluster {
    double low, value, high; /* value: the median */
    size_t count;
    int family; /* plateaus that only the fine rule parts share one, from 0 upwards */
    bool outlier;
};

enum { CLUSTER_MAX = 64 };

struct clusters {
    int count;
    struct cluster cluster[CLUSTER_MAX]; /* by ascending value */
};

/* label: receives the index of each value's cluster. NaN values belong to none (label -1). Beyond CLUSTER_MAX
 * plateaus, the highest one takes in what is above. False: out of memory. */
bool cluster_by_gaps(const double *value, size_t count, const struct gap_rule *rule,
                     struct clusters *clusters, int *label);
/* Values in a family. */
size_t cluster_family_size(const struct clusters *clusters, int family);
/* The share of values whose plateaus in two labellings of the same things have the same level, as far as the
 * rule tells levels apart; 0 for no values. */
double cluster_agreement(const struct clusters *a, const int *label_a, const struct clusters *b,
                         const int *label_b, size_t count, const struct gap_rule *rule);

#endif
