/* SPDX-License-Identifier: MIT */
#include "output/answers.h"

#include "fixture.h"

static struct record *record;
static bool marked;

static int begin(void **state)
{
    record = record_of(NULL);
    marked = false;
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

static void add_kind(const char *key, const char *label, const char *kind, struct cell value,
                     const char *remark)
{
    record_answer(record, (struct answer){.key = key,
                                          .label = label,
                                          .kind = kind,
                                          .value = value,
                                          .unit = "cycles",
                                          .ghz = 4,
                                          .remark = remark,
                                          .trust = TRUST_HIGH});
}

static struct grid *kept(struct grid grid)
{
    struct grid *copy = scratch_new(1, sizeof(*copy));
    *copy = grid;
    return copy;
}

/* The matrix of all answers where there is one (left: the others), or their rows. */
static struct grid *made(bool matrix, size_t *left)
{
    const struct answer *of[64];
    size_t count = record->answers.count;
    for (size_t i = 0; i < count; i++)
        of[i] = &record->answers.of[i];
    struct grid *grid =
        kept(matrix ? answers_matrix(of, &count, &marked) : answers_rows(of, count, true, &marked));
    if (left)
        *left = count;
    return grid;
}

/* The heading names the most common unit; states other than idle and busy have rows of their own. */
TEST(states_of_a_key_share_a_row)
{
    found(record, "without a label", INTEGER_CELL(1), NULL, TRUST_HIGH);
    assert_int_equal(made(false, NULL)->row_count, 0);
    add("a", STATE_ACTIVE, INTEGER_CELL(32), "entries", TRUST_HIGH);
    add("b", STATE_UNKNOWN, REAL_CELL(6.2), "cycles", TRUST_HIGH);
    add("a", STATE_IDLE, INTEGER_CELL(64), "entries", TRUST_HIGH);
    add("c", STATE_IDLE, INTEGER_CELL(1), "entries", TRUST_HIGH);
    add("c", STATE_UNKNOWN, INTEGER_CELL(2), "entries", TRUST_HIGH);
    const struct grid *grid = made(false, NULL);
    assert_int_equal(grid->row_count, 4);
    assert_int_equal(grid->column_count, 4);
    assert_string_equal(grid->column[0].heading, "entries");
    assert_string_equal(grid->column[2].heading, "idle");
    ASSERT_CELLS(grid, 0, "a", "", "64", "32");
    ASSERT_CELLS(grid, 1, "b", "cycles", "6.2", "");
    ASSERT_CELLS(grid, 3, "c", "", "2", "");
    assert_false(marked);
}

/* Each kind has its column; no ns, as each has a clock of its own. Of labels that end in different words,
 * these are remarks. */
TEST(kinds_of_a_key_share_a_row)
{
    add_kind("a", "a", "Golden Cove", INTEGER_CELL(5), NULL);
    add_kind("b", "b", "Golden Cove", INTEGER_CELL(6), "3 samples");
    add_kind("c", "c: x", "Golden Cove", INTEGER_CELL(7), "one for all");
    add_kind("d", "d", "Golden Cove", INTEGER_CELL(8), "one for all");
    add_kind("a", "a", "Gracemont", NO_CELL, "no CPU");
    add_kind("b", "b", "Gracemont", INTEGER_CELL(16), NULL);
    add_kind("c", "c: y", "Gracemont", INTEGER_CELL(17), NULL);
    add_kind("d", "d", "Gracemont", INTEGER_CELL(18), "one for all");
    const struct grid *grid = made(false, NULL);
    assert_int_equal(grid->row_count, 4);
    assert_int_equal(grid->column_count, 4);
    assert_string_equal(grid->column[1].heading, "Golden Cove");
    assert_string_equal(grid->column[2].heading, "Gracemont");
    ASSERT_CELLS(grid, 0, "a", "5", "-", "Gracemont: no CPU");
    ASSERT_CELLS(grid, 1, "b", "6", "16", "Golden Cove: 3 samples");
    ASSERT_CELLS(grid, 2, "c", "7", "17", "Golden Cove: x, Gracemont: y; Golden Cove: one for all");
    ASSERT_CELLS(grid, 3, "d", "8", "18", "one for all");
}

/* Cells of a matrix are of one kind. */
TEST(kinds_are_rows_of_a_matrix)
{
    static const char *const kinds[] = {"Golden Cove", "Gracemont"};
    for (int i = 0; i < 4; i++)
        record_answer(record, (struct answer){.key = i % 2 ? "x" : "y",
                                              .sheet_cell = i % 2 ? "pairs/fast/64" : "pairs/fast/1",
                                              .kind = kinds[i / 2],
                                              .value = INTEGER_CELL(i),
                                              .unit = "cycles",
                                              .trust = TRUST_HIGH});
    const struct grid *grid = made(true, NULL);
    assert_int_equal(grid->row_count, 2);
    ASSERT_CELLS(grid, 0, "fast, Golden Cove", "0", "1");
    ASSERT_CELLS(grid, 1, "fast, Gracemont", "2", "3");
}

/* Cycles have their ns, for an idle sibling or, where idle has no value, a busy one; other units have none. */
TEST(cycles_are_ns_where_their_clock_is_known)
{
    static const struct answer of[] = {
        {.key = "a", .unit = "cycles", .ghz = 4, .value = {CELL_REAL, .real = 10}},
        {.key = "b", .unit = "cycles", .ghz = 4},
        {.key = "b", .unit = "cycles", .ghz = 2, .value = {CELL_REAL, .real = 10}, .state = "sibling active"},
        {.key = "c", .unit = "GiByte/s", .ghz = 4, .value = {CELL_REAL, .real = 10}}};
    static const char *const ns[] = {"2.5", "5", ""};
    for (size_t i = 0; i < COUNT_OF(of); i++) {
        struct answer answer = of[i];
        answer.label = answer.key;
        answer.trust = TRUST_HIGH;
        record_answer(record, answer);
    }
    const struct grid *grid = made(false, NULL);
    for (size_t i = 0; i < COUNT_OF(ns); i++)
        assert_string_equal(grid_at(grid, i, 4)->text, ns[i]);
}

TEST(what_is_published_has_its_unit_where_it_differs)
{
    add("a", STATE_IDLE, REAL_CELL(4), "ns", TRUST_HIGH);
    add("b", STATE_IDLE, INTEGER_CELL(64), "entries", TRUST_HIGH);
    record_quote(record, "a", (struct quote){REAL_CELL(14), "cycles", "somebody"});
    record_quote(record, "b", (struct quote){INTEGER_CELL(72), "entries", "somebody"});
    const struct grid *grid = made(false, NULL);
    ASSERT_CELLS(grid, 0, "a", "ns", "4", "14 cycles", "somebody");
    ASSERT_CELLS(grid, 1, "b", "entries", "64", "72", "somebody");
    add("pairs in flight", STATE_IDLE, INTEGER_CELL(5), "pairs", TRUST_HIGH);
    add("other pairs", STATE_IDLE, INTEGER_CELL(5), "units", TRUST_HIGH);
    grid = made(false, NULL);
    ASSERT_CELLS(grid, 2, "pairs in flight", "", "5", "", "");
    ASSERT_CELLS(grid, 3, "other pairs", "units", "5", "", "");
}

/* Agreement needs no word; no source and no core are two things. */
TEST(what_is_published_has_its_standing)
{
    static const struct {
        const char *key;
        struct quote quote;
        const char *published, *remark;
    } cases[] = {
        {"agrees",
         {INTEGER_CELL(64), "entries", "A", AGREEMENT_PUBLISHED, INTEGER_CELL(64), INTEGER_CELL(64)},
         "64",
         "A"},
        {"a range",
         {REAL_CELL(6.95), "entries", "A", AGREEMENT_PUBLISHED, REAL_CELL(6.4), REAL_CELL(7.5)},
         "6.4-7.5",
         "A"},
        {"differs",
         {INTEGER_CELL(72), "entries", "A", AGREEMENT_DIFFERS, INTEGER_CELL(72), INTEGER_CELL(72)},
         "72",
         "differs; A"},
        {"outside of a range",
         {REAL_CELL(6.95), "entries", "A", AGREEMENT_DIFFERS, REAL_CELL(6.4), REAL_CELL(7.5)},
         "6.4-7.5",
         "differs; A"},
        {"between two",
         {INTEGER_CELL(26), "entries", "A", AGREEMENT_DIFFERS, INTEGER_CELL(26), INTEGER_CELL(238)},
         "26, 238",
         "differs; A"},
        {"disputed",
         {INTEGER_CELL(126), "entries", "A", AGREEMENT_DISPUTED, INTEGER_CELL(126), INTEGER_CELL(238)},
         "126, 238",
         "disputed; A"},
        {"missing", {.agreement = AGREEMENT_MISSING}, "-", ""},
        {"unknown", {.agreement = AGREEMENT_UNKNOWN}, "", ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        add(cases[i].key, STATE_UNKNOWN, INTEGER_CELL(64), "entries", TRUST_HIGH);
        record_quote(record, cases[i].key, cases[i].quote);
    }
    const struct grid *grid = made(false, NULL);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        ASSERT_CELLS(grid, i, cases[i].key, "64", cases[i].published, cases[i].remark);
}

/* A mark shows the trust of a value; unmarked values get a blank if others of the column have a mark. Low
 * trust shows the range: two runs with 94 and 143 do not mean 94. */
TEST(trust_is_seen_in_the_value)
{
    static const struct {
        enum trust trust;
        double value, low, high;
        const char *text;
    } cases[] = {{TRUST_LOW, 94, 17, 130, "17-130?"},  {TRUST_LOW, 94, 93.8, 94.2, "93.8-94.2?"},
                 {TRUST_LOW, 94, 94, 94.001, "94?"},   {TRUST_LOW, 94, NAN, NAN, "94?"},
                 {TRUST_LOW, NAN, NAN, NAN, "- "},     {TRUST_LOW, 8, 7.1, 9.95, "7.1-9.9?"},
                 {TRUST_MEDIUM, 94, 90, 99, "94~"},    {TRUST_HIGH, 1, 0.9, 1.1, "1 "},
                 {TRUST_LOW, 251, 251, NAN, ">=251?"}, {TRUST_MEDIUM, 251, 251, NAN, ">=251~"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        record_answer(record, (struct answer){.key = cases[i].text,
                                              .label = "a",
                                              .value = REAL_CELL(cases[i].value),
                                              .low = REAL_CELL(cases[i].low),
                                              .high = REAL_CELL(cases[i].high),
                                              .unit = "ns",
                                              .trust = cases[i].trust});
    const struct grid *grid = made(false, NULL);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_string_equal(grid_at(grid, i, 1)->text, cases[i].text);
    assert_true(marked);
}

static const char *remarks_of(const char *const *remark, size_t count)
{
    for (size_t i = 0; i < count; i++)
        record_answer(
            record, (struct answer){
                        .key = spell("key%zu", i), .label = "a", .value = REAL_CELL(1), .remark = remark[i]});
    const struct answer *of[8] = {NULL};
    for (size_t i = 0; i < count; i++)
        of[i] = &record->answers.of[i];
    const struct grid grid = answers_rows(of, count, false, &marked);
    const char *all = "";
    for (size_t i = 0; i < count; i++)
        all = spell("%s%s|", all, grid_at(&grid, i, grid.column_count - 1)->text);
    return all;
}

TEST(a_remark_of_three_rows_stands_once)
{
    static const char *const two[] = {"same", "same", "other"}, *const three[] = {"same", "same", "same",
                                                                                  "other"};
    assert_string_equal(remarks_of(two, COUNT_OF(two)), "same|same|other|");
    record = record_of(NULL);
    assert_string_equal(remarks_of(three, COUNT_OF(three)), "||3 rows: same|other|");
}

/* Other programs write a result's numbers again, and leave out decimals that are zero. */
TEST(a_rate_without_decimals_has_its_unit)
{
    add("ram.L2.read", STATE_UNKNOWN, INTEGER_CELL(400LL << 30), "Byte/s", TRUST_HIGH);
    add("ram.L1.read", STATE_UNKNOWN, REAL_CELL(0x1p38), "Byte/s", TRUST_HIGH);
    const struct grid *grid = made(false, NULL);
    assert_string_equal(grid_at(grid, 0, 1)->text, "400");
    assert_string_equal(grid_at(grid, 1, 1)->text, "256");
}

/* A count that was found in steps has both ends at any trust; one step of 1 has none, and a size with an interval around it is a
 * number. */
TEST(a_count_found_in_steps_has_both_ends)
{
    static const struct {
        enum trust trust;
        int64_t value;
        double low, high, grain;
        const char *text, *key;
    } cases[] = {{TRUST_HIGH, 30, 30, 32, 2, "30-32 ", "a"},
                 {TRUST_MEDIUM, 2944, 2944, 3008, 64, "2944-3008~", "b"},
                 {TRUST_HIGH, 31, 30, 32, 2, "30-32 ", "c"},
                 {TRUST_HIGH, 16384, 16384, 23170, 0, "16384-23170 ", "d"},
                 {TRUST_HIGH, 64, 64, 64, 1, "64 ", "e"},
                 {TRUST_HIGH, 48, 47, 49, 0, "48 ", "f"},
                 {TRUST_HIGH, 48, 47.5, 48.5, 1, "48 ", "g"},
                 {TRUST_LOW, 30, NAN, NAN, 2, "30?", "h"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        record_answer(record, (struct answer){.key = cases[i].key,
                                              .label = "a",
                                              .value = INTEGER_CELL(cases[i].value),
                                              .low = REAL_CELL(cases[i].low),
                                              .high = REAL_CELL(cases[i].high),
                                              .within_absolute = cases[i].grain,
                                              .unit = "entries",
                                              .trust = cases[i].trust});
    const struct grid *grid = made(false, NULL);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_string_equal(grid_at(grid, i, 1)->text, cases[i].text);
}

/* Slots of three parts make a matrix in the order of the answers, of idle values if known; other answers stay. */
TEST(slots_make_a_matrix)
{
    const double gib = 1 << 30;
    size_t left;
    placed(record, "memory/L1/read", REAL_CELL(3 * gib), "Byte/s", TRUST_HIGH);
    placed(record, "core/store-buffer", INTEGER_CELL(64), "entries", TRUST_LOW);
    placed(record, "memory/64_MiB/latency", REAL_CELL(7.25), "ns", TRUST_LOW);
    placed(record, "distance/cas/one_L3", REAL_CELL(7.25), "ns", TRUST_LOW);
    placed(record, "memory/L1/cycles", REAL_CELL(4), "cycles", TRUST_HIGH);
    for (int i = STATE_ACTIVE; i >= STATE_IDLE; i--)
        record_answer(record, (struct answer){.key = "b",
                                              .sheet_cell = "memory/64_MiB/read",
                                              .state = state_names[i],
                                              .unit = "Byte/s",
                                              .value = REAL_CELL(i * gib),
                                              .trust = TRUST_MEDIUM});
    const struct grid *grid = made(true, &left);
    assert_int_equal(grid->column_count, 4);
    assert_string_equal(grid->column[0].heading, "GiB/s");
    assert_string_equal(grid->column[1].heading, "read");
    assert_string_equal(grid->column[2].heading, "latency [ns]");
    assert_string_equal(grid->column[3].heading, "cycles");
    ASSERT_CELLS(grid, 0, "L1", "3 ", "", "4");
    ASSERT_CELLS(grid, 1, "64 MiB", "1~", "7.25?", "");
    assert_int_equal(left, 2);
    assert_true(marked);
}

/* A reason stands once, in the first column; a third column's published value does not make a table wider. */
TEST(a_matrix_has_reasons_and_what_is_published)
{
    size_t left;
    placed(record, "curve/L1/size", REAL_CELL(49152), "Byte", TRUST_HIGH);
    placed(record, "curve/L1/cycles", REAL_CELL(4.5), "cycles", TRUST_HIGH);
    placed(record, "curve/TLB/size", INTEGER_CELL(96), "entries", TRUST_MEDIUM);
    placed(record, "curve/TLB/ns", REAL_CELL(2), "ns", TRUST_HIGH);
    for (int i = 0; i < 2; i++)
        record_answer(record, (struct answer){.key = i ? "x" : "y",
                                              .sheet_cell = i ? "curve/L2/cycles" : "curve/L2/size",
                                              .unit = i ? "cycles" : "Byte",
                                              .remark = "not seen"});
    struct answer *of = record->answers.of;
    of[1].published = (struct quote){.value = REAL_CELL(4), .unit = "cycles"};
    of[3].published = (struct quote){.value = REAL_CELL(2), .unit = "ns"};
    const struct grid *grid = made(true, &left);
    assert_int_equal(grid->column_count, 5);
    ASSERT_CELLS(grid, 0, "L1", "48 KiB ", "4.5 ", "", "4 cycles");
    ASSERT_CELLS(grid, 1, "TLB", "96~ entries", "", "2", "");
    ASSERT_CELLS(grid, 2, "L2", "not seen", "- ", "", "");
}

/* A report searches its commands, too. */
TEST(an_answer_is_found_by_its_slot)
{
    struct record *child = record_child_add(record);
    record_answer(child, (struct answer){.key = "a",
                                         .sheet_cell = "core/rob",
                                         .value = INTEGER_CELL(1),
                                         .state = state_names[STATE_ACTIVE]});
    assert_int_equal(answers_find(record, "core/rob")->value.integer, 1);
    placed(child, "core/rob", INTEGER_CELL(2), NULL, TRUST_HIGH);
    assert_int_equal(answers_find(record, "core/rob")->value.integer, 2);
    assert_null(answers_find(record, "core/none"));
}

AROUND_EACH(begin, NULL)
