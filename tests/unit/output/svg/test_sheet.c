/* SPDX-License-Identifier: MIT */
#include "../fixture.h"
#include "output/svg/draw.h"

static char *sheet_of(const struct record *record)
{
    struct text out = {0};
    svg_sheet(record, &out);
    return own_text(text_take(&out));
}

/* The answers of a report's commands, each with the line of its trust. */
TEST(numbers_stand_in_their_blocks)
{
    struct record *record = record_of(NULL);
    struct record *ram = record_child_add(record), *stores = record_child_add(record);
    add_facts(record);
    placed(ram, "memory/L1/latency", REAL_CELL(1.25), "ns", TRUST_HIGH);
    placed(ram, "memory/L1/read", REAL_CELL(300.0 * (1 << 30)), "Byte/s", TRUST_MEDIUM);
    placed(stores, "core/store-buffer", INTEGER_CELL(64), "entries", TRUST_LOW);
    record_answer(stores, (struct answer){.key = "core.store-buffer",
                                          .slot = "core/store-buffer",
                                          .value = INTEGER_CELL(32),
                                          .unit = "entries",
                                          .state = state_names[STATE_ACTIVE]});
    record_quote(stores, "core.store-buffer", (struct quote){.value = INTEGER_CELL(72)});
    char *sheet = sheet_of(record);
    assert_has(sheet, ">1.2</text>");
    assert_has(sheet, ">300</text>");
    assert_has(sheet, ">64</text>");
    assert_has(sheet, ">published 72</text>");
    assert_has(sheet, ">48 KiB</text>");
    assert_has(sheet, ">half while the sibling is busy</text>");
    assert_int_equal(occurrences(sheet, "v14h-"), 64);
    /* Of each trust one number, and its sample in the foot. */
    assert_int_equal(occurrences(sheet, "class=\"u\""), 2);
    assert_int_equal(occurrences(sheet, "class=\"u u1\""), 2);
    assert_int_equal(occurrences(sheet, "class=\"u u0\""), 2);
    assert_has(sheet, "Made up &lt;CPU&gt;");
}

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
        assert_int_equal(occurrences(sheet,
                                     ">17\xe2\x80\x93"
                                     "130<"),
                         trust == TRUST_LOW);
        assert_int_equal(occurrences(sheet, "148 cycles"), trust != TRUST_LOW);
    }
}

TEST(what_was_not_measured_is_a_dash)
{
    struct record *record = record_of(NULL);
    char *sheet = sheet_of(record);
    assert_int_equal(occurrences(sheet, ">\xe2\x80\x93<"), 4 * 4 + 3 + 1);
    assert_lacks(sheet, "nan");
    assert_lacks(sheet, ">0");
}
