/* SPDX-License-Identifier: MIT */
/* How far levels reach, on latencies of machines that this one need not be. */
#include "test.h"

#include "bench/ram/ram.h"

enum { KIB = 1 << 10, MIB = 1 << 20, MOST = 12 };

static const struct kernel chase = {.operation = OPERATION_LATENCY}, copy = {.operation = OPERATION_COPY},
                           reading = {.operation = OPERATION_READ};

struct chain {
    int level;
    uint64_t bytes;
    double ns;
};

static struct ram_plan machine(struct ram_point point[MOST], const struct chain *chain, size_t count)
{
    for (size_t i = 0; i < count; i++)
        point[i] = (struct ram_point){.kernel = &chase,
                                      .level = chain[i].level,
                                      .footprint = chain[i].bytes,
                                      .fastest = true,
                                      .estimate = {{.value = chain[i].ns}}};
    return (struct ram_plan){.points = point, .point_count = count, .last_level = 3};
}

static void check_level(const struct ram_plan *plan, const struct ram_point *point, const char *expected)
{
    char name[RAM_NAME];
    ram_level(plan, point, name);
    assert_string_equal(name, expected);
}

/* A guest that has an eighth of the 32 MiB that it is shown. */
TEST(a_shared_cache_holds_less_than_it_shows)
{
    static const struct chain chains[] = {{1, 16 * KIB, 1.1},  {2, 256 * KIB, 3.9}, {2, 512 * KIB, 3.9},
                                          {3, 2 * MIB, 12.3},  {3, 4 * MIB, 15.3},  {3, 8 * MIB, 72.6},
                                          {3, 16 * MIB, 15.0}, {4, 128 * MIB, 172}};
    struct ram_point point[MOST];
    struct ram_plan plan = machine(point, chains, sizeof chains / sizeof *chains);
    const struct ram_plateau l2 = ram_plateau_of(&plan, 2), l3 = ram_plateau_of(&plan, 3);
    assert_ptr_equal(l2.first, &point[1]);
    assert_int_equal(l2.holds, 512 * KIB);
    assert_null(l2.after);
    assert_false(l2.falls);
    assert_ptr_equal(l3.first, &point[3]);
    assert_int_equal(l3.holds, 4 * MIB);
    assert_ptr_equal(l3.after, &point[5]); /* what comes later in a run's noise does not count */
    assert_true(l3.falls);
    const struct ram_point small = {.kernel = &copy, .level = 3, .footprint = 4 * MIB};
    const struct ram_point large = {.kernel = &copy, .level = 3, .footprint = 8 * MIB};
    check_level(&plan, &small, "L3");
    check_level(&plan, &large, "L3 or DRAM");
    check_level(&plan, &point[7], "DRAM");
}

TEST(labels_lose_a_level_that_was_not_found)
{
    static const struct chain chains[] = {{3, 4 * MIB, 40}, {3, 64 * MIB, 90}};
    struct ram_point point[MOST];
    struct ram_plan plan = machine(point, chains, 2);
    plan.sets[plan.set_count++] = (struct working_set){.label = "L3 4 MiB", .bytes = 4 * MIB, .level = 3};
    plan.sets[plan.set_count++] = (struct working_set){.label = "L3 64 MiB", .bytes = 64 * MIB, .level = 3};
    ram_relabel(&plan);
    assert_string_equal(plan.sets[0].label, "L3 4 MiB");
    assert_string_equal(plan.sets[1].label, "64 MiB");
}

/* A chain that takes less than a shorter one by more than a quarter is no plateau. */
TEST(a_curve_that_falls_is_no_plateau)
{
    static const double last_ns[] = {17.6, 22.4};
    for (int i = 0; i < 2; i++) {
        const struct chain chains[] = {{3, 2 * MIB, 18}, {3, 4 * MIB, 22.4}, {3, 8 * MIB, last_ns[i]}};
        struct ram_point point[MOST];
        struct ram_plan plan = machine(point, chains, 3);
        assert_int_equal(ram_plateau_of(&plan, 3).falls, i == 0);
    }
}

/* Neighbours take lines from a slow chase that a stream keeps: then it is read faster than memory. */
TEST(a_stream_may_keep_what_a_chase_loses)
{
    static const double faster[] = {1.4, 1.6};
    for (int i = 0; i < 2; i++) {
        static const struct chain chains[] = {{3, 4 * MIB, 17}, {3, 8 * MIB, 90}};
        struct ram_point point[MOST];
        struct ram_plan plan = machine(point, chains, 2);
        plan.sets[plan.set_count++] = (struct working_set){.label = "L3 8 MiB", .bytes = 8 * MIB, .level = 3};
        plan.sets[plan.set_count++] = (struct working_set){.label = "DRAM", .bytes = 128 * MIB, .level = 4};
        for (int set = 0; set < 2; set++)
            point[plan.point_count++] = (struct ram_point){
                .kernel = &reading,
                .level = 3 + set,
                .set = &plan.sets[set],
                .bytes = plan.sets[set].bytes,
                .footprint = plan.sets[set].bytes,
                .fastest = true,
                .estimate = {{.value = (double)plan.sets[set].bytes * 0.01 * (set ? faster[i] : 1)}}};
        check_level(&plan, &point[2], i ? "L3" : "L3 or DRAM");
        check_level(&plan, &point[1], "L3 or DRAM");
        ram_relabel(&plan);
        assert_string_equal(plan.sets[0].label, i ? "L3 8 MiB" : "8 MiB");
    }
}

TEST(without_chains_the_size_shown_counts)
{
    struct ram_plan plan = {.last_level = 2};
    const struct ram_point point = {.kernel = &copy, .level = 2, .footprint = MIB};
    assert_null(ram_plateau_of(&plan, 2).first);
    check_level(&plan, &point, "L2");
}
