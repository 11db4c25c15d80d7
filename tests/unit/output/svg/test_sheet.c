/* SPDX-License-Identifier: MIT */
#include "../fixture.h"
#include "output/svg/svg.h"

static char *sheet_of(const struct record *record)
{
    struct picture picture = {0};
    struct text out = {0};
    svg_sheet(record, &picture);
    svg_figure(&picture, "sheet", &out);
    picture_free(&picture);
    return own_text(text_take(&out));
}

/* Each answer of a report's commands has its unit, and its trust as shade and mark. */
TEST(numbers_stand_in_their_cards)
{
    struct record *record = record_of(NULL);
    struct record *ram = record_child_add(record), *stores = record_child_add(record);
    add_facts(record);
    placed(ram, "memory/L2/latency", REAL_CELL(1.25), "ns", TRUST_HIGH);
    placed(ram, "memory/L1/read", REAL_CELL(300.0 * (1 << 30)), "Byte/s", TRUST_MEDIUM);
    placed(stores, "core/store-buffer", INTEGER_CELL(64), "entries", TRUST_LOW);
    record_answer(stores, (struct answer){.key = "core.store-buffer",
                                          .slot = "core/store-buffer",
                                          .value = INTEGER_CELL(32),
                                          .unit = "entries",
                                          .state = state_names[STATE_ACTIVE]});
    record_quote(stores, "core.store-buffer", (struct quote){.value = INTEGER_CELL(72)});
    char *sheet = sheet_of(record);
    assert_has(sheet, ">latency, ns<");
    assert_has(sheet, "t z\">1.25</text>");
    assert_has(sheet, ">read, GiB/s<");
    assert_has(sheet, "m z\">300~</text>");
    assert_has(sheet, ">sibling busy, entries<");
    assert_has(sheet, "p z\">64?</text>");
    assert_has(sheet, ">published 72</text>");
    assert_has(sheet, ">L1, 48 KiB</text>");
}

/* An interval replaces a value of low trust; cycles stand below any other value. */
TEST(what_does_not_repeat_has_its_range)
{
    for (enum trust trust = TRUST_LOW; trust <= TRUST_MEDIUM; trust++) {
        struct record *record = record_of(NULL);
        record_answer(record, (struct answer){.key = "ram.L3.latency",
                                              .slot = "memory/L3/latency",
                                              .value = REAL_CELL(40),
                                              .low = REAL_CELL(17),
                                              .high = REAL_CELL(130),
                                              .ghz = 3.7,
                                              .unit = "ns",
                                              .trust = trust});
        char *sheet = sheet_of(record);
        assert_int_equal(occurrences(sheet, ">17-130?<"), trust == TRUST_LOW);
        assert_int_equal(occurrences(sheet, "148 cycles"), trust != TRUST_LOW);
    }
}

TEST(an_empty_card_says_why)
{
    struct record *record = record_of(NULL);
    placed(record, "memory/DRAM/size", TEXT_CELL("not by --quick"), NULL, TRUST_HIGH);
    placed(record, "memory/L3/size", TEXT_CELL("2 MiB"), NULL, TRUST_HIGH);
    char *sheet = sheet_of(record);
    assert_int_equal(occurrences(sheet, ">not measured<"), 7);
    assert_int_equal(occurrences(sheet, ">not measured by --quick<"), 1);
}
