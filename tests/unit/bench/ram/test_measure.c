/* SPDX-License-Identifier: MIT */
/* Which points are part of which rounds, and what a plan says. */
#include <sched.h>

#include "world.h"

#include "bench/ram/modes.h"

enum { KERNELS = 5, ROUNDS = 4, LARGE = 2 * KERNELS, POINTS = 3 * KERNELS };

static const struct common usual = {0};
static struct world *world;
static struct run run;
static struct ram ram;

/* Four kernels on a set of each level, each slower than the one before it by a step, and a chain; each was sampled in four rounds. */
static void build(double step)
{
    static const uint64_t bytes[] = {16 << 10, 256 << 10, 16 << 20};
    world = world_new(ROUNDS, "i", 0.1, 1);
    for (size_t i = 0; i < POINTS; i++) {
        const double ns = 1e6 * (1 + step * (double)(i % KERNELS));
        world_add(world, i % KERNELS < 4 ? &read_a : &chase, (int)(i / KERNELS) + 1, bytes[i / KERNELS]);
        for (size_t round = 0; round < ROUNDS; round++)
            world_put(world, round, i, ns, ns);
    }
    ram_plan_group(&world->plan);
    run = (struct run){.common = &usual};
    ram = (struct ram){.run = &run, .plan = &world->plan, .stages_joined = 1};
}

static uint64_t rounds_of(size_t index, uint64_t first, uint64_t count)
{
    uint64_t wanted = 0;
    for (uint64_t round = first; round < first + count; round++)
        wanted += ram_wants(&ram, index, round);
    return wanted;
}

/* Rounds of all, then of those that may be the fastest. */
TEST(slow_kernels_have_fewer_rounds)
{
    static const struct common repeated = {.repeat = 9};
    build(2);
    for (size_t i = 0; i < POINTS; i++) {
        const bool fast = i % KERNELS == 0 || i % KERNELS == 4;
        assert_int_equal(rounds_of(i, 0, 1), 1);
        assert_int_equal(rounds_of(i, 1, 3), 3);
        assert_int_equal(rounds_of(i, 4, 12), fast ? 12 : 0);
        assert_int_equal(ram_wants(&ram, i, ENGINE_LATER), fast);
    }
    run.common = &repeated;
    assert_int_equal(rounds_of(LARGE, 0, 9), 9);
    world->plan.points[1].passes = 0; /* left out by a budget */
    assert_int_equal(rounds_of(1, 0, 9), 0);
    world_free(world);
}

/* One thread and the first kernel, then all CPUs, then all kernels, each for four rounds; until then nobody has lost. */
TEST(breadth_comes_last)
{
    build(2);
    world->plan.stages = ram.stages_joined = 3;
    for (size_t i = 0; i < POINTS; i++)
        world->plan.points[i].stage = i % KERNELS < 3 ? (unsigned)(i % KERNELS) : 2;
    for (size_t i = 0; i < POINTS; i++) {
        const unsigned stage = world->plan.points[i].stage;
        assert_int_equal(rounds_of(i, 0, 12), 12 - 4 * stage);
        assert_int_equal(rounds_of(i, 0, 4 * stage), 0);
    }
    assert_true(ram_wants(&ram, 0, 12));
    assert_false(ram_wants(&ram, 1, 12));
    /* No run is enough before all have joined. */
    assert_false(ram_wants(&ram, 1, ENGINE_LATER));
    ram.stages_joined = 1;
    assert_true(ram_wants(&ram, 1, ENGINE_LATER));
    world_free(world);
}

/* Values of one round are held against each other. */
TEST(kernels_of_a_task_have_the_same_rounds)
{
    build(0);
    for (uint64_t round = 0; round < 30; round++)
        for (size_t i = 0; i < POINTS; i++)
            if (i % KERNELS < 4)
                assert_int_equal(ram_wants(&ram, i, round), ram_wants(&ram, i - i % KERNELS, round));
    world_free(world);
}

/* The sibling was busy in all four samples of the best kernel, of the others in none. */
TEST(a_state_does_not_make_the_best_kernel_lose)
{
    for (int i = 0; i < 2; i++) {
        build(0.04);
        for (size_t round = 0; round < ROUNDS; round++)
            world_put(world, round, 0, NAN, i ? 1.6e6 : 1.45e6);
        assert_int_equal(ram_wants(&ram, 0, 4), i == 0);
        assert_true(ram_wants(&ram, 1, 4));
        world_free(world);
    }
}

/* It lost to the third one in four rounds, and has three in common with the fastest: without a fourth there is no answer. */
TEST(a_kernel_that_loses_still_meets_the_fastest)
{
    build(2);
    world_put(world, 0, 0, NAN, NAN);
    for (size_t round = 0; round < ROUNDS; round++)
        world_put(world, round, 2, 1e6, 1e6);
    assert_int_equal(rounds_of(1, 4, 8), 8);
    assert_int_equal(rounds_of(1, 12, 8), 0);
    world_free(world);
}

/* Of N rounds a set of a thread in the core takes 2 ms a sample and one and a half besides; in memory a
 * pass of a gigabyte takes 0.1 s and its proof a second; half of the kernels stay after four rounds. */
TEST(a_plan_grows_with_rounds_and_bytes)
{
    static const struct common repeated = {.repeat = 10}, quick = {.quick = true};
    world = world_new(1, "i", 0.1, 1);
    world_add(world, &read_a, 1, 10000);
    assert_float_equal(ram_plan_seconds(&world->plan, &repeated, 10), 2e-3 * 11.5, 2e-5);
    assert_float_equal(ram_plan_seconds(&world->plan, &usual, 10), 2e-3 * 8.5, 2e-5);
    assert_float_equal(ram_plan_seconds(&world->plan, &usual, 3), 2e-3 * 4.5, 2e-5);
    assert_float_equal(ram_plan_seconds(&world->plan, &quick, 10), 5e-4 * 8.5, 2e-5);
    world->plan.point_count = 0;
    world_add(world, &chase, 1, 1000000000); /* has no proof, and a sample ends when it is long enough */
    assert_float_equal(ram_plan_seconds(&world->plan, &repeated, 10), 4e-3 * 11.5, 2e-5);
    world->plan.point_count = 0;
    world_add(world, &read_a, 0, 1000000000);
    assert_float_equal(ram_plan_seconds(&world->plan, &repeated, 10), 1 + 0.1 * 11.5, 1e-6);
    world->plan.crew[0].each.source = 3000000000; /* to fill */
    assert_float_equal(ram_plan_seconds(&world->plan, &repeated, 10), 3 + 0.1 * 11.5, 1e-6);
    world_free(world);
}

static unsigned calls;

static uint64_t count_call(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    calls++;
    return 0;
}

TEST(a_plan_calls_no_kernel)
{
    static const struct common dry = {.dry_run = true};
    static const struct ram_params params;
    static const struct cpu cpu = {.emulated = true};
    static struct topology topology = {.cpus = 1, .page_bytes = 4096};
    const struct clock clock = {.source = "none", .ns_per_tick = 1, .resolution_ns = 1};
    const struct kernel counts = {.name = "count", .operation = OPERATION_READ, .entry = count_call};
    struct fault fault = {0};
    world = world_new(1, "i", 0.1, 1);
    world_add(world, &counts, 1, 16 << 10);
    ram_plan_group(&world->plan);
    run = (struct run){.common = &dry,
                       .params = &params,
                       .topology = &topology,
                       .cpu = &cpu,
                       .clock = &clock,
                       .record = world->record};
    run.cpus.count = 1;
    run.cpus.id[0] = sched_getcpu();
    assert_int_equal(ram_measure(&run, &world->plan, -1, &fault), STATUS_OK);
    assert_int_equal(calls, 0);
    world_free(world);
}
