/* SPDX-License-Identifier: MIT */
#include "output/human/human.h"

#include "../fixture.h"

static char *drawn(struct record *record, struct style style)
{
    size_t count;
    struct text out = {0};
    struct grid *grids = view_grids(record_table_at(record, 0), &count);
    for (size_t i = 0; i < count; i++)
        human_grid(&style, &grids[i], &out);
    grids_free(grids, count);
    return text_take(&out);
}

TEST(aligns_by_characters)
{
    struct record *record = record_new();
    size_t table = record_table_add(record, &list_spec);
    const struct cell a[] = {TEXT_CELL("M\xc3\xb6hre"), INTEGER_CELL(65536), REAL_CELL(1.5)};
    const struct cell b[] = {TEXT_CELL("b"), INTEGER_CELL(7), REAL_CELL(100)};
    record_row(record, table, a);
    record_row(record, table, b);
    char *got = drawn(record, (struct style){0});
    assert_string_equal(got,
                        "name     size  latency [ns]\n"
                        "M\xc3\xb6hre  64 KiB          1.50\n"
                        "b         7 B        100.00\n");
    free(got);
    /* Where it is too wide, the first column stands in front of the others again. */
    got = drawn(record, (struct style){.width = 26});
    assert_string_equal(got,
                        "name     size\n"
                        "M\xc3\xb6hre  64 KiB\n"
                        "b         7 B\n"
                        "\n"
                        "name   latency [ns]\n"
                        "M\xc3\xb6hre          1.50\n"
                        "b            100.00\n");
    free(got);
    record_free(record);
}

/* What the last column has no room for goes on below its beginning; where there is no room at all, and without a width, it
 * stays in one line. */
TEST(last_texts_are_broken)
{
    static const struct column columns[] = {{"key", "key", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
                                            {"what", "what it is", NULL, CELL_TEXT, ROLE_LABEL, 0}};
    static const struct table_spec spec = {.name = "texts", .columns = columns, .column_count = 2};
    struct record *record = record_new();
    const size_t table = record_table_add(record, &spec);
    record_row(record, table,
               (const struct cell[]){TEXT_CELL("a.b"), TEXT_CELL("thirty and some characters to read")});
    record_row(record, table, (const struct cell[]){TEXT_CELL("c"), TEXT_CELL("few")});
    char *got = drawn(record, (struct style){.width = 30});
    assert_string_equal(got,
                        "key  what it is\n"
                        "a.b  thirty and some\n"
                        "     characters to read\n"
                        "c    few\n");
    free(got);
    for (int width = 0; width <= 20; width += 20) {
        got = drawn(record, (struct style){.width = width});
        assert_non_null(strstr(got, "a.b  thirty and some characters to read\n"));
        free(got);
    }
    record_free(record);
}
