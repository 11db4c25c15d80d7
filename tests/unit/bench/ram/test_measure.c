/* SPDX-License-Identifier: MIT */
/* Which points are part of which rounds, and how long a run takes by its plan. */
#include "world.h"

enum { SETS = 3, KERNELS = 5, POINTS = SETS * KERNELS, SWEEPS = 4, LARGE = 2 * KERNELS };

struct plan {
    struct world *world;
    struct run run;
    struct ram ram;
};

static const struct common usual = {0};

/* Four kernels, each slower than the one before it by a step, and a chain; each was sampled in four rounds. */
static void build(struct plan *plan, double step)
{
    static const struct {
        int level;
        uint64_t bytes;
    } sets[SETS] = {{1, 16 << 10}, {2, 256 << 10}, {3, 16 << 20}};
    plan->world = world_new(SWEEPS, "i", 0.1, 1);
    for (size_t i = 0; i < POINTS; i++) {
        const double ns = 1e6 * (1 + step * (double)(i % KERNELS));
        world_add(plan->world, i % KERNELS < 4 ? &read_a : &chase, sets[i / KERNELS].level,
                  sets[i / KERNELS].bytes);
        for (size_t sweep = 0; sweep < SWEEPS; sweep++)
            world_put(plan->world, sweep, i, ns, ns);
    }
    ram_plan_group(&plan->world->plan);
    plan->run = (struct run){.common = &usual};
    plan->ram = (struct ram){.run = &plan->run, .plan = &plan->world->plan};
}

static int rounds_of(struct plan *plan, size_t index, uint64_t first, uint64_t end)
{
    int wanted = 0;
    for (uint64_t round = first; round < end; round++)
        wanted += ram_wants(&plan->ram, index, round);
    return wanted;
}

/* Rounds of all, then of those that may be the fastest; large sets are part of one in three, memory of one in six. */
TEST(slow_kernels_and_large_sets_have_fewer_rounds)
{
    static const struct common repeated = {.repeat = 9};
    struct plan plan;
    build(&plan, 2);
    for (size_t i = 0; i < POINTS; i++) {
        const bool fast = i % KERNELS == 0 || i % KERNELS == 4;
        const int stride = i < LARGE ? 1 : 3;
        assert_true(ram_wants(&plan.ram, i, 0));
        assert_int_equal(rounds_of(&plan, i, 1, 1 + 3 * (uint64_t)stride), 3);
        assert_int_equal(rounds_of(&plan, i, 4 * (uint64_t)stride, 4 * (uint64_t)stride + 12),
                         fast ? 12 / stride : 0);
        assert_int_equal(ram_wants(&plan.ram, i, ENGINE_LATER), fast);
    }
    plan.world->plan.points[LARGE].level = 4;
    assert_int_equal(rounds_of(&plan, LARGE, 1, 13), 2);
    plan.run.common = &repeated;
    assert_int_equal(rounds_of(&plan, LARGE, 0, 9), 9);
    plan.world->plan.points[1].passes = 0; /* left out by a budget */
    assert_false(ram_wants(&plan.ram, 1, 8));
    world_free(plan.world);
}

/* Values of one round are held against each other. */
TEST(kernels_of_a_task_have_the_same_rounds)
{
    struct plan plan;
    build(&plan, 0);
    for (uint64_t round = 0; round < 30; round++)
        for (size_t i = 0; i < POINTS; i++)
            if (i % KERNELS < 4)
                assert_int_equal(ram_wants(&plan.ram, i, round),
                                 ram_wants(&plan.ram, i - i % KERNELS, round));
    world_free(plan.world);
}

/* The sibling was busy in all four samples of the best kernel, of the others in none. */
TEST(a_state_does_not_make_the_best_kernel_lose)
{
    static const double busy[] = {1.45, 1.6};
    for (int i = 0; i < 2; i++) {
        struct plan plan;
        build(&plan, 0.04);
        for (size_t sweep = 0; sweep < SWEEPS; sweep++)
            world_put(plan.world, sweep, 0, 1e6 * busy[i], 1e6 * busy[i]);
        assert_int_equal(ram_wants(&plan.ram, 0, 4), i == 0);
        assert_true(ram_wants(&plan.ram, 1, 4));
        world_free(plan.world);
    }
}

/* 45 samples of 2.3 ms and 15 of 10.3 ms in three rounds, and three of each before. */
TEST(a_plan_is_bounded_by_its_rounds_and_budgets)
{
    static const struct common quick = {.quick = true}, three = {.repeat = 3},
                               twice = {.repeat = 3, .samples = 2}, short_one = {.time_budget = 0.5};
    struct plan built;
    build(&built, 0);
    struct ram_plan *plan = &built.world->plan;
    const double seconds = ram_plan_seconds(plan, &three, 0);
    assert_true(seconds > 0.9 * 2 * 3 * (10 * 2e-3 + 5 * 10e-3) &&
                seconds < 1.2 * 2 * 3 * (10 * 2.3e-3 + 5 * 10.3e-3));
    assert_float_equal(ram_plan_seconds(plan, &twice, 0), 1.5 * seconds, 1e-9);
    plan->source_bytes = 1000000000;
    assert_float_equal(ram_plan_seconds(plan, &three, 1), 1 + seconds, 1e-9);
    for (size_t i = 0; i < KERNELS; i++)
        plan->points[i].kernel_bytes = UINT64_C(1) << 30; /* a pass lasts longer than a sample */
    assert_true(ram_plan_seconds(plan, &three, 0) > 2 * seconds);
    assert_true(ram_plan_seconds(plan, &quick, 0) > 5);
    assert_float_equal(ram_plan_seconds(plan, &short_one, 0), 0.5, 1e-9);
    world_free(built.world);
}
