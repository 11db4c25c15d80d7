/* SPDX-License-Identifier: MIT */
/* `uarchprobe compare --fleet`: results of many machines held against each other. */
#pragma once

#include "choice.h"
#include "result/record_internal.h"
#include "uarchprobe/command.h"

/* An answer of a machine, or what several of them came to. Found last: rank among the others of its set, 0 to 1, and off, in deviations. */
struct point {
    uint32_t group, set, node;
    uint32_t count;  /* of answers */
    float value;     /* as it was measured; of several: how many times the time of the median they take */
    float loss;      /* logarithm of the value by its median */
    float rank, off; /* NaN: unknown */
    bool low;        /* trust: by itself it names nobody */
};

/* Points that are held against each other: an answer in one state; a family, answers of a command whose keys differ in the last part
 * only; or all answers of a group, machines that ought to be alike. */
struct set {
    const char *id;   /* in front of that of another one */
    const char *name; /* "L2 read", "ram.L2.*", that of the group */
    const char *unit; /* of an answer */
    uint32_t number, group,
        family; /* of sets: its own, that of all of its group, that of its family: its own where it is no answer */
    size_t count,
        low; /* points; of low trust. Of a family: its answers; those that name nobody. Of a group: its machines */
    double median;            /* of the values */
    bool judged;              /* enough of them to say how they lie */
    double middle, deviation; /* of the losses: their median, a robust deviation */
    double far;               /* deviations from where on one is no noise; 0: as all of the group say */
    double alone; /* of a family: the greatest share from where on one of its answers names a machine */
};

struct node {
    const char *name;
    uint32_t group;
    bool is_outlier;
    size_t values, judged; /* answers that are numbers; of them, those that were held against the others' */
};

struct fleet {
    struct record *record;
    const struct choice *choice;
    void *tree; /* of sets by id */
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
