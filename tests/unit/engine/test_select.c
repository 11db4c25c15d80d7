/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "engine/select.h"

enum { ROUNDS = 12, KERNELS = 3, SECOND_NS = 1000000000 };

static const struct candidate alike[KERNELS] = {{0, 1}, {1, 1}, {2, 1}};

/* A probe lies between rounds, a second apart; rounds differ more than kernels. */
struct world {
    float value[ROUNDS][KERNELS];
    uint32_t before[ROUNDS][KERNELS];
    struct moment moment[ROUNDS + 1];
    struct engine_data data;
    struct candidates candidates;
    bool tie[KERNELS];
};

static void build(struct world *world, const double *slower)
{
    *world =
        (struct world){.data = {.points = KERNELS, .cells = KERNELS, .kept = ROUNDS, .moments = ROUNDS + 1}};
    world->data.value = world->value[0];
    world->data.before = world->before[0];
    world->data.moment = world->moment;
    world->candidates =
        (struct candidates){.data = &world->data, .of = alike, .count = KERNELS, .state = STATE_IDLE};
    for (size_t round = 0; round <= ROUNDS; round++)
        world->moment[round] = (struct moment){.begin_ns = round * SECOND_NS, .sibling = STATE_IDLE};
    for (size_t round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < KERNELS; i++) {
            world->value[round][i] = (float)(slower[i] * (1 + 0.5 * (double)(round * 7 % ROUNDS)));
            world->before[round][i] = (uint32_t)round;
        }
}

static void leave_out(struct world *world, size_t kernel, size_t from)
{
    for (size_t round = from; round < ROUNDS; round++)
        world->value[round][kernel] = NAN;
}

/* Kernels are compared in common rounds: by its own median the slowest would win with 26.5 GiB/s of 2 samples against 30.6 of 10. */
TEST(rounds_that_both_were_part_of_are_compared)
{
    static const double slower[KERNELS] = {1.04, 1, 1.15};
    struct world world;
    build(&world, slower);
    leave_out(&world, 2, 4); /* the fast rounds */
    assert_int_equal(candidates_choose(&world.candidates, world.tie), 1);
    assert_float_equal(candidates_ratio(&world.candidates, 2, 1, 0.5), 1.15, 1e-6);
    world.candidates.of =
        (const struct candidate[]){{0, 1}, {1, 1}, {2, 2}}; /* the fastest per unit of work */
    assert_int_equal(candidates_choose(&world.candidates, world.tie), 2);
}

/* Four rounds in common are enough for an answer, three are not; with pairs = 4 later rounds change nothing. */
TEST(few_rounds_are_no_answer)
{
    static const double slower[KERNELS] = {1.04, 1, 1.15};
    for (size_t rounds = 3; rounds <= 4; rounds++) {
        struct world world;
        build(&world, slower);
        leave_out(&world, 0, rounds);
        assert_int_equal(candidates_choose(&world.candidates, world.tie), rounds == 4 ? 1 : KERNELS);
        world.candidates.pairs = 4;
        for (size_t round = 4; round < ROUNDS; round++)
            world.value[round][1] *= 0.5F;
        assert_float_equal(candidates_ratio(&world.candidates, 2, 1, 0.5), 1.15, 1e-6);
        world.candidates.pairs = 0;
        assert_float_equal(candidates_ratio(&world.candidates, 2, 1, 0.5), 2.3, 1e-6);
    }
}

/* All rounds count if too few are undisturbed and in the reported state. */
TEST(samples_of_one_state_come_first)
{
    static const double slower[KERNELS] = {1.1, 1, 2};
    for (int by_switch = 0; by_switch < 2; by_switch++)
        for (size_t idle = 3; idle <= 4; idle++) {
            struct world world;
            build(&world, slower);
            for (size_t round = 0; round < ROUNDS; round++)
                if (round < idle)
                    world.value[round][1] *= 1.2F; /* the first is faster in this state */
                else if (by_switch)
                    world.moment[round + 1].switches = round;
                else
                    world.moment[round + 1].sibling = STATE_ACTIVE;
            assert_int_equal(candidates_choose(&world.candidates, world.tie), idle == 4 ? 0 : 1);
            world.candidates.state = STATE_MIXED;
            assert_int_equal(candidates_choose(&world.candidates, world.tie), 1);
        }
}

/* Kernels tie within 1 %, or if the other is not slower in a quarter of the rounds. */
TEST(noise_does_not_choose_between_equals)
{
    static const struct {
        double slower;
        size_t faster_rounds; /* in which it was faster by chance */
        bool tie;
    } cases[] = {{1.009, 0, true}, {1.012, 0, false}, {1.05, 2, false}, {1.05, 4, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double slower[KERNELS] = {cases[i].slower, 1, 2};
        struct world world;
        build(&world, slower);
        for (size_t round = 0; round < cases[i].faster_rounds; round++)
            world.value[round][0] *= 0.9F;
        assert_int_equal(candidates_choose(&world.candidates, world.tie), 1);
        assert_int_equal(world.tie[0], cases[i].tie);
        assert_true(world.tie[1]);
    }
}

/* Two kernels in two states: 24 samples of 10 and 11 units of work, the best tenth of which ends in the second round. */
TEST(ties_are_pooled_whatever_the_state)
{
    static const double slower[KERNELS] = {1, 1.1, 1.3};
    static const bool tie[KERNELS] = {true, true, false};
    struct world world;
    struct estimate e;
    build(&world, slower);
    world.candidates.of = (const struct candidate[]){{0, 1}, {1, 1.1}, {2, 1}};
    for (size_t round = 0; round < ROUNDS; round++)
        world.moment[round].sibling = round % 3 ? STATE_IDLE : STATE_ACTIVE;
    assert_true(candidates_pool(&world.candidates, tie, 1, &e));
    assert_int_equal(e.summary.count, 2 * ROUNDS);
    assert_int_equal(e.placements, WINDOWS);
    assert_int_equal(e.state, STATE_MIXED);
    assert_float_equal(e.value, 1.1 * 1.5, 1e-6);
    assert_true(e.low == e.summary.p10 && e.high == e.summary.p90);
    leave_out(&world, 1, 0);
    leave_out(&world, 0, 4);
    assert_true(candidates_pool(&world.candidates, tie, 0, &e));
    leave_out(&world, 0, 3); /* too few for a plateau: their median */
    assert_true(candidates_pool(&world.candidates, tie, 0, &e));
    assert_int_equal(e.summary.count, 3);
    assert_float_equal(e.value, e.summary.median, 1e-6);
    leave_out(&world, 0, 0);
    assert_false(candidates_pool(&world.candidates, tie, 0, &e));
}

/* Samples of five in ten lie at the floor, from the third quarter on, or in that alone, a fifth above it. */
TEST(a_plateau_is_reached_in_each_quarter)
{
    enum { SAMPLES = 40, QUARTER = SAMPLES / 4 };
    float value[SAMPLES];
    uint32_t before[SAMPLES];
    struct moment moment[SAMPLES + 1] = {0};
    const struct engine_data data = {.points = 1,
                                     .cells = 1,
                                     .kept = SAMPLES,
                                     .moments = SAMPLES + 1,
                                     .value = value,
                                     .before = before,
                                     .moment = moment};
    const struct candidates candidates = {.data = &data, .of = alike, .count = 1, .state = STATE_MIXED};
    const bool tie[1] = {true};
    for (size_t quarters = 0; quarters <= 2; quarters++) {
        struct estimate e;
        for (size_t i = 0; i < SAMPLES; i++) {
            before[i] = (uint32_t)i;
            value[i] = i % 10 < 5 ? 100 + (float)(i % 10) / 10 : 150;
            value[i] *= i / QUARTER >= 2 && i / QUARTER < 2 + quarters ? 1.2F : 1;
        }
        assert_true(candidates_pool(&candidates, tie, 0, &e));
        assert_float_equal(e.value, 100, 0.2);
        assert_float_equal(e.placement_high / e.placement_low, quarters ? 1.2 : 1, 0.01);
        assert_float_equal(e.second / e.first, quarters == 2 ? 1.2 : 1, 0.01);
        assert_true(quarters == 2 ? e.tilt > 0.02
                                  : e.tilt < 0.01); /* ten samples of forty are no three tenths */
    }
}

/* The best twentieth of the samples chooses: the first has one idle sample of each three of the others. */
TEST(a_core_is_seldom_alone)
{
    static const double slower[KERNELS] = {1, 1.009, 1.011};
    struct world world;
    build(&world, slower);
    for (size_t round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < KERNELS; i++)
            world.value[round][i] = (float)(slower[i] * (round % 3 ? 1 + 0.1 * (double)(round + 3 * i) : 1));
    assert_int_equal(candidates_highest(&world.candidates, world.tie), 0);
    assert_true(world.tie[0] && world.tie[1] && !world.tie[2]);
    leave_out(&world, 2, 3);
    assert_int_equal(candidates_highest(&world.candidates, world.tie), KERNELS);
}

/* Samples of all kernels that are alike are one estimate, in the work of one of them, in one state. */
TEST(kernels_that_are_alike_share_their_samples)
{
    static const double slower[KERNELS] = {1, 1, 3};
    static const bool tie[KERNELS] = {true, true, false};
    struct world world;
    struct estimate e;
    build(&world, slower);
    world.candidates.of = (const struct candidate[]){{0, 1}, {1, 1}, {2, 1}};
    for (size_t round = 8; round <= ROUNDS; round++)
        world.moment[round].sibling = STATE_ACTIVE;
    assert_true(candidates_estimate(&world.candidates, tie, 1, 0.5, &e));
    assert_int_equal(e.summary.count, 2 * 7);
    assert_true(e.state == STATE_IDLE && e.summary.max < 3 * 6.5);
    assert_true(candidates_estimate(&world.candidates, NULL, 2, 0.5, &e));
    assert_int_equal(e.summary.count, 7);
}

TEST(a_range_is_of_ten_to_ninety_percent)
{
    struct parts parts = {.count = 11};
    double low, high;
    for (size_t i = 0; i < 11; i++)
        parts.value[i] = (float)i;
    assert_true(parts_range(&parts, &low, &high));
    assert_true(fabs(low - 1) < 1e-9 && fabs(high - 9) < 1e-9);
    parts.count = 0;
    assert_false(parts_range(&parts, &low, &high));
}
