/* SPDX-License-Identifier: MIT */
#include "../fixture.h"
#include "output/human/human.h"

enum { C_MAP, C_Y, C_X, C_VALUE, C_CLASS, COUNT };

static const struct column columns[COUNT] = {
    [C_MAP] = {"map", "map", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
    [C_Y] = {"y", "y", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [C_X] = {"x", "x", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [C_VALUE] = {"value", "value", "cycles", CELL_REAL, ROLE_MEASURE, 1},
    [C_CLASS] = {"class", "class", NULL, CELL_CLASS, ROLE_LABEL, 0},
};

static const struct table_spec spec = {
    .name = "map",
    .title = "A map",
    .columns = columns,
    .column_count = COUNT,
    .view = {.kind = VIEW_MATRIX, .x = C_X, .y = C_Y, .value = C_VALUE, .series = C_MAP, .class = C_CLASS},
};

static void add(struct record *record, size_t table, const char *map, int y, int x, double value,
                const char *class)
{
    record_row(record, table,
               (struct cell[COUNT]){TEXT_CELL(map), INTEGER_CELL(y), INTEGER_CELL(x), REAL_CELL(value),
                                    class ? TEXT_CELL(class) : NO_CELL});
}

/* Three rows of two columns; "slow" appears first but is the higher class. */
static struct record *two_maps(void)
{
    struct record *record = record_new();
    const size_t table = record_table_add(record, &spec);
    add(record, table, "first", 0, 0, 9, "slow");
    add(record, table, "first", 0, 1, 1, "fast");
    add(record, table, "first", 1, 0, 1, "fast");
    add(record, table, "first", 1, 1, 9, "slow");
    add(record, table, "first", 2, 0, 9, "slow");
    add(record, table, "first", 2, 1, 0, NULL);
    add(record, table, "second", 0, 0, 5, "only");
    return record;
}

static char *drawn(const struct record *record, struct style style)
{
    style.tables = true;
    return formatted_in(&human_format, record, style);
}

static void letters_in_order_of_value_with_a_legend(void **state)
{
    struct record *record = two_maps();
    char *got = drawn(record, (struct style){0});
    assert_non_null(strstr(got, "A map\nfirst; cycles\n"));
    assert_non_null(strstr(got, "    0  ba   a   fast  1.0   40.0 %\n"));
    assert_non_null(strstr(got, "\n       ab   b   slow  9.0   60.0 %\n       b \n"));
    assert_non_null(strstr(got, "\nsecond; cycles\n"));
    assert_null(strchr(got, '\033'));
    free(got);
    record_free(record);
}

/* Two rows of cells in a line: three rows need two lines. */
static void half_blocks_in_colour(void **state)
{
    struct record *record = two_maps();
    char *got = drawn(record, (struct style){.color = true});
    size_t blocks = 0;
    for (const char *at = got; (at = strstr(at, "\xe2\x96\x80")); at++)
        blocks++;
    assert_int_equal(blocks, 2 * 2 + 1);
    assert_non_null(strstr(got, "\033[38;5;"));
    assert_null(strstr(got, ";2;"));
    free(got);
    got = drawn(record, (struct style){.color = true, .true_color = true});
    assert_non_null(strstr(got, "\033[38;2;"));
    assert_null(strstr(got, "38;5;"));
    free(got);
    got = drawn(record, (struct style){.color = true, .ascii = true});
    assert_null(strstr(got, "\xe2"));
    assert_non_null(strstr(got, "    0  ba   a   fast"));
    free(got);
    record_free(record);
}

/* Names of different lengths: the numbers stand below each other, and the legend goes below where it would not fit. */
static void legend_is_aligned_and_fits(void **state)
{
    struct record *record = record_new();
    const size_t table = record_table_add(record, &spec);
    add(record, table, NULL, 0, 0, 1.5, "forwarded across a line");
    add(record, table, NULL, 0, 1, 12, "slow");
    char *got = drawn(record, (struct style){.width = 80});
    assert_non_null(strstr(got, "A map\ncycles\n"));
    assert_non_null(strstr(got, "    0  ab   a   forwarded across a line   1.5   50.0 %\n"));
    free(got);
    got = drawn(record, (struct style){.width = 50});
    assert_non_null(strstr(got, "    0  ab\n\na   forwarded across a line   1.5   50.0 %\n"));
    assert_non_null(strstr(got, "\nb   slow                     12.0   50.0 %\n"));
    free(got);
    record_free(record);
}

static void what_has_no_classes_stays_a_table(void **state)
{
    struct table_spec plain = spec;
    plain.view.class = 0;
    struct record *record = record_new();
    const size_t table = record_table_add(record, &plain);
    add(record, table, "first", 0, 0, 9, "slow");
    char *got = drawn(record, (struct style){0});
    assert_null(strstr(got, "cells"));
    assert_non_null(strstr(got, "9.0"));
    free(got);
    record_free(record);
}

static void more_classes_than_letters_are_not_drawn(void **state)
{
    struct record *record = record_new();
    const size_t table = record_table_add(record, &spec);
    for (int i = 0; i < 40; i++) {
        char name[8];
        snprintf(name, sizeof name, "c%d", i);
        add(record, table, "first", i / 8, i % 8, i, name);
    }
    char *got = drawn(record, (struct style){0});
    assert_non_null(strstr(got, "too many classes"));
    free(got);
    record_free(record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_in_order_of_value_with_a_legend),
        cmocka_unit_test(half_blocks_in_colour),
        cmocka_unit_test(legend_is_aligned_and_fits),
        cmocka_unit_test(what_has_no_classes_stays_a_table),
        cmocka_unit_test(more_classes_than_letters_are_not_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
