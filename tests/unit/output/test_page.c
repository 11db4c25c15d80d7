/* SPDX-License-Identifier: MIT */
#include "output/page.h"

#include "fixture.h"

static void assert_conditions(const struct record *record, const char *expected)
{
    assert_string_equal(page_conditions(record), expected);
}

/* Only a table that leaves ways out says how many. */
TEST(ways_that_were_left_out_are_counted)
{
    struct record *record = record_of(NULL);
    FACT(record, "run.all_ways", INTEGER_CELL(87));
    assert_conditions(record, "");
    FACT(record, "run.ways", INTEGER_CELL(87));
    assert_conditions(record, "");
    FACT(record, "run.ways", INTEGER_CELL(86));
    assert_has(page_conditions(record), "86 of 87");
    assert_has(page_conditions(record), "--all");
}

/* The line has these numbers, apart by commas, in this order, and no other digit. */
static void assert_numbers(const struct record *record, const char *expected)
{
    struct text numbers = {0};
    for (const char *at = page_conditions(record); *at; at++)
        if (strchr("0123456789.,", *at))
            text_add_bytes(&numbers, at, 1);
    assert_string_equal(own_text(text_take(&numbers)), expected);
}

/* The line leaves out unknown conditions and disturbances of 0. */
TEST(what_is_known_is_a_line)
{
    struct record *record = record_of(NULL);
    assert_conditions(record, "");
    FACT(record, "run.conditions.sibling_share", NO_CELL);
    FACT(record, "run.conditions.steal_share", REAL_CELL(0.001));
    FACT(record, "run.conditions.placement_changes", INTEGER_CELL(0));
    FACT(record, "run.conditions.guest", BOOL_CELL(false));
    assert_conditions(record, "no hypervisor");
    FACT(record, "run.conditions.guest", BOOL_CELL(true));
    FACT(record, "run.conditions.hypervisor", TEXT_CELL("KVM"));
    FACT(record, "run.conditions.sibling_share", REAL_CELL(0.234));
    FACT(record, "run.conditions.clock_ghz.p5", REAL_CELL(2.5));
    FACT(record, "run.conditions.clock_ghz.p95", REAL_CELL(3.1));
    FACT(record, "run.conditions.steal_share", REAL_CELL(0.02));
    FACT(record, "run.conditions.placement_changes", INTEGER_CELL(3));
    assert_has(page_conditions(record), "KVM guest");
    assert_numbers(record, "2.503.10,,23,2,3");
    FACT(record, "run.conditions.clock_ghz.p95", REAL_CELL(2.6));
    FACT(record, "run.conditions.guest", NO_CELL);
    FACT(record, "run.conditions.steal_share", NO_CELL);
    FACT(record, "run.conditions.placement_changes", NO_CELL);
    FACT(record, "run.conditions.cpu_share", REAL_CELL(0.951));
    assert_numbers(record, "2.55,23");
    FACT(record, "run.conditions.cpu_share", REAL_CELL(0.944));
    assert_numbers(record, "2.55,23,94");
    FACT(record, "run.conditions.cpu_share", NO_CELL);
    FACT(record, "run.conditions.placement_changes", INTEGER_CELL(1));
    FACT(record, "run.planned_seconds", REAL_CELL(2));
    FACT(record, "run.measured_seconds", REAL_CELL(2.5));
    assert_numbers(record, "2.55,23,1");
    FACT(record, "run.measured_seconds", REAL_CELL(31.4));
    assert_numbers(record, "2.55,23,1,31,2");
}

/* A report's parts ask their parent. */
TEST(that_no_time_is_a_cpus_comes_first)
{
    struct record *record = record_of(NULL), *child = record_child_add(record);
    FACT(record, RECORD_EMULATED, BOOL_CELL(true));
    FACT(record, "run.conditions.guest", BOOL_CELL(true));
    FACT(record, "run.conditions.hypervisor", TEXT_CELL("KVM"));
    assert_conditions(record, "emulated: no CPU's times, KVM guest");
    assert_conditions(child, "emulated: no CPU's times, KVM guest");
    FACT(record, RECORD_EMULATED, BOOL_CELL(false));
    assert_conditions(record, "KVM guest");
}

/* Returns the kinds of the blocks of a section in order, one letter each. */
static const char *kinds_of(const struct record *record, bool screen, size_t section)
{
    static const char letters[] = {[BLOCK_FAILURE] = 'F', [BLOCK_FACTS] = 'f',   [BLOCK_ANSWERS] = 'a',
                                   [BLOCK_LINE] = 'l',    [BLOCK_VERDICT] = 'V', [BLOCK_NOTE] = 'n',
                                   [BLOCK_WARNING] = 'w', [BLOCK_TABLE] = 't',   [BLOCK_METHOD] = 'm'};
    const struct page page = page_of(record, screen);
    assert_true(section < page.count);
    struct text kinds = {0};
    for (size_t i = 0; i < page.section[section].count; i++)
        text_repeat(&kinds, letters[page.section[section].block[i].kind], 1);
    return own_text(text_take(&kinds));
}

/* Leaves out hidden and empty tables; a verdict comes first; of a report one screen has the answers with a sheet_cell. */
TEST(blocks_have_one_order)
{
    struct record *record = synthetic();
    assert_string_equal(kinds_of(record, true, 0), "anllwwtttt");
    FACT(record, "run.subject", TEXT_CELL("two results"));
    FACT(record, "run.complete", BOOL_CELL(false));
    FACT(record, "run.method", TEXT_CELL("a method"));
    assert_string_equal(kinds_of(record, false, 0), "FVanlwwttttm");
    struct record *report = record_of(NULL), *child = record_child_add(report);
    assert_string_equal(kinds_of(report, true, 1), "F");
    FACT(report, "run.complete", BOOL_CELL(true));
    fill(child);
    placed(child, "memory/L1/read", REAL_CELL(1), "ns", TRUST_HIGH);
    placed(child, "memory/L1/copy", REAL_CELL(1), "ns", TRUST_HIGH);
    assert_string_equal(kinds_of(report, true, 0), "aan");
    assert_string_equal(kinds_of(report, false, 1), "anllwwtttt");
}

/* Results from before version 0.2 have no core sheet, and a screen of sentences. */
TEST(a_report_without_slots_has_no_sheet)
{
    struct record *report = record_of(NULL), *child = record_child_add(report);
    found(child, "a", INTEGER_CELL(1), NULL, TRUST_HIGH);
    FACT(child, "run.complete", BOOL_CELL(true));
    assert_false(page_has_sheet(report));
    assert_string_equal(kinds_of(report, true, 0), "l");
    placed(child, "core/rob", INTEGER_CELL(1), NULL, TRUST_HIGH);
    assert_true(page_has_sheet(report));
    assert_string_equal(kinds_of(report, true, 0), "a");
}

/* The host in a result without answers, a plan alone; got.* on a screen, and before the rest. */
TEST(facts_are_shown_where_they_were_asked_for)
{
    struct record *record = record_of(NULL), *got = record_of(NULL);
    add_facts(record);
    assert_string_equal(kinds_of(record, true, 0), "ffffff");
    record_fact(record, (struct fact){"plan.seconds", "time", "s", REAL_CELL(1)});
    assert_string_equal(kinds_of(record, false, 0), "f");
    add_curve(record);
    assert_string_equal(kinds_of(record, false, 0), "t");
    add_facts(got);
    placed(got, "fit", BOOL_CELL(true), NULL, TRUST_HIGH);
    record_fact(got, (struct fact){"got.where", "Layout", NULL, TEXT_CELL("L3 {0-1}")});
    assert_string_equal(kinds_of(got, true, 0), "af");
    assert_string_equal(kinds_of(got, false, 0), "afffffff");
}

/* The screen of a report has the table of memory, and a row of each family of keys before the second of any; both states are one. */
/* Both kinds stand in one row, whatever lies between them in the record, apart from answers of no kind. */
TEST(kinds_of_cores_are_columns)
{
    static const char *const kinds[] = {NULL, "Golden Cove", "Gracemont"};
    struct record *record = record_of(NULL);
    for (int kind = 0; kind < 3; kind++)
        for (int i = 0; i < 2; i++)
            record_answer(record, (struct answer){.key = kind == 0 ? "any"
                                                         : i       ? "second"
                                                                   : "first",
                                                  .label = kind == 0 ? "any"
                                                           : i       ? "second"
                                                                     : "first",
                                                  .kind = kinds[kind],
                                                  .value = INTEGER_CELL(10 * kind + i),
                                                  .trust = TRUST_HIGH});
    for (int screen = 0; screen < 2; screen++) {
        const struct page page = page_of(record, screen);
        const struct grid *grid[2];
        size_t grids = 0;
        for (size_t i = 0; i < page.section[0].count; i++)
            if (page.section[0].block[i].kind == BLOCK_ANSWERS)
                grid[grids++] = &page.section[0].block[i].grid;
        assert_int_equal(grids, 2);
        assert_int_equal(grid[0]->row_count, 2);
        assert_int_equal(grid[1]->row_count, 2);
        ASSERT_CELLS(grid[1], 0, "first", "10", "20");
        ASSERT_CELLS(grid[1], 1, "second", "11", "21");
    }
}

TEST(a_report_begins_with_a_row_of_each_family)
{
    static const char *const kept[] = {"a.0", "b.0", "b.1", "b.2", "c.0", "c.1",
                                       "c.2", "c.3", "d.0", "d.1", "d.2", "d.3"};
    struct record *report = record_of(NULL), *child = record_child_add(report);
    placed(child, "memory/L1/read", REAL_CELL(1), "ns", TRUST_HIGH);
    placed(child, "memory/L1/copy", REAL_CELL(1), "ns", TRUST_HIGH);
    for (int family = 'a'; family <= 'd'; family++)
        for (int i = 0; i < (family == 'a' ? 1 : family == 'b' ? 3 : 9); i++)
            for (enum state of = STATE_IDLE; of <= STATE_ACTIVE; of++) {
                char key[8];
                snprintf(key, sizeof key, "%c.%d", family, i);
                record_answer(child, (struct answer){.key = key,
                                                     .label = key,
                                                     .sheet_cell = "core/cost",
                                                     .value = INTEGER_CELL(1),
                                                     .trust = TRUST_HIGH,
                                                     .state = state_names[of]});
            }
    struct page page = page_of(report, true);
    assert_int_equal(page.section[0].left, 1 + 3 + 9 + 9 - COUNT_OF(kept));
    assert_true(page.section[0].block[0].is_matrix);
    const struct grid *rows = &page.section[0].block[1].grid;
    assert_int_equal(rows->row_count, COUNT_OF(kept));
    for (size_t i = 0; i < COUNT_OF(kept); i++)
        ASSERT_CELLS(rows, i, kept[i], "1", "1");
}
