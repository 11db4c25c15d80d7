/* SPDX-License-Identifier: MIT */
#include "../fixture.h"
#include "output/svg/svg.h"

static char *sheet_of(const struct record *record)
{
    struct picture picture = {0};
    struct text out = {0};
    svg_sheet(record, &picture);
    svg_figure(&picture, "sheet", &out);
    return own_text(text_take(&out));
}

/* Each answer of a report's commands has its unit, and its trust as shade and mark. */
TEST(numbers_stand_in_their_cards)
{
    struct record *record = record_of(NULL);
    struct record *ram = record_child_add(record);
    add_facts(record);
    placed(ram, "memory/L2/latency", REAL_CELL(1.25), "ns", TRUST_HIGH);
    placed(ram, "memory/L1/read", REAL_CELL(300.0 * (1 << 30)), "Byte/s", TRUST_MEDIUM);
    placed(ram, "memory/L3/latency", REAL_CELL(40), "ns", TRUST_LOW);
    record_quote(ram, "memory.L2.latency", (struct quote){.value = INTEGER_CELL(14)});
    char *sheet = sheet_of(record);
    assert_has(sheet, ">latency, ns<");
    assert_has(sheet, "t z\">1.25</text>");
    assert_has(sheet, ">read, GiB/s<");
    assert_has(sheet, "m z\">300~</text>");
    assert_has(sheet, "p z\">40?</text>");
    assert_has(sheet, ">published 14</text>");
    assert_has(sheet, ">L1, 48 KiB</text>");
}

/* The sheet knows no experiment: each command with sheet_cells of the core or of pairs of cores has a card, a row each. */
TEST(a_command_has_a_card_of_rows)
{
    enum { ROWS = 25 };
    struct record *record = record_of(NULL);
    struct record *child = record_child_add(record);
    RECORD_FACTS(child, {"run.command", .value = TEXT_CELL("vortex")});
    placed(record_child_add(record), "memory/L2/latency", REAL_CELL(1.25), "ns", TRUST_HIGH);
    for (int i = 0; i < 2 * ROWS; i++) {
        char key[16];
        snprintf(key, sizeof key, "row %d", i / 2);
        record_answer(child, (struct answer){.key = key,
                                             .label = key,
                                             .sheet_cell = i < ROWS ? "core/cost" : "distance/CAS/one_L3",
                                             .value = INTEGER_CELL(100 + i),
                                             .unit = "entries",
                                             .trust = i < 2 ? TRUST_LOW : TRUST_HIGH,
                                             .state = state_names[i % 2 ? STATE_ACTIVE : STATE_IDLE]});
    }
    record_quote(child, "row 3", (struct quote){.value = INTEGER_CELL(72), .agreement = AGREEMENT_DIFFERS});
    char *sheet = sheet_of(record);
    assert_int_equal(occurrences(sheet, "<svg"), 4 + 1);
    assert_has(sheet, "aria-label=\"vortex\"");
    assert_int_equal(occurrences(sheet, ">row "), ROWS);
    assert_has(sheet, "class=\"p\" text-anchor=\"end\">100?</text>");
    assert_lacks(sheet, ">149");
    assert_has(sheet, ">72</text>");
    assert_has(sheet, ">differs</text>");
}

/* An interval replaces a value of low trust; cycles stand below any other value. */
TEST(what_does_not_repeat_has_its_range)
{
    for (enum trust trust = TRUST_LOW; trust <= TRUST_MEDIUM; trust++) {
        struct record *record = record_of(NULL);
        record_answer(record, (struct answer){.key = "ram.L3.latency",
                                              .sheet_cell = "memory/L3/latency",
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
    placed(record, "memory/DRAM/size", TEXT_CELL("no room"), NULL, TRUST_HIGH);
    placed(record, "memory/L3/size", TEXT_CELL("2 MiB"), NULL, TRUST_HIGH);
    char *sheet = sheet_of(record);
    assert_int_equal(occurrences(sheet, ">not measured<"), 3);
    assert_int_equal(occurrences(sheet, ">not measured: no room<"), 1);
}

/* What may lie in the last cache is in the card of memory, which says so. */
TEST(memory_or_the_last_cache_has_a_card)
{
    struct record *record = record_of(NULL);
    placed(record, "memory/L3_or_DRAM/size", TEXT_CELL("512 MiB"), NULL, TRUST_HIGH);
    placed(record, "memory/L3_or_DRAM/latency", REAL_CELL(250), "ns", TRUST_LOW);
    char *sheet = sheet_of(record);
    assert_has(sheet, ">L3 or DRAM<");
    assert_has(sheet, ">250?<");
    assert_int_equal(occurrences(sheet, ">not measured<"), 3);
}

/* A card has the values of all kinds of cores; what is published gives way where both have no room. */
TEST(no_kind_is_cut_off)
{
    static const char *const kinds[] = {"Lion Cove", "Skymont"},
                             *const labels[] = {"a", "read of the time stamp counter in cycles"};
    for (size_t i = 0; i < COUNT_OF(labels); i++) {
        struct record *record = record_of(NULL);
        for (int kind = 0; kind < 2; kind++)
            record_answer(record, (struct answer){.key = "a",
                                                  .label = labels[i],
                                                  .sheet_cell = "core/a",
                                                  .kind = kinds[kind],
                                                  .value = INTEGER_CELL(77770 + kind),
                                                  .published = {.value = INTEGER_CELL(8888)},
                                                  .trust = TRUST_HIGH});
        char *sheet = sheet_of(record);
        assert_has(sheet, ">77770</text>");
        assert_has(sheet, ">77771</text>");
        assert_int_equal(strstr(sheet, ">8888</text>") != NULL, i == 0);
    }
}
