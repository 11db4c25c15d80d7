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

/* Every node of a group before any of the next, the last one of which is shorter. */
TEST(groups_follow_each_other)
{
    enum { GROUP = 32 };
    const struct chase chase = {.data = data, .count = MOST, .stride = STRIDE, .group = GROUP};
    bool seen[MOST] = {false};
    for (uint64_t step = 0; step < MOST; step++) {
        const size_t index = (size_t)((unsigned char *)chase_node(&chase, step) - data) / STRIDE;
        assert_int_equal(index / GROUP, step / GROUP);
        assert_false(seen[index]);
        seen[index] = true;
    }
}

TEST(seeds_give_other_orders)
{
    const struct chase one = {.data = data, .count = MOST, .stride = STRIDE, .seed = 1};
    struct chase other = one;
    int same = 0;
    other.seed = 2;
    for (uint64_t step = 0; step < MOST; step++)
        same += chase_node(&one, step) == chase_node(&other, step);
    assert_in_range(same, 0, 10);
}

/* No distance from one node to the next is common: a prefetcher of strides finds none. */
TEST(steps_have_no_stride)
{
    const struct chase chase = {.data = data, .count = MOST, .stride = STRIDE};
    int count[2 * MOST] = {0};
    for (uint64_t step = 0; step < MOST; step++) {
        const ptrdiff_t apart =
            (unsigned char *)chase_node(&chase, step + 1) - (unsigned char *)chase_node(&chase, step);
        assert_in_range(++count[apart / STRIDE + MOST], 1, 6);
    }
}

static uint64_t backwards(const struct chase *chase, uint64_t index)
{
    return (chase->count - 1 - index) * chase->stride;
}

TEST(places_can_be_chosen)
{
    const struct chase plain = {.data = data, .count = MOST, .stride = STRIDE};
    struct chase chosen = plain;
    chosen.offset = backwards;
    for (uint64_t step = 0; step < MOST; step++)
        assert_int_equal((unsigned char *)chase_node(&plain, step) - data,
                         (MOST - 1) * STRIDE - ((unsigned char *)chase_node(&chosen, step) - data));
}
