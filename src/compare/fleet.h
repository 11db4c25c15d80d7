/* SPDX-License-Identifier: MIT */
/* `uarchprobe compare --fleet`: results of many machines held against each other. */
#pragma once

#include "choice.h"
#include "result/record_internal.h"
#include "scatter.h"
#include "uarchprobe/command.h"

/* An answer of a machine. Found last: loss, the logarithm of how much more time than the median it takes, NaN where neither way is
 * better; rank among the others; off, in deviations. */
struct value {
    uint32_t node, series;
    uint32_t set; /* family or group, while those are judged */
    float value, loss, rank, off;
    bool low; /* trust: by itself it names nobody */
};

/* Numbers of texts, in the order in which they came. */
struct name {
    const char *text;
    uint32_t number;
};
struct names_of {
    void *tree;
    LIST(struct name *);
};

/* An answer of many machines in one state. */
struct series {
    const char *label, *unit;
    uint32_t family;
    double median;
    struct scatter scatter; /* of the losses */
    size_t count, low;      /* of low trust */
    bool judged;            /* enough of them to say how they lie */
    double far;             /* deviations from where on one alone is no noise; 0: as all of the group say */
};

/* Answers of a command whose keys differ in the last part only, which are judged together too. */
struct family {
    const char *name; /* "ram.L2.*" */
    uint32_t group;
    size_t series, blind; /* of them those that name nobody alone */
    double alone,
        together; /* shares from where on a machine would have been named, by the others alone, by all; NaN: by none */
};

/* How far values of machines lie off, whichever they are. */
struct distance {
    uint32_t node;
    float off;
};
struct tail {
    LIST(struct distance);
    double far; /* from where on a value is no noise; 0: not known yet */
};

/* Machines that ought to be alike. */
struct group {
    const char *name;
    size_t nodes;
    struct tail alone, together;
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
    LIST(struct value) value;
    struct names_of series_names, family_names, group_names;
    LIST(struct series) series;
    LIST(struct family) family;
    LIST(struct group) group;
    LIST(struct node) node;
    size_t families, groups, outliers, scores; /* tables */
};

/* Reads the operands of the run, a result in memory at a time; choice: which answers. */
enum status fleet_compare(struct run *run, const struct choice *choice, struct fault *fault);
/* Adds tables, outliers and the verdict to the record; the exit code. */
enum status fleet_judge(struct fleet *fleet);
