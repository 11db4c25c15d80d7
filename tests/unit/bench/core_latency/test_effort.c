/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "bench/core_latency/core_latency.h"

/* How many seconds the least rounds take of CPUs in packages of equal L3 groups with two siblings a core, and with how much of
 * each pair. */
static double seconds_of(int count, int packages, int l3_groups, const struct latency_params *params,
                         uint64_t samples, struct latency_effort *effort)
{
    const struct common common = {.samples = samples};
    const struct run run = {.common = &common};
    struct cpu_place *place = calloc((size_t)count, sizeof *place);
    struct latency_matrix matrix = {
        .run = &run, .params = params, .place = place, .count = count, .benches = 1u << BENCH_CAS};
    struct fault fault = {0};

    for (int i = 0; i < count; i++)
        place[i] = (struct cpu_place){.id = i,
                                      .core = i / 2,
                                      .l2 = i / 2,
                                      .l3 = i / (count / l3_groups),
                                      .node = i / (count / packages),
                                      .package = i / (count / packages)};
    assert_int_equal(pairs_plan(&matrix.plan, place, count, PAIRS_UNORDERED, false, &fault), STATUS_OK);
    effort_set(&matrix);
    const double seconds = effort_seconds(&matrix, ROUNDS_LEAST);
    *effort = matrix.setup.effort;
    pairs_free(&matrix.plan);
    free(place);
    return seconds;
}

TEST(large_machines_take_no_minute)
{
    static const struct {
        int count, packages, l3_groups, seconds;
    } rows[] = {{192, 2, 2, 30},  {384, 2, 2, 60},  {192, 1, 12, 30},
                {192, 2, 24, 30}, {384, 2, 24, 60}, {384, 2, 48, 60}};
    const struct latency_params params = {0};
    struct latency_effort effort;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(seconds_of(rows[i].count, rows[i].packages, rows[i].l3_groups, &params, 0, &effort) <
                    rows[i].seconds);
    seconds_of(2, 1, 1, &params, 0, &effort);
    assert_int_equal(effort.lines, LINES_MAX);
    assert_int_equal(effort.iterations, 100);
    assert_true(effort.samples >= 4);
}

TEST(what_is_given_is_kept)
{
    const struct latency_params params = {.lines = 3, .iterations = 4000};
    struct latency_effort effort;
    seconds_of(384, 2, 2, &params, 500, &effort);
    assert_int_equal(effort.lines, 3);
    assert_int_equal(effort.samples, 500);
    assert_int_equal(effort.iterations, 4000);
}

TEST(cost_grows_with_distance_and_effort)
{
    struct latency_matrix thin = {.setup.effort = {8, 1, 50}}, thick = {.setup.effort = {16, 4, 100}};

    for (thin.benches = 1; thin.benches < 1u << BENCH_COUNT; thin.benches++) {
        thick.benches = thin.benches;
        for (enum relation i = 0; i < RELATIONS; i++) {
            assert_true(effort_measurement_s(&thin, i) < effort_measurement_s(&thick, i));
            if (i > 0)
                assert_true(effort_measurement_s(&thin, i) >= effort_measurement_s(&thin, i - 1));
        }
    }
}
