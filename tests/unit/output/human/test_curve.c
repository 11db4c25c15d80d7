/* SPDX-License-Identifier: MIT */
#include "../fixture.h"
#include "output/human/human.h"

/* Draws `points` points with a step after `step` of them. */
static char *plot_of(int points, int step)
{
    struct text out = {0};
    struct table_spec spec = size_spec;
    spec.view.log_x = false;
    struct record *record = record_of(&spec);
    for (int i = 0; i < points; i++)
        ROW(record, TEXT_CELL("a"), INTEGER_CELL(i + 1), i == 2 ? NO_CELL : REAL_CELL(i < step ? 10 : 90),
            NO_CELL);
    assert_true(human_curve(&(struct style){.width = 0}, plots_in(record, 1), SIZE_MAX, &out));
    return own_text(text_take(&out));
}

TEST(a_step_is_drawn_as_two_levels_at_its_place)
{
    char *text = plot_of(40, 30);
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
}

TEST(long_curves_keep_within_their_width)
{
    char *text = plot_of(5000, 100);
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 80);
}
