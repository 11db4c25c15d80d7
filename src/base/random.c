/* SPDX-License-Identifier: MIT */
#include "uarchprobe/random.h"

uint64_t random_below(uint64_t *state, uint64_t bound)
{
    return (random_next(state) >> 32) * bound >> 32;
}

void random_order(uint64_t *state, int *order, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t j = random_below(state, i + 1);
        order[i] = order[j];
        order[j] = (int)i;
    }
}
