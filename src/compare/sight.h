/* SPDX-License-Identifier: MIT */
/* What a verdict would have seen, family by family: "6 % in ram.L1, ram.L2; 33 % in ram.L3; nothing in ram.DRAM". Pure. */
#pragma once

#include <stddef.h>

#include "base/text.h"

struct sight {
    size_t count, capacity;
    struct seen {
        char *name;
        double from; /* the greatest of those that are not blind */
        size_t answers, blind;
    } * of;
};

/* from: the smallest difference, as a share, that would have been seen of this key; NaN, or more than all there is: none. */
void sight_add(struct sight *sight, const char *key, double from);
/* Adds nothing where there is nothing to say. A family of which the most part is blind is one in which nothing is seen. */
void sight_write(struct sight *sight, struct text *out);
void sight_free(struct sight *sight);
/* How much of a key names its family: all but the last word, two at the most. */
size_t sight_family(const char *key);
