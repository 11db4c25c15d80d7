/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "bench/core_latency/core_latency.h"

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

/* What is chosen for the compare-and-swap on such a machine, and how many seconds the least rounds of it take. */
static struct latency_effort choose(int count, int packages, int l3_groups, struct latency_effort wanted,
                                    double *seconds)
{
    struct latency_matrix matrix = {
        .place = machine(count, packages, l3_groups), .count = count, .benches = 1u << BENCH_CAS};
    const struct pair_request request = {.place = matrix.place, .count = count};
    struct fault fault = {0};

    assert_int_equal(pairs_plan(&matrix.plan, &request, &fault), STATUS_OK);
    const struct latency_effort effort = effort_choose(&matrix, &wanted, effort_target_s);
    *seconds = effort_seconds(&matrix, &effort, ROUNDS_LEAST);
    pairs_free(&matrix.plan);
    free(matrix.place);
    return effort;
}

TEST(large_machines_take_no_minute)
{
    static const struct {
        int count, packages, l3_groups, seconds;
    } rows[] = {{192, 2, 2, 30},  {384, 2, 2, 60},  {192, 1, 12, 30},
                {192, 2, 24, 30}, {384, 2, 24, 60}, {384, 2, 48, 60}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double seconds;
        choose(rows[i].count, rows[i].packages, rows[i].l3_groups, (struct latency_effort){0}, &seconds);
        assert_true(seconds < rows[i].seconds);
    }
}

TEST(two_cpus_are_measured_thoroughly)
{
    double seconds;
    const struct latency_effort effort = choose(2, 1, 1, (struct latency_effort){0}, &seconds);
    assert_int_equal(effort.lines, LINES_MAX);
    assert_int_equal(effort.iterations, 100);
    assert_true(effort.samples >= 4);
}

TEST(what_is_given_is_kept)
{
    double seconds;
    const struct latency_effort effort = choose(384, 2, 2, (struct latency_effort){3, 500, 4000}, &seconds);
    assert_int_equal(effort.lines, 3);
    assert_int_equal(effort.samples, 500);
    assert_int_equal(effort.iterations, 4000);
}

TEST(cost_grows_with_distance_and_effort)
{
    const struct latency_effort thin = {8, 1, 50}, thick = {16, 4, 100};

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
