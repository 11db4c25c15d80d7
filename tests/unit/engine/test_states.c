/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "engine/states.h"
#include "moments.h"

TEST(a_sample_has_the_state_that_both_looks_saw)
{
    struct row row;
    row_of(&row, "iiaa?");
    assert_int_equal(engine_state(&row.data, 0, 0), STATE_IDLE);
    assert_int_equal(engine_state(&row.data, 1, 0), STATE_MIXED);
    assert_int_equal(engine_state(&row.data, 2, 0), STATE_ACTIVE);
    assert_int_equal(engine_state(&row.data, 3, 0), STATE_MIXED);
}

TEST(a_sample_that_no_look_followed_is_mixed)
{
    struct row row;
    row_of(&row, "ii");
    row.before[0] = 1;
    assert_int_equal(engine_state(&row.data, 0, 0), STATE_MIXED);
}

TEST(a_sample_is_disturbed_where_the_looks_count_switches)
{
    struct row row;
    row_of(&row, "iii");
    row.moment[2].switches = 1;
    assert_false(engine_disturbed(&row.data, 0, 0));
    assert_true(engine_disturbed(&row.data, 1, 0));
    row.before[1] = 2;
    assert_false(engine_disturbed(&row.data, 1, 0)); /* nothing looked after it */
}

TEST(shares_are_of_the_looks)
{
    struct row row;
    row_of(&row, "iiia");
    assert_true(engine_share(&row.data, STATE_IDLE) == 0.75);
    assert_true(isnan(engine_share(&(struct engine_data){0}, STATE_IDLE)));
}

TEST(idle_is_reported_where_it_was_there_for_a_tenth)
{
    struct row row;
    row_of(&row, "iaaaaaaaaa");
    assert_int_equal(engine_main_state(&row.data), STATE_IDLE);
    row_of(&row, "iaaaaaaaaaaaa"); /* a thirteenth */
    assert_int_equal(engine_main_state(&row.data), STATE_ACTIVE);
    row_of(&row, "???i");
    assert_int_equal(engine_main_state(&row.data), STATE_UNKNOWN);
}

TEST(what_changes_between_looks_may_change_in_them)
{
    struct row row;
    row_of(&row, "iiiiaaaaiiiiaaaa");
    const double seldom = state_hidden_share(&row.data, STATE_IDLE);
    row_of(&row, "iiaiaaiaiiaaiaia");
    const double often = state_hidden_share(&row.data, STATE_IDLE);
    assert_true(seldom > 0 && often > seldom && often <= 0.9);
    row_of(&row, "iiiiiiii");
    assert_true(state_hidden_share(&row.data, STATE_IDLE) == 0);
    assert_true(state_hidden_share(&row.data, STATE_UNKNOWN) == 0);
}

TEST(looks_without_samples_in_between_say_nothing_of_them)
{
    struct row row;
    row_of(&row, "iiiiaaaa");
    const double share = state_hidden_share(&row.data, STATE_IDLE);
    row.moment[8].reading = row.moment[0].reading;
    row.data.moments = 9;
    state_count(&row.data);
    assert_true(state_hidden_share(&row.data, STATE_IDLE) == share);
    assert_true(engine_share(&row.data, STATE_IDLE) == 5.0 / 9);
}

/* The witness learnt the half, and saw the whole at last. */
TEST(what_a_reading_means_is_known_at_the_end)
{
    struct row row;
    row_of(&row, "aaaaiiaa");
    struct moment *moment = row.moment;
    struct engine_data data = row.data;
    memset(data.seen, 0, sizeof data.seen);
    memset(data.followed, 0, sizeof data.followed);
    data.reading = (struct reading){0};
    for (data.moments = 1; data.moments <= 8; data.moments++) {
        struct moment *last = &moment[data.moments - 1];
        last->reading.whole = data.moments < 6 ? 32 : 64;
        data.sampled = true;
        state_count(&data);
        if (data.moments == 5)
            assert_int_equal(engine_state(&data, 0, 0), STATE_IDLE);
    }
    data.moments = 8;
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(engine_state(&data, i, 0), engine_state(&row.data, i, 0));
    assert_memory_equal(data.seen, row.data.seen, sizeof data.seen);
    assert_memory_equal(data.followed, row.data.followed, sizeof data.followed);
}

TEST(an_idle_sibling_that_nothing_proves_is_flagged)
{
    struct row row;
    struct estimate e;
    row_of(&row, "iiiiiiiiiiaaaaaaaaaa");
    assert_true(engine_estimate(&row.data, 0, STATE_IDLE, 0.5, &e) && !e.unproved);
    assert_int_equal(trust_judge(&e, &promise_core).trust, TRUST_HIGH);
    row.data.reading.sure = false;
    assert_true(engine_estimate(&row.data, 0, STATE_IDLE, 0.5, &e) && e.unproved);
    assert_int_equal(trust_judge(&e, &promise_core).trust, TRUST_MEDIUM);
    assert_int_equal(trust_judge(&e, &promise_core).leg, LEG_PLAUSIBILITY);
    assert_true(engine_estimate(&row.data, 0, STATE_MIXED, 0.5, &e) && !e.unproved);
}
