/* SPDX-License-Identifier: MIT */
#include "../output/fixture.h"

TEST(copies_what_it_is_given)
{
    char path[] = "host.arch", value[] = "x86_64", key[] = "k", text[] = "t";
    struct record *record = record_of(NULL);
    record_fact(record, (struct fact){.path = path, .value = TEXT_CELL(value)});
    record_answer(record, (struct answer){.key = key, .text = text, .value = TEXT_CELL(value)});
    memset(path, 'x', sizeof(path) - 1);
    memset(value, 'x', sizeof(value) - 1);
    key[0] = text[0] = 'x';
    assert_string_equal(record->facts.of[0].path, "host.arch");
    assert_string_equal(record->facts.of[0].value.text, "x86_64");
    assert_string_equal(record->answers.of[0].key, "k");
    assert_string_equal(record->answers.of[0].text, "t");
    assert_string_equal(record->answers.of[0].value.text, "x86_64");
    assert_null(record->answers.of[0].unit);
}

TEST(replaces_a_fact)
{
    struct record *record = record_of(NULL);
    record_fact(record, (struct fact){.path = "a.b", .title = "T", .value = TEXT_CELL("old")});
    record_fact(record, (struct fact){.path = "a.c", .value = INTEGER_CELL(1)});
    record_fact(record, (struct fact){.path = "a.b", .value = INTEGER_CELL(2)});
    assert_int_equal(record->facts.count, 2);
    assert_int_equal(record_fact_find(record, "a.b")->value.integer, 2);
    assert_string_equal(record_fact_find(record, "a.b")->title, "T");
    assert_null(record_fact_find(record, "a"));
}

TEST(keeps_a_warning_once)
{
    struct record *record = record_of(NULL);
    record_warning(record, "c", "%d", 1);
    record_warning(record, "c", "%d", 1);
    record_warning(record, "c", "%d", 2);
    record_warning(record, "d", "%d", 1);
    assert_int_equal(record->warnings.count, 3);
    assert_string_equal(record->warnings.of[1].text, "2");
}

/* Only answers that were told by this size, and that the proof lifts. */
TEST(a_proof_lifts_answers_of_its_size)
{
    static const struct {
        struct answer answer;
        enum trust trust;
        enum limited_by limited_by;
    } rows[] = {{{.key = "a",
                  .trust = TRUST_MEDIUM,
                  .limited_by = LIMITED_BY_PLAUSIBILITY,
                  .proved_trust = TRUST_HIGH,
                  .store_buffer = 64},
                 TRUST_HIGH,
                 LIMITED_BY_NONE},
                {{.key = "b",
                  .trust = TRUST_MEDIUM,
                  .limited_by = LIMITED_BY_PLAUSIBILITY,
                  .proved_trust = TRUST_HIGH,
                  .store_buffer = 32},
                 TRUST_MEDIUM,
                 LIMITED_BY_PLAUSIBILITY},
                {{.key = "c",
                  .trust = TRUST_MEDIUM,
                  .limited_by = LIMITED_BY_PLAUSIBILITY,
                  .proved_trust = TRUST_HIGH},
                 TRUST_MEDIUM,
                 LIMITED_BY_PLAUSIBILITY},
                {{.key = "d",
                  .trust = TRUST_LOW,
                  .limited_by = LIMITED_BY_PRECISION,
                  .proved_trust = TRUST_MEDIUM,
                  .proved_limited_by = LIMITED_BY_REPETITION,
                  .store_buffer = 64},
                 TRUST_MEDIUM,
                 LIMITED_BY_REPETITION},
                {{.key = "e", .trust = TRUST_HIGH, .store_buffer = 64}, TRUST_HIGH, LIMITED_BY_NONE}};
    struct record *record = record_of(NULL);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        record_answer(record, rows[i].answer);
    record_prove(record, 0);
    assert_int_equal(record->answers.of[2].trust, TRUST_MEDIUM);
    record_prove(record, 64);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(record->answers.of[i].trust, rows[i].trust);
        assert_int_equal(record->answers.of[i].limited_by, rows[i].limited_by);
    }
}

/* Of a report's parts too, which ask their parent. */
TEST(trusts_nothing_under_an_emulator)
{
    const struct answer answer = {.key = "k", .text = "t", .trust = TRUST_HIGH};
    struct record *record = record_of(NULL), *child = record_child_add(record);
    record_fact(record, (struct fact){.path = RECORD_EMULATED, .value = BOOL_CELL(false)});
    record_answer(record, answer);
    assert_false(record_has_low_trust(record));
    assert_false(record_warn_emulated(record));
    record_fact(record, (struct fact){.path = RECORD_EMULATED, .value = BOOL_CELL(true)});
    assert_true(record_warn_emulated(record));
    assert_int_equal(record->warnings.count, 1);
    record_answer(child, answer);
    record_answer(child, answer);
    assert_true(record_has_low_trust(child));
    assert_int_equal(child->warnings.count, 1);
    assert_int_equal(record->answers.of[0].trust, TRUST_HIGH);
}

TEST(holds_many_rows)
{
    struct record *record = record_of(NULL);
    size_t first = record_table_add(record, &list_spec);
    size_t second = record_table_add(record, &list_spec);
    for (int i = 0; i < 1000; i++) {
        char text[16];
        snprintf(text, sizeof(text), "row %d", i);
        const struct cell row[] = {TEXT_CELL(text), INTEGER_CELL(i), NO_CELL};
        record_row(record, i % 3 ? first : second, row);
    }
    const struct record_table *table = &record->tables.of[second];
    assert_int_equal(table->row_count, 334);
    assert_int_equal(record->tables.of[first].row_count, 666);
    for (size_t i = 0; i < table->row_count; i++)
        assert_int_equal(record_cell(table, i, 1)->integer, 3 * i);
    assert_string_equal(record_cell(table, 333, 0)->text, "row 999");
    assert_int_equal(record_cell(table, 333, 2)->type, CELL_NULL);
}

TEST(a_name_has_one_index)
{
    struct record *record = record_of(NULL);
    const size_t at = record_table_add(record, &typed_spec);
    char name[16];
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof(name), "class %d", i % 100);
        assert_int_equal(record_class(record, at, 3, name), i % 100);
    }
    assert_int_equal(record->tables.of[at].names[3].count, 100);
    assert_string_equal(record->tables.of[at].names[3].name[42], "class 42");
}

TEST(cells_take_the_type_of_their_column)
{
    struct record *record = record_of(NULL);
    const size_t index = add_typed(record);
    const struct record_table *table = &record->tables.of[index];
    for (int column = 0; column < 6; column++)
        assert_int_equal(record_cell(table, 0, column)->type, typed_columns[column].type);
    assert_int_equal(record_cell(table, 1, 2)->integer, 0);
    assert_int_equal(record_cell(table, 2, 2)->type, CELL_NULL);
    assert_int_equal(record_cell(table, 0, 3)->integer, record_cell(table, 2, 3)->integer);
    assert_int_equal(record_class(record, index, 3, "L2"), 1);
    assert_int_equal(record_class(record, index, 3, "L3"), 2);
    assert_string_equal(cell_text(record_cell(table, 1, 3)), "L2");
    assert_true(cell_number(record_cell(table, 0, 5)) == 2.25);
    assert_int_equal(record_cell(table, 0, 5)->summary->count, 5);
}

TEST(mends_utf8)
{
    struct record *record = record_of(NULL);
    record_fact(record, (struct fact){.path = "a", .value = TEXT_CELL("x\xff\xc3\xa9")});
    record_warning(record, "c", "%s", "\xc0\xaf");
    assert_string_equal(record_fact_find(record, "a")->value.text, "x\xef\xbf\xbd\xc3\xa9");
    assert_string_equal(record->warnings.of[0].text, "\xef\xbf\xbd\xef\xbf\xbd");
}

/* An empty table is no result; a child's answers are its parent's results, but are found in the child alone. */
TEST(knows_results_of_its_own_and_of_children)
{
    struct record *record = record_of(NULL), *child = record_child_add(record);
    const size_t table = record_table_add(child, &list_spec);
    record_place_add(record, (struct place){4, {0, 0, 1, 2, 2}});
    assert_int_equal(record_whole(child)->places.of[0].group[LEVEL_L3], 1);
    assert_false(record_has_results(record));
    record_row(child, table, (const struct cell[]){NO_CELL, INTEGER_CELL(1), NO_CELL});
    assert_true(record_has_results(record));
    record_answer(child, (struct answer){.key = "a", .trust = TRUST_MEDIUM});
    assert_false(record_has_low_trust(record));
    record_answer(child, (struct answer){.key = "range", .trust = TRUST_LOW, .unpromised = true});
    assert_false(record_has_low_trust(record));
    record_answer(child, (struct answer){.key = "b", .trust = TRUST_LOW});
    assert_true(record_has_low_trust(record));
    assert_ptr_equal(record_answer_find(child, "b", NULL), &child->answers.of[2]);
    assert_null(record_answer_find(child, "c", NULL));
    assert_null(record_answer_find(record, "a", NULL));
}

/* Measured is what rests on samples or has an interval, and a measure of a row that is no count. */
TEST(knows_whether_anything_was_measured)
{
    static const struct column columns[] = {{"size", "size", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
                                            {"samples", "samples", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
                                            {"latency", "latency", "ns", CELL_REAL, ROLE_MEASURE, 1}};
    static const struct table_spec spec = {.name = "t", .columns = columns, .column_count = 3};
    static const struct {
        struct answer answer;
        bool has;
    } answers[] = {{{.key = "a", .value = INTEGER_CELL(32768)}, false},
                   {{.key = "a", .samples = 9}, false},
                   {{.key = "a", .value = INTEGER_CELL(64), .samples = 1}, true},
                   {{.key = "a", .value = REAL_CELL(2), .low = REAL_CELL(1)}, true}};
    static const struct {
        double latency;
        bool has;
    } rows[] = {{NAN, false}, {0.5, true}};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct record *record = record_of(NULL);
        record_answer(record_child_add(record), answers[i].answer);
        assert_int_equal(record_has_values(record), answers[i].has);
        assert_int_equal(record_has_answers(record), answers[i].has);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct record *record = record_of(&spec);
        ROW(record, INTEGER_CELL(64), INTEGER_CELL(8), REAL_CELL(rows[i].latency));
        assert_int_equal(record_has_values(record), rows[i].has);
        assert_false(record_has_answers(record));
    }
}

/* Two states are two answers of one key; without a state the idle one is meant, then one of which none is known. */
TEST(finds_answers_by_state)
{
    static const char key[] = "entries";
    struct record *record = record_of(NULL);
    const char *idle = state_names[STATE_IDLE], *busy = state_names[STATE_ACTIVE];
    record_answer(record, (struct answer){.key = key, .value = INTEGER_CELL(32), .state = busy});
    assert_int_equal(record_answer_find(record, key, NULL)->value.integer, 32);
    assert_null(record_answer_find(record, key, idle));
    record_answer(record, (struct answer){.key = key, .value = INTEGER_CELL(40)});
    assert_int_equal(record_answer_find(record, key, NULL)->value.integer, 40);
    record_answer(record, (struct answer){.key = key, .value = INTEGER_CELL(64), .state = idle});
    assert_int_equal(record_answer_find(record, key, NULL)->value.integer, 64);
    assert_int_equal(record_answer_find(record, key, busy)->value.integer, 32);
    assert_int_equal(record_answer_find(record, key, state_names[STATE_UNKNOWN])->value.integer, 40);
    record_quote(record, key, (struct quote){.value = INTEGER_CELL(72)});
    assert_int_equal(record->answers.of[2].published.value.integer, 72);
    assert_false(cell_has_value(&record->answers.of[0].published.value));
}
