/* SPDX-License-Identifier: MIT */
#include "cli/profile.h"

#include "test.h"

static const double TOTAL_S = 15;

/* 192 CPUs of 96 cores below 12 L3, siblings last, as Linux numbers them. */
static struct topology big(struct cpu_place *place)
{
    for (int i = 0; i < 192; i++)
        place[i] = (struct cpu_place){.id = i, .core = i % 96, .l3 = i % 96 / 8, .sibling = i / 96};
    return (struct topology){.cores = 96, .cpus = 192, .l3_groups = 12, .place_count = 192, .place = place};
}

TEST(a_profile_takes_its_time_and_no_more)
{
    for (int groups = 0; groups <= 12; groups++)
        for (size_t others = 0; others <= COMMANDS_MOST - PARTS; others++) {
            double seconds[COMMANDS_MOST], sum = 0;
            profile_plan(seconds, others, groups);
            for (size_t i = 0; i < PARTS + others; i++) {
                assert_true(seconds[i] > 0);
                sum += seconds[i];
            }
            assert_true(fabs(sum - TOTAL_S) < 1e-9);
            /* Memory is the part that is always measured well. */
            assert_true(others > 2 || seconds[PART_RAM] >= 4);
        }
}

TEST(ends_span_every_distance)
{
    static struct cpu_place place[192];
    static struct cpu_list all, ends;
    const struct topology topology = big(place);
    bool has_group[12] = {false};
    int same_group = 0;
    for (int i = 0; i < 192; i++)
        all.id[all.count++] = i;
    profile_ends(&topology, &all, &ends);
    assert_true(ends.count >= 12 && ends.count <= 24);
    for (int i = 0; i < ends.count; i++) {
        has_group[place[ends.id[i]].l3] = true;
        same_group += place[ends.id[i]].l3 == 0;
    }
    for (int group = 0; group < 12; group++)
        assert_true(has_group[group]);
    assert_true(same_group >= 2);
    all.count = 1;
    profile_ends(&topology, &all, &ends);
    assert_int_equal(ends.count, 1);
}
