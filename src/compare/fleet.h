/* SPDX-License-Identifier: MIT */
/* `uarchprobe compare --fleet`: finds the outliers among many machines. */
#pragma once

#include "choice.h"
#include "result/record_internal.h"
#include "uarchprobe/command.h"

/* An answer of a machine, or the median of several. Set last: rank among the others of its set, 0 to 1, and off, in deviations. */
struct point {
    uint32_t group, set, node;
    uint32_t count;  /* of answers */
    float value;     /* as measured; of several: their time by that of the median */
    float loss;      /* logarithm of the value by its median */
    float rank, off; /* NaN: unknown */
    bool low;        /* trust: by itself it names nobody */
};

/* Points that are compared: an answer in one state; a family (answers of a command whose keys differ in the last part only); or all answers
 * of a group (machines that ought to be alike). */
struct set {
    const char *id;   /* sorts before the id of the next set */
    const char *name; /* "L2 read", "ram.L2.*", the name of the group */
    const char *unit; /* of an answer */
    uint32_t number, group,
        family; /* numbers of sets: its own, the group's, the family's (its own where it is no answer) */
    size_t count,
        low; /* points; those of low trust. Of a family: its answers; those that name nobody. Of a group: machines */
    double median;            /* of the values */
    bool judged;              /* enough points for a distribution */
    double middle, deviation; /* of the losses: their median, a robust deviation */
    double far;               /* least deviations of an outlier; 0: as in the whole group */
    double alone; /* of a family: the greatest share from which on one of its answers names a machine */
};

struct node {
    const char *name;
    uint32_t group;
    bool is_outlier;
    size_t values, judged; /* answers that are numbers; of them, those compared with others */
};

struct fleet {
    struct record *record;
    const struct choice *choice;
    void *tree; /* sets by id */
    LIST(struct set *) sets;
    LIST(struct point) points;
    LIST(struct node) nodes;
    size_t groups;
    size_t outliers, families, group_table, machines; /* tables */
};

/* Reads the operands of the run, a result in memory at a time; choice: which answers. */
enum status fleet_compare(struct run *run, const struct choice *choice, struct fault *fault);
/* Adds tables, outliers and the verdict to the record; the exit code. */
enum status fleet_judge(struct fleet *fleet);
