/* SPDX-License-Identifier: MIT */
/* Chains as they were measured on Zen 4 and Zen 3, with the sibling idle and busy, and on cores made up. */
#include "test.h"

#include "sets.h"

enum {
    CHAINS = 6,
    L1 = 0,
    MULTIPLICATION,
    INSIDE,
    FIRST_BYTE,
    FAILED,
    LATE,
    LATE_INSIDE,
    LOOPS,
    FIRST_LOOPS
};

static const struct kernel chains[] = {{.operation = OPERATION_FORWARD_SLACK, .gap = 1},
                                       {.operation = OPERATION_FORWARD_SLACK, .gap = 2},
                                       {.operation = OPERATION_FORWARD_SLACK, .gap = 3}};
static const struct kernel loop = {.operation = OPERATION_FORWARD_FA};

/* A core on which a multiplication takes 3 cycles, a contained load or one at the first byte 6, or 4 where its address is late, a
 * failed one 18; in loops without slack 6.16 to 6.88. Chains of a row: one to three multiplications in loops of two lengths. */
static void begin(void)
{
    static const double level[] = {4, 3, 6, 6, 18, 4, 11};
    static const double loops[CHAINS] = {6.41, 6.47, 6.16, 6.46, 6.88, 6.52};
    sets_begin();
    for (int row = 0; row < stlf_forwards.count; row++)
        for (unsigned i = 0; i < (row < INSIDE ? 1 : CHAINS); i++) {
            const bool slack = row >= INSIDE && row < LOOPS;
            sets_add(&(struct stlf_point){.kernel = slack ? &chains[i % 3] : &loop,
                                          .series = stlf_forwards.series[row].name},
                     row < LOOPS ? level[row] + (slack ? 3 * (1 + i % 3) : 0) : loops[i]);
        }
}

/* Gives a row of chains these levels. */
static void give(int row, double multiply, const double level[CHAINS])
{
    struct estimate *e = sets_at(stlf_forwards.series[row].name);
    *sets_at(stlf_forwards.series[MULTIPLICATION].name) = sets_steady(multiply);
    for (unsigned i = 0; i < CHAINS; i++)
        e[i] = sets_steady(level[i] + (1 + i % 3) * multiply);
}

static const struct answer *answer(const char *key)
{
    return sets_answer(stlf_forwards.report, key);
}

/* What failed forwards of these levels come to. */
static const struct answer *failed(double multiply, const double level[CHAINS])
{
    begin();
    give(FAILED, multiply, level);
    return answer("stlf.failed_forward");
}

static const struct answer *failed_at(double multiply, double level)
{
    return failed(multiply, (const double[CHAINS]){level, level, level, level, level, level});
}

static void assert_whole(const struct answer *answer, double cycles)
{
    assert_true(answer->value.real == cycles);
    assert_int_equal(answer->trust, TRUST_HIGH);
    assert_true(answer->high.real - answer->low.real < 0.2);
}

static void assert_none(const struct answer *answer, enum leg leg)
{
    assert_int_equal(answer->trust, TRUST_LOW);
    assert_int_equal(answer->leg, leg);
}

TEST(a_core_has_its_answers)
{
    begin();
    assert_whole(answer("stlf.forwarded"), 6);
    assert_whole(answer("stlf.forwarded_late"), 4);
    assert_whole(answer("stlf.forwarded_late_inside"), 11);
    assert_whole(answer("stlf.failed_forward"), 18);
    assert_whole(answer("stlf.failed_forward_penalty"), 12);
    const struct answer *loops = answer("stlf.forwarded_loops");
    assert_true(loops->value.real == 6.46 || loops->value.real == 6.47);
    assert_true(loops->low.real == 6.16 && loops->high.real == 6.88);
}

/* Nothing is known of the core: its multiplication may take any whole number. */
TEST(any_whole_number_serves)
{
    for (int multiply = 1; multiply <= 5; multiply++)
        for (int level = 0; level <= 40; level++)
            assert_whole(failed_at(multiply, level), level);
    assert_whole(failed(3.0, (const double[CHAINS]){5.98, 6.0, 6.01, 5.99, 6.03, 6.05}), 6);
    assert_whole(failed(2.997, (const double[CHAINS]){18.95, 19.0, 19.08, 19.01, 19.0, 18.98}), 19);
}

TEST(one_chain_in_six_may_go_astray)
{
    assert_whole(failed(3.0, (const double[CHAINS]){6, 6, 6, 6, 6, 7.4}), 6);
    const struct answer *two = failed(3.0, (const double[CHAINS]){6, 6, 6, 6, 6.4, 7.4});
    assert_none(two, LEG_REPETITION);
    assert_true(two->low.real == 6 && fabs(two->high.real - 7.4) < 1e-9);
}

/* Next to the whole number within 0.06 cycle, of a long chain half a percent; and the multiplication within 0.02 of its own. The
 * witness may find the sibling idle; the multiplication knows better. */
TEST(what_lies_between_two_numbers_is_neither)
{
    static const struct {
        double multiply, level;
        int whole; /* 0: none */
    } rows[] = {{3, 6.5, 0},           {3, 6.059, 6},   {3, 6.061, 0},
                {3, 5.939, 0},         {3, 19.09, 19},  {3, 19.1, 0},
                {2.88, 6, 0},          {2.979, 6, 0},   {2.981, 2 * 2.981, 6},
                {3.019, 2 * 3.019, 6}, {3.021, 6.0, 0}, {3.5, 6, 0},
                {0.01, 6, 0},          {NAN, 6, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct answer *of = failed_at(rows[i].multiply, rows[i].level);
        const bool control = i < 6;
        if (rows[i].whole)
            assert_whole(of, rows[i].whole);
        else
            assert_none(of, control                   ? LEG_REPETITION
                            : isnan(rows[i].multiply) ? LEG_PRECISION
                                                      : LEG_PLAUSIBILITY);
    }
}

/* Zen 3: what a failed forward of 18 cycles took while the witness saw the sibling busy. */
TEST(a_busy_sibling_leaves_none_even_where_all_agree)
{
    static const double level[CHAINS] = {18.83, 18.82, 18.87, 18.84, 18.87, 18.84};
    assert_whole(failed(2.9856, level), 19);
    begin();
    sets_are(STATE_ACTIVE);
    give(FAILED, 2.9856, level);
    assert_none(answer("stlf.failed_forward"), LEG_PLAUSIBILITY);
    begin();
    sets_are(STATE_UNKNOWN); /* no witness: the multiplication is all there is */
    give(FAILED, 2.9856, level);
    assert_whole(answer("stlf.failed_forward"), 19);
}

/* The first `moved` chains are `more` cycles longer in the second half of the run. */
static const struct answer *with_moved(unsigned moved, double more, double multiply)
{
    begin();
    struct estimate *e = sets_at(stlf_forwards.series[FAILED].name);
    for (unsigned i = 0; i < moved; i++)
        e[i].second += more;
    sets_at(stlf_forwards.series[MULTIPLICATION].name)->first = multiply;
    return answer("stlf.failed_forward");
}

TEST(both_halves_of_the_run_must_say_it)
{
    assert_int_equal(with_moved(1, 0.5, 3)->trust, TRUST_HIGH);
    assert_int_equal(with_moved(2, 0.5, 3)->trust, TRUST_MEDIUM);
    assert_int_equal(with_moved(2, 0.5, 3)->leg, LEG_REPETITION);
    assert_int_equal(with_moved(CHAINS, 1, 3)->trust, TRUST_LOW);
    assert_true(with_moved(0, 0, 2.95)->trust < TRUST_HIGH);
}

TEST(what_was_hardly_seen_does_not_count)
{
    for (size_t samples = 7; samples <= 8; samples++) {
        begin();
        struct estimate *e = sets_at(stlf_forwards.series[FAILED].name);
        e[0].summary.count = e[1].summary.count = samples;
        const struct answer *of = answer("stlf.failed_forward");
        assert_int_equal(of->trust, samples == 8 ? TRUST_HIGH : TRUST_LOW);
        assert_int_equal(of->samples, samples);
    }
}

/* Contained loads and those at the first byte: what is not renamed, a whole number before none, the lower. value 0: none. */
TEST(a_forward_is_what_is_not_renamed)
{
    static const struct {
        double inside, first_byte, value;
        enum trust trust;
    } rows[] = {{6, 5, 5, TRUST_HIGH},   {5, 6, 5, TRUST_HIGH},    {6, 0, 6, TRUST_HIGH},
                {1, 6, 6, TRUST_HIGH},   {10.5, 6, 6, TRUST_HIGH}, {5.5, 6, 6, TRUST_HIGH},
                {6, 5.5, 6, TRUST_HIGH}, {1, 0, 0, TRUST_HIGH},    {5.5, 1, 6.46, TRUST_LOW}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double a = rows[i].inside, b = rows[i].first_byte;
        begin();
        give(INSIDE, 3, (const double[CHAINS]){a, a, a, a, a, a});
        give(FIRST_BYTE, 3, (const double[CHAINS]){b, b, b, b, b, b});
        const struct answer *of = answer("stlf.forwarded");
        assert_true(rows[i].value > 0 ? fabs(of->value.real - rows[i].value) < 0.02
                                      : !cell_has_value(&of->value));
        assert_int_equal(of->trust, rows[i].trust);
    }
}

TEST(loops_that_move_are_not_trusted)
{
    begin();
    struct estimate *e = sets_at(stlf_forwards.series[LOOPS].name);
    e[2].second = 7.5;
    assert_int_equal(answer("stlf.forwarded_loops")->trust, TRUST_LOW);
    e[0].value = NAN;
    const struct answer *loops = answer("stlf.forwarded_loops");
    assert_true(loops->low.real == 6.16 && loops->value.real == 6.47);
}
