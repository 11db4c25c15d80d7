/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "bench/ram/ram.h"

enum { NEAR = 8 << 20, FAR = 64 << 20 };

static const struct ram_plan plan = {
    .near_source = NEAR, .near_target = NEAR, .source_bytes = FAR, .target_bytes = FAR};

static bool is_filled(uint64_t filled, const struct ram_point *point)
{
    struct ram_lane lane = {.source.bytes = FAR, .target.bytes = FAR, .filled = filled};
    const struct ram_lanes lanes = {.plan = &plan, .lane = &lane, .count = 1};
    return ram_is_filled(&lanes, point);
}

/* What fits L1 or L2 is read at each of its placements. */
TEST(a_point_needs_all_that_it_will_touch)
{
    const struct ram_point near = {.level = 2, .kernel_bytes = 1 << 20};
    const struct ram_point far = {.level = 3, .kernel_bytes = 16 << 20};

    assert_false(is_filled(NEAR, &near));
    assert_false(is_filled((RAM_PLACEMENTS - 1) * NEAR, &near));
    assert_true(is_filled(RAM_PLACEMENTS * NEAR, &near));
    assert_false(is_filled(16 << 20, &far));
    assert_true(is_filled(17 << 20, &far));
    assert_true(is_filled(FAR, &far));
}
