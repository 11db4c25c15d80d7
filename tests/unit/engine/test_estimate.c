/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "engine/select.h"
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
    row.moment[1].ghz = 4; /* moved between the probes */
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

/* Preempted samples count only where there is no other, and then not for an answer; the first `quiet` were not preempted. */
TEST(preempted_samples_are_no_answer)
{
    static const struct {
        int samples, quiet;
        size_t counted;
    } rows[] = {{20, 4, 4}, {16, 3, 3}, {50, 1, 1}, {5, 0, 5}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        static struct row row;
        char states[64] = "";
        for (int k = 0; k <= rows[i].samples; k++)
            strcat(states, "i");
        row_of(&row, states);
        for (int k = rows[i].quiet; k <= rows[i].samples; k++)
            row.moment[k].switches = (uint64_t)(k - rows[i].quiet);
        const struct estimate e = estimate(&row, STATE_IDLE);
        assert_int_equal(e.summary.count, rows[i].counted);
        assert_int_equal(e.disturbed, rows[i].samples - rows[i].quiet);
        const struct answer answer = answer_of(&e, (struct verdict){TRUST_HIGH, LIMITED_BY_NONE});
        assert_int_equal(cell_has_value(&answer.value), rows[i].quiet > 0);
        assert_int_equal(cell_has_value(&answer.low), rows[i].quiet > 3);
        assert_int_equal(cell_has_value(&answer.high), rows[i].quiet > 3);
        assert_int_equal(answer.trust, rows[i].quiet > 3 ? TRUST_HIGH : TRUST_LOW);
        assert_int_equal(answer.remark != NULL, rows[i].quiet <= 3);
    }
}

/* Two placements have an interval of 64 times their distance. */
TEST(no_range_passes_zero)
{
    double value[8];
    const unsigned placement[8] = {0, 0, 0, 0, 1, 1, 1, 1};
    for (int i = 0; i < 8; i++)
        value[i] = i < 4 ? 30 : 36;
    struct estimate e;
    assert_true(estimate_of(value, 8, 0.5, &e));
    estimate_placements(value, placement, 8, 0.5, &e);
    assert_true(e.low < 0);
    struct answer answer = answer_of(&e, (struct verdict){TRUST_LOW, LIMITED_BY_PRECISION});
    assert_true(cell_number(&answer.low) == 30 && cell_number(&answer.high) == 36);
    e.value = 3; /* a difference of two such values */
    answer = answer_of(&e, (struct verdict){TRUST_LOW, LIMITED_BY_PRECISION});
    assert_true(cell_number(&answer.low) == 0 && cell_number(&answer.high) > 36);
    e.value = -3; /* noise around none */
    answer = answer_of(&e, (struct verdict){TRUST_LOW, LIMITED_BY_PRECISION});
    assert_true(cell_number(&answer.low) < 0);
}

TEST(a_visit_ends_where_two_probes_say_so)
{
    struct row row;
    row_of(&row, "aaaiaaaiiaaa");
    assert_int_equal(estimate(&row, STATE_ACTIVE).visits, 2);
}

/* States are indifferent if they differ by at most 1 %. */
TEST(what_is_the_same_in_both_states_is_indifferent)
{
    struct row row;
    row_of(&row, "iiiiiiiiiiaaaaaaaaaa");
    for (int above = 0; above < 2; above++) {
        for (int i = 10; i < 20; i++)
            row.value[i] = above ? 10.11F : 10.09F;
        assert_int_equal(estimate(&row, STATE_ACTIVE).indifferent, !above);
    }
}

static struct estimate of(const double *value, size_t count, double quantile)
{
    struct estimate e;
    assert_true(estimate_of(value, count, quantile, &e));
    return e;
}

/* The interval spans all of few samples, else the ranks 2.576 binomial deviations from the quantile. */
TEST(an_interval_is_of_order_statistics)
{
    const double few[] = {3, 1, 2, 5}, eight[] = {5, 1, 7, 3, 8, 2, 6, 4};
    double hundred[100];
    struct estimate e = of(few, 4, 0.5);
    assert_true(e.value == 2.5 && e.low == 1 && e.high == 5);
    assert_true(e.first == 2 && e.second == 3.5);
    assert_false(estimate_of(few, 0, 0.5, &e));
    assert_true(of(eight, 8, 0.1).high < 5);
    assert_true(of(eight, 7, 0.1).high == 8);
    for (int i = 0; i < 100; i++)
        hundred[i] = i * 37 % 100;
    e = of(hundred, 100, 0.5);
    assert_true(fabs(e.low - 36.62) < 0.05 && fabs(e.high - 62.38) < 0.05);
}

/* It also covers blocks in time: four from 16 samples on, sixteen from 64. */
TEST(an_interval_is_of_blocks)
{
    double four[16], sixteen[64], steady[256], drifting[256];
    for (int i = 0; i < 16; i++)
        four[i] = i < 8 ? 10 : 11;
    assert_true(of(four, 15, 0.5).high == 11);
    assert_true(of(four, 16, 0.5).high > 11.5);
    for (int i = 0; i < 64; i++) {
        const int block = i / 4;
        sixteen[i] = block % 8 == 1 ? 10 : block % 8 == 5 ? 11 : 10.5;
    }
    assert_true(of(sixteen, 63, 0.5).high == 10.5);
    assert_true(of(sixteen, 64, 0.5).high > 10.6);
    for (int i = 0; i < 256; i++) {
        steady[i] = 100 + i * 89 % 256 / 256.0;
        drifting[i] = 100 + i / 256.0;
    }
    const struct estimate a = of(steady, 256, 0.5), b = of(drifting, 256, 0.5);
    assert_true(b.high - b.low > 3 * (a.high - a.low));
}

/* Bartlett's factor widens for noise that outlasts a block, up to an autocorrelation of 0.9. */
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

/* Visits of one sample each, alternately 10 and 12. */
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

/* Probes may differ by two percent. */
TEST(probes_agree_on_the_clock)
{
    for (int apart = 0; apart < 2; apart++) {
        struct row row;
        row_of(&row, "iii");
        row.data.cycles = true;
        row.moment[2].ghz = apart ? 2.044 : 2.036;
        assert_int_equal(estimate(&row, STATE_IDLE).summary.count, apart ? 1 : 2);
    }
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

/* Ten samples of each place, at most 1 % off its value. */
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

/* However long a run is, three pairs of CPUs show less than four. */
TEST(trust_counts_placements_and_not_samples)
{
    static const double alike[40] = {[0 ... 39] = 1.06}, apart[] = {1.06, 1.08, 0.9, 1.09};
    const struct promise promise = {.relative = 0.05, .placements = 4, .at_least = NAN, .at_most = NAN};
    struct estimate e = estimate_of_places(alike, 3);
    assert_int_equal(trust_judge(&e, &promise).trust, TRUST_LOW);
    assert_int_equal(trust_judge(&e, &promise).limited_by, LIMITED_BY_REPETITION);
    e = estimate_of_places(alike, 4);
    assert_int_equal(trust_judge(&e, &promise).trust, TRUST_HIGH);
    e = estimate_of_places(alike, 40);
    assert_int_equal(trust_judge(&e, &promise).trust, TRUST_HIGH);
    e = estimate_of_places(apart, 4);
    assert_int_equal(trust_judge(&e, &promise).trust, TRUST_LOW);
    assert_true(e.value > 1.04 && e.value < 1.08 && e.placement_low < 0.95 && e.placement_high > 1.04);
}

enum { CORE, BEYOND, TENTH };
static const struct promise tenth = {.relative = 0.1};
static const struct promise *const promises[] = {&promise_core, &promise_beyond, &tenth};

/* A narrow, steady value of 100, unless a row changes it. A later run has an interval of the same width, so
 * two runs differ 1.41 times as much as one from the truth: 1.84 and 2.12, 9.9 and 10.2 of 100. */
static const struct {
    double value, half, second; /* 0 stands for 100, 0.1, and the value */
    size_t count;               /* 0: 100 */
    int promise;
    unsigned asked, placements;
    double apart; /* spread of the placements */
    enum state state;
    size_t visits;
    bool indifferent, unproved;
    enum limited_by doubt, refusal;
    double at_most;
    enum trust trust;
    enum limited_by limited_by;
    bool floor;
    double plateau, tilt, slow; /* 0: the value; flat; one mode */
} legs[] = {
    {.trust = TRUST_HIGH, LIMITED_BY_NONE},
    {.half = 1.3, .trust = TRUST_HIGH, LIMITED_BY_NONE},
    {.half = 1.5, .trust = TRUST_MEDIUM, LIMITED_BY_PRECISION},
    {.half = 7.0, .trust = TRUST_MEDIUM, LIMITED_BY_PRECISION},
    {.half = 7.2, .trust = TRUST_LOW, LIMITED_BY_PRECISION},
    {.half = 5, .promise = TENTH, .trust = TRUST_HIGH, LIMITED_BY_NONE},
    {.value = 2, .half = 0.065, .trust = TRUST_HIGH, LIMITED_BY_NONE},
    {.value = 2, .half = 0.075, .trust = TRUST_MEDIUM, LIMITED_BY_PRECISION},
    {.value = 0.5, .half = 0.05, .second = 0.55, .trust = TRUST_HIGH, LIMITED_BY_NONE},
    {.half = 3.4, .promise = BEYOND, .trust = TRUST_HIGH, LIMITED_BY_NONE},
    {.half = 3.6, .promise = BEYOND, .trust = TRUST_MEDIUM, LIMITED_BY_PRECISION},
    {.value = 1.5, .half = 0.065, .promise = BEYOND, .trust = TRUST_HIGH, LIMITED_BY_NONE},
    {.value = 1.5, .half = 0.075, .promise = BEYOND, .trust = TRUST_MEDIUM, LIMITED_BY_PRECISION},
    {.count = 8, .trust = TRUST_HIGH, LIMITED_BY_NONE},
    {.count = 7, .trust = TRUST_LOW, LIMITED_BY_PRECISION},
    {.second = 101.9, .trust = TRUST_HIGH, LIMITED_BY_NONE},
    {.second = 102.1, .trust = TRUST_MEDIUM, LIMITED_BY_REPETITION},
    {.second = 110.1, .trust = TRUST_LOW, LIMITED_BY_REPETITION},
    {.asked = 3, .placements = 2, .trust = TRUST_LOW, LIMITED_BY_REPETITION},
    {.asked = 3, .placements = 3, .trust = TRUST_HIGH, LIMITED_BY_NONE},
    {.asked = 3, .placements = 3, .apart = 4, .trust = TRUST_MEDIUM, LIMITED_BY_REPETITION},
    {.at_most = 99, .trust = TRUST_LOW, LIMITED_BY_PLAUSIBILITY},
    {.refusal = LIMITED_BY_PLAUSIBILITY, .trust = TRUST_LOW, LIMITED_BY_PLAUSIBILITY},
    {.refusal = LIMITED_BY_PRECISION,
     .doubt = LIMITED_BY_REPETITION,
     .trust = TRUST_LOW,
     LIMITED_BY_PRECISION},
    {.doubt = LIMITED_BY_REPETITION, .trust = TRUST_MEDIUM, LIMITED_BY_REPETITION},
    {.doubt = LIMITED_BY_REPETITION, .half = 30, .trust = TRUST_LOW, LIMITED_BY_PRECISION},
    {.unproved = true, .trust = TRUST_MEDIUM, LIMITED_BY_PLAUSIBILITY},
    {.state = STATE_ACTIVE, .visits = 1, .trust = TRUST_LOW, LIMITED_BY_PRECISION},
    {.state = STATE_ACTIVE, .visits = 1, .indifferent = true, .trust = TRUST_HIGH, LIMITED_BY_NONE},
    {.state = STATE_ACTIVE, .visits = 7, .trust = TRUST_LOW, LIMITED_BY_PRECISION},
    {.state = STATE_ACTIVE, .visits = 8, .trust = TRUST_HIGH, LIMITED_BY_NONE},
    /* A plateau within 1 % is a second estimate of an idle sibling's value, from four samples on, but no proof of it, and none of
     * a busy one's. */
    {.floor = true, .half = 30, .trust = TRUST_HIGH, LIMITED_BY_NONE},
    {.floor = true, .half = 30, .plateau = 99.1, .trust = TRUST_HIGH, LIMITED_BY_NONE},
    {.floor = true, .half = 30, .plateau = 98.9, .trust = TRUST_LOW, LIMITED_BY_PRECISION},
    {.floor = true, .half = 30, .plateau = 100.9, .trust = TRUST_HIGH, LIMITED_BY_NONE},
    {.floor = true, .half = 30, .plateau = 101.1, .trust = TRUST_LOW, LIMITED_BY_PRECISION},
    {.floor = true, .half = 1.3, .plateau = 98.9, .trust = TRUST_HIGH, LIMITED_BY_NONE},
    {.floor = true, .count = 4, .trust = TRUST_HIGH, LIMITED_BY_NONE},
    {.floor = true, .count = 3, .trust = TRUST_LOW, LIMITED_BY_PRECISION},
    {.floor = true, .half = 30, .unproved = true, .trust = TRUST_LOW, LIMITED_BY_PRECISION},
    {.floor = true, .half = 30, .state = STATE_ACTIVE, .visits = 8, .trust = TRUST_LOW, LIMITED_BY_PRECISION},
    {.floor = true, .half = 30, .second = 110.1, .trust = TRUST_LOW, LIMITED_BY_REPETITION},
    /* A value that is its plateau needs sixteen samples that lie flat, and agrees in all windows but for those of a later run. */
    {.floor = true, .half = 30, .state = STATE_MIXED, .tilt = 0.019, .trust = TRUST_HIGH, LIMITED_BY_NONE},
    {.floor = true,
     .half = 0.1,
     .state = STATE_MIXED,
     .tilt = 0.021,
     .trust = TRUST_LOW,
     LIMITED_BY_PRECISION},
    {.floor = true, .state = STATE_MIXED, .count = 16, .trust = TRUST_HIGH, LIMITED_BY_NONE},
    {.floor = true, .state = STATE_MIXED, .count = 15, .trust = TRUST_LOW, LIMITED_BY_PRECISION},
    {.floor = true,
     .state = STATE_MIXED,
     .promise = BEYOND,
     .asked = 4,
     .placements = 4,
     .apart = 3.4,
     .trust = TRUST_HIGH,
     LIMITED_BY_NONE},
    {.floor = true,
     .state = STATE_MIXED,
     .promise = BEYOND,
     .asked = 4,
     .placements = 4,
     .apart = 3.6,
     .trust = TRUST_MEDIUM,
     LIMITED_BY_REPETITION},
    {.floor = true,
     .state = STATE_MIXED,
     .promise = BEYOND,
     .asked = 4,
     .placements = 4,
     .apart = 7.2,
     .trust = TRUST_LOW,
     LIMITED_BY_REPETITION},
    /* Another run may have one of two modes alone. */
    {.floor = true, .slow = 109.9, .trust = TRUST_MEDIUM, LIMITED_BY_REPETITION},
    {.floor = true, .slow = 110.1, .trust = TRUST_LOW, LIMITED_BY_REPETITION},
    {.slow = 104, .trust = TRUST_HIGH, LIMITED_BY_NONE},
};

TEST(each_leg_keeps_trust_on_either_side)
{
    for (size_t i = 0; i < COUNT_OF(legs); i++) {
        const double value = legs[i].value > 0 ? legs[i].value : 100,
                     half = legs[i].half > 0 ? legs[i].half : 0.1;
        struct promise promise = *promises[legs[i].promise];
        promise.placements = legs[i].asked;
        promise.doubt = legs[i].doubt;
        promise.refusal = legs[i].refusal;
        promise.floor = legs[i].floor;
        promise.at_least = NAN;
        promise.at_most = legs[i].at_most > 0 ? legs[i].at_most : NAN;
        const struct estimate e = {
            .state = legs[i].state ? legs[i].state : STATE_IDLE,
            .summary = {.count = legs[i].count ? legs[i].count : 100},
            .value = value,
            .low = value - half,
            .high = value + half,
            .first = value,
            .second = legs[i].second > 0 ? legs[i].second : value,
            .placements = legs[i].placements,
            .placement_low = value,
            .placement_high = value + legs[i].apart,
            .visits = legs[i].visits,
            .indifferent = legs[i].indifferent,
            .unproved = legs[i].unproved,
            .plateau = legs[i].plateau > 0 ? legs[i].plateau : value,
            .tilt = legs[i].tilt,
            .mode = {legs[i].slow > 0 ? value : NAN, legs[i].slow > 0 ? legs[i].slow : NAN}};
        const struct verdict verdict = trust_judge(&e, &promise);
        print_message("row %zu\n", i);
        assert_int_equal(verdict.trust, legs[i].trust);
        assert_int_equal(verdict.limited_by, legs[i].limited_by);
        struct estimate proved = e;
        proved.unproved = false;
        const struct verdict later = trust_judge(&proved, &promise);
        assert_int_equal(verdict.proved_trust, later.trust);
        assert_int_equal(verdict.proved_limited_by, later.limited_by);
    }
}

/* What only the proof of an idle sibling is missing for is high with it, what something else limits is
 * not. */
TEST(a_verdict_knows_what_a_proof_would_change)
{
    const struct verdict unproved = verdict_unproved(true, LIMITED_BY_PLAUSIBILITY),
                         doubted = verdict_capped(LIMITED_BY_REPETITION, LIMITED_BY_NONE),
                         both = verdict_lesser(unproved, doubted), same = verdict_lesser(doubted, unproved);
    assert_true(unproved.trust == TRUST_MEDIUM && unproved.limited_by == LIMITED_BY_PLAUSIBILITY);
    assert_true(unproved.proved_trust == TRUST_HIGH && unproved.proved_limited_by == LIMITED_BY_NONE);
    assert_true(verdict_unproved(false, LIMITED_BY_PLAUSIBILITY).trust == TRUST_HIGH);
    assert_true(both.trust == TRUST_MEDIUM && both.proved_trust == TRUST_MEDIUM);
    assert_true(both.proved_limited_by == LIMITED_BY_REPETITION &&
                same.proved_limited_by == LIMITED_BY_REPETITION);
    const struct answer answer = answer_of(&(struct estimate){.summary = {.count = 3}}, unproved);
    assert_true(answer.trust == TRUST_LOW && answer.proved_trust == TRUST_LOW);
}

/* The best twentieth of 41 samples ends with the third, in whatever state they are. */
TEST(a_plateau_is_of_all_states)
{
    struct row row;
    row_of(&row, "iiiaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    for (int i = 0; i < 41; i++)
        row.value[i] = i < 3 ? 20 : 30;
    assert_true(estimate(&row, STATE_IDLE).plateau == 20 && estimate(&row, STATE_ACTIVE).plateau == 20);
    row.value[2] = 30;
    assert_true(estimate(&row, STATE_IDLE).plateau == 30);
}

/* Two crowds of samples, 1 % wide each, in any order: a fifth of them, four and 2 % make a mode, a span that is mostly empty keeps
 * it from the other. */
TEST(two_modes_are_not_one_value)
{
    static const struct {
        size_t fast, slow;
        double apart, width;
        bool two;
    } cases[] = {
        {10, 10, 0.04, 0.01, true},  {10, 10, 0.019, 0.001, false}, {10, 10, 0.021, 0.001, true},
        {4, 10, 0.04, 0.01, true},   {3, 10, 0.04, 0.01, false},    {10, 4, 0.04, 0.01, true},
        {10, 3, 0.04, 0.01, false},  {24, 6, 0.04, 0.01, true},     {25, 5, 0.04, 0.01, false},
        {20, 20, 0.04, 0.023, true}, {20, 20, 0.04, 0.026, false},
    };
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        const size_t fast = cases[c].fast, all = fast + cases[c].slow;
        struct row row;
        char states[64] = "i";
        for (size_t i = 0; i < all; i++)
            strcat(states, "i");
        row_of(&row, states);
        for (size_t i = 0; i < all; i++) {
            const size_t k = i * 11 % all, of = k < fast ? fast : all - fast, at = k < fast ? k : k - fast;
            row.value[i] = (float)(100 * (1 + (k < fast ? 0 : cases[c].apart) +
                                          cases[c].width * ((double)at / (double)(of - 1) - 0.5)));
        }
        const struct estimate e = estimate(&row, STATE_IDLE);
        print_message("case %zu\n", c);
        assert_int_equal(e.mode[1] > 0, cases[c].two);
        if (e.mode[1] > 0)
            assert_float_equal(e.mode[1] / e.mode[0], 1 + cases[c].apart, 0.002);
    }
}

TEST(an_answer_says_what_its_estimate_knows)
{
    struct estimate e;
    double value[100];
    for (int i = 0; i < 100; i++)
        value[i] = i < 50 ? 10 : 20;
    assert_true(estimate_of(value, 100, 0.5, &e));
    e.state = STATE_IDLE;
    const struct answer answer = answer_of(&e, (struct verdict){TRUST_LOW, LIMITED_BY_REPETITION});
    assert_int_equal(answer.samples, 100);
    assert_int_equal(answer.limited_by, LIMITED_BY_REPETITION);
    assert_string_equal(answer.state, state_names[STATE_IDLE]);
    assert_int_equal(answer.parts.count, PARTS_MOST);
    for (int i = 0; i < PARTS_MOST; i++)
        assert_true(answer.parts.value[i] == (i < PARTS_MOST / 2 ? 10 : 20));
    e.state = STATE_MIXED;
    assert_null(answer_of(&e, (struct verdict){TRUST_LOW, LIMITED_BY_NONE}).state);
}

/* Trust falls, and never rises again, by what an answer rests on; a doubt leaves medium, a refusal low. */
TEST(an_answer_is_trusted_no_more_than_its_parts)
{
    struct answer answer = {.key = "mean"}, doubted = answer, refused = answer;
    answer_cap(&answer, LIMITED_BY_NONE, LIMITED_BY_NONE);
    answer_cap(&doubted, LIMITED_BY_REPETITION, LIMITED_BY_NONE);
    answer_cap(&refused, LIMITED_BY_REPETITION, LIMITED_BY_PRECISION);
    doubted.within = 0.05;
    const struct answer sure = answer;
    assert_int_equal(answer.trust, TRUST_HIGH);
    answer_rests_on(&answer, &sure);
    assert_int_equal(answer.trust, TRUST_HIGH);
    answer_rests_on(&answer, &doubted);
    assert_int_equal(answer.trust, TRUST_MEDIUM);
    assert_int_equal(answer.limited_by, LIMITED_BY_REPETITION);
    assert_true(answer.within == 0.05);
    answer_rests_on(&answer, &refused);
    answer_rests_on(&answer, &sure);
    assert_int_equal(answer.trust, TRUST_LOW);
    assert_int_equal(answer.limited_by, LIMITED_BY_PRECISION);
}
