/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "synthetic.h"

static struct stlf_grid grid;

static void classify(stlf_core *core, double l1)
{
    synthesise(&grid, core, 0.003);
    stlf_classify(&grid, &(struct stlf_levels){.l1 = l1, .forwarded = NAN, .blocked = NAN}, false);
}

TEST(test_granules)
{
    const struct {
        stlf_core *core;
        double l1;
        int bytes;
    } expected[] = {{core2, 3, 8},   {sandy_bridge, 4, 4}, {phenom, 3, 4},
                    {zen5_64, 4, 0}, {zen5_5, 4, 0},       {piledriver, 4, 0}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        classify(expected[i].core, expected[i].l1);
        assert_int_equal(stlf_granule_of(&grid).bytes, expected[i].bytes);
    }
}

TEST(test_granule_tells_what_it_costs)
{
    classify(core2, 3);
    const struct stlf_granule granule = stlf_granule_of(&grid);
    assert_true(fabs(granule.cycles - 12) < 0.1);
    assert_true(granule.share > 0.99);
}

/* The boundaries that cost a store or a load something, and more than the one before. */
TEST(test_crossings)
{
    const struct {
        stlf_core *core;
        double l1;
        int count;
        struct stlf_cost cost[STLF_COSTS];
    } expected[] = {{zen5_64, 4, 1, {{64, 0.40, 0.25}}},
                    {core2, 3, 1, {{64, 9.7, 12.1}}},
                    {sandy_bridge, 4, 1, {{64, 2, 3.9}}},
                    {phenom, 3, 1, {{16, 1, 1}}},
                    {piledriver, 4, 1, {{16, 1, 1}}}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct stlf_cost cost[STLF_COSTS];
        classify(expected[i].core, expected[i].l1);
        assert_int_equal(stlf_crossing_costs(&grid, cost), expected[i].count);
        for (int j = 0; j < expected[i].count; j++) {
            assert_int_equal(cost[j].bytes, expected[i].cost[j].bytes);
            assert_true(fabs(cost[j].store - expected[i].cost[j].store) < 0.1);
            assert_true(fabs(cost[j].load - expected[i].cost[j].load) < 0.1);
        }
    }
}

/* Zen 4: a store pays at 32 bytes, a line's end is one of these; the load pays at the line only. */
static double boundary_of_32(long store, long load, struct geometry g)
{
    return g.overlap == OVERLAP_NONE
               ? 0.67 + (crosses(store, 8, 32) ? 1.3 : 0) + (crosses(load, 4, 64) ? 0.4 : 0)
               : 7;
}

/* An access as wide as its boundary lies on it somewhere. */
static double wide(long store, long load, struct geometry g)
{
    return g.overlap == OVERLAP_NONE ? 1 + (crosses(store, 32, 64) ? 2 : 0) : 9;
}

TEST(test_one_cost_is_said_once)
{
    struct stlf_cost cost[STLF_COSTS];
    classify(boundary_of_32, 4);
    assert_int_equal(stlf_crossing_costs(&grid, cost), 2);
    assert_true(cost[0].bytes == 32 && fabs(cost[0].store - 1.3) < 0.1 && cost[0].load == 0);
    assert_true(cost[1].bytes == 64 && fabs(cost[1].store - 1.3) < 0.1 && fabs(cost[1].load - 0.4) < 0.1);
    synthesise_wide(&grid, wide, 0, 32, 8);
    assert_int_equal(stlf_crossing_costs(&grid, cost), 1);
    assert_true(cost[0].bytes == 64 && fabs(cost[0].store - 2) < 0.1);
}

static void check_distances(const char *expected)
{
    struct text text = {0};
    stlf_spell_distances(&grid, &text);
    assert_string_equal(text.data, expected);
    text_free(&text);
}

TEST(test_distances)
{
    classify(zen5_64, 4);
    check_distances("64b->32b [0,4]");
    classify(core2, 3);
    check_distances("64b->32b {0}, at some offsets {4}");
}

static double halves_only(long store, long load, struct geometry g)
{
    if (g.overlap == OVERLAP_NONE)
        return 1;
    return load == store || load == store + 4 ? 5 : 11;
}

/* A 64-byte store in two parts, as on Zen 4. */
static double two_parts(long store, long load, struct geometry g)
{
    const long apart = load - store;
    if (g.overlap == OVERLAP_NONE)
        return 1;
    return (apart >= 0 && apart <= 24) || (apart >= 32 && apart <= 56) ? 9 : 19;
}

static double nothing(long store, long load, struct geometry g)
{
    return g.overlap == OVERLAP_NONE ? 1 : store == 0 && load == 0 ? 5 : 15;
}

TEST(test_distances_with_gaps_and_none)
{
    classify(halves_only, 4);
    check_distances("64b->32b {0,4}");
    synthesise_wide(&grid, two_parts, 0, 64, 8);
    stlf_classify(&grid, &(struct stlf_levels){.l1 = 4, .forwarded = NAN, .blocked = NAN}, false);
    check_distances("512b->64b [0,24] [32,56] (the two 32-byte halves)");
    classify(nothing, 4);
    check_distances("64b->32b [-3,7]");
}
