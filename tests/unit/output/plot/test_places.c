/* SPDX-License-Identifier: MIT */
#include "../fixture.h"
#include "output/plot/plot.h"

static const struct column pair_columns[] = {
    {"from", "from CPU", NULL, CELL_CPU, ROLE_PARAMETER, 0},
    {"to", "to CPU", NULL, CELL_CPU, ROLE_PARAMETER, 0},
    {"ns", "latency", "ns", CELL_REAL, ROLE_MEASURE, 1},
};

static const struct table_spec pairs = {
    .name = "pairs",
    .columns = pair_columns,
    .column_count = 3,
    .view = {.kind = VIEW_MATRIX, .x = 1, .y = 0, .value = 2, .series = -1}};

/* Eight CPUs of one package with two L3s; a node is an L3; each core is a CPU. */
TEST(groups_that_say_something_are_kept)
{
    size_t count;
    struct record *record = record_new();
    record_table_add(record, &pairs);
    for (int i = 0; i < 64; i++)
        record_row(record, 0, (struct cell[]){INTEGER_CELL(i / 8), INTEGER_CELL(i % 8), REAL_CELL(1)});
    for (int i = 0; i < 8; i++)
        record_place_add(record, (struct place){i, {0, i / 4, i / 4, i / 2, -1}});
    struct plot *plot = plots_of(record_table_at(record, 0), &count);
    assert_int_equal(plot->grouping_count, 2);
    assert_string_equal(plot->grouping[0].word, "node");
    assert_string_equal(plot->grouping[1].word, "L2");
    for (int i = 0; i < 8; i++) {
        assert_int_equal(plot->grouping[0].group_of[i], i / 4);
        assert_int_equal(plot->grouping[1].group_of[i], i / 2);
    }
    plots_free(plot, count);
    record_free(record);
}
