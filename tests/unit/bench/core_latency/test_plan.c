/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "bench/core_latency/core_latency.h"

enum { MOST = 384 };
static struct cpu_place place[MOST];
static const struct clock clock_here = {.ns_per_tick = 1};
static const struct cpu cpu;
static struct topology topology = {.place = place, .page_bytes = 4096};

/* How many seconds the run takes of CPUs in packages of equal L3 groups with two siblings a core, and how much of each pair is
 * measured in a round. */
static double plan(int count, int packages, int l3_groups, struct common common, struct latency_params params,
                   struct latency_effort *effort)
{
    struct run run = {.common = &common, .topology = &topology, .clock = &clock_here, .cpu = &cpu};
    struct latency_matrix matrix = {.run = &run, .params = &params};
    struct fault fault = {0};
    run.kernels.allowed = features_usable();
    run.cpus.count = topology.place_count = count;
    for (int i = 0; i < count; i++) {
        run.cpus.id[i] = i;
        place[i] = (struct cpu_place){.id = i,
                                      .core = i / 2,
                                      .l2 = i / 2,
                                      .l3 = i / (count / l3_groups),
                                      .node = i / (count / packages),
                                      .package = i / (count / packages)};
    }
    params.benches = params.benches ? params.benches : 1u << BENCH_CAS;
    assert_int_equal(latency_plan(&matrix, &fault), STATUS_OK);
    const double seconds = latency_planned_s(&matrix);
    *effort = matrix.setup.effort;
    latency_close(&matrix);
    return seconds;
}

TEST(large_machines_take_no_minute)
{
    static const struct {
        int count, packages, l3_groups, seconds;
    } rows[] = {{192, 2, 2, 30},  {384, 2, 2, 60},  {192, 1, 12, 30},
                {192, 2, 24, 30}, {384, 2, 24, 60}, {384, 2, 48, 60}};
    struct latency_effort effort;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(plan(rows[i].count, rows[i].packages, rows[i].l3_groups, (struct common){0},
                         (struct latency_params){0}, &effort) < rows[i].seconds);
    assert_true(plan(2, 1, 1, (struct common){0}, (struct latency_params){0}, &effort) < 4);
    assert_int_equal(effort.lines, LINES_MAX);
    assert_int_equal(effort.iterations, 100);
    assert_true(effort.samples >= 4);
}

TEST(what_is_given_is_kept)
{
    struct latency_effort effort;
    plan(MOST, 2, 2, (struct common){.samples = 500}, (struct latency_params){.lines = 3, .iterations = 4000},
         &effort);
    assert_int_equal(effort.lines, 3);
    assert_int_equal(effort.samples, 500);
    assert_int_equal(effort.iterations, 4000);
    assert_true(plan(2, 1, 1, (struct common){.time_budget = 0.5}, (struct latency_params){.duration_s = 9},
                     &effort) <= 0.5);
}
