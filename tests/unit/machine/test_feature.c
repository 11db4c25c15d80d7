/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "uarchprobe/feature.h"

TEST(every_feature_has_a_name)
{
    for (int i = 0; i < FEATURE_COUNT; i++) {
        assert_non_null(feature_name((enum feature)i));
        for (int j = 0; j < i; j++)
            assert_string_not_equal(feature_name((enum feature)i), feature_name((enum feature)j));
    }
}

TEST(levels_grow)
{
    const struct isa_level *const both[] = {isa_levels_x86, isa_levels_arm};
    for (int i = 0; i < 2; i++)
        for (const struct isa_level *level = both[i] + 1; level->name; level++) {
            assert_int_equal(level[-1].features & ~level->features, 0);
            assert_int_not_equal(level[-1].features, level->features);
        }
}
