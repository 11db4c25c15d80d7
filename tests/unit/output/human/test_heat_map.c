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

TEST(letters_in_order_of_value_with_a_legend)
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
TEST(half_blocks_in_colour)
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

/* How an 8-byte store and a 4-byte load lie to each other, as a grid of Zen 4 has it: what overlaps in part lies at
 * distances that no multiple of four is. */
static const char *zen4_class(int store, int load)
{
    const int above = load - store;
    if (store > 56 && above > -4 && above < 8)
        return above >= 0 && above <= 4 ? "forwarded across a line" : "blocked across a line";
    return above >= 0 && above <= 4 ? "forwarded" : above > -4 && above < 8 ? "blocked" : "independent";
}

static struct record *zen4_grid(void)
{
    struct record *record = record_new();
    const size_t table = record_table_add(record, &spec);
    for (int cell = 0; cell < 64 * 64; cell++) {
        const char *class = zen4_class(cell / 64, cell % 64);
        const double cycles = (*class == 'i' ? 0.67 : *class == 'f' ? 6.5 : 19) + (strlen(class) > 11);
        add(record, table, "8/4", cell / 64, cell % 64, cycles, class);
    }
    return record;
}

/* Colours are as many as legend entries; with letters a square of each. */
TEST(a_small_screen_shows_every_class)
{
    static const char *const names[] = {"independent", "forwarded", "blocked", "forwarded across a line",
                                        "blocked across a line"};
    struct record *record = zen4_grid();
    char *got = formatted_in(&human_format, record, (struct style){.color = true, .width = 80});
    size_t lines = 0;
    for (const char *at = got; *at; at++)
        lines += *at == '\n';
    assert_true(lines <= 24);
    char *map = strstr(got, "\xe2\x96\x80");
    assert_non_null(map);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        /* Its swatch is drawn as "ESC[48;5;N m  ESC[0m  name". */
        char *name = strstr(got, names[i]), swatch[24];
        assert_non_null(name);
        char *begin = name;
        while (strncmp(begin, "\033[48;5;", 7) != 0)
            begin--;
        snprintf(swatch, sizeof swatch, "8;5;%.*s", (int)strcspn(begin + 7, "m") + 1, begin + 7);
        size_t seen = 0;
        for (const char *at = got; (at = strstr(at, swatch)); at++)
            seen++;
        assert_true(seen > 1);
    }
    free(got);
    record_free(record);
}
