/* SPDX-License-Identifier: MIT */
/* Chains as they were measured on Zen 4 and Zen 3, with the sibling idle and busy, and on cores made up. */

#include "bench/stlf/judge.h"

#include "test.h"

enum { CHAINS = 6 };

static struct estimate steady(double value)
{
    return (struct estimate){.state = STATE_IDLE,
                             .summary = {.count = 100},
                             .value = value,
                             .low = value - 0.01,
                             .high = value + 0.01,
                             .first = value,
                             .second = value,
                             .visits = 1,
                             .parts = {.count = 1, .value = {(float)value}}};
}

static const struct kernel kernels_of_test[] = {
    {.operation = OPERATION_CHAIN_MUL}, {.gap = 1}, {.gap = 2}, {.gap = 3}};

/* A multiplication, and CHAINS chains. */
struct machine {
    struct stlf_point point[1 + CHAINS];
    struct estimate estimate[1 + CHAINS], *multiply, *chain;
    struct stlf_set set;
};

/* One to three multiplications in loops of two lengths; level: cycles of each chain without them. */
static void make(struct machine *machine, double multiply, const double level[CHAINS])
{
    *machine = (struct machine){.multiply = machine->estimate, .chain = machine->estimate + 1};
    machine->set = (struct stlf_set){
        .count = 1 + CHAINS, .point = machine->point, .estimate = machine->estimate, .state = STATE_IDLE};
    machine->point[0] = (struct stlf_point){.kernel = &kernels_of_test[0], .series = "multiplication"};
    machine->estimate[0] = steady(multiply);
    for (unsigned i = 0; i < CHAINS; i++) {
        machine->chain[i] = steady(level[i] + (1 + i % 3) * multiply);
        machine->point[1 + i] =
            (struct stlf_point){.kernel = &kernels_of_test[1 + i % 3], .series = "chains"};
    }
}

static struct stlf_floor floor_in(const struct machine *machine)
{
    return stlf_floor_of(&machine->set, "chains", "multiplication");
}

static struct stlf_floor floor_of(double multiply, const double level[CHAINS])
{
    struct machine machine;
    make(&machine, multiply, level);
    return floor_in(&machine);
}

static struct stlf_floor floor_of_one(double multiply, double level)
{
    return floor_of(multiply, (const double[CHAINS]){level, level, level, level, level, level});
}

static void assert_whole(const struct stlf_floor *floor, double cycles)
{
    assert_true(floor->whole);
    assert_true(floor->estimate.value == cycles);
    assert_int_equal(floor->verdict.trust, TRUST_HIGH);
    assert_true(floor->estimate.low <= floor->estimate.high &&
                floor->estimate.high - floor->estimate.low < 0.2);
}

static void assert_none(const struct stlf_floor *floor)
{
    assert_false(floor->whole);
    assert_int_equal(floor->verdict.trust, TRUST_LOW);
}

TEST(chains_of_a_core_agree)
{
    const struct stlf_floor forward =
        floor_of(3.0, (const double[CHAINS]){5.98, 6.0, 6.01, 5.99, 6.03, 6.05});
    const struct stlf_floor failed =
        floor_of(3.0, (const double[CHAINS]){18.95, 19.0, 19.08, 19.01, 19.0, 18.98});
    const struct stlf_floor late = floor_of_one(2.997, 12.0), zen3 = floor_of_one(2.997, 18.02);
    assert_whole(&forward, 6);
    assert_whole(&failed, 19);
    assert_whole(&late, 12);
    assert_whole(&zen3, 18);
    assert_true(fabs(forward.estimate.parts.value[0] - 6) < 0.1);
}

/* Nothing is known of the core: its multiplication may take any whole number. */
TEST(any_whole_number_serves)
{
    for (int multiply = 1; multiply <= 5; multiply++) {
        for (int level = 0; level <= 40; level++) {
            const struct stlf_floor floor = floor_of_one(multiply, level);
            assert_whole(&floor, level);
        }
    }
}

TEST(one_chain_in_six_may_go_astray)
{
    const struct stlf_floor one = floor_of(3.0, (const double[CHAINS]){6, 6, 6, 6, 6, 7.4});
    const struct stlf_floor two = floor_of(3.0, (const double[CHAINS]){6, 6, 6, 6, 6.4, 7.4});
    assert_whole(&one, 6);
    assert_none(&two);
    assert_int_equal(two.verdict.leg, LEG_REPETITION);
    assert_true(two.estimate.low == 6 && fabs(two.estimate.high - 7.4) < 1e-9);
}

TEST(what_lies_between_two_numbers_is_neither)
{
    struct stlf_floor floor = floor_of_one(3.0, 6.5);
    assert_none(&floor);
    assert_true(fabs(floor.estimate.value - 6.5) < 1e-9);
    floor = floor_of_one(3.0, 6.059);
    assert_whole(&floor, 6);
    floor = floor_of_one(3.0, 6.061);
    assert_none(&floor);
    floor = floor_of_one(3.0, 5.939);
    assert_none(&floor);
    floor = floor_of_one(3.0, 19.09); /* of a long chain half a percent */
    assert_whole(&floor, 19);
    floor = floor_of_one(3.0, 19.1);
    assert_none(&floor);
}

/* The witness may say that the sibling idles; the multiplication knows better. */
TEST(a_busy_sibling_leaves_no_number)
{
    struct stlf_floor floor = floor_of_one(2.88, 6.0);
    assert_none(&floor);
    assert_int_equal(floor.verdict.leg, LEG_PLAUSIBILITY);
    floor = floor_of_one(2.979, 6.0);
    assert_none(&floor);
    floor = floor_of_one(2.981, 6.0 * 2.981 / 3);
    assert_whole(&floor, 6);
    floor = floor_of_one(3.019, 6.0 * 3.019 / 3);
    assert_whole(&floor, 6);
    floor = floor_of_one(3.021, 6.0);
    assert_none(&floor);
}

/* Zen 3: what a failed forward of 18 cycles took while the witness saw the sibling work. */
TEST(an_active_sibling_leaves_none_even_where_all_agree)
{
    const double level[CHAINS] = {18.83, 18.82, 18.87, 18.84, 18.87, 18.84};
    struct machine machine;
    make(&machine, 2.9856, level);
    struct stlf_floor floor = floor_in(&machine);
    assert_true(floor.whole);
    machine.set.state = machine.multiply->state = STATE_ACTIVE;
    for (int i = 0; i < CHAINS; i++)
        machine.chain[i].state = STATE_ACTIVE;
    floor = floor_in(&machine);
    assert_none(&floor);
    assert_int_equal(floor.verdict.leg, LEG_PLAUSIBILITY);
    assert_true(floor.estimate.low < floor.estimate.high);
    machine.set.state = machine.multiply->state =
        STATE_UNKNOWN; /* no witness: the multiplication is all there is */
    for (int i = 0; i < CHAINS; i++)
        machine.chain[i].state = STATE_UNKNOWN;
    assert_true(floor_in(&machine).whole);
}

TEST(a_multiplication_of_no_whole_number_measures_none)
{
    struct stlf_floor floor = floor_of_one(3.5, 6.0);
    assert_none(&floor);
    floor = floor_of_one(0.01, 6.0); /* a clock that counts something else */
    assert_none(&floor);
    floor = floor_of_one(NAN, 6.0);
    assert_none(&floor);
}

TEST(both_halves_of_the_run_must_say_it)
{
    struct machine machine;
    make(&machine, 3.0, (const double[CHAINS]){6, 6, 6, 6, 6, 6});
    machine.chain[0].second += 0.5;
    struct stlf_floor floor = floor_in(&machine);
    assert_int_equal(floor.verdict.trust, TRUST_HIGH);
    machine.chain[1].second += 0.5;
    floor = floor_in(&machine);
    assert_true(floor.whole);
    assert_int_equal(floor.verdict.trust, TRUST_MEDIUM);
    assert_int_equal(floor.verdict.leg, LEG_REPETITION);
    for (int i = 0; i < CHAINS; i++)
        machine.chain[i].second = machine.chain[i].value + 1;
    floor = floor_in(&machine);
    assert_int_equal(floor.verdict.trust, TRUST_LOW);
    make(&machine, 3.0, (const double[CHAINS]){6, 6, 6, 6, 6, 6});
    machine.multiply->first = 2.95;
    floor = floor_in(&machine);
    assert_true(floor.verdict.trust < TRUST_HIGH);
}

TEST(what_was_hardly_seen_does_not_count)
{
    struct machine machine;
    make(&machine, 3.0, (const double[CHAINS]){6, 6, 6, 6, 6, 6});
    machine.chain[0].summary.count = machine.chain[1].summary.count = 8;
    struct stlf_floor floor = floor_in(&machine);
    assert_whole(&floor, 6);
    assert_int_equal(floor.estimate.summary.count, 8);
    machine.chain[0].summary.count = machine.chain[1].summary.count = 7;
    floor = floor_in(&machine);
    assert_none(&floor);
    machine.chain[0].summary.count = machine.chain[1].summary.count = 100;
    machine.multiply->state = STATE_MIXED;
    floor = floor_in(&machine);
    assert_none(&floor);
    for (int i = 0; i < CHAINS; i++)
        machine.chain[i].state = STATE_MIXED;
    floor = floor_in(&machine);
    assert_none(&floor);
    assert_true(isnan(floor.estimate.value));
}

TEST(a_forward_is_what_is_not_renamed)
{
    const struct stlf_floor six = floor_of_one(3, 6), five = floor_of_one(3, 5), one = floor_of_one(3, 1),
                            blocked = floor_of_one(3, 10.5), renamed = floor_of_one(3, 0);
    assert_ptr_equal(stlf_forward_of(&six, &five, 4), &five);
    assert_ptr_equal(stlf_forward_of(&five, &six, 4), &five);
    assert_ptr_equal(stlf_forward_of(&five, &five, 5), &five); /* as fast as L1 */
    assert_ptr_equal(stlf_forward_of(&six, &renamed, 4), &six);
    assert_ptr_equal(stlf_forward_of(&one, &six, 4), &six);
    assert_null(stlf_forward_of(&one, &renamed, 4));
    /* One without a whole number comes last, as its value is an average. */
    assert_ptr_equal(stlf_forward_of(&blocked, &six, 4), &six);
    const struct stlf_floor loose = floor_of_one(3, 5.5);
    assert_ptr_equal(stlf_forward_of(&loose, &six, 4), &six);
    assert_ptr_equal(stlf_forward_of(&six, &loose, 4), &six);
}

/* Zen 4's loops of 2 to 64 pairs: the middle, and how far they reach. */
TEST(loops_have_a_range)
{
    struct stlf_point point[CHAINS];
    const double cycles[] = {6.41, 6.47, 6.16, 6.46, 6.88, 6.52};
    struct estimate loop[CHAINS];
    const struct stlf_set set = {.count = CHAINS, .point = point, .estimate = loop, .state = STATE_IDLE};
    for (int i = 0; i < CHAINS; i++) {
        point[i] = (struct stlf_point){.series = "loops"};
        loop[i] = steady(cycles[i]);
    }
    struct stlf_floor loops = stlf_loops_of(&set, "loops");
    assert_false(loops.whole);
    assert_true(loops.estimate.value == 6.46 || loops.estimate.value == 6.47);
    assert_true(loops.estimate.low == 6.16 && loops.estimate.high == 6.88);
    assert_int_equal(loops.verdict.trust, TRUST_HIGH);
    loop[2].second = 7.5;
    assert_int_equal(stlf_loops_of(&set, "loops").verdict.trust, TRUST_LOW);
    loop[0].value = NAN;
    loops = stlf_loops_of(&set, "loops");
    assert_true(loops.estimate.low == 6.16 && loops.estimate.value == 6.47);
    assert_int_equal(loops.verdict.trust, TRUST_LOW);
}
