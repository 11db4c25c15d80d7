/* SPDX-License-Identifier: MIT */
#include "uarchprobe/chase.h"

#include "uarchprobe/random.h"

/* A bijection of 0..count-1 without a table: four Feistel rounds over the next even power of two, repeated until the value
 * is in range (Black and Rogaway 2002). */
static uint64_t scatter(uint64_t index, uint64_t count, uint64_t seed)
{
    unsigned half_bits = 1;
    while ((UINT64_C(1) << 2 * half_bits) < count)
        half_bits++;
    const uint64_t mask = (UINT64_C(1) << half_bits) - 1;
    do {
        uint64_t left = index >> half_bits, right = index & mask;
        for (uint64_t round = 0; round < 4; round++) {
            uint64_t state = seed ^ (right << 2 | round);
            const uint64_t next = left ^ (random_next(&state) & mask);
            left = right;
            right = next;
        }
        index = left << half_bits | right;
    } while (index >= count);
    return index;
}

void *chase_node(const struct chase *chase, uint64_t step)
{
    const uint64_t at = step % chase->count, group = chase->group ? chase->group : chase->count;
    const uint64_t first = at / group * group, left = chase->count - first;
    const uint64_t index = first + scatter(at - first, left < group ? left : group, chase->seed + first);
    return chase->data + (chase->offset ? chase->offset(chase, index) : index * chase->stride);
}

void chase_link_some(const struct chase *chase, uint64_t first, uint64_t last)
{
    void **node = chase_node(chase, first);
    for (uint64_t step = first; step < last; step++) {
        void **next = chase_node(chase, step + 1);
        *node = next;
        node = next;
    }
}

void chase_link(const struct chase *chase)
{
    chase_link_some(chase, 0, chase->count);
}
