/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "bench/core_latency/core_latency.h"

enum { MOST = 384 };
static struct cpu_place place[MOST];
static const struct clock clock_here = {.ns_per_tick = 1};
static const struct cpu cpu;
static struct topology topology = {.place = place, .page_bytes = 4096};

/* Each once, or from either CPU, and the first CPU alone; CPUs that share most are neighbours. */
static void check_pairs(const struct latency_matrix *matrix, bool both_ways)
{
    static unsigned char seen[MOST * MOST];
    const size_t count = (size_t)matrix->count;
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < matrix->pairs; i++) {
        const struct pair *pair = &matrix->pair[i];
        assert_true(both_ways ? pair->from != pair->to : pair->from < pair->to);
        assert_true(pair->from < matrix->count && pair->to < matrix->count);
        assert_int_equal(seen[(size_t)pair->from * count + (size_t)pair->to]++, 0);
    }
    assert_int_equal(matrix->pairs, count * (count - 1) / (both_ways ? 1 : 2));
    assert_true(matrix->pair[matrix->pairs].from == 0 && matrix->pair[matrix->pairs].to == 0);
    for (size_t i = 1; i < count; i++) {
        assert_true(matrix->place[i - 1].package <= matrix->place[i].package);
        assert_int_equal(matrix->place[i].sibling, i % 2);
    }
}

/* How many seconds the run takes of CPUs in two packages with two siblings a core, and how much of each pair is measured in a
 * round. */
static double plan(int count, struct common common, struct latency_params params,
                   struct latency_effort *effort)
{
    struct run run = {.common = &common, .topology = &topology, .clock = &clock_here, .cpu = &cpu};
    struct latency_matrix *matrix = calloc(1, sizeof *matrix);
    struct fault fault = {0};
    run.kernels.allowed = features_usable();
    run.cpus.count = topology.place_count = count;
    for (int i = 0; i < count; i++) {
        run.cpus.id[i] = i;
        const int core = i % (count / 2), package = 4 * core / count;
        place[i] = (struct cpu_place){.id = i,
                                      .core = core,
                                      .l2 = core,
                                      .l3 = package,
                                      .node = package,
                                      .package = package,
                                      .sibling = 2 * i / count};
    }
    params.benches = params.benches ? params.benches : 1u << BENCH_CAS;
    matrix->run = &run;
    matrix->params = &params;
    assert_int_equal(latency_plan(matrix, &fault), STATUS_OK);
    check_pairs(matrix, params.both_ways);
    assert_int_equal(matrix->setup.is_one_way, params.both_ways);
    const double seconds = latency_planned_s(matrix);
    *effort = matrix->setup.effort;
    latency_close(matrix);
    return seconds;
}

TEST(large_machines_take_no_minute)
{
    struct latency_effort effort;
    assert_true(plan(192, (struct common){0}, (struct latency_params){0}, &effort) < 30);
    assert_true(plan(384, (struct common){0}, (struct latency_params){0}, &effort) < 60);
    assert_true(plan(2, (struct common){0}, (struct latency_params){0}, &effort) < 4);
    assert_int_equal(effort.lines, LINES_MAX);
    assert_int_equal(effort.iterations, 100);
    assert_true(effort.samples >= 4);
}

TEST(what_is_given_is_kept)
{
    struct latency_effort effort;
    plan(MOST, (struct common){.samples = 500}, (struct latency_params){.lines = 3, .iterations = 4000},
         &effort);
    assert_int_equal(effort.lines, 3);
    assert_int_equal(effort.samples, 500);
    assert_int_equal(effort.iterations, 4000);
    assert_true(plan(2, (struct common){.time_budget = 0.5}, (struct latency_params){.duration_s = 9},
                     &effort) <= 0.5);
}

TEST(both_ways_are_measured_on_request)
{
    struct latency_effort effort;
    plan(12, (struct common){0}, (struct latency_params){.both_ways = true}, &effort);
    plan(12, (struct common){0}, (struct latency_params){0}, &effort);
}
