/* SPDX-License-Identifier: MIT */

#include "uarchprobe/chase.h"

#include "test.h"

enum { MOST = 300, STRIDE = 64 };

static _Alignas(64) unsigned char data[MOST * STRIDE];

TEST(a_walk_visits_every_node_once)
{
    for (uint64_t count = 1; count <= MOST; count++) {
        const struct chase chase = {.data = data, .count = count, .stride = STRIDE, .seed = count};
        bool seen[MOST] = {false};
        chase_link(&chase);
        void *node = chase_node(&chase, 0);
        for (uint64_t step = 0; step < count; step++) {
            const size_t index = (size_t)((unsigned char *)node - data) / STRIDE;
            assert_true(index < count && node == data + index * STRIDE);
            assert_false(seen[index]);
            seen[index] = true;
            assert_ptr_equal(node, chase_node(&chase, step));
            node = *(void **)node;
        }
        assert_ptr_equal(node, chase_node(&chase, 0));
        assert_ptr_equal(node, chase_node(&chase, 3 * count));
    }
}

static uint64_t backwards(const struct chase *chase, uint64_t index)
{
    return (chase->count - 1 - index) * chase->stride;
}

/* An order visits every node of a group before the next group; the last one may be shorter. Another seed gives another
 * order, places can be chosen, and no distance between successive nodes is common, so no stride prefetcher finds one. */
TEST(orders_are_grouped_seeded_placed_and_without_a_stride)
{
    enum { GROUP = 32 };
    const struct chase plain = {.data = data, .count = MOST, .stride = STRIDE},
                       grouped = {.data = data, .count = MOST, .stride = STRIDE, .group = GROUP},
                       other = {.data = data, .count = MOST, .stride = STRIDE, .seed = 1},
                       chosen = {.data = data, .count = MOST, .stride = STRIDE, .offset = backwards};
    int same = 0, strides[2 * MOST] = {0};
    bool seen[MOST] = {false};
    for (uint64_t step = 0; step < MOST; step++) {
        const ptrdiff_t at = (unsigned char *)chase_node(&plain, step) - data,
                        next = (unsigned char *)chase_node(&plain, step + 1) - data,
                        index = ((unsigned char *)chase_node(&grouped, step) - data) / STRIDE;
        assert_int_equal(index / GROUP, step / GROUP);
        assert_false(seen[index]);
        seen[index] = true;
        assert_in_range(++strides[(next - at) / STRIDE + MOST], 1, 6);
        assert_int_equal((unsigned char *)chase_node(&chosen, step) - data, (MOST - 1) * STRIDE - at);
        same += chase_node(&other, step) == data + at;
    }
    assert_in_range(same, 0, 10);
}
