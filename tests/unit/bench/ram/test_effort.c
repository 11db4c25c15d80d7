/* SPDX-License-Identifier: MIT */
/* Which points are part of which rounds, on samples that are made up. */
#include "test.h"

#include "bench/ram/ram.h"

enum { SETS = 3, KERNELS = 5, POINTS = SETS * KERNELS, SWEEPS = 4 };

static const uint64_t set_bytes[SETS] = {16 << 10, 256 << 10, 16 << 20};

static const struct kernel kernel[KERNELS] = {{.operation = OPERATION_READ},
                                              {.operation = OPERATION_READ},
                                              {.operation = OPERATION_READ},
                                              {.operation = OPERATION_READ},
                                              {.operation = OPERATION_LATENCY}};

struct world {
    struct ram_plan plan;
    struct ram_point point[POINTS];
    struct run run;
    struct ram ram;
    float value[SWEEPS][POINTS][RAM_WIDTH];
    uint32_t before[SWEEPS][POINTS];
    struct moment moment[2];
};

/* Each kernel is slower than the one before it by a step; each was sampled in four rounds. */
static void build(struct world *world, const struct common *common, double step)
{
    *world = (struct world){.run = {.common = common}};
    world->ram = (struct ram){.run = &world->run, .plan = &world->plan};
    world->plan = (struct ram_plan){.points = world->point,
                                    .point_count = POINTS,
                                    .set_count = SETS,
                                    .threads = 1,
                                    .last_level = 3,
                                    .line_bytes = 64};
    world->ram.data = (struct engine_data){.points = POINTS,
                                           .cells = POINTS * RAM_WIDTH,
                                           .sweeps = SWEEPS,
                                           .value = world->value[0][0],
                                           .before = world->before[0],
                                           .moment = world->moment,
                                           .moments = 2};
    for (size_t i = 0; i < POINTS; i++) {
        struct working_set *set = &world->plan.sets[i / KERNELS];
        *set = (struct working_set){.bytes = set_bytes[i / KERNELS]};
        world->point[i] = (struct ram_point){.kernel = &kernel[i % KERNELS],
                                             .set = set,
                                             .bytes = set->bytes,
                                             .footprint = set->bytes,
                                             .kernel_bytes = set->bytes,
                                             .level = (int)(i / KERNELS) + 1,
                                             .passes = 1};
        for (size_t sweep = 0; sweep < SWEEPS; sweep++)
            world->value[sweep][i][RAM_NS] = world->value[sweep][i][RAM_CYCLES] =
                (float)(1e6 * (1 + step * (double)(i % KERNELS)));
    }
}

static bool wants(struct world *world, size_t index, uint64_t round)
{
    return ram_wants(&world->ram, index, round);
}

static int rounds_of(struct world *world, size_t index, uint64_t first, uint64_t end)
{
    int wanted = 0;
    for (uint64_t round = first; round < end; round++)
        wanted += wants(world, index, round);
    return wanted;
}

/* Rounds of all, then of those that may be the fastest; large sets are part of one in three, memory of one in six. */
TEST(slow_kernels_and_large_sets_have_fewer_rounds)
{
    static const struct common usual = {0}, repeated = {.repeat = 9};
    enum { LARGE = 2 * KERNELS };
    struct world world;
    build(&world, &usual, 2);
    for (size_t i = 0; i < POINTS; i++) {
        const bool fast = i % KERNELS == 0 || ram_is_latency(&world.point[i]);
        const int stride = i < LARGE ? 1 : 3;
        assert_true(wants(&world, i, 0));
        assert_int_equal(rounds_of(&world, i, 1, 1 + 3 * stride), 3);
        assert_int_equal(rounds_of(&world, i, 4 * stride, 4 * stride + 12), fast ? 12 / stride : 0);
        assert_int_equal(wants(&world, i, ENGINE_LATER), fast);
    }
    world.point[LARGE].level = 4;
    assert_int_equal(rounds_of(&world, LARGE, 1, 13), 2);
    world.run.common = &repeated;
    assert_int_equal(rounds_of(&world, LARGE, 0, 9), 9);
    world.point[1].passes = 0; /* left out by a budget */
    assert_false(wants(&world, 1, 8));
}

/* Values of one round are held against each other. */
TEST(kernels_of_a_task_have_the_same_rounds)
{
    static const struct common usual = {0};
    struct world world;
    build(&world, &usual, 0);
    for (uint64_t round = 0; round < 30; round++)
        for (size_t i = 0; i < POINTS; i++)
            if (!ram_is_latency(&world.point[i]))
                assert_int_equal(wants(&world, i, round), wants(&world, i - i % KERNELS, round));
}

/* The sibling was busy in all four samples of the best kernel, of the others in none. */
TEST(a_state_does_not_make_the_best_kernel_lose)
{
    static const struct common usual = {0};
    struct world world;
    build(&world, &usual, 0.04);
    for (int round = 0; round < 4; round++)
        world.value[round][0][RAM_CYCLES] *= 1.45F;
    for (size_t i = 0; i < KERNELS; i++)
        assert_true(wants(&world, i, 4));
    for (int round = 0; round < 4; round++)
        world.value[round][0][RAM_CYCLES] *= 1.1F;
    assert_false(wants(&world, 0, 4));
}

/* 45 samples of 2.3 ms and 15 of 10.3 ms in three rounds, and three of each before. */
TEST(a_plan_is_bounded_by_its_rounds_and_budgets)
{
    static const struct common usual = {0}, quick = {.quick = true}, three = {.repeat = 3},
                               twice = {.repeat = 3, .samples = 2}, short_one = {.time_budget = 0.5};
    struct world world;
    build(&world, &usual, 0);
    const double seconds = ram_plan_seconds(&world.plan, &three, 0);
    assert_true(seconds > 0.9 * 2 * 3 * (10 * 2e-3 + 5 * 10e-3) &&
                seconds < 1.2 * 2 * 3 * (10 * 2.3e-3 + 5 * 10.3e-3));
    assert_float_equal(ram_plan_seconds(&world.plan, &twice, 0), 1.5 * seconds, 1e-9);
    world.plan.source_bytes = 1000000000;
    assert_float_equal(ram_plan_seconds(&world.plan, &three, 1), 1 + seconds, 1e-9);
    for (size_t i = 0; i < KERNELS; i++)
        world.point[i].kernel_bytes = UINT64_C(1) << 30; /* a pass lasts longer than a sample */
    assert_true(ram_plan_seconds(&world.plan, &three, 0) > 2 * seconds);
    assert_true(ram_plan_seconds(&world.plan, &quick, 0) > 5);
    assert_float_equal(ram_plan_seconds(&world.plan, &short_one, 0), 0.5, 1e-9);
}
