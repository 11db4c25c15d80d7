/* SPDX-License-Identifier: MIT */
#include "../../output/fixture.h"

static void assert_holds(const struct record *record, const char *part)
{
    char *got = formatted(&jsonl_format, record);
    if (!strstr(got, part))
        print_message("%s\n", got);
    assert_non_null(strstr(got, part));
}

TEST(paths_make_objects_and_arrays)
{
    struct record *record = record_of(NULL);
    record_fact(record, (struct fact){.path = "clock.source", .value = TEXT_CELL("tsc")});
    record_fact(record, (struct fact){.path = "host.list.1", .value = INTEGER_CELL(2)});
    record_fact(record, (struct fact){.path = "host.list.0", .value = INTEGER_CELL(1)});
    record_fact(record, (struct fact){.path = "host.of.0.a", .value = NO_CELL});
    record_fact(record, (struct fact){.path = "host.of.0.b", .value = BOOL_CELL(false)});
    record_fact(record, (struct fact){.path = "other.a", .value = REAL_CELL(0.1)});
    assert_holds(record,
                 "{\"schema\":\"uarchprobe/4\",\"tool\":{},"
                 "\"host\":{\"list\":[1,2],\"of\":[{\"a\":null,\"b\":false}]},\"run\":{},"
                 "\"clock\":{\"source\":\"tsc\"},\"other\":{\"a\":0.1},\"tables\":[],\"answers\":[],"
                 "\"warnings\":[]}\n");
}

TEST(no_value_is_null)
{
    struct record *record = record_of(NULL);
    const struct cell row[] = {NO_CELL, NO_CELL, REAL_CELL(-INFINITY)};
    record_row(record, record_table_add(record, &list_spec), row);
    const struct parts unknown = {2, {NAN, INFINITY}};
    record_answer(record, (struct answer){
                              .key = "k", .value = REAL_CELL(NAN), .trust = TRUST_MEDIUM, .parts = unknown});
    assert_holds(record, "\"rows\":{\"name\":[null],\"size\":[null],\"latency\":[null]}");
    assert_holds(record,
                 "{\"key\":\"k\",\"value\":null,\"unit\":null,\"interval\":null,\"state\":null,"
                 "\"samples\":null,"
                 "\"parts\":null,\"ghz\":null,\"within\":null,\"within_absolute\":null,\"trust\":\"medium\","
                 "\"limited_by\":"
                 "null,\"published\":null,\"label\":null,\"remark\":null,\"sheet_cell\":null,\"text\":null}");
}

TEST(tables_tell_columns_and_view)
{
    struct record *record = record_of(NULL);
    record_table_add(record, &matrix_spec);
    assert_holds(record,
                 "\"view\":{\"kind\":\"matrix\",\"x\":\"buffer_size\",\"y\":\"kernel\",\"value\":\"speed\","
                 "\"mark\":true,\"scale\":");
    assert_holds(record,
                 "{\"key\":\"buffer_size\",\"title\":\"buffer size\",\"unit\":\"Byte\","
                 "\"type\":\"size\",\"role\":\"parameter\",\"digits\":0}");
    assert_holds(record, "\"rows\":{\"buffer_size\":[],\"kernel\":[],");
}

/* An index for a class, a bit for a flag, an array for each part of a summary. */
TEST(cells_keep_their_types)
{
    struct record *record = record_of(NULL);
    add_typed(record);
    assert_holds(record,
                 "\"type\":\"class\",\"role\":\"parameter\",\"digits\":0,\"names\":[\"rain\",\"wind\"]}");
    assert_holds(record, "\"names\":[\"L1, 4 KiB\",\"L2\"]}");
    assert_holds(
        record,
        "\"rows\":{\"from\":[7,3,null],\"kernel\":[\"chase\",\"chase\",null],\"kind\":[1,0,null],"
        "\"set\":[0,1,0],\"flags\":[3,0,null],\"latency\":{\"n\":[5,null,null],\"min\":[1.0,null,null],"
        "\"p10\":[1.5,null,null],\"median\":[2.25,null,null],");
}

TEST(answers_say_what_they_rest_on)
{
    struct record *record = record_of(NULL);
    record_answer(record, (struct answer){.key = "k",
                                          .value = INTEGER_CELL(24),
                                          .low = REAL_CELL(23),
                                          .high = REAL_CELL(24.5),
                                          .state = "sibling idle",
                                          .samples = 12,
                                          .parts = {.count = 2, .value = {23.25F, 24.123456F}},
                                          .ghz = 2.5,
                                          .within_absolute = 1,
                                          .trust = TRUST_LOW,
                                          .limited_by = LIMITED_BY_REPETITION});
    assert_holds(
        record,
        "\"value\":24,\"unit\":null,\"interval\":[23.0,24.5],\"state\":\"sibling idle\","
        "\"samples\":12,\"parts\":[23.25,24.1235],\"ghz\":2.5,\"within\":null,\"within_absolute\":1.0,"
        "\"trust\":\"low\","
        "\"limited_by\":\"repetition\"");
}

/* A line for each column of a table and each answer: neither one for each number nor one for all. */
TEST(json_is_read_line_by_line)
{
    struct record *record = record_of(NULL);
    size_t table = record_table_add(record, &list_spec);
    for (int i = 0; i < 3; i++)
        record_row(record, table,
                   (const struct cell[]){TEXT_CELL("x\n\"y\""), INTEGER_CELL(i), REAL_CELL(3)});
    record_answer(record, (struct answer){.key = "k", .low = REAL_CELL(1), .high = REAL_CELL(2)});
    char *got = formatted(&json_format, record);
    assert_non_null(strstr(got, "\n        \"size\": [0, 1, 2],\n        \"latency\": [3.0, 3.0, 3.0]\n"));
    assert_non_null(strstr(got, "\"name\": [\"x\\n\\\"y\\\"\", "));
    assert_non_null(strstr(got, "\n    {\"key\": \"k\", \"value\": null, "));
    assert_non_null(strstr(got, "\n  \"warnings\": []\n}\n"));
}

TEST(jsonl_is_one_line)
{
    struct record *record = synthetic();
    char *got = formatted(&jsonl_format, record);
    assert_ptr_equal(strchr(got, '\n'), got + strlen(got) - 1);
}
