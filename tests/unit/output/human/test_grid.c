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

TEST(marks_without_and_with_colour)
{
    struct record *record = record_new();
    add_matrix(record);
    char *plain = drawn(record, (struct style){0});
    char *colored = drawn(record, (struct style){.color = true});
    assert_non_null(strstr(plain, "avx2         6.0*     2.0*     1.2*\n"));
    assert_null(strchr(plain, '\033'));
    assert_non_null(strstr(colored, "\033[1;32m6.0\033[0m*"));
    free(plain);
    free(colored);
    record_free(record);
}

static struct record *wide(void)
{
    static struct table_spec spec;
    spec = matrix_spec;
    struct record *record = record_new();
    size_t table = record_table_add(record, &spec);
    for (int i = 1; i <= 30; i++) {
        const struct cell row[] = {INTEGER_CELL(1024LL * i), TEXT_CELL("kernel"), INTEGER_CELL(1),
                                   REAL_CELL(1e12 * i), NO_CELL};
        record_row(record, table, row);
    }
    return record;
}

TEST(wraps_at_the_terminals_width_only)
{
    struct record *record = wide();
    char *wrapped = drawn(record, (struct style){.width = 80});
    char *whole = drawn(record, (struct style){0});
    char *rest = NULL;
    int blocks = 0;
    for (char *line = strtok_r(wrapped, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        assert_true(text_width(line) <= 80);
        blocks += strstr(line, "KiB") != NULL;
        assert_int_equal(strncmp(line, "kernel", 6), 0);
    }
    assert_true(blocks > 1);
    assert_non_null(strstr(whole, "1 KiB"));
    assert_true(strchr(whole, '\n') > strstr(whole, "30 KiB"));
    free(wrapped);
    free(whole);
    record_free(record);
}

/* Rows that begin alike differ in every block of columns. */
TEST(what_names_a_row_is_repeated)
{
    static const struct column columns[] = {{"series", "series", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
                                            {"pairs", "pairs", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
                                            {"low", "lowest of all", NULL, CELL_REAL, ROLE_MEASURE, 1},
                                            {"high", "highest of all", NULL, CELL_REAL, ROLE_MEASURE, 1}};
    static const struct table_spec spec = {.name = "numbers", .columns = columns, .column_count = 4};
    struct record *record = record_new();
    const size_t table = record_table_add(record, &spec);
    for (int i = 1; i <= 2; i++)
        record_row(record, table,
                   (const struct cell[]){TEXT_CELL("fast"), INTEGER_CELL(i), REAL_CELL(i), REAL_CELL(2 * i)});
    char *got = drawn(record, (struct style){.width = 42});
    assert_string_equal(got,
                        "series  pairs  lowest of all\n"
                        "fast        1            1.0\n"
                        "fast        2            2.0\n"
                        "\n"
                        "series  pairs  highest of all\n"
                        "fast        1             2.0\n"
                        "fast        2             4.0\n");
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
