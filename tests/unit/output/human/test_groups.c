/* SPDX-License-Identifier: MIT */
#include "../fixture.h"

/* Above 32 CPUs a matrix is group by group: each pair counts once, CPUs with themselves not at all. */
TEST(many_cpus_are_shown_by_group)
{
    struct record *record = record_of(&pair_spec);
    for (int from = 0; from < 64; from++) {
        record_place_add(record, (struct place){from, {-1, -1, from / 32, -1, -1}});
        for (int to = from; to < 64; to++)
            add_pair(record, from, to, from == to ? 2 : from / 32 == to / 32 ? 30 + to % 3 : 100, 0);
    }
    char *got = formatted_in(&human_format, record, (struct style){.width = 80});
    assert_has(got, "L3 0                      30.0      31.0      32.0       496\n");
    assert_has(got, "L3 0 and 1               100.0     100.0     100.0      1024\n");
    assert_lacks(got, "from CPU");
}
