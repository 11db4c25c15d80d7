/* SPDX-License-Identifier: MIT */
/* Which points are part of which rounds. */
#include "world.h"

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
