/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/stlf/patterns.h"
#include "synthetic.h"

static struct stlf_grid grid;
static struct stlf_classes classes;

static void classify(stlf_core *core, double l1)
{
    synthesise(&grid, core, 0.003);
    assert_true(stlf_classify(&grid, &(struct stlf_reference){l1, NAN, NAN, false}, &classes));
}

static void test_granules(void **state)
{
    const struct {
        stlf_core *core;
        double l1;
        int bytes;
    } expected[] = {{core2, 3, 8},   {sandy_bridge, 4, 4}, {haswell, 4, 4},   {phenom, 3, 4},
                    {zen5_64, 4, 0}, {zen5_5, 4, 0},       {bulldozer, 4, 0}, {piledriver, 4, 0}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        classify(expected[i].core, expected[i].l1);
        assert_int_equal(stlf_granule_of(&grid, &classes.levels).bytes, expected[i].bytes);
    }
}

static void test_granule_tells_what_it_costs(void **state)
{
    classify(core2, 3);
    const struct stlf_granule granule = stlf_granule_of(&grid, &classes.levels);
    assert_true(fabs(granule.cycles - 12) < 0.1);
    assert_true(granule.share > 0.99);
}

static void test_boundaries(void **state)
{
    const struct {
        stlf_core *core;
        double l1;
        int store, load;
    } expected[] = {{zen5_64, 4, 64, 64},   {core2, 3, 64, 64},  {sandy_bridge, 4, 64, 64},
                    {haswell, 4, 64, 0},    {phenom, 3, 16, 16}, {bulldozer, 4, 16, 16},
                    {piledriver, 4, 16, 16}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        classify(expected[i].core, expected[i].l1);
        assert_int_equal(stlf_store_boundary(&grid).bytes, expected[i].store);
        assert_int_equal(stlf_load_boundary(&grid).bytes, expected[i].load);
    }
}

static void test_distances(void **state)
{
    char text[STLF_DISTANCES];
    classify(zen5_64, 4);
    stlf_distances(&grid, &classes, text);
    assert_string_equal(text, "64b->32b [0,4]");
    classify(bulldozer, 4);
    stlf_distances(&grid, &classes, text);
    assert_string_equal(text, "64b->32b {0}");
    classify(core2, 3);
    stlf_distances(&grid, &classes, text);
    assert_string_equal(text, "64b->32b {0}, at some offsets {4}");
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

static void test_distances_with_gaps_and_none(void **state)
{
    char text[STLF_DISTANCES];
    classify(halves_only, 4);
    stlf_distances(&grid, &classes, text);
    assert_string_equal(text, "64b->32b {0,4}");
    synthesise_wide(&grid, two_parts, 0, 64, 8);
    assert_true(stlf_classify(&grid, &(struct stlf_reference){4, NAN, NAN, false}, &classes));
    stlf_distances(&grid, &classes, text);
    assert_string_equal(text, "512b->64b [0,24] [32,56] (the two 32-byte halves)");
    classify(nothing, 4);
    stlf_distances(&grid, &classes, text);
    assert_non_null(text);
}

static void test_zen5_forwards_half_of_the_loads_split_at_the_line(void **state)
{
    struct stlf_deviation deviation[STLF_DEVIATION_MAX];
    classify(zen5_64, 4);
    assert_int_equal(stlf_deviations(&grid, &classes, deviation), 1);
    assert_int_equal(deviation[0].geometry.overlap, OVERLAP_PARTIAL);
    assert_int_equal(deviation[0].geometry.store, CROSSES_NOTHING);
    assert_int_equal(deviation[0].geometry.load, CROSSES_LINE);
    assert_int_equal(deviation[0].verdict, VERDICT_FORWARDED);
    assert_int_equal(deviation[0].rule, VERDICT_BLOCKED);
    assert_int_equal(deviation[0].cells, 3);
    assert_int_equal(deviation[0].of, 6);
}

static void test_no_deviation_where_geometry_decides(void **state)
{
    struct stlf_deviation deviation[STLF_DEVIATION_MAX];
    classify(bulldozer, 4);
    assert_int_equal(stlf_deviations(&grid, &classes, deviation), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_granules),
        cmocka_unit_test(test_granule_tells_what_it_costs),
        cmocka_unit_test(test_boundaries),
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_distances_with_gaps_and_none),
        cmocka_unit_test(test_zen5_forwards_half_of_the_loads_split_at_the_line),
        cmocka_unit_test(test_no_deviation_where_geometry_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
