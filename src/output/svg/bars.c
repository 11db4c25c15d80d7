/* SPDX-License-Identifier: MIT */
/* Draws a panel for each value of x with a bar for each value of y, all on one scale from 0. */
#include <math.h>

#include "elements.h"
#include "output/scratch.h"
#include "svg.h"

enum { ROW = 20, BAR = 14, TOP = 24, GAP = 8, LABELS_MOST = 190, NUMBER = 7 * SVG_CHARACTER };

static void draw_bar(const struct plot *plot, size_t row, size_t column, double left, struct text *out)
{
    const struct plot_cell *cell = plot_at(plot, row, column);
    const double y = TOP + (double)row * ROW, room = PANEL_BARS - left - NUMBER;
    if (isnan(cell->value))
        return;
    const double length = fmax(1, room * scale_share(&plot->value.scale, cell->value));
    svg_rect(out, left, y + (ROW - BAR) / 2.0, length, BAR, cell->best ? "f" : "r",
             spell("%s, %s: %s", plot->y.label[row].name, plot->x.label[column].name,
                   plot_value(&plot->value, cell->value)));
    svg_text(out, left + length + 5, y + ROW - 5, cell->best ? "t s" : "t", "start", "%s%s",
             plot_number(&plot->value, cell->value), cell->flagged ? "!" : "");
}

/* Counts the leading words that all names share, such as "copy_". */
static size_t common_words(const struct plot_axis *axis)
{
    size_t common = 0;
    for (size_t at = 0; axis->count > 1 && axis->label[0].name[at]; at++) {
        for (size_t row = 1; row < axis->count; row++)
            if (axis->label[row].name[at] != axis->label[0].name[at])
                return common;
        common = axis->label[0].name[at] == '_' ? at + 1 : common;
    }
    return common;
}

void svg_bars(const struct plot *plot, struct picture *picture)
{
    const size_t skipped = common_words(&plot->y);
    double left = 0;
    for (size_t row = 0; row < plot->y.count; row++)
        left = fmax(left, svg_text_width(plot->y.label[row].name + skipped));
    left = fmin(left + SVG_CHARACTER, LABELS_MOST) + GAP; /* wide letters exceed SVG_CHARACTER */
    for (size_t column = 0; column < plot->x.count; column++) {
        struct panel *panel = picture_panel(picture, plot->value.title, PANEL_BARS);
        panel->height = TOP + (double)plot->y.count * ROW + GAP;
        svg_text(&panel->body, 0, 14, "t s", "start", "%s%s%s", plot->series ? plot->series : "",
                 plot->series ? ", " : "", plot->x.label[column].name);
        svg_line(&panel->body, left, TOP, left, panel->height - GAP, "a");
        for (size_t row = 0; row < plot->y.count; row++) {
            svg_text(&panel->body, left - GAP, TOP + (double)row * ROW + ROW - 5, "t", "end", "%s",
                     plot->y.label[row].name + skipped);
            draw_bar(plot, row, column, left, &panel->body);
        }
    }
}
