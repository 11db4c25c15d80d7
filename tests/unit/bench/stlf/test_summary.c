/* SPDX-License-Identifier: MIT */
/* Sentences about curves, each state by itself, with the knees and the ramp that were measured on Zen 4. */
#include "test.h"

#include "bench/stlf/judge.h"

enum { PAIRS = STLF_UNROLL_MAX };
static const char name[] = "fast address";

static struct estimate estimate[PAIRS], active[PAIRS];
static const unsigned char code[5 * PAIRS];
static const struct kernel kernel = {
    .operation = OPERATION_FORWARD_FA, .bits = 64, .load_bits = 32, .sled = {code, code + 5 * PAIRS, PAIRS}};
static struct stlf_point point[PAIRS];
static struct stlf_set set;
static struct run run;
static struct stlf stlf;

static struct estimate steady(double value, enum state state)
{
    return (struct estimate){.state = state,
                             .summary = {.count = 300},
                             .value = value,
                             .low = value - 0.003,
                             .high = value + 0.003,
                             .first = value,
                             .second = value,
                             .visits = 20};
}

static double zen4(int pairs, int renamed)
{
    static const double beyond[] = {2.58, 4.10, 6.33};
    if (pairs <= renamed)
        return 0.996;
    return pairs <= renamed + 3 ? beyond[pairs - renamed - 1] : 6.4 + 0.5 * fmin(pairs - 27, 24) / 24;
}

static void script(void)
{
    stlf = (struct stlf){.run = &run,
                         .levels = {[STATE_IDLE] = {.l1 = 4, .forwarded = 6.46, .blocked = 19},
                                    [STATE_ACTIVE] = {.l1 = 4, .forwarded = 6.7, .blocked = 20}}};
    set = (struct stlf_set){
        .count = PAIRS, .stlf = &stlf, .point = point, .estimate = estimate, .state = STATE_IDLE};
    for (int i = 0; i < PAIRS; i++) {
        point[i] = (struct stlf_point){.kernel = &kernel, .series = name, .pairs = (unsigned)i + 1};
        estimate[i] = steady(zen4(i + 1, 24), STATE_IDLE);
        active[i] = steady(zen4(i + 1, 12), STATE_ACTIVE);
    }
}

static const struct answer *find(const char *key)
{
    return record_answer_find(run.record, key, NULL);
}

static double number(const char *key)
{
    return cell_number(&find(key)->value);
}

static void say(void)
{
    run.record = record_new();
    stlf_say_curve(&set, "stlf.fast_address", "stlf.renamed", name, name);
}

TEST(renamed_and_forwarded_are_two_answers)
{
    script();
    say();
    assert_int_equal(run.record->answers.count, 3);
    assert_true(fabs(number("stlf.renamed") - 0.996) < 1e-9);
    assert_int_equal(find("stlf.renamed")->trust, TRUST_HIGH);
    assert_int_equal(number("stlf.renamed_pairs"), 24);
    assert_string_equal(find("stlf.renamed_pairs")->unit, "pairs");
    assert_int_equal(find("stlf.renamed_pairs")->trust, TRUST_HIGH);
    assert_true(number("stlf.fast_address") > 6.8);
    record_free(run.record);
}

TEST(where_all_is_renamed_nothing_is_forwarded)
{
    script();
    for (int i = 0; i < PAIRS; i++)
        estimate[i] = steady(0.5, STATE_IDLE);
    say();
    assert_int_equal(number("stlf.renamed_pairs"), PAIRS);
    assert_null(find("stlf.fast_address"));
    record_free(run.record);
}

TEST(where_nothing_is_renamed_there_are_no_pairs)
{
    script();
    for (int i = 0; i < PAIRS; i++)
        estimate[i] = steady(5, STATE_IDLE);
    say();
    assert_null(find("stlf.renamed"));
    assert_int_equal(number("stlf.renamed_pairs"), 0);
    assert_true(fabs(number("stlf.fast_address") - 5) < 1e-9);
    record_free(run.record);
}

TEST(where_the_sibling_may_be_busy_the_pairs_may_be_half)
{
    script();
    for (int i = 0; i < PAIRS; i++)
        estimate[i].unproved = true;
    say();
    assert_int_equal(find("stlf.renamed_pairs")->trust, TRUST_MEDIUM);
    record_free(run.record);
}

/* A curve without an end that could be found is not one of no renamed pairs. */
TEST(what_has_no_end_is_not_counted)
{
    script();
    for (int i = 0; i < PAIRS; i++)
        estimate[i] = steady(i < 2 ? 1 : 37, STATE_IDLE);
    say();
    assert_null(find("stlf.renamed_pairs"));
    record_free(run.record);
}

/* The busy state has samples and trust of its own. */
TEST(states_are_judged_apart)
{
    script();
    for (int i = 0; i < PAIRS; i++)
        active[i].summary.count = 77;
    say();
    set.estimate = active;
    set.state = STATE_ACTIVE;
    stlf_say_curve(&set, "stlf.fast_address", "stlf.renamed", name, name);
    assert_int_equal(number("stlf.renamed_pairs"), 24);
    const char *busy = state_names[STATE_ACTIVE];
    const struct answer *pairs = record_answer_find(run.record, "stlf.renamed_pairs", busy);
    assert_int_equal(pairs->value.integer, 12);
    assert_int_equal(pairs->samples, 77);
    assert_true(fabs(record_answer_find(run.record, "stlf.renamed", busy)->value.real - 0.996) < 1e-9);
    record_free(run.record);
}

static const char *word(enum state state, double cycles)
{
    const struct stlf_levels levels = stlf_levels_in(&stlf, state);
    return stlf_word(&levels, point, cycles);
}

/* The levels of another state say nothing of this one. */
TEST(a_state_without_levels_has_no_verdict)
{
    script();
    stlf.levels[STATE_ACTIVE].l1 = 0;
    assert_string_equal(word(STATE_IDLE, 9), "forwarded");
    assert_null(word(STATE_ACTIVE, 9));
    assert_string_equal(word(STATE_ACTIVE, 1), "renamed");
}

/* 3.89 is read with a clock that was too slow: no number comes of it. */
TEST(a_latency_that_no_core_has_is_none)
{
    struct estimate idle = {.state = STATE_IDLE,
                            .summary = {.count = 100},
                            .value = 3.89,
                            .low = 3.88,
                            .high = 3.9,
                            .first = 3.89,
                            .second = 3.89};
    const struct cpu cpu = {0};
    struct run own = {.record = record_new(), .cpu = &cpu};
    struct stlf of = {.run = &own};
    const struct stlf_set one = {.stlf = &of, .count = 1, .estimate = &idle, .state = STATE_IDLE};
    stlf_say_l1(&one, 0);
    const struct answer *answer = &own.record->answers.of[0];
    assert_false(cell_has_value(&answer->value));
    assert_int_equal(answer->trust, TRUST_LOW);
    assert_int_equal(answer->leg, LEG_PLAUSIBILITY);
    record_free(own.record);
}

TEST(the_latency_of_l1_is_whole_and_not_less_than_published)
{
    assert_true(stlf_is_plausible_l1(4.00, true, 4));
    assert_true(stlf_is_plausible_l1(4.07, true, NAN));
    assert_false(stlf_is_plausible_l1(4.09, true, NAN));
    assert_false(stlf_is_plausible_l1(3.89, true, NAN));
    assert_true(stlf_is_plausible_l1(4.22, false, 4)); /* beside a sibling */
    assert_true(stlf_is_plausible_l1(3.93, false, 4));
    assert_false(stlf_is_plausible_l1(3.89, false, 4));
    assert_true(stlf_is_plausible_l1(3.89, false, NAN));
}
