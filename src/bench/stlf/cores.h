/* SPDX-License-Identifier: MIT */
/* Published values of cores, and which of them a measurement resembles. A resemblance is no identity: cores
 * that forward alike are many. Pure. */
#ifndef UARCHPROBE_STLF_CORES_H
#define UARCHPROBE_STLF_CORES_H

#include <stddef.h>

enum stlf_contained { CONTAINED_NOT_SAID, CONTAINED_ALL, CONTAINED_HALVES, CONTAINED_SAME };

/* Cycles; NaN: not known. */
struct stlf_core {
    const char *arch, *name; /* only cores of one ISA are compared */
    double l1, same, fast_data, no_reuse;
    enum stlf_contained forwards;
    double contained, partial;
    const char *source, *date;
};

extern const struct stlf_core stlf_cores[];
extern const size_t stlf_core_count;

struct stlf_match {
    const struct stlf_core *core;
    double distance; /* mean over what both know, and more the less that is */
    int compared;    /* values that both know */
};

/* The best `most` cores of the same ISA of which at least three values can be compared, nearest first; returns how many. */
int stlf_closest(const struct stlf_core *measured, struct stlf_match *match, int most);

#endif
