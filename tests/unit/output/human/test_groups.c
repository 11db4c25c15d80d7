/* SPDX-License-Identifier: MIT */
#include "../fixture.h"

/* Above 32 CPUs a matrix is group by group: each pair counts once, CPUs with themselves not at all. */
TEST(many_cpus_are_shown_by_group)
{
    static const struct column columns[] = {{"from", "from CPU", NULL, CELL_CPU, ROLE_PARAMETER, 0},
                                            {"to", "to CPU", NULL, CELL_CPU, ROLE_PARAMETER, 0},
                                            {"ns", "latency", "ns", CELL_REAL, ROLE_MEASURE, 1}};
    static const struct table_spec spec = {
        .name = "cas",
        .title = "Ping-pong",
        .columns = columns,
        .column_count = 3,
        .view = {.kind = VIEW_MATRIX, .x = 1, .y = 0, .value = 2, .series = -1}};
    struct record *record = record_new();
    const size_t table = record_table_add(record, &spec);
    for (int from = 0; from < 64; from++) {
        record_place_add(record, (struct place){from, {-1, -1, from / 32, -1, -1}});
        for (int to = from; to < 64; to++) {
            const double ns = from == to ? 2 : from / 32 == to / 32 ? 30 + to % 3 : 100;
            record_row(record, table, (struct cell[]){INTEGER_CELL(from), INTEGER_CELL(to), REAL_CELL(ns)});
        }
    }
    char *got = formatted_in(&human_format, record, (struct style){.width = 80});
    assert_non_null(strstr(got, "L3 0                      30.0      31.0      32.0       496\n"));
    assert_non_null(strstr(got, "L3 0 and 1               100.0     100.0     100.0      1024\n"));
    assert_null(strstr(got, "from CPU"));
    free(got);
    record_free(record);
}
