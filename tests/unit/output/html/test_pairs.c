/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "output/html/parts.h"

static const struct column columns[] = {{"what", "what", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
                                        {"machine", "machine", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
                                        {"value", "value", NULL, CELL_REAL, ROLE_MEASURE, 2},
                                        {"verdict", "verdict", NULL, CELL_TEXT, ROLE_LABEL, 0}};
static const struct table_spec spec = {
    .name = "pairs",
    .columns = columns,
    .column_count = 4,
    .view = {.kind = VIEW_MATRIX, .x = 1, .y = 0, .value = 2, .series = -1, .flag = 3, .aside = true}};

static void row(struct record *record, const char *what, const char *machine, double value,
                const char *verdict)
{
    record_row(
        record, 0,
        (const struct cell[]){TEXT_CELL(what), TEXT_CELL(machine), REAL_CELL(value), TEXT_CELL(verdict)});
}

/* Each pair has a scale of its own, and names are escaped. */
TEST(the_longer_of_a_pair_is_as_wide_as_all_longer_ones)
{
    struct record *record = record_new();
    struct text out = {0};
    size_t count;
    record_table_add(record, &spec);
    row(record, "big", "<old>", 400, "worse");
    row(record, "big", "new", 200, "worse");
    row(record, "small", "<old>", 0.5, NULL);
    row(record, "small", "new", 1.5, NULL);
    struct plot *plots = plots_of(record_table_at(record, 0), &count);
    assert_int_equal(count, 1);
    assert_int_equal(plots[0].kind, PLOT_BARS);
    assert_true(plots[0].aside);
    html_pairs(&out, &plots[0]);
    assert_non_null(strstr(out.data, "&lt;old&gt;"));
    assert_non_null(strstr(out.data, "<p class=\"x\">big</p>"));
    assert_non_null(strstr(out.data, "<p>small</p>"));
    assert_non_null(strstr(out.data, "p0\" style=\"width:80.0%\"></i>400<"));
    assert_non_null(strstr(out.data, "p1\" style=\"width:40.0%\"></i>200<"));
    assert_non_null(strstr(out.data, "p0\" style=\"width:26.7%\"></i>0.50<"));
    assert_non_null(strstr(out.data, "p1\" style=\"width:80.0%\"></i>1.50<"));
    text_free(&out);
    plots_free(plots, count);
    record_free(record);
}
