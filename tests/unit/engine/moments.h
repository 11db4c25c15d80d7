/* SPDX-License-Identifier: MIT */
/* Samples of one cell, each between two scripted probes. */
#pragma once

#include "engine/engine_internal.h"

enum { MOMENTS_MOST = 512 };

struct row {
    struct moment moment[MOMENTS_MOST];
    float value[MOMENTS_MOST];
    uint32_t before[MOMENTS_MOST];
    struct engine_data data;
};

/* states: a letter for each probe: i, a or ?. */
static inline void row_of(struct row *row, const char *states)
{
    size_t count = 0;
    for (; states[count]; count++) {
        const char s = states[count];
        row->moment[count] = (struct moment){.ghz = 2,
                                             .reading = {s == 'i'   ? 64
                                                         : s == 'a' ? 32
                                                                    : 0,
                                                         64, true}};
        row->before[count] = (uint32_t)count;
        row->value[count] = 10;
    }
    row->data = (struct engine_data){.points = 1,
                                     .cells = 1,
                                     .kept = count - 1,
                                     .value = row->value,
                                     .before = row->before,
                                     .moment = row->moment};
    while (row->data.moments++ < count) {
        row->data.sampled = true;
        state_count(&row->data);
    }
    row->data.moments = count;
}
