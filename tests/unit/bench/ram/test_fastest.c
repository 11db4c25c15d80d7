/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "bench/ram/ram.h"

enum { ROUNDS = 12, KERNELS = 3 };

struct world {
    float cost[KERNELS][ROUNDS], in_state[KERNELS][ROUNDS];
    struct ram_series series[KERNELS];
};

/* Rounds differ by more than kernels do. */
static void build(struct world *world, const double *slower)
{
    for (size_t i = 0; i < KERNELS; i++) {
        for (size_t round = 0; round < ROUNDS; round++)
            world->cost[i][round] = world->in_state[i][round] =
                (float)(slower[i] * (1 + 0.5 * (double)(round * 7 % ROUNDS)));
        world->series[i] = (struct ram_series){world->cost[i], world->in_state[i]};
    }
}

static void leave_out(struct world *world, size_t kernel, size_t from, size_t to)
{
    for (size_t round = from; round < to; round++)
        world->cost[kernel][round] = world->in_state[kernel][round] = NAN;
}

/* By its own median the slowest has the fastest rounds: 26.5 GiB/s of 2 samples against 30.6 of 10. */
TEST(rounds_that_both_were_part_of_are_compared)
{
    static const double slower[KERNELS] = {1.04, 1, 1.15};
    struct world world;
    build(&world, slower);
    leave_out(&world, 2, 4, ROUNDS); /* which were the fast ones */
    world.cost[2][0] = world.in_state[2][0] = 1.15F;
    assert_int_equal(ram_fastest(world.series, KERNELS, ROUNDS), 1);
    assert_float_equal(ram_slower(&world.series[2], &world.series[1], ROUNDS), 1.15, 1e-6);
}

/* Four rounds in common are an answer, three are none. */
TEST(few_rounds_are_no_answer)
{
    static const double slower[KERNELS] = {1.04, 1, 1.15};
    for (size_t rounds = 3; rounds <= 4; rounds++) {
        struct world world;
        build(&world, slower);
        leave_out(&world, 0, rounds, ROUNDS);
        assert_int_equal(ram_fastest(world.series, KERNELS, ROUNDS), rounds == 4 ? 1 : KERNELS);
    }
}

/* Where the state that is reported was there in too few of them, all rounds count. */
TEST(samples_of_one_state_come_first)
{
    static const double slower[KERNELS] = {1.1, 1, 2};
    for (size_t idle = 3; idle <= 4; idle++) {
        struct world world;
        build(&world, slower);
        for (size_t round = 0; round < ROUNDS; round++)
            if (round < idle)
                world.cost[1][round] = world.in_state[1][round] *= 1.2F; /* the first is faster there */
            else
                world.in_state[1][round] = NAN;
        assert_int_equal(ram_fastest(world.series, KERNELS, ROUNDS), idle == 4 ? 0 : 1);
    }
}

/* Within 1 %, or not slower in three rounds of four. */
TEST(noise_does_not_choose_between_equals)
{
    static const struct {
        double slower;
        size_t faster_rounds; /* in which it was faster, by chance */
        bool alike;
    } cases[] = {{1.009, 0, true}, {1.012, 0, false}, {1.05, 2, false}, {1.05, 4, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double slower[KERNELS] = {cases[i].slower, 1, 2};
        struct world world;
        build(&world, slower);
        for (size_t round = 0; round < cases[i].faster_rounds; round++)
            world.cost[0][round] = world.in_state[0][round] *= 0.9F;
        assert_int_equal(ram_fastest(world.series, KERNELS, ROUNDS), 1);
        assert_int_equal(ram_is_alike(&world.series[0], &world.series[1], ROUNDS), cases[i].alike);
        assert_true(ram_is_alike(&world.series[1], &world.series[1], ROUNDS));
    }
}
