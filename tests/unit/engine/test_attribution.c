/* SPDX-License-Identifier: MIT */
/* Which structure a step belongs to, on either side of the limits. test_windows.c has whole cores. */
#include "test.h"

#include "engine/claims.h"

TEST(two_kinds_that_agree_name_a_structure)
{
    static const struct {
        double step[FILLERS_MOST], bound[BOUNDS_MOST];
        int filler, partner, ended_by;
        size_t kinds; /* 0: 2 */
    } rows[] = {
        {{160, 164}, {0}, 1, 0, -1},
        {{160, 165}, {0}, 0, -1, -1},
        {{160, 156}, {0}, 0, 1, -1},
        {{160}, {0}, 0, -1, -1},
        {{0, 160}, {0}, -1, -1, -1},
        /* Instructions that take nothing else must agree where they are asked; but two of them may both share entries. */
        {{0, 160, 160}, {0}, 1, 2, -1, 4},
        {{160, 160, 0, 0}, {0}, 0, -1, -1, 4},
        {{251, 0, 500, 500}, {0}, 0, -1, -1, 4},
        {{251, 0, 500, 251}, {0}, 0, 3, -1, 4},
        /* Branches may end earlier than the reorder buffer. */
        {{124, 507, 507}, {0}, 1, 2, -1, 4},
        {{124, 507, 126, 507}, {0}, 1, 3, -1, 4},
        {{124, 507, 507, 126}, {0}, 1, 2, -1, 4},
        {{251, 254, 251, 250}, {0}, 0, 2, -1, 4},
        /* A step within the work's own entries of another structure's is that one's; beyond the first none fits. */
        {{160, 160}, {169}, 0, 1, -1},
        {{160, 160}, {168}, 0, -1, 0},
        {{160, 160}, {0, 152}, 0, -1, 1},
        {{160, 160}, {0, 151}, 0, 1, -1},
        {{160, 160}, {0, 168}, 0, -1, 1},
        {{160, 160}, {0, 169}, 0, 1, -1},
        {{160, 160}, {120, 160}, 0, -1, 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct attribution found =
            attribution_of(rows[i].step, rows[i].kinds ? rows[i].kinds : 2, rows[i].bound);
        print_message("row %zu\n", i);
        assert_int_equal(found.filler, rows[i].filler);
        assert_int_equal(found.partner, rows[i].partner);
        assert_int_equal(found.ended_by, rows[i].ended_by);
    }
}

/* Zen 3 and Zen 4: 251 and 123 branches, 314 and 154, of 256 and 320 entries; taken ones of Zen 3: 45 and 21 of 48. */
TEST(two_threads_split_a_structure_evenly)
{
    static const struct {
        double whole, half, entries;
    } rows[] = {{251, 123, 256}, {314, 154, 320}, {45, 21, 48},  {100, 49, 102}, {101, 50, 0},
                {100, 46, 108},  {101, 46, 0},    {160, 120, 0}, {251, 0, 0},    {0, 0, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_true(attribution_split(rows[i].whole, rows[i].half) == rows[i].entries);
}
