/* SPDX-License-Identifier: MIT */
/* A sample has the state on which the probes around it agree, by the knowledge at the end of the run. */
#include "test.h"

#include "moments.h"

TEST(a_sample_has_the_state_that_both_probes_saw)
{
    static const enum state states[] = {STATE_IDLE, STATE_MIXED, STATE_ACTIVE, STATE_MIXED};
    struct row row;
    row_of(&row, "iiaa?");
    for (size_t i = 0; i < COUNT_OF(states); i++)
        assert_int_equal(engine_state(&row.data, i, 0), states[i]);
    row_of(&row, "iii");
    row.moment[2].switches = 1;
    assert_false(engine_disturbed(&row.data, 0, 0));
    assert_true(engine_disturbed(&row.data, 1, 0));
    row.before[1] = 2; /* no probe after it */
    assert_false(engine_disturbed(&row.data, 1, 0));
    assert_int_equal(engine_state(&row.data, 1, 0), STATE_MIXED);
}

/* Idle is reported if it held in a tenth of the probes. */
TEST(shares_are_of_the_probes)
{
    static const struct {
        const char *probes;
        double idle;
        enum state state;
    } rows[] = {{"iiia", 0.75, STATE_IDLE},
                {"iaaaaaaaaa", 0.1, STATE_IDLE},
                {"iaaaaaaaaaaaa", 1.0 / 13, STATE_ACTIVE},
                {"???i", 0.25, STATE_UNKNOWN}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct row row;
        row_of(&row, rows[i].probes);
        assert_true(engine_share(&row.data, STATE_IDLE) == rows[i].idle);
        assert_int_equal(engine_main_state(&row.data), rows[i].state);
    }
    assert_true(isnan(engine_share(&(struct engine_data){0}, STATE_IDLE)));
}

static double hidden_share(struct row *row, const char *probes)
{
    row_of(row, probes);
    return state_hidden_share(&row->data, STATE_IDLE);
}

/* Only probes next to samples give them a state. */
TEST(what_changes_between_probes_may_change_in_them)
{
    struct row row;
    const double seldom = hidden_share(&row, "iiiiaaaaiiiiaaaa"),
                 often = hidden_share(&row, "iiaiaaiaiiaaiaia");
    assert_true(seldom > 0 && often > seldom && often <= 0.9);
    assert_true(state_hidden_share(&row.data, STATE_UNKNOWN) == 0);
    assert_true(hidden_share(&row, "iiiiiiii") == 0);
    const double share = hidden_share(&row, "iiiiaaaa");
    row.moment[8].reading = row.moment[0].reading;
    row.data.moments = 9;
    state_count(&row.data);
    assert_true(state_hidden_share(&row.data, STATE_IDLE) == share);
    assert_true(engine_share(&row.data, STATE_IDLE) == 5.0 / 9);
}

/* The witness learns the half first and reads the whole late. */
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
    assert_int_equal(trust_judge(&e, &promise_core).limited_by, LIMITED_BY_PLAUSIBILITY);
    assert_true(engine_estimate(&row.data, 0, STATE_MIXED, 0.5, &e) && !e.unproved);
}
