/* SPDX-License-Identifier: MIT */
/* A long curve as a plot of characters: its shape says more than a hundred lines of figures, which are in the
 * machine formats. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/human.h"

enum { PLOT_ROWS = 14, PLOT_COLUMNS = 64, LONG_CURVE = 24, MAX_SERIES = 6 };

static const char marks[MAX_SERIES + 1] = "*o+x#@";

struct plot {
    const struct grid *grid;
    int columns;
    double low, high;
    char canvas[PLOT_ROWS][PLOT_COLUMNS];
};

static double value_of(const struct grid *grid, size_t row, int column)
{
    const struct cell *cell = &grid_at(grid, row, column)->raw;
    if (!cell_has_value(cell))
        return NAN;
    return cell->type == CELL_INTEGER ? (double)cell->integer : cell->type == CELL_REAL ? cell->real : NAN;
}

/* Long enough to be worth a plot, with numbers along x and few enough series to tell apart. */
static bool can_plot(const struct grid *grid)
{
    const int series = grid->column_count - grid->label_columns;
    if (grid->label_columns != 1 || series < 1 || series > MAX_SERIES || grid->row_count < LONG_CURVE)
        return false;
    for (size_t row = 0; row < grid->row_count; row++)
        if (isnan(value_of(grid, row, 0)))
            return false;
    return true;
}

static void find_range(struct plot *plot)
{
    plot->low = INFINITY, plot->high = -INFINITY;
    for (size_t row = 0; row < plot->grid->row_count; row++)
        for (int column = 1; column < plot->grid->column_count; column++) {
            const double value = value_of(plot->grid, row, column);
            if (!isnan(value)) {
                plot->low = fmin(plot->low, value);
                plot->high = fmax(plot->high, value);
            }
        }
}

/* Where several rows fall on one column, all of them are marked: a step stays a step. */
static void draw(struct plot *plot)
{
    const size_t rows = plot->grid->row_count;
    plot->columns = rows < PLOT_COLUMNS ? (int)rows : PLOT_COLUMNS;
    memset(plot->canvas, ' ', sizeof plot->canvas);
    for (size_t row = 0; row < rows; row++)
        for (int series = 1; series < plot->grid->column_count; series++) {
            const double value = value_of(plot->grid, row, series);
            if (isnan(value))
                continue;
            const double height = plot->high > plot->low ? (value - plot->low) / (plot->high - plot->low) : 0;
            const int line = PLOT_ROWS - 1 - (int)lround(height * (PLOT_ROWS - 1));
            plot->canvas[line][row * (size_t)plot->columns / rows] = marks[series - 1];
        }
}

static void add_line(const struct plot *plot, int line, struct text *out)
{
    struct text label = {0};
    if (line == 0 || line == PLOT_ROWS - 1)
        text_printf(&label, "%.6g", line ? plot->low : plot->high);
    int length = plot->columns;
    while (length > 0 && plot->canvas[line][length - 1] == ' ')
        length--;
    char *shown = text_take(&label);
    text_printf(out, "%9s |%.*s\n", shown, length, plot->canvas[line]);
    free(shown);
}

static void add_axis(const struct plot *plot, struct text *out)
{
    const struct grid *grid = plot->grid;
    const char *first = grid_at(grid, 0, 0)->text, *last = grid_at(grid, grid->row_count - 1, 0)->text;
    const size_t used = text_width(first) + text_width(last);
    text_add(out, "          +");
    text_repeat(out, '-', (size_t)plot->columns);
    text_add(out, "\n           ");
    text_add(out, first);
    text_repeat(out, ' ', (size_t)plot->columns > used ? (size_t)plot->columns - used : 1);
    text_printf(out, "%s  %s\n", last, grid->column[0].heading);
}

bool human_plot(const struct grid *grid, struct text *out)
{
    struct plot plot = {.grid = grid};
    if (!can_plot(grid))
        return false;
    find_range(&plot);
    if (!(plot.high >= plot.low))
        return false;
    draw(&plot);
    for (int series = 1; series < grid->column_count; series++)
        text_printf(out, "%s%c %s", series > 1 ? "   " : "", marks[series - 1], grid->column[series].heading);
    text_add(out, "\n");
    for (int line = 0; line < PLOT_ROWS; line++)
        add_line(&plot, line, out);
    add_axis(&plot, out);
    return true;
}
