/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "bench/core_latency/core_latency.h"

enum { ROUNDS = 3 };

/* CPUs in packages of equal L3 groups with two siblings a core, by topological order. */
static struct cpu_place *machine(int count, int packages, int l3_groups)
{
    struct cpu_place *place = calloc((size_t)count, sizeof *place);

    for (int i = 0; i < count; i++) {
        const int core = i / 2;
        place[i] = (struct cpu_place){.id = i,
                                      .core = core,
                                      .l2 = core,
                                      .l3 = i / (count / l3_groups),
                                      .node = i / (count / packages),
                                      .package = i / (count / packages),
                                      .sibling = i % 2,
                                      .kind = -1};
    }
    return place;
}

static double default_seconds(int count, int packages, int l3_groups)
{
    struct cpu_place *place = machine(count, packages, l3_groups);
    const struct pair_request request = {.place = place, .count = count};
    const struct latency_effort wanted = {0};
    struct pair_plan plan;
    struct fault fault = {0};

    assert_int_equal(pairs_plan(&plan, &request, &fault), STATUS_OK);
    const struct latency_effort effort =
        effort_choose(&wanted, &plan, place, 1u << BENCH_CAS, ROUNDS, effort_target_s);
    const double seconds = effort_seconds(&effort, &plan, place, 1u << BENCH_CAS, ROUNDS);
    pairs_free(&plan);
    free(place);
    return seconds;
}

TEST(test_two_packages_of_one_l3_each)
{
    (void)state;
    assert_true(default_seconds(192, 2, 2) < 30);
    assert_true(default_seconds(384, 2, 2) < 60);
}

TEST(test_small_l3_groups)
{
    (void)state;
    assert_true(default_seconds(192, 1, 12) < 30);
    assert_true(default_seconds(192, 2, 24) < 30);
    assert_true(default_seconds(384, 2, 24) < 60);
    assert_true(default_seconds(384, 2, 48) < 60);
}

TEST(test_two_cpus_are_measured_thoroughly)
{
    struct cpu_place *place = machine(2, 1, 1);
    const struct pair_request request = {.place = place, .count = 2};
    const struct latency_effort wanted = {0};
    struct pair_plan plan;
    struct fault fault = {0};

    (void)state;
    assert_int_equal(pairs_plan(&plan, &request, &fault), STATUS_OK);
    const struct latency_effort effort = effort_choose(&wanted, &plan, place, 15, ROUNDS, effort_target_s);
    assert_int_equal(effort.lines, LINES_MAX);
    assert_int_equal(effort.iterations, 100);
    assert_true(effort.samples >= 4);
    pairs_free(&plan);
    free(place);
}

TEST(test_what_is_given_is_kept)
{
    struct cpu_place *place = machine(384, 2, 2);
    const struct pair_request request = {.place = place, .count = 384};
    const struct latency_effort wanted = {.lines = 3, .samples = 500, .iterations = 4000};
    struct pair_plan plan;
    struct fault fault = {0};

    (void)state;
    assert_int_equal(pairs_plan(&plan, &request, &fault), STATUS_OK);
    const struct latency_effort effort = effort_choose(&wanted, &plan, place, 1, ROUNDS, effort_target_s);
    assert_int_equal(effort.lines, wanted.lines);
    assert_int_equal(effort.samples, wanted.samples);
    assert_int_equal(effort.iterations, wanted.iterations);
    pairs_free(&plan);
    free(place);
}

TEST(test_cost_grows_with_distance_and_effort)
{
    const struct latency_effort thin = {8, 1, 50}, thick = {16, 4, 100};

    (void)state;
    for (unsigned benches = 1; benches < 1u << BENCH_COUNT; benches++) {
        double a[RELATIONS], b[RELATIONS];
        effort_cost(&thin, benches, a);
        effort_cost(&thick, benches, b);
        for (int relation = 0; relation < RELATIONS; relation++) {
            assert_true(a[relation] < b[relation]);
            if (relation > 0)
                assert_true(a[relation] >= a[relation - 1]);
        }
    }
}
