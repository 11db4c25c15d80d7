/* SPDX-License-Identifier: MIT */
/* What is kept of the results of many machines. */
#pragma once

#include "choice.h"
#include "crowd.h"
#include "result/record_internal.h"
#include "sight.h"
#include "uarchprobe/values.h"

/* An answer of a machine. Found last: loss, the logarithm of how much more time than the median it takes; rank among the others;
 * off, in deviations. */
struct value {
    uint32_t node, series;
    float value, loss, rank, off;
    bool low; /* trust: by itself it names nobody */
};

/* An answer of many machines in one state. */
struct series {
    char *name; /* all that tells series apart */
    char *key, *unit;
    uint32_t family;
    double median;
    struct crowd crowd; /* of the losses */
    size_t count, low;  /* of low trust */
    bool judged;        /* enough of them to say how they lie */
    double far;         /* deviations from where on one alone is no noise; 0: as all of the group say */
};

/* Answers that are judged together too. */
struct family {
    char *name;
    uint32_t group;
};

/* How far its values lie off, whichever they are. */
struct tail {
    size_t count, capacity;
    struct {
        uint32_t node;
        float off;
    } * of;
    double far; /* from where on a value is no noise; 0: not looked for yet */
};

struct group {
    char *name;
    size_t nodes;
    struct tail alone, together;
};

struct node {
    char *name;
    uint32_t group;
    bool is_outlier;
    size_t values, judged; /* answers that are numbers; of them, those that were held against the others' */
};

struct fleet {
    struct record *record;
    const struct choice *choice;
    LIST(struct value) value;
    LIST(struct series) series;
    LIST(struct family) family;
    LIST(struct group) group;
    LIST(struct node) node;
    size_t *slot; /* hash of series by name, 0: none; else index + 1 */
    size_t slots;
    size_t groups, outliers, scores; /* tables */
    struct sight together;           /* of families */
};

/* Adds tables, outliers and the verdict to the record; the exit code. */
enum status fleet_judge(struct fleet *fleet);
