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
    row.moment[8].sibling = STATE_IDLE;
    row.data.moments = 9;
    state_count(&row.data);
    assert_true(state_hidden_share(&row.data, STATE_IDLE) == share);
    assert_true(engine_share(&row.data, STATE_IDLE) == 5.0 / 9);
}
