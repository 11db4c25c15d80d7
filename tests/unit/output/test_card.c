/* SPDX-License-Identifier: MIT */
#include "output/card.h"

#include "fixture.h"

static void release_card(void *card, size_t count)
{
    card_free(card);
    free(card);
}

static struct card *made_card(const struct record *record)
{
    struct card *card = malloc(sizeof(*card));
    *card = card_of(record);
    assert_non_null(card->grid);
    return own(card, 1, release_card);
}

/* Levels and tasks in their own order, whatever that of the answers; what is of another kind keeps its sentence. */
TEST(speeds_make_a_table)
{
    struct record *record = record_of(NULL);
    found(record, "ram.L2.latency", REAL_CELL(7.25), "ns", TRUST_LOW);
    found(record, "ram.L1.read", REAL_CELL(3.0 * (1 << 30)), "Byte/s", TRUST_HIGH);
    found(record, "ram.L2.read", REAL_CELL(1.5 * (1 << 30)), "Byte/s", TRUST_MEDIUM);
    found(record, "cas.flagged.0_1", REAL_CELL(50), "ns", TRUST_HIGH);
    const struct card *card = made_card(record);
    assert_int_equal(card->grid->row_count, 2);
    assert_int_equal(card->grid->column_count, 3);
    assert_string_equal(card->grid->column[1].heading, "read");
    assert_string_equal(card->grid->column[2].heading, "latency [ns]");
    ASSERT_CELLS(card->grid, 0, "L1", "3.00", "");
    ASSERT_CELLS(card->grid, 1, "L2", "1.50~", "7.25?");
    assert_int_equal(card->sentences, 1);
    assert_true(card->marked);
    assert_true(card->in_grid[0] && !card->in_grid[3]);
}

/* 94 and 143 of two runs are no 94. */
TEST(what_does_not_repeat_is_a_range)
{
    static const struct {
        enum trust trust;
        double low, high;
        const char *text;
    } cases[] = {{TRUST_LOW, 17, 130, "17-130?"},
                 {TRUST_LOW, NAN, NAN, "94.0?"},
                 {TRUST_LOW, 93.8, 94.2, "94.0?"},
                 {TRUST_MEDIUM, 90, 99, "94.0~"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct record *record = record_of(NULL);
        found(record, "ram.L1.read", REAL_CELL(3.0 * (1 << 30)), "Byte/s", TRUST_HIGH);
        record_answer(record, (struct answer){.key = "ram.L3.latency",
                                              .value = REAL_CELL(94),
                                              .low = REAL_CELL(cases[i].low),
                                              .high = REAL_CELL(cases[i].high),
                                              .unit = "ns",
                                              .trust = cases[i].trust,
                                              .text = "a sentence"});
        const struct card *card = made_card(record);
        assert_string_equal(grid_at(card->grid, 1, 2)->text, cases[i].text);
    }
}

/* One class is enough: each kind of transfer has a line. */
TEST(distances_make_a_table)
{
    struct record *record = record_of(NULL);
    found(record, "transfer.beyond_one_l3", REAL_CELL(120), "ns", TRUST_HIGH);
    found(record, "cas.one_l3", REAL_CELL(60), "ns", TRUST_LOW);
    found(record, "cas.own_line", REAL_CELL(18), "core cycles", TRUST_HIGH);
    found(record, "transfer.one_l3", REAL_CELL(70), "ns", TRUST_HIGH);
    const struct card *card = made_card(record);
    assert_false(card->is_picture);
    assert_int_equal(card->grid->row_count, 2);
    assert_int_equal(card->grid->column_count, 3);
    assert_string_equal(card->grid->column[0].heading, "ns");
    assert_string_equal(card->grid->column[1].heading, "one L3");
    assert_string_equal(card->grid->column[2].heading, "beyond one L3");
    ASSERT_CELLS(card->grid, 0, "cas", "60.0?", "");
    ASSERT_CELLS(card->grid, 1, "transfer", "70.0", "120.0");
    assert_int_equal(card->sentences, 1);
}
