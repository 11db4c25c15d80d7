/* SPDX-License-Identifier: MIT */
/* A row per value of y, and for each value of x a column with a scale of its own, because cache levels differ
 * by powers of ten. */
#include <math.h>

#include "draw.h"
#include "elements.h"

enum { ROW = 20, BAR = 14, GAP = 12, TOP = 46 };

struct bars {
    const struct plot *plot;
    struct text *out;
    double left, width; /* of all labels; of one column, its gap included */
    double digits;      /* room that the longest value takes */
};

static double greatest_in(const struct plot *plot, size_t column)
{
    double most = 0;
    for (size_t row = 0; row < plot->y.count; row++)
        most = fmax(most, plot_at(plot, row, column)->value);
    return most;
}

static void lay_out(struct bars *bars)
{
    const struct plot *plot = bars->plot;
    for (size_t i = 0; i < plot->y.count; i++)
        bars->left = fmax(bars->left, svg_text_width(plot->y.label[i].name));
    for (size_t i = 0; i < plot->y.count * plot->x.count; i++) {
        const struct plot_cell *cell = &plot->cell[i];
        const double width = svg_text_width(plot_number(&plot->value, cell->value, SPELT));
        bars->digits = fmax(bars->digits, width + (cell->flagged ? SVG_CHARACTER : 0));
    }
    bars->left = fmin(bars->left, SVG_WIDTH / 3) + GAP;
    bars->width = (SVG_WIDTH - bars->left) / (double)plot->x.count;
}

static void draw_bar(const struct bars *bars, size_t row, size_t column, double most)
{
    const struct plot *plot = bars->plot;
    const struct plot_cell *cell = plot_at(plot, row, column);
    double y = TOP + (double)row * ROW, x = bars->left + (double)column * bars->width;
    double room = bars->width - bars->digits - GAP - 8;
    double length = most > 0 && cell->value > 0 ? cell->value / most * fmax(room, 4) : 0;
    struct text title = {0};
    if (isnan(cell->value))
        return;
    text_printf(&title, "%s, %s: %s", plot->y.label[row].name, plot->x.label[column].name,
                plot_value(&plot->value, cell->value, SPELT));
    svg_rect(bars->out, x, y + (ROW - BAR) / 2.0, fmax(length, 1), BAR, cell->best ? "f" : "r", title.data);
    svg_text(bars->out, x + length + 5, y + ROW - 6, cell->best ? "t s" : "t", "start", "%s%s",
             plot_number(&plot->value, cell->value, SPELT), cell->flagged ? "!" : "");
    text_free(&title);
}

double svg_bars(const struct plot *plot, struct text *out)
{
    struct bars bars = {.plot = plot, .out = out};
    const char *best = plot->one_scale ? "" : "; strong colour: best of its column";
    lay_out(&bars);
    if (plot->series)
        svg_text(out, 0, 14, "t s", "start", "%s = %s: %s%s", plot->series_name, plot->series,
                 plot->value.title, best);
    else
        svg_text(out, 0, 14, "t s", "start", "%s%s", plot->value.title, best);
    for (size_t row = 0; row < plot->y.count; row++)
        svg_text(out, bars.left - GAP, TOP + (double)row * ROW + ROW - 6, "t", "end", "%s",
                 plot->y.label[row].name);
    for (size_t column = 0; column < plot->x.count; column++) {
        const double most = plot->one_scale ? plot->most : greatest_in(plot, column);
        const double x = bars.left + (double)column * bars.width;
        svg_text(out, x, TOP - 8, "m", "start", "%s", plot->x.label[column].name);
        svg_line(out, x, TOP, x, TOP + (double)plot->y.count * ROW, "a");
        for (size_t row = 0; row < plot->y.count; row++)
            draw_bar(&bars, row, column, most);
    }
    return TOP + (double)plot->y.count * ROW + 18;
}
