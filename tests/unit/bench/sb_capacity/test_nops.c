/* SPDX-License-Identifier: MIT */
/* What the published experiment is allowed to say, on breaks like those that machines showed. */
#include "test.h"

#include "../../engine/moments.h"
#include "bench/sb_capacity/sb_capacity.h"

static const struct capacity mixed = {
    .state = BUFFER_MIXED, .entries = 64, .half_seen = true, .proved = true};
static char why[160];

static struct sb_breaks at(size_t stores)
{
    return (struct sb_breaks){
        .line2 = stores, .diff = stores, .twice = stores, .jump_cycles = 4, .noise_cycles = 0.2};
}

static struct verdict judged(size_t stores, const struct capacity *iso, enum state state)
{
    const struct sb_breaks breaks = at(stores);
    return sb_nops_judge(&breaks, iso, state, why, sizeof why);
}

TEST(the_size_that_iso_finds_is_trusted)
{
    struct capacity unproved = mixed;
    const struct capacity none = {.state = BUFFER_UNRESOLVED};

    unproved.proved = false;
    assert_int_equal(judged(64, &mixed, STATE_IDLE).trust, TRUST_HIGH);
    assert_true(judged(64, &mixed, STATE_IDLE).within_absolute == 1);
    assert_int_equal(judged(64, &mixed, STATE_UNKNOWN).trust, TRUST_HIGH);
    assert_int_equal(judged(64, &unproved, STATE_IDLE).trust, TRUST_MEDIUM);
    assert_int_equal(judged(64, &none, STATE_IDLE).trust, TRUST_MEDIUM);
    assert_int_equal(judged(65, &mixed, STATE_IDLE).trust, TRUST_LOW);
    assert_int_equal(judged(63, &mixed, STATE_UNKNOWN).trust, TRUST_LOW);
    assert_int_equal(judged(63, &mixed, STATE_UNKNOWN).leg, LEG_PLAUSIBILITY);
}

/* 64 of 64 entries were once printed for a sibling at work, by one misfiled sample. */
TEST(a_busy_sibling_leaves_the_half_and_nothing_else)
{
    const struct capacity none = {.state = BUFFER_UNRESOLVED};
    const struct capacity halved = {.state = BUFFER_HALVED, .entries = 32};

    assert_int_equal(judged(64, &mixed, STATE_ACTIVE).trust, TRUST_LOW);
    assert_int_equal(judged(33, &mixed, STATE_ACTIVE).trust, TRUST_LOW);
    assert_int_equal(judged(31, &mixed, STATE_ACTIVE).trust, TRUST_LOW);
    assert_int_equal(judged(32, &mixed, STATE_ACTIVE).trust, TRUST_MEDIUM);
    assert_int_equal(judged(32, &halved, STATE_ACTIVE).trust, TRUST_MEDIUM);
    assert_int_equal(judged(16, &halved, STATE_ACTIVE).trust, TRUST_LOW);
    assert_int_equal(judged(32, &none, STATE_ACTIVE).trust, TRUST_LOW);
    assert_int_equal(judged(32, &mixed, STATE_IDLE).trust, TRUST_LOW);
    assert_int_equal(judged(32, &mixed, STATE_UNKNOWN).trust, TRUST_MEDIUM);
    assert_int_equal(judged(32, &mixed, STATE_MIXED).trust, TRUST_MEDIUM);
}

static enum trust trust_of(struct sb_breaks breaks)
{
    const struct verdict verdict = sb_nops_judge(&breaks, &mixed, STATE_IDLE, why, sizeof why);

    assert_true((verdict.trust == TRUST_LOW) == (why[0] != 0));
    assert_int_equal(verdict.leg, verdict.trust == TRUST_LOW ? LEG_REPETITION : LEG_NONE);
    return verdict.trust;
}

TEST(detectors_must_agree)
{
    struct sb_breaks breaks = at(64);

    breaks.diff = 65;
    assert_int_equal(trust_of(breaks), TRUST_LOW);
    breaks = at(64);
    breaks.twice = 65;
    assert_int_equal(trust_of(breaks), TRUST_LOW);
    breaks.twice = 0;
    assert_int_equal(trust_of(breaks), TRUST_LOW);
}

TEST(a_step_must_stand_out)
{
    struct sb_breaks breaks = at(64);

    breaks.jump_cycles = 1.55;
    assert_int_equal(trust_of(breaks), TRUST_HIGH);
    breaks.jump_cycles = 1.45;
    assert_int_equal(trust_of(breaks), TRUST_LOW);
    breaks.noise_cycles = 1;
    breaks.jump_cycles = 5.1;
    assert_int_equal(trust_of(breaks), TRUST_HIGH);
    breaks.jump_cycles = 4.9;
    assert_int_equal(trust_of(breaks), TRUST_LOW);
}

/* Samples of the other state are few, and as fast as the whole buffer is. */
TEST(misfiled_samples_do_not_make_the_curve)
{
    static struct row row;
    double low, mean;

    row_of(&row, "aaaaaaaaaaa");
    row.value[3] = row.value[7] = 1;
    assert_true(sb_nops_curve(&row.data, 0, 1, STATE_ACTIVE, &low, &mean));
    assert_true(low == 10);
    for (size_t i = 0; i < 5; i++)
        row.value[i] = 100; /* disturbed */
    assert_true(sb_nops_curve(&row.data, 0, 1, STATE_ACTIVE, &low, &mean));
    assert_true(low == 10 && mean > 10);
    assert_false(sb_nops_curve(&row.data, 0, 1, STATE_IDLE, &low, &mean));
}
