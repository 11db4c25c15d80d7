/* SPDX-License-Identifier: MIT */
/* How values and states of the sibling are said. */
#include "test.h"

#include "bench/stlf/parts.h"

/* The sentence about a value of that state. */
static void check_said(struct stlf *of, enum state now, const char *expected)
{
    stlf_say(of, stlf_found("stlf.key", REAL_CELL(5), NULL, now, (struct verdict){TRUST_HIGH, LEG_NONE}),
             "5");
    assert_string_equal(record_answer_at(of->run->record, record_answer_count(of->run->record) - 1)->text,
                        expected);
}

TEST(a_state_is_named_when_it_changes)
{
    struct run run = {.record = record_new()};
    struct stlf of = {.run = &run};

    check_said(&of, STATE_IDLE, "5"); /* it was never seen to work */
    of.lab.active = 1;
    check_said(&of, STATE_UNKNOWN, "5");
    check_said(&of, STATE_IDLE, "5 (the sibling idles where nothing else is said)");
    check_said(&of, STATE_IDLE, "5");
    check_said(&of, STATE_ACTIVE, "5 (the sibling works where nothing else is said)");
    check_said(&of, STATE_ACTIVE, "5");
    check_said(&of, STATE_IDLE, "5 (the sibling idles where nothing else is said)");
    record_free(run.record);
}

/* Of a level seen in both states, how many answers, and the value of the last. */
static void check_level(struct estimate active, size_t answers, double value)
{
    struct estimate idle = {.state = STATE_IDLE,
                            .summary = {.count = 100},
                            .value = 5,
                            .low = 4.99,
                            .high = 5.01,
                            .first = 5,
                            .second = 5};
    const struct cpu cpu = {0};
    struct run run = {.record = record_new(), .cpu = &cpu};
    struct stlf stlf = {.run = &run, .lab = {.active = 1}};
    const struct stlf_set set = {
        .count = 1, .estimate = &idle, .active = &active, .state = STATE_IDLE, .both = true};
    stlf_say_l1(&stlf, &set, 0);
    assert_int_equal(record_answer_count(run.record), answers);
    const struct answer *last = record_answer_at(run.record, answers - 1);
    assert_true(fabs(cell_number(&last->value) - value) < 1e-9);
    assert_string_equal(last->key, "stlf.l1_latency");
    assert_string_equal(last->state, state_names[answers == 2 ? STATE_ACTIVE : STATE_IDLE]);
    assert_int_equal(stlf.said, STATE_IDLE);
    record_free(run.record);
}

TEST(the_second_state_is_a_answer_of_its_own)
{
    struct estimate active = {.state = STATE_ACTIVE,
                              .summary = {.count = 50},
                              .value = 5.76,
                              .low = 5.7,
                              .high = 5.8,
                              .first = 5.76,
                              .second = 5.76,
                              .visits = 8};
    check_level(active, 2, 5.76);
    active.visits = 7; /* one program more or less is another value */
    check_level(active, 1, 5);
    active.visits = 8;
    active.second = 7;
    check_level(active, 1, 5);
    active.value = NAN;
    check_level(active, 1, 5);
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
    struct run run = {.record = record_new(), .cpu = &cpu};
    struct stlf stlf = {.run = &run};
    const struct stlf_set set = {.count = 1, .estimate = &idle, .state = STATE_IDLE};
    stlf_say_l1(&stlf, &set, 0);
    const struct answer *answer = record_answer_at(run.record, 0);
    assert_false(cell_has_value(&answer->value));
    assert_int_equal(answer->trust, TRUST_LOW);
    assert_int_equal(answer->leg, LEG_PLAUSIBILITY);
    record_free(run.record);
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
