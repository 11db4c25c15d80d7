/* SPDX-License-Identifier: MIT */
#include "output/human/human.h"

#include "../fixture.h"

static char *drawn(struct record *record, struct style style)
{
    struct text out = {0};
    human_grid(&style, 0, grids_in(record, 1), &out);
    return own_text(text_take(&out));
}

TEST(aligns_by_characters)
{
    struct record *record = record_of(&list_spec);
    ROW(record, TEXT_CELL("M\xc3\xb6hre"), INTEGER_CELL(65536), REAL_CELL(1.5));
    ROW(record, TEXT_CELL("b"), INTEGER_CELL(7), REAL_CELL(100));
    assert_string_equal(drawn(record, (struct style){0}),
                        "name     size  latency [ns]\n"
                        "M\xc3\xb6hre  64 KiB          1.50\n"
                        "b         7 B        100.00\n");
    /* A grid that is too wide repeats its first column in front of the others. */
    assert_string_equal(drawn(record, (struct style){.width = 26}),
                        "name     size\n"
                        "M\xc3\xb6hre  64 KiB\n"
                        "b         7 B\n"
                        "\n"
                        "name   latency [ns]\n"
                        "M\xc3\xb6hre          1.50\n"
                        "b            100.00\n");
}

/* The block below has only the rows with a cell there. */
TEST(rows_without_more_end_above)
{
    static const struct column columns[] = {{"name", "name", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
                                            {"first", "first", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
                                            {"second", "second", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
                                            {"third", "third", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
                                            {"note", "note", NULL, CELL_TEXT, ROLE_LABEL, 0}};
    static const struct table_spec spec = {.name = "notes", .columns = columns, .column_count = 5};
    struct record *record = record_of(&spec);
    ROW(record, TEXT_CELL("a"), INTEGER_CELL(1), INTEGER_CELL(2), INTEGER_CELL(3), TEXT_CELL(""));
    ROW(record, TEXT_CELL("b"), INTEGER_CELL(4), INTEGER_CELL(5), INTEGER_CELL(6), TEXT_CELL("seen in one"));
    assert_string_equal(drawn(record, (struct style){.width = 26}),
                        "name  first  second  third\n"
                        "a         1       2      3\n"
                        "b         4       5      6\n"
                        "\n"
                        "name  note\n"
                        "b     seen in one\n");
}

/* A last column without room continues below; with no room at all, or without a width, it stays in one line. */
TEST(last_texts_are_broken)
{
    static const struct column columns[] = {{"key", "key", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
                                            {"what", "what it is", NULL, CELL_TEXT, ROLE_LABEL, 0}};
    static const struct table_spec spec = {.name = "texts", .columns = columns, .column_count = 2};
    struct record *record = record_of(&spec);
    ROW(record, TEXT_CELL("a.b"), TEXT_CELL("thirty and some characters to read"));
    ROW(record, TEXT_CELL("c"), TEXT_CELL("few"));
    assert_string_equal(drawn(record, (struct style){.width = 30}),
                        "key  what it is\n"
                        "a.b  thirty and some\n"
                        "     characters to read\n"
                        "c    few\n");
    for (int width = 0; width <= 20; width += 20)
        assert_has(drawn(record, (struct style){.width = width}),
                   "a.b  thirty and some characters to read\n");
}

/* Draws a grid as a screen does: the last column holds remarks. */
static char *on_screen(struct record *record, int width)
{
    size_t count;
    struct text out = {0};
    struct grid *grids = grids_of(&record->tables.of[0], &count);
    grids[0].label_columns = 1;
    grids[0].remarks = grids[0].brief = true;
    for (int i = 0; i < grids[0].column_count; i++)
        grids[0].column[i].spare = strcmp(grids[0].column[i].heading, "ns") == 0;
    human_grid(&(struct style){.width = width}, 0, &grids[0], &out);
    return own_text(text_take(&out));
}

/* What has no room behind its row stands below it. */
TEST(a_remark_without_room_stands_below)
{
    static const struct column columns[] = {{"key", "key", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
                                            {"remark", "", NULL, CELL_TEXT, ROLE_LABEL, 0}};
    static const struct table_spec spec = {.name = "texts", .columns = columns, .column_count = 2};
    struct record *record = record_of(&spec);
    ROW(record, TEXT_CELL("a.b"), TEXT_CELL("0 % gained: by 128"));
    ROW(record, TEXT_CELL("a.c"), TEXT_CELL("differs; also 1; or 2"));
    ROW(record, TEXT_CELL("a.e"), TEXT_CELL("seventeen letters"));
    assert_string_equal(on_screen(record, 22),
                        "key\n"
                        "a.b\n"
                        "    0 % gained: by 128\n"
                        "a.c\n"
                        "    differs; also 1;\n"
                        "    or 2\n"
                        "a.e  seventeen letters\n");
}

/* Nothing of a name or a remark is lost at any width: first goes a column that is empty here, then ns, then
 * the line of the remark, last the line of the name. */
TEST(a_narrow_screen_keeps_names_values_and_remarks)
{
    static const struct column columns[] = {{"key", "name", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
                                            {"idle", "idle", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
                                            {"busy", "busy", NULL, CELL_TEXT, ROLE_MEASURE, 0},
                                            {"ns", "ns", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
                                            {"remark", "", NULL, CELL_TEXT, ROLE_LABEL, 0}};
    static const struct table_spec spec = {.name = "texts", .columns = columns, .column_count = 5};
    struct record *record = record_of(&spec);
    ROW(record, TEXT_CELL("one of two long names: first"), INTEGER_CELL(1234), TEXT_CELL(""), INTEGER_CELL(5),
        TEXT_CELL("of guests"));
    ROW(record, TEXT_CELL("one of two long names: last"), INTEGER_CELL(99), TEXT_CELL(""), INTEGER_CELL(6),
        TEXT_CELL(""));
    assert_string_equal(on_screen(record, 49),
                        "name                          idle  ns\n"
                        "one of two long names: first  1234   5  of guests\n"
                        "one of two long names: last     99   6\n");
    assert_string_equal(on_screen(record, 48),
                        "name                          idle\n"
                        "one of two long names: first  1234  of guests\n"
                        "one of two long names: last     99\n");
    assert_string_equal(on_screen(record, 44),
                        "name                          idle\n"
                        "one of two long names: first  1234\n"
                        "    of guests\n"
                        "one of two long names: last     99\n");
    assert_string_equal(on_screen(record, 33),
                        "name                         idle\n"
                        "one of two long names:\n"
                        "  first                      1234\n"
                        "    of guests\n"
                        "one of two long names: last    99\n");
    assert_string_equal(on_screen(record, 16),
                        "name        idle\n"
                        "one of two\n"
                        "  long\n"
                        "  names:\n"
                        "  first     1234\n"
                        "    of guests\n"
                        "one of two\n"
                        "  long\n"
                        "  names:\n"
                        "  last        99\n");
}
