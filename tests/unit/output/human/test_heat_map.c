/* SPDX-License-Identifier: MIT */
#include "../fixture.h"
#include "output/human/human.h"

/* Three rows of two columns; "slow" appears first but is the higher class. */
static struct record *two_maps(void)
{
    struct record *record = record_of(&map_spec);
    add_cell(record, "first", 0, 0, 9, "slow");
    add_cell(record, "first", 0, 1, 1, "fast");
    add_cell(record, "first", 1, 0, 1, "fast");
    add_cell(record, "first", 1, 1, 9, "slow");
    add_cell(record, "first", 2, 0, 9, "slow");
    add_cell(record, "first", 2, 1, 0, NULL);
    add_cell(record, "second", 0, 0, 5, "only");
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
    assert_has(got, "A map\nfirst; cycles\n");
    assert_has(got, "\n    0  ba\n       ab\n       b \na  fast 1.0   b  slow 9.0\n");
    assert_has(got, "\nsecond; cycles\n");
    assert_null(strchr(got, '\033'));
}

/* Two rows of cells share a line, so three rows need two. */
TEST(half_blocks_in_colour)
{
    struct record *record = two_maps();
    char *got = drawn(record, (struct style){.color = true});
    assert_int_equal(occurrences(got, "\xe2\x96\x80"), 2 * 2 + 1);
    assert_has(got, "\033[38;5;");
    assert_lacks(got, ";2;");
    got = drawn(record, (struct style){.color = true, .true_color = true});
    assert_has(got, "\033[38;2;");
    assert_lacks(got, "38;5;");
    got = drawn(record, (struct style){.color = true, .ascii = true});
    assert_lacks(got, "\xe2");
    assert_has(got, "    0  ba\n");
}

/* How an 8-byte store and a 4-byte load lie to each other, as a grid of Zen 4 has it: partial overlap lies at distances that are no
 * multiples of four. */
static const char *zen4_class(int store, int load)
{
    const int above = load - store;
    if (store > 56 && above > -4 && above < 8)
        return above >= 0 && above <= 4 ? "forwarded across a line" : "blocked across a line";
    return above >= 0 && above <= 4 ? "forwarded" : above > -4 && above < 8 ? "blocked" : "independent";
}

static struct record *zen4_grid(void)
{
    struct record *record = record_of(&map_spec);
    for (int cell = 0; cell < 64 * 64; cell++) {
        const char *class = zen4_class(cell / 64, cell % 64);
        const double cycles = (*class == 'i' ? 0.67 : *class == 'f' ? 6.5 : 19) + (strlen(class) > 11);
        add_cell(record, "8/4", cell / 64, cell % 64, cycles, class);
    }
    return record;
}

/* Each entry of the legend has its colour in the map or, with letters, a square. */
TEST(a_small_screen_shows_every_class)
{
    static const char *const names[] = {"independent", "forwarded", "blocked", "forwarded across a line",
                                        "blocked across a line"};
    struct record *record = zen4_grid();
    char *got = formatted_in(&human_format, record, (struct style){.color = true, .width = 80});
    assert_true(occurrences(got, "\n") <= 24);
    assert_has(got, "\xe2\x96\x80");
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        /* A swatch is drawn as "ESC[48;5;N m  ESC[0m name". */
        char *name = strstr(got, names[i]), swatch[24];
        assert_non_null(name);
        char *begin = name;
        while (strncmp(begin, "\033[48;5;", 7) != 0)
            begin--;
        snprintf(swatch, sizeof swatch, "8;5;%.*s", (int)strcspn(begin + 7, "m") + 1, begin + 7);
        assert_true(occurrences(got, swatch) > 1);
    }
}

/* Above 32 CPUs the groups are shown: each pair counts once, CPUs with themselves not at all. */
TEST(many_cpus_are_shown_by_group)
{
    struct record *record = record_of(&pair_spec);
    for (int from = 0; from < 64; from++) {
        record_place_add(record, (struct place){from, {-1, -1, from / 32, -1, -1}});
        for (int to = from; to < 64; to++)
            add_pair(record, from, to, from == to ? 2 : from / 32 == to / 32 ? 30 + to % 3 : 100, 0);
    }
    char *got = formatted_in(&human_format, record, (struct style){.width = 80, .tables = true});
    assert_has(got, "L3 0                      30.0      31.0      32.0       496\n");
    assert_has(got, "L3 0 and 1               100.0     100.0     100.0      1024\n");
    assert_lacks(got, "from CPU");
}
