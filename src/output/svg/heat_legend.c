/* SPDX-License-Identifier: MIT */
/* What the colours of a heat map mean. */
#include <math.h>

#include "draw.h"
#include "elements.h"

enum { SWATCH = 14, CLASS_ROW = 40, BINS = 16, BIN_HEIGHT = 16, BIN_LENGTH = 110 };

static void draw_swatch(struct text *out, struct rgb color, double x, double y, double height)
{
    text_printf(out, "<path d=\"M%.12g %.12gh%dv%.12gh-%dz\" class=\"g\" style=\"fill:", svg_round(x),
                svg_round(y), SWATCH, height, SWATCH);
    svg_color(out, color);
    text_add(out, "\"/>\n");
}

static double class_legend(const struct plot *plot, double x, double y, struct text *out)
{
    for (size_t i = 0; i < plot->class_count; i++, y += CLASS_ROW) {
        const struct plot_class *class = &plot->class[i];
        const double percent = 100 * plot_class_share(plot, i);
        draw_swatch(out, class->color, x, y, SWATCH);
        svg_text(out, x + SWATCH + 8, y + 11, "t", "start", "%s", class->name);
        svg_text(out, x + SWATCH + 8, y + 25, "m", "start", "%s, %zu %s, %.*f %%",
                 plot_value(&plot->value, class->median, SPELT), class->cells,
                 plot->of_cpus ? class->cells == 1 ? "pair" : "pairs" : "cells", percent < 0.1 ? 2 : 1,
                 percent);
    }
    return y;
}

/* The colours that occur, from low to high, and how many cells each has. */
static double range_legend(const struct plot *plot, double x, double y, struct text *out)
{
    size_t cells[BINS] = {0}, most = 1;
    for (size_t i = 0; i < plot->y.count * plot->x.count; i++) {
        if (plot->cell[i].shade != PLOT_BLANK && !plot->cell[i].aside)
            most = fmax(most, ++cells[plot->cell[i].shade * BINS / PLOT_STEPS]);
    }
    svg_text(out, x, y + 10, "m", "start", "from, and number of cells");
    y += 18;
    for (int i = 0; i < BINS; i++) {
        const double from = scale_value(&plot->value.scale, (double)i / BINS);
        const double length = (double)cells[i] / (double)most * (BIN_LENGTH - 40);
        if (cells[i] == 0)
            continue;
        draw_swatch(out, plot_color(plot, (i * PLOT_STEPS + PLOT_STEPS / 2) / BINS), x, y, BIN_HEIGHT);
        svg_text(out, x + SWATCH + 8, y + 12, "m", "start", "%s", plot_value(&plot->value, from, SPELT));
        svg_rect(out, x + 120, y + 2, fmax(length, 1), BIN_HEIGHT - 4, "r", NULL);
        svg_text(out, x + 120 + length + 5, y + 12, "m", "start", "%zu", cells[i]);
        y += BIN_HEIGHT;
    }
    return y;
}

/* One tint: what the values differ by is noise. */
static double flat_legend(const struct plot *plot, double x, double y, struct text *out)
{
    draw_swatch(out, plot_color(plot, PLOT_FLAT), x, y, SWATCH);
    if (plot->least > 0)
        svg_text(out, x + SWATCH + 8, y + 11, "t", "start", "all within %.1f %%",
                 100 * (plot->most / plot->least - 1));
    else
        svg_text(out, x + SWATCH + 8, y + 11, "t", "start", "all within two steps of the clock");
    return y + SWATCH + 4;
}

static double draw_extremes(const struct plot *plot, double x, double y, struct text *out)
{
    static const char *const name[] = {"lowest", "median", "highest"};
    const double value[] = {plot->least, plot->median, plot->most};
    for (int i = 0; i < 3; i++) {
        y += SVG_LINE;
        svg_text(out, x, y, "m", "start", "%s", name[i]);
        svg_text(out, x + 60, y, "t", "start", "%s", plot_value(&plot->value, value[i], SPELT));
    }
    return y;
}

double svg_heat_legend(const struct plot *plot, double x, double y, struct text *out)
{
    size_t missing = 0; /* cells without a shade; nobody misses a CPU with itself */
    for (size_t i = 0; i < plot->y.count * plot->x.count; i++)
        missing +=
            plot->cell[i].shade == PLOT_BLANK && !(plot->of_cpus && i / plot->x.count == i % plot->x.count);
    const char *why = plot->shaded < plot->measured ? "without a class" : "not measured";
    svg_text(out, x, y + 4, "t s", "start", "%s", plot->value.title);
    y = plot->class_count > 0 ? class_legend(plot, x, y + 14, out)
        : plot->flat          ? flat_legend(plot, x, y + 14, out)
                              : range_legend(plot, x, y + 10, out);
    y = draw_extremes(plot, x, y + 8, out);
    if (missing == 0)
        return y;
    svg_rect(out, x, y + 10, SWATCH, SWATCH, "n", NULL);
    svg_text(out, x + SWATCH + 8, y + 21, "m", "start", "%s: %zu cell%s", why, missing,
             missing == 1 ? "" : "s");
    return y + 30;
}
