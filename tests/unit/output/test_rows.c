/* SPDX-License-Identifier: MIT */
#include "output/rows.h"

#include "fixture.h"

static struct record *record;
static struct grid grid;
static bool marked;

static int begin(void **state)
{
    record = record_of(NULL);
    marked = false;
    return 0;
}

static int end(void **state)
{
    grid_free(&grid);
    return 0;
}

static void add(const char *key, enum state state, struct cell value, const char *unit, enum trust trust)
{
    record_answer(record, (struct answer){.key = key,
                                          .label = key,
                                          .value = value,
                                          .unit = unit,
                                          .state = state == STATE_UNKNOWN ? NULL : state_names[state],
                                          .trust = trust});
}

TEST(answers_without_a_label_are_no_rows)
{
    record_answer(record, (struct answer){.key = "a", .value = INTEGER_CELL(1), .text = "a: 1"});
    grid = rows_of(record, NULL, false, &marked);
    assert_int_equal(grid.row_count, 0);
}

TEST(states_of_a_key_share_a_row)
{
    add("a", STATE_ACTIVE, INTEGER_CELL(32), "entries", TRUST_HIGH);
    add("b", STATE_UNKNOWN, REAL_CELL(6.2), "core cycles", TRUST_HIGH);
    add("a", STATE_IDLE, INTEGER_CELL(64), "entries", TRUST_HIGH);
    grid = rows_of(record, NULL, false, &marked);
    assert_int_equal(grid.row_count, 2);
    assert_int_equal(grid.column_count, 4);
    assert_string_equal(grid.column[1].heading, "idle");
    ASSERT_CELLS(&grid, 0, "a", "64", "32", "entries");
    ASSERT_CELLS(&grid, 1, "b", "6.2", "", "cycles");
    assert_false(marked);
}

/* Other states than those of the sibling, such as distances, are rows of their own. */
TEST(further_states_are_rows)
{
    for (int i = 0; i < 2; i++)
        record_answer(record, (struct answer){.key = "a",
                                              .label = i ? "far" : "near",
                                              .value = INTEGER_CELL(i),
                                              .state = i ? "two nodes" : "one L3",
                                              .trust = TRUST_HIGH});
    grid = rows_of(record, NULL, false, &marked);
    assert_int_equal(grid.row_count, 2);
    assert_int_equal(grid.column_count, 2);
    assert_string_equal(grid.column[1].heading, "value");
    ASSERT_CELLS(&grid, 1, "far", "1");
}

TEST(trust_is_a_mark_in_the_column_of_its_value)
{
    add("a", STATE_IDLE, REAL_CELL(58.12), "ns", TRUST_MEDIUM);
    add("b", STATE_IDLE, NO_CELL, "ns", TRUST_LOW);
    add("c", STATE_IDLE, REAL_CELL(1), "ns", TRUST_HIGH);
    add("c", STATE_ACTIVE, REAL_CELL(2), "ns", TRUST_HIGH);
    grid = rows_of(record, NULL, false, &marked);
    assert_true(marked);
    ASSERT_CELLS(&grid, 0, "a", "58.1~", "", "ns");
    ASSERT_CELLS(&grid, 1, "b", "-?", "", "ns");
    ASSERT_CELLS(&grid, 2, "c", "1 ", "2", "ns");
}

TEST(a_value_of_low_trust_is_its_interval)
{
    const double gib = 1 << 30;
    record_answer(record, (struct answer){.key = "a",
                                          .label = "a",
                                          .value = REAL_CELL(2 * gib),
                                          .low = REAL_CELL(1 * gib),
                                          .high = REAL_CELL(3 * gib),
                                          .unit = "Byte/s"});
    grid = rows_of(record, NULL, false, &marked);
    ASSERT_CELLS(&grid, 0, "a", "1-3?", "GiB/s");
}

TEST(what_is_published_has_its_unit_where_it_differs)
{
    add("a", STATE_IDLE, REAL_CELL(4), "ns", TRUST_HIGH);
    add("b", STATE_IDLE, INTEGER_CELL(64), "entries", TRUST_HIGH);
    record_quote(record, "a", (struct quote){REAL_CELL(14), "core cycles", "somebody"});
    record_quote(record, "b", (struct quote){INTEGER_CELL(72), "entries", "somebody"});
    grid = rows_of(record, NULL, true, &marked);
    ASSERT_CELLS(&grid, 0, "a", "4", "ns", "14 cycles", "somebody");
    ASSERT_CELLS(&grid, 1, "b", "64", "entries", "72", "somebody");
}

AROUND_EACH(begin, end)
