/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "output/human/human.h"

static const struct column columns[] = {
    {"x", "stores", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    {"y", "time", "cycles", CELL_REAL, ROLE_MEASURE, 1},
};

static const struct table_spec spec = {
    .name = "curve",
    .title = "A curve",
    .columns = columns,
    .column_count = 2,
    .view = {.kind = VIEW_CURVE, .x = 0, .y = 1, .value = 1, .series = -1},
};

/* The plot of a step after `step` of `points`, or NULL where none is drawn. The caller frees it. */
static char *plot_of(int points, int step)
{
    struct record *record = record_new();
    const size_t table = record_table_add(record, &spec);
    for (int i = 0; i < points; i++) {
        const struct cell cells[] = {INTEGER_CELL(i + 1), i == 2 ? NO_CELL : REAL_CELL(i < step ? 10 : 90)};
        record_row(record, table, cells);
    }
    struct text out = {0};
    size_t count;
    const struct style style = {.width = 0};
    struct plot *plots = plots_of(record_table_at(record, table), &count);
    assert_int_equal(count, 1);
    const bool drawn = human_plot(&style, plots, SIZE_MAX, &out);
    plots_free(plots, count);
    char *text = text_take(&out);
    record_free(record);
    if (drawn)
        return text;
    assert_string_equal(text, "");
    free(text);
    return NULL;
}

TEST(a_step_is_drawn_as_two_levels_at_its_place)
{
    char *text = plot_of(40, 30);
    assert_non_null(text);
    /* 30 of 40 points are low, so the high ones begin at three quarters of the width, far above the low. */
    const char *high = strstr(text, "  *"), *low = strstr(text, "|*");
    assert_non_null(high);
    assert_non_null(low);
    while (high[-1] != '|')
        high--;
    const size_t before = strspn(high, " "), width = before + strcspn(high + before, "\n");
    assert_in_range(before, width * 7 / 10, width * 8 / 10);
    assert_true(high < low);
    assert_true(strcspn(low, "\n") <= before + 1);
    free(text);
}

TEST(long_curves_keep_within_their_width)
{
    char *text = plot_of(5000, 100);
    assert_non_null(text);
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 80);
    free(text);
}
