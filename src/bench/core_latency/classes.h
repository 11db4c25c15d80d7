/* SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* Values that fall into groups, as the distances of a pair of CPUs that the host moves. */
enum { CLASSES_MOST = 12 };
struct value_classes {
    size_t count;
    struct value_class {
        double low, high;
        size_t members;
    } of[CLASSES_MOST]; /* ascending */
};
/* Groups are where values, given in ascending order, lie close: a value belongs to one when those next to it, a hundredth of
 * all, lie within `near` (relative) of it. What lies between groups belongs to none. */
void classes_find(const double *sorted, size_t count, double near, struct value_classes *classes);
/* The class of a value; -1: none. */
int classes_of(const struct value_classes *classes, double value);
