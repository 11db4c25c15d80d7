/* SPDX-License-Identifier: MIT */
#include "../fixture.h"

/* Eight CPUs of one package with two L3s; a node is an L3; each core is a CPU. */
TEST(groups_that_say_something_are_kept)
{
    struct record *record = record_of(&pair_spec);
    for (int i = 0; i < 64; i++)
        add_pair(record, i / 8, i % 8, 1, 0);
    for (int i = 0; i < 8; i++)
        record_place_add(record, (struct place){i, {0, i / 4, i / 4, i / 2, -1}});
    struct plot *plot = plots_in(record, 1);
    assert_int_equal(plot->grouping_count, 2);
    assert_string_equal(plot->grouping[0].word, "node");
    assert_string_equal(plot->grouping[1].word, "L2");
    for (int i = 0; i < 8; i++) {
        assert_int_equal(plot->grouping[0].group_of[i], i / 4);
        assert_int_equal(plot->grouping[1].group_of[i], i / 2);
    }
}

/* The name lists levels at which CPUs differ, and cores where CPUs share one. */
TEST(a_cpu_is_named_with_its_place)
{
    struct record *apart = record_of(NULL), *shared = record_of(NULL);
    assert_string_equal(plot_cpu_text(apart, 5), "5");
    for (int cpu = 0; cpu < 4; cpu++) {
        record_place_add(apart, (struct place){cpu, {0, 0, cpu / 2, cpu, cpu}});
        record_place_add(shared, (struct place){cpu, {cpu / 2, cpu / 2, -1, -1, cpu / 2}});
    }
    struct record *kinds = record_of(NULL);
    RECORD_FACTS(kinds, {"host.kinds.1.letter", NULL, NULL, TEXT_CELL("E")});
    for (int cpu = 0; cpu < 4; cpu++)
        record_place_add(kinds, (struct place){cpu, {0, 0, 0, cpu, cpu, cpu / 2}});
    assert_string_equal(plot_cpu_text(kinds, 3), "3 (E)");
    assert_string_equal(plot_cpu_text(apart, 3), "3 (L3 1)");
    assert_string_equal(plot_cpu_text(apart, 8), "8");
    assert_string_equal(plot_cpu_text(shared, 2), "2 (package 1, node 1, core 1)");
}
