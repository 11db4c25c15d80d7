/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "moments.h"

static struct estimate estimate(const struct row *row, enum state state)
{
    struct estimate e;
    assert_true(engine_estimate(&row->data, 0, state, 0.5, &e));
    return e;
}

TEST(values_of_different_states_are_never_mixed)
{
    struct row row;
    row_of(&row, "iiiiiaaaaa");
    for (int i = 5; i < 9; i++)
        row.value[i] = 20;
    const struct estimate idle = estimate(&row, STATE_IDLE), active = estimate(&row, STATE_ACTIVE);
    assert_true(idle.summary.count == 4 && idle.summary.max == 10);
    assert_true(active.summary.count == 4 && active.summary.min == 20);
    assert_true(estimate(&row, STATE_MIXED).summary.count == 9);
}

TEST(cycles_are_of_the_clock_found_around_a_sample)
{
    struct row row;
    row_of(&row, "iiii");
    row.data.cycles = true;
    assert_true(estimate(&row, STATE_IDLE).value == 20);
    row.moment[1].ghz = 4; /* moved in between */
    row.moment[2].ghz = row.moment[3].ghz = 4;
    const struct estimate e = estimate(&row, STATE_IDLE);
    assert_true(e.summary.count == 2 && e.value == 40 && e.disturbed == 1);
    assert_true(isnan(engine_value(&row.data, 0, 0)) && engine_value(&row.data, 1, 0) == 40);
    row.before[1] = 3;
    assert_true(isnan(engine_value(&row.data, 1, 0))); /* no probe after it */
    row.before[1] = 1;
    row.data.cycles = false;
    assert_true(engine_value(&row.data, 0, 0) == 10);
    row.data.cycles = true;
    row.moment[2].ghz = NAN;
    struct estimate none;
    assert_false(engine_estimate(&row.data, 0, STATE_IDLE, 0.5, &none));
}

TEST(preempted_samples_count_only_where_hardly_any_other_is_there)
{
    struct row row;
    row_of(&row, "iiiiii");
    row.value[2] = 99;
    for (int i = 3; i < 6; i++)
        row.moment[i].switches = 1;
    assert_true(estimate(&row, STATE_IDLE).summary.max == 10);
    for (int i = 0; i < 6; i++)
        row.moment[i].switches = (uint64_t)i;
    const struct estimate all = estimate(&row, STATE_IDLE);
    assert_true(all.summary.count == 5 && all.disturbed == 5);
}

TEST(a_visit_ends_where_two_probes_say_so)
{
    struct row row;
    row_of(&row, "aaaiaaaiiaaa");
    assert_int_equal(estimate(&row, STATE_ACTIVE).visits, 2);
}

TEST(what_is_the_same_in_both_states_is_indifferent)
{
    struct row row;
    row_of(&row, "iiiiiiiiiiaaaaaaaaaa");
    assert_true(estimate(&row, STATE_ACTIVE).indifferent);
    for (int i = 10; i < 20; i++)
        row.value[i] = 10.09F;
    assert_true(estimate(&row, STATE_ACTIVE).indifferent);
    for (int i = 10; i < 20; i++)
        row.value[i] = 10.11F;
    assert_false(estimate(&row, STATE_ACTIVE).indifferent);
}

TEST(the_interval_of_few_samples_is_all_of_them)
{
    const double value[] = {3, 1, 2, 5};
    struct estimate e;
    assert_true(estimate_of(value, 4, 0.5, &e));
    assert_true(e.value == 2.5 && e.low == 1 && e.high == 5);
    assert_true(e.first == 2 && e.second == 3.5);
    assert_false(estimate_of(value, 0, 0.5, &e));
}

TEST(a_drift_widens_the_interval_beyond_its_order_statistics)
{
    double steady[256], drifting[256];
    struct estimate a, b;
    for (int i = 0; i < 256; i++) {
        steady[i] = 100 + i * 89 % 256 / 256.0;
        drifting[i] = 100 + i / 256.0;
    }
    estimate_of(steady, 256, 0.5, &a);
    estimate_of(drifting, 256, 0.5, &b);
    assert_true(b.high - b.low > 3 * (a.high - a.low));
}

TEST(placements_count_each_once)
{
    struct row row;
    row_of(&row, "iiiiiiiiiiiii");
    for (int i = 0; i < 13; i++) {
        row.moment[i].placement = (unsigned)(i / 4);
        row.value[i] = i / 4 == 2 ? 12 : 10;
    }
    const struct estimate e = estimate(&row, STATE_IDLE);
    assert_int_equal(e.placements, 3);
    assert_true(e.value == 10 && e.placement_high == 12 && e.placement_low == 10);
}

/* Ten samples each, at most 1 % off the value of their placement. */
static struct estimate estimate_of_places(const double *of, size_t places)
{
    double value[400];
    unsigned placement[400];
    struct estimate e;
    for (size_t i = 0; i < 10 * places; i++) {
        placement[i] = (unsigned)(i % places * 7);
        value[i] = of[i % places] * (0.99 + 0.002 * (double)(i / places * 7 % 10));
    }
    assert_true(estimate_of(value, 10 * places, 0.5, &e));
    estimate_placements(value, placement, 10 * places, 0.5, &e);
    assert_int_equal(e.placements, places);
    return e;
}

/* A run that saw three pairs of CPUs, however long, knows less than one that saw four. */
TEST(trust_counts_placements_and_not_samples)
{
    static const double alike[40] = {[0 ... 39] = 1.06}, apart[] = {1.06, 1.08, 0.9, 1.09};
    const struct promise promise = {.relative = 0.05, .placements = 4, .at_least = NAN, .at_most = NAN};
    struct estimate e = estimate_of_places(alike, 3);
    assert_int_equal(trust_judge(&e, &promise).trust, TRUST_LOW);
    assert_int_equal(trust_judge(&e, &promise).leg, LEG_REPETITION);
    e = estimate_of_places(alike, 4);
    assert_int_equal(trust_judge(&e, &promise).trust, TRUST_HIGH);
    e = estimate_of_places(alike, 40);
    assert_int_equal(trust_judge(&e, &promise).trust, TRUST_HIGH);
    e = estimate_of_places(apart, 4);
    assert_int_equal(trust_judge(&e, &promise).trust, TRUST_LOW);
    assert_true(e.value > 1.04 && e.value < 1.08 && e.placement_low < 0.95 && e.placement_high > 1.04);
}

static struct estimate of(const double *value, size_t count, double quantile)
{
    struct estimate e;
    assert_true(estimate_of(value, count, quantile, &e));
    return e;
}

/* The quantile of 100 in disorder, by ranks that 2.576 deviations of a binomial are apart. */
TEST(order_statistics_are_of_99_percent)
{
    double value[100];
    for (int i = 0; i < 100; i++)
        value[i] = i * 37 % 100;
    const struct estimate e = of(value, 100, 0.5);
    assert_true(fabs(e.low - 36.6) < 0.5 && fabs(e.high - 62.4) < 0.5);
}

TEST(eight_samples_have_an_inner_interval)
{
    const double value[] = {5, 1, 7, 3, 8, 2, 6, 4};
    assert_true(of(value, 8, 0.1).high < 5);
    assert_true(of(value, 7, 0.1).high == 8);
}

/* Blocks of four samples at least, and four blocks. */
TEST(sixteen_samples_are_four_blocks)
{
    double value[16];
    for (int i = 0; i < 16; i++)
        value[i] = i < 8 ? 10 : 11;
    assert_true(of(value, 15, 0.5).high == 11);
    assert_true(of(value, 16, 0.5).high > 11.5);
}

TEST(sixty_four_samples_are_sixteen_blocks)
{
    double value[64];
    for (int i = 0; i < 64; i++) {
        const int block = i / 4;
        value[i] = block % 8 == 1 ? 10 : block % 8 == 5 ? 11 : 10.5;
    }
    assert_true(of(value, 63, 0.5).high == 10.5);
    assert_true(of(value, 64, 0.5).high > 10.6);
}

/* Noise that lasts longer than a block: Bartlett's factor, for an autocorrelation of at most 0.9. */
TEST(blocks_that_resemble_their_neighbours_are_widened)
{
    double value[64], sum = 0, squares = 0;
    for (int i = 0; i < 64; i++) {
        value[i] = 100 + sin(2.4 * 3.14159265 * (i / 4 + 0.5) / 16);
        sum += (value[i] - 100) / 4;
        squares += (value[i] - 100) * (value[i] - 100) / 4;
    }
    const double half = 2.947 * sqrt((squares - sum * sum / 16) / 15 / 16) * sqrt(1.9 / 0.1);
    const struct estimate e = of(value, 64, 0.5);
    assert_true(fabs((e.high - e.value) / half - 1) < 0.01);
}

/* Visits of one sample each, of 10 and 12 in turn. */
static struct estimate of_visits(int visits)
{
    static struct row row;
    char states[64] = "";
    for (int i = 0; i < visits; i++)
        strcat(states, "aaii");
    row_of(&row, states);
    for (int i = 0; i < visits; i++)
        row.value[4 * i] = i % 2 ? 12 : 10;
    const struct estimate e = estimate(&row, STATE_ACTIVE);
    assert_int_equal(e.visits, visits);
    return e;
}

TEST(eight_visits_have_an_interval)
{
    assert_true(of_visits(7).high == 12);
    assert_true(of_visits(8).high > 12);
}

static size_t counted_at(double ghz)
{
    struct row row;
    row_of(&row, "iii");
    row.data.cycles = true;
    row.moment[2].ghz = ghz;
    return estimate(&row, STATE_IDLE).summary.count;
}

TEST(probes_that_agree_on_the_clock_lie_within_two_percent)
{
    assert_int_equal(counted_at(2.036), 2);
    assert_int_equal(counted_at(2.044), 1);
}

/* Of so many samples, all but the first few preempted. */
static size_t counted_of(int samples, int quiet)
{
    static struct row row;
    char states[64] = "";
    for (int i = 0; i <= samples; i++)
        strcat(states, "i");
    row_of(&row, states);
    for (int i = quiet; i <= samples; i++)
        row.moment[i].switches = (uint64_t)(i - quiet);
    return estimate(&row, STATE_IDLE).summary.count;
}

TEST(a_fifth_is_hardly_any)
{
    assert_int_equal(counted_of(20, 4), 4);
    assert_int_equal(counted_of(16, 3), 16);
}

static struct estimate narrow(void)
{
    return (struct estimate){.state = STATE_IDLE,
                             .summary = {.count = 100},
                             .value = 100,
                             .low = 99.9,
                             .high = 100.1,
                             .first = 100,
                             .second = 100,
                             .placement_low = 100,
                             .placement_high = 100};
}

static struct verdict judge(const struct estimate *e)
{
    return trust_judge(e, &promise_core);
}

TEST(a_narrow_steady_value_is_high)
{
    const struct estimate e = narrow();
    assert_int_equal(judge(&e).trust, TRUST_HIGH);
    assert_int_equal(judge(&e).leg, LEG_NONE);
}

TEST(a_wide_interval_fails_in_precision)
{
    struct estimate e = narrow();
    e.high = 105;
    assert_int_equal(judge(&e).trust, TRUST_MEDIUM);
    assert_int_equal(judge(&e).leg, LEG_PRECISION);
    assert_int_equal(
        trust_judge(&e, &(struct promise){.relative = 0.1, .at_least = NAN, .at_most = NAN}).trust,
        TRUST_HIGH);
    e.low = 80;
    assert_int_equal(judge(&e).trust, TRUST_LOW);
    e = narrow();
    e.summary.count = 7;
    assert_int_equal(judge(&e).trust, TRUST_LOW);
}

/* Of a value of so much, whose interval is so wide on either side. */
static enum trust of_width(const struct promise *promise, double value, double half)
{
    struct estimate e = narrow();
    e.value = e.first = e.second = e.placement_low = e.placement_high = value;
    e.low = value - half;
    e.high = value + half;
    return trust_judge(&e, promise).trust;
}

/* Two runs lie 1.41 times as far apart as one from the truth: 1.84 and 2.12, 9.9 and 10.2 of 100. */
TEST(each_promise_is_kept_on_either_side)
{
    assert_int_equal(of_width(&promise_core, 100, 1.3), TRUST_HIGH);
    assert_int_equal(of_width(&promise_core, 100, 1.5), TRUST_MEDIUM);
    assert_int_equal(of_width(&promise_core, 100, 7.0), TRUST_MEDIUM);
    assert_int_equal(of_width(&promise_core, 100, 7.2), TRUST_LOW);
    assert_int_equal(of_width(&promise_core, 2, 0.065), TRUST_HIGH);
    assert_int_equal(of_width(&promise_core, 2, 0.075), TRUST_MEDIUM);
    assert_int_equal(of_width(&promise_beyond, 100, 3.4), TRUST_HIGH);
    assert_int_equal(of_width(&promise_beyond, 100, 3.6), TRUST_MEDIUM);
    assert_int_equal(of_width(&promise_beyond, 1.5, 0.065), TRUST_HIGH);
    assert_int_equal(of_width(&promise_beyond, 1.5, 0.075), TRUST_MEDIUM);
}

TEST(eight_samples_are_an_interval)
{
    struct estimate e = narrow();
    e.summary.count = 8;
    assert_int_equal(judge(&e).trust, TRUST_HIGH);
    e.summary.count = 7;
    assert_int_equal(judge(&e).trust, TRUST_LOW);
}

TEST(a_small_value_may_move_by_the_absolute_tolerance)
{
    struct estimate e = narrow();
    e.value = e.first = 0.5;
    e.second = 0.55;
    e.low = 0.45;
    e.high = 0.55;
    assert_int_equal(judge(&e).trust, TRUST_HIGH);
}

TEST(halves_and_placements_must_agree)
{
    struct estimate e = narrow();
    e.second = 101.9;
    assert_int_equal(judge(&e).trust, TRUST_HIGH);
    e.second = 102.1;
    assert_int_equal(judge(&e).trust, TRUST_MEDIUM);
    assert_int_equal(judge(&e).leg, LEG_REPETITION);
    e.second = 110.1;
    assert_int_equal(judge(&e).trust, TRUST_LOW);
    e = narrow();
    struct promise placed = promise_core;
    placed.placements = 3;
    assert_int_equal(trust_judge(&e, &placed).trust, TRUST_LOW);
    e.placements = 3;
    assert_int_equal(trust_judge(&e, &placed).trust, TRUST_HIGH);
    e.placement_high = 104;
    assert_int_equal(trust_judge(&e, &placed).trust, TRUST_MEDIUM);
}

TEST(what_cannot_be_is_low)
{
    const struct estimate e = narrow();
    struct promise promise = promise_core;
    promise.at_most = 99;
    assert_int_equal(trust_judge(&e, &promise).leg, LEG_PLAUSIBILITY);
    promise = promise_core;
    promise.contradicted = true;
    assert_int_equal(trust_judge(&e, &promise).trust, TRUST_LOW);
}

TEST(one_spell_of_a_sibling_is_no_state)
{
    struct estimate e = narrow();
    e.state = STATE_ACTIVE;
    e.visits = 1;
    assert_int_equal(judge(&e).trust, TRUST_LOW);
    e.indifferent = true;
    assert_int_equal(judge(&e).trust, TRUST_HIGH);
    e.indifferent = false;
    e.visits = 7;
    assert_int_equal(judge(&e).trust, TRUST_LOW);
    e.visits = 8;
    assert_int_equal(judge(&e).trust, TRUST_HIGH);
}

TEST(a_answer_is_as_good_as_its_worse_part)
{
    const struct verdict high = {TRUST_HIGH, LEG_NONE}, low = {TRUST_LOW, LEG_PRECISION};
    assert_int_equal(verdict_lesser(high, low).trust, TRUST_LOW);
    assert_int_equal(verdict_lesser(low, high).leg, LEG_PRECISION);
}

TEST(a_answer_says_what_its_estimate_knows)
{
    struct estimate e;
    double value[100];
    for (int i = 0; i < 100; i++)
        value[i] = i < 50 ? 10 : 20;
    assert_true(estimate_of(value, 100, 0.5, &e));
    e.state = STATE_IDLE;
    const struct answer answer = answer_of(&e, (struct verdict){TRUST_LOW, LEG_REPETITION});
    assert_int_equal(answer.samples, 100);
    assert_int_equal(answer.leg, LEG_REPETITION);
    assert_string_equal(answer.state, state_names[STATE_IDLE]);
    assert_int_equal(answer.parts.count, PARTS_MOST);
    for (int i = 0; i < PARTS_MOST; i++)
        assert_true(answer.parts.value[i] == (i < PARTS_MOST / 2 ? 10 : 20));
    e.state = STATE_MIXED;
    assert_null(answer_of(&e, (struct verdict){TRUST_LOW, LEG_NONE}).state);
}
