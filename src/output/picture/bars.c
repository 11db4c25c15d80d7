/* SPDX-License-Identifier: MIT */
/* A matrix of names as bars: a row per value of y, and for each value of x a column with a scale of its own,
 * because cache levels differ by powers of ten. */
#include <math.h>
#include <stdlib.h>

#include "picture.h"
#include "svg_draw.h"

enum { ROW = 20, BAR = 14, GAP = 12, TOP = 46 };

struct bars {
    const struct table_spec *spec;
    const struct grid *grid;
    struct text *out;
    double left, width; /* of all labels; of one column, its gap included */
    double digits;      /* room that the longest value takes */
    double most;        /* over all columns, where one scale serves them all; else NaN */
};

static double value_at(const struct bars *bars, size_t row, int column)
{
    return picture_value(bars->spec, bars->spec->view.value, &grid_at(bars->grid, row, column)->raw);
}

static double greatest_in(const struct bars *bars, int column)
{
    double most = 0;
    for (size_t row = 0; row < bars->grid->row_count; row++)
        most = fmax(most, value_at(bars, row, column));
    return most;
}

static void lay_out(struct bars *bars)
{
    const struct grid *grid = bars->grid;
    for (size_t row = 0; row < grid->row_count; row++) {
        bars->left = fmax(bars->left, svg_text_width(grid_at(grid, row, 0)->text));
        for (int i = 1; i < grid->column_count; i++)
            bars->digits = fmax(bars->digits, svg_text_width(grid_at(grid, row, i)->text));
    }
    bars->left = fmin(bars->left, SVG_WIDTH / 3) + GAP;
    bars->width = (SVG_WIDTH - bars->left) / (grid->column_count - 1);
    bars->most = NAN;
    if (bars->spec->view.mark == MARK_NONE) {
        for (int i = 1; i < grid->column_count; i++)
            bars->most = fmax(bars->most, greatest_in(bars, i));
    }
}

static void draw_bar(const struct bars *bars, size_t row, int column, double most)
{
    const struct grid_cell *cell = grid_at(bars->grid, row, column);
    double value = value_at(bars, row, column), y = TOP + (double)row * ROW;
    double x = bars->left + (column - 1) * bars->width, room = bars->width - bars->digits - GAP - 8;
    double length = most > 0 && value > 0 ? value / most * fmax(room, 4) : 0;
    struct text title = {0};
    if (isnan(value))
        return;
    char *spelt = picture_value_text(bars->spec, bars->spec->view.value, value);
    text_printf(&title, "%s, %s: %s", grid_at(bars->grid, row, 0)->text, bars->grid->column[column].heading,
                spelt);
    free(spelt);
    svg_rect(bars->out, x, y + (ROW - BAR) / 2.0, fmax(length, 1), BAR, cell->best ? "f" : "r", title.data);
    text_free(&title);
    svg_text(bars->out, x + length + 5, y + ROW - 6, cell->best ? "t s" : "t", "start", cell->text);
}

static void draw_column(const struct bars *bars, int column)
{
    double most = isnan(bars->most) ? greatest_in(bars, column) : bars->most;
    double x = bars->left + (column - 1) * bars->width;
    svg_text(bars->out, x, TOP - 8, "m", "start", bars->grid->column[column].heading);
    svg_line(bars->out, x, TOP, x, TOP + (double)bars->grid->row_count * ROW, "a");
    for (size_t row = 0; row < bars->grid->row_count; row++)
        draw_bar(bars, row, column, most);
}

bool picture_bars(const struct record_table *table, const struct grid *grid, struct picture *picture)
{
    struct bars bars = {.spec = table->spec, .grid = grid, .out = &picture->svg};
    struct text heading = {0};
    char *unit = view_heading(table->spec, table->spec->view.value);
    lay_out(&bars);
    text_printf(&heading, "%s%s%s", grid->series ? grid->series : "", grid->series ? ": " : "", unit);
    text_add(&heading, grid->marked ? "; strong colour: best of its column" : "");
    svg_text(bars.out, 0, 14, "t s", "start", heading.data);
    text_free(&heading);
    free(unit);
    for (size_t row = 0; row < grid->row_count; row++)
        svg_text(bars.out, bars.left - GAP, TOP + (double)row * ROW + ROW - 6, "t", "end",
                 grid_at(grid, row, 0)->text);
    for (int i = 1; i < grid->column_count; i++)
        draw_column(&bars, i);
    picture->height = TOP + (double)grid->row_count * ROW + 18;
    return true;
}
