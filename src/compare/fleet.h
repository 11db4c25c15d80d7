/* SPDX-License-Identifier: MIT */
/* `uarchprobe compare --fleet`: finds the outliers among many machines. */
#pragma once

#include "choice.h"
#include "judge.h"
#include "population.h"
#include "result/record_internal.h"
#include "uarchprobe/command.h"

/* An answer of a machine; or the median of several, as their time by that of the median machine. */
struct point {
    uint32_t set, machine;
    float value;
};

/* Values that are compared: an answer in one state; a family (answers of a command whose keys differ in the last part only); or all answers
 * of a group (machines that ought to be alike). */
struct set {
    const char *id;
    const char *name;                  /* "L2 read", "ram.L2.*", the name of the group */
    const char *unit;                  /* NULL: no answer but a family or a group */
    uint32_t number, group, family;    /* numbers of sets: its own, the group's, the family's */
    size_t begin, count;               /* its points */
    struct set *next, *last;           /* of the same group, which is its own first; last: of a group */
    size_t machines, judged, outliers; /* of a group: how many */
    bool is_count;                     /* its values are small whole numbers */
    struct population of;              /* as last measured */
    double limit; /* the distance from which on it names a machine, as a logarithm; 0: none */
};

struct machine {
    const char *id, *name;
    uint32_t number, group;
    size_t runs, refused; /* refused: values that cannot be true, in all its runs */
    size_t values, judged;
    double worst; /* of its distances, by the limit; above 1: an outlier */
};

struct fleet {
    struct record *record;
    const struct choice *choice;
    void *set_tree, *machine_tree; /* by id */
    LIST(struct set *) sets;
    LIST(struct machine *) machines;
    LIST(struct point) points;
    size_t groups;
    double chance; /* of a false name, for each point */
};

/* Reads the operands of the run, a result in memory at a time; choice: which answers. */
enum status fleet_compare(struct run *run, const struct choice *choice, struct fault *fault);
/* Adds tables, outliers and the verdict to the record; the exit code. */
enum status fleet_judge(struct fleet *fleet);
