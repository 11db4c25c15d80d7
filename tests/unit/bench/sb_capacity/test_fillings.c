/* SPDX-License-Identifier: MIT */
/* What is said of a litmus test: four answers, each with a value only where there is one. */
#include "test.h"

#include "passing.h"

static struct record *record;
static const char *const keys[] = {"store_buffer.reorder_knee", "store_buffer.reorder_most_seen",
                                   "store_buffer.reorder_never_from", "store_buffer.reorder_merging"};
enum { KNEE, MOST, NEVER, MERGING, ANSWERS };

static void say(const struct sb_passing *passing)
{
    static struct run run;
    const struct sb_bench bench = {.run = &run};

    record_free(record);
    record = run.record = record_new();
    sb_passing_answers(&bench, passing);
    sb_passing_rows(&bench, record_table_add(record, &sb_litmus_table), passing);
    for (int i = 0; i < ANSWERS; i++)
        assert_non_null(record_answer_find(record, keys[i], NULL));
}

static const struct answer *said(int answer)
{
    return record_answer_find(record, keys[answer], NULL);
}

static void add(struct sb_passing *passing, enum sb_filling filling, bool late, size_t stores, size_t hits)
{
    const struct sb_block block = block_of(filling, late, stores, 40000, hits);

    sb_passing_add(passing, &block);
}

/* 64 as a rule, up to 74 where the first line is late, nothing beyond. */
static struct sb_passing *clear_run(void)
{
    struct sb_passing *passing = passing_new();

    for (size_t s = 62; s <= 80; s++) {
        add(passing, FILL_TWO, false, s, s <= 64 ? 30000 : 0);
        add(passing, FILL_TWO, true, s, s <= 74 ? 800 : 0);
    }
    add(passing, FILL_WORD, true, SB_MERGED * WHOLE, 300);
    return passing;
}

TEST(four_answers)
{
    struct sb_passing *passing = clear_run();

    say(passing);
    assert_int_equal(said(KNEE)->value.integer, 64);
    assert_int_equal(said(MOST)->value.integer, 74);
    assert_int_equal(said(NEVER)->value.integer, 75);
    assert_true(said(MERGING)->value.boolean);
    for (int i = 0; i < ANSWERS; i++)
        assert_int_equal(said(i)->trust, TRUST_HIGH);
    assert_string_equal(said(KNEE)->state, state_names[STATE_IDLE]);
    assert_int_equal(said(NEVER)->samples, 6 * 80000);
    assert_true(record_fact_number(record, "run.sb_capacity.reorder_never_share") == 3.0 / (6 * 80000));
    assert_true(record_fact_number(record, "run.sb_capacity.distance_ns.least") == FAR_NS);
    free(passing);
}

/* Answers of near and far CPUs are held apart by their state. */
TEST(answers_carry_the_distance)
{
    struct sb_passing *passing = clear_run(), *near = passing_new();

    say(passing);
    char *far_state = strdup(said(MOST)->state);
    for (size_t s = 62; s <= 80; s++) {
        struct sb_block block = block_of(FILL_TWO, false, s, 40000, s <= 64 ? 30000 : 0);
        block.distance_ns = NEAR_NS;
        sb_passing_add(near, &block);
    }
    say(near);
    assert_string_not_equal(said(MOST)->state, far_state);
    assert_string_not_equal(said(NEVER)->state, far_state);
    assert_int_equal(said(NEVER)->trust, TRUST_MEDIUM);
    assert_int_equal(said(MERGING)->value.type, CELL_NULL);
    free(far_state);
    free(passing);
    free(near);
}

static void no_answer_is_none(const struct sb_passing *passing, int first)
{
    say(passing);
    for (int i = first; i < ANSWERS; i++) {
        assert_int_equal(said(i)->value.type, CELL_NULL);
        assert_int_equal(said(i)->trust, TRUST_LOW);
    }
}

TEST(nothing_is_said_of_one_core_or_without_the_control)
{
    struct sb_passing *passing = clear_run();

    passing->shared = passing->blocks;
    say(passing);
    assert_int_equal(said(KNEE)->value.integer, 64);
    passing->shared++;
    no_answer_is_none(passing, 0);
    passing->shared = 0;
    passing->fenced_both_old = 1;
    no_answer_is_none(passing, 0);
    free(passing);
}

TEST(nothing_seen_is_nothing_said)
{
    struct sb_passing *passing = passing_new();

    for (size_t s = 60; s <= 80; s++)
        add(passing, FILL_LINES, false, s, 0);
    no_answer_is_none(passing, 0);
    free(passing);
}

TEST(rows_hold_every_trial)
{
    struct sb_passing *passing = clear_run();
    struct sb_block active = block_of(FILL_TWO, true, 70, 1000, 0);

    active.state = STATE_ACTIVE;
    active.distance_ns = NEAR_NS;
    sb_passing_add(passing, &active);
    say(passing);
    assert_int_equal(record_table_at(record, 0)->row_count, 2 * 19 + 2);
    free(passing);
}

static int tear_down(void **state)
{
    record_free(record);
    return 0;
}

AROUND_ALL(NULL, tear_down)
