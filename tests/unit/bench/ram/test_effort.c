/* SPDX-License-Identifier: MIT */
/* What a plan is expected to take, held against runs of the engine on a machine of which the speeds are known. */
#include "test.h"

#include "bench/ram/ram.h"
#include "engine/autoscale.h"

enum { SETS = 3, KERNELS = 5, POINTS = SETS * KERNELS, TRIES = 3 };

static const uint64_t set_bytes[SETS] = {16 << 10, 256 << 10, 16 << 20};
static const double ns_per_byte[SETS] = {0.005, 0.02, 0.05}; /* of the fastest kernel */
static const double start_s = 0.06;

static const struct kernel kernel[KERNELS] = {{.operation = OPERATION_READ},
                                              {.operation = OPERATION_READ},
                                              {.operation = OPERATION_READ},
                                              {.operation = OPERATION_READ},
                                              {.operation = OPERATION_LATENCY}};

struct world {
    struct ram_plan plan;
    struct ram_point point[POINTS];
    const struct common *common;
    double slower[KERNELS]; /* than the fastest */
    double now_s;
    uint64_t seed;
};

static double pass_s(const struct world *world, size_t index)
{
    return (double)set_bytes[index / KERNELS] * ns_per_byte[index / KERNELS] * 1e-9 *
           world->slower[index % KERNELS];
}

/* So noisy that nothing ever settles. */
static double noise(struct world *world)
{
    world->seed = world->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return 1 + 0.1 * (double)(world->seed >> 40) / (double)(1 << 24);
}

static void build(struct world *world, const struct common *common, double step, uint64_t seed)
{
    *world = (struct world){.common = common, .seed = seed};
    world->plan = (struct ram_plan){
        .points = world->point, .point_count = POINTS, .threads = 1, .last_level = 3, .line_bytes = 64};
    for (size_t i = 0; i < POINTS; i++) {
        struct working_set *set = &world->plan.sets[i / KERNELS];
        world->slower[i % KERNELS] = 1 + step * (double)(i % KERNELS);
        *set = (struct working_set){.bytes = set_bytes[i / KERNELS]};
        world->point[i] = (struct ram_point){.kernel = &kernel[i % KERNELS],
                                             .set = set,
                                             .bytes = set->bytes,
                                             .footprint = set->bytes,
                                             .level = (int)(i / KERNELS) + 1,
                                             .passes = 1};
    }
}

static void forget(struct world *world)
{
    for (size_t i = 0; i < POINTS; i++) {
        samples_free(&world->point[i].seconds);
        samples_free(&world->point[i].ghz);
        world->point[i].seconds = world->point[i].ghz = (struct samples){0};
    }
}

static void keep(struct world *world, size_t index, double seconds)
{
    samples_add(&world->point[index].seconds, seconds);
    samples_add(&world->point[index].ghz, 1);
}

static double expected_s(struct world *world)
{
    for (size_t i = 0; i < POINTS; i++)
        if (!ram_is_latency(&world->point[i]))
            keep(world, i, pass_s(world, i) * noise(world));
    const double seconds = ram_plan_seconds(&world->plan, world->common, 0);
    forget(world);
    return seconds;
}

struct scaled {
    struct world *world;
    size_t index;
};

static double take(void *context, uint64_t passes)
{
    const struct scaled *scaled = context;
    const double seconds = (double)passes * pass_s(scaled->world, scaled->index) * noise(scaled->world);
    scaled->world->now_s += seconds;
    return seconds * 1e9;
}

static bool sample(void *context, size_t first, size_t count, double *value, struct fault *fault)
{
    struct scaled scaled = {context, first};
    const uint64_t passes = scaled.world->point[first].passes;
    value[0] = value[1] = take(&scaled, passes) * 1e-9 / (double)passes;
    keep(scaled.world, first, value[0]);
    return true;
}

static bool wants(void *context, size_t index, uint64_t round)
{
    const struct world *world = context;
    return ram_wants(&world->plan, world->common, index, round);
}

static uint64_t now_ns(void *context)
{
    return (uint64_t)(((struct world *)context)->now_s * 1e9);
}

static void look(void *context, struct moment *moment)
{
    ((struct world *)context)->now_s += 40e-6;
    moment->ghz = 3;
    moment->reading = (struct reading){64, 64, true};
}

static bool goes_on(void *context)
{
    return false;
}

static double taken_s(struct world *world)
{
    const struct engine_machine machine = {
        .context = world, .now_ns = now_ns, .look = look, .interrupted = goes_on};
    const struct engine_bench bench = {
        .context = world, .points = POINTS, .width = 2, .sample = sample, .wants = wants};
    const struct engine_effort effort = ram_effort(world->common);
    struct engine_data data = {0};
    struct fault fault = {0};
    world->now_s = start_s;
    for (size_t i = 0; i < POINTS; i++) {
        struct scaled scaled = {world, i};
        world->point[i].passes =
            autoscale(take, &scaled, 1, UINT64_C(1) << 40, ram_sample_ns(world->common, &world->point[i]));
    }
    assert_int_not_equal(engine_run(&bench, &machine, &effort, &data, &fault), ENGINE_FAILED);
    engine_data_free(&data);
    forget(world);
    return world->now_s;
}

TEST(a_plan_takes_what_was_expected)
{
    static const struct common commons[] = {
        {0}, {.quick = true}, {.repeat = 11}, {.repeat = 3, .samples = 5}};
    static const double steps[] = {0, 0.1, 2}; /* all kernels alike, some, or none but the best */
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 3 * TRIES; j++) {
            struct world world;
            build(&world, &commons[i], steps[j / TRIES], j);
            const double expected = expected_s(&world), taken = taken_s(&world);
            assert_true(expected < 1.5 * taken && taken < 1.5 * expected);
        }
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
    build(&world, &usual, 2, 1);
    for (size_t i = 0; i < POINTS; i++)
        keep(&world, i, pass_s(&world, i));
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
    world.common = &repeated;
    assert_int_equal(rounds_of(&world, LARGE, 0, 9), 9);
    world.point[1].passes = 0; /* left out by a budget */
    assert_false(wants(&world, 1, 8));
    forget(&world);
}

/* Values of one round are held against each other. */
TEST(kernels_of_a_task_have_the_same_rounds)
{
    static const struct common usual = {0};
    struct world world;
    build(&world, &usual, 0, 1);
    for (uint64_t round = 0; round < 30; round++)
        for (size_t i = 0; i < POINTS; i++)
            if (!ram_is_latency(&world.point[i]))
                assert_int_equal(wants(&world, i, round), wants(&world, i - i % KERNELS, round));
    forget(&world);
}

/* The sibling was busy in all four samples of the best kernel, of the others in none. */
TEST(a_state_does_not_make_the_best_kernel_lose)
{
    static const struct common usual = {0};
    struct world world;
    build(&world, &usual, 0.04, 1);
    for (int round = 0; round < 4; round++)
        for (size_t i = 0; i < KERNELS; i++)
            keep(&world, i, pass_s(&world, i) * (i == 0 ? 1.45 : 1));
    for (size_t i = 0; i < KERNELS; i++)
        assert_true(wants(&world, i, 4));
    for (int round = 0; round < 4; round++)
        world.point[0].seconds.value[round] *= 1.1;
    assert_false(wants(&world, 0, 4));
    forget(&world);
}
