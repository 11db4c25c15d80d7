/* SPDX-License-Identifier: MIT */
/* The distinct values of a column, numbered in the order of their first appearance. */
#pragma once

#include <stddef.h>

#include "uarchprobe/record.h"

/* Zero-initialise; texts are borrowed. */
struct keys {
    size_t count, *order; /* indices of ascending values */
    struct cell *value;
};

size_t keys_index(struct keys *keys, struct cell value);
