/* SPDX-License-Identifier: MIT */
#include "output/places.h"

#include "fixture.h"

static void assert_text(const struct record *record, int cpu, const char *expected)
{
    assert_string_equal(own_text(place_text(record, cpu)), expected);
}

TEST(names_only_levels_that_differ)
{
    struct record *record = record_of(NULL);
    assert_text(record, 5, "5");
    for (int cpu = 0; cpu < 4; cpu++)
        record_place_add(record, (struct place){cpu, {0, 0, cpu / 2, cpu, cpu}});
    assert_text(record, 3, "3 (L3 1)");
    assert_text(record, 8, "8");
    assert_int_equal(place_group(record, 3, LEVEL_CORE), 3);
    assert_int_equal(place_group(record, 8, LEVEL_CORE), -1);
}

TEST(names_cores_where_cpus_share_one)
{
    struct record *record = record_of(NULL);
    for (int cpu = 0; cpu < 4; cpu++)
        record_place_add(record, (struct place){cpu, {cpu / 2, cpu / 2, -1, -1, cpu / 2}});
    assert_text(record, 2, "2 (package 1, node 1, core 1)");
}
