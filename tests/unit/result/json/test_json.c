/* SPDX-License-Identifier: MIT */
#include "../../output/fixture.h"

static void assert_holds(const struct record *record, const char *part)
{
    char *got = formatted(&jsonl_format, record);
    if (!strstr(got, part))
        print_message("%s\n", got);
    assert_non_null(strstr(got, part));
    free(got);
}

static void paths_make_objects_and_arrays(void **state)
{
    struct record *record = record_new();
    record_fact(record, (struct fact){.path = "clock.source", .value = TEXT_CELL("tsc")});
    record_fact(record, (struct fact){.path = "host.list.1", .value = INTEGER_CELL(2)});
    record_fact(record, (struct fact){.path = "host.list.0", .value = INTEGER_CELL(1)});
    record_fact(record, (struct fact){.path = "host.of.0.a", .value = NO_CELL});
    record_fact(record, (struct fact){.path = "host.of.0.b", .value = BOOL_CELL(false)});
    record_fact(record, (struct fact){.path = "other.a", .value = REAL_CELL(0.1)});
    assert_holds(record,
                 "{\"schema\":\"uarchprobe/1\",\"tool\":{},"
                 "\"host\":{\"list\":[1,2],\"of\":[{\"a\":null,\"b\":false}]},\"run\":{},"
                 "\"clock\":{\"source\":\"tsc\"},\"other\":{\"a\":0.1},\"tables\":[],\"findings\":[],"
                 "\"warnings\":[]}\n");
    record_free(record);
}

/* A bench's mistake in a path must not end in a crash or a document that is none. */
static void paths_at_odds_do_no_harm(void **state)
{
    struct record *record = record_new();
    record_fact(record, (struct fact){.path = "a.0", .value = INTEGER_CELL(1)});
    record_fact(record, (struct fact){.path = "a.b", .value = INTEGER_CELL(2)});
    record_fact(record, (struct fact){.path = "a.b.c", .value = INTEGER_CELL(3)});
    record_fact(record, (struct fact){.path = "c", .value = INTEGER_CELL(4)});
    record_fact(record, (struct fact){.path = "c.d", .value = INTEGER_CELL(5)});
    record_fact(record, (struct fact){.path = "e.99999999999999999999", .value = INTEGER_CELL(6)});
    record_fact(record, (struct fact){.path = "", .value = INTEGER_CELL(7)});
    assert_holds(record, "\"a\":[1],\"c\":{\"d\":5},\"e\":{\"99999999999999999999\":6}");
    record_free(record);
}

static void no_value_is_null(void **state)
{
    struct record *record = record_new();
    const struct cell row[] = {NO_CELL, NO_CELL, REAL_CELL(-INFINITY)};
    record_row(record, record_table_add(record, &list_spec), row);
    record_finding(record, (struct finding){.key = "k", .value = REAL_CELL(NAN), .trust = TRUST_MEDIUM});
    assert_holds(record, "\"rows\":[{\"name\":null,\"size\":null,\"latency\":null}]");
    assert_holds(record, "{\"key\":\"k\",\"value\":null,\"unit\":null,\"trust\":\"medium\",\"text\":null}");
    record_free(record);
}

static void tables_tell_columns_and_view(void **state)
{
    struct record *record = record_new();
    record_table_add(record, &matrix_spec);
    assert_holds(record,
                 "\"view\":{\"kind\":\"matrix\",\"x\":\"buffer_size\",\"y\":\"kernel\",\"value\":\"speed\","
                 "\"mark\":\"max\",\"log_x\":false,\"log_value\":false,\"filter\":\"line\","
                 "\"filter_text\":\"MED\"");
    assert_holds(record,
                 "{\"key\":\"buffer_size\",\"title\":\"buffer size\",\"unit\":\"Byte\","
                 "\"type\":\"integer\",\"role\":\"parameter\",\"digits\":0}");
    assert_holds(record, "\"rows\":[]");
    record_free(record);
}

static void jsonl_is_one_line(void **state)
{
    struct record *record = synthetic();
    char *got = formatted(&jsonl_format, record);
    assert_ptr_equal(strchr(got, '\n'), got + strlen(got) - 1);
    free(got);
    record_free(record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_make_objects_and_arrays),
        cmocka_unit_test(paths_at_odds_do_no_harm),
        cmocka_unit_test(no_value_is_null),
        cmocka_unit_test(tables_tell_columns_and_view),
        cmocka_unit_test(jsonl_is_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
