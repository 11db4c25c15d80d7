/* SPDX-License-Identifier: MIT */
/* Curves: one line per value of the series, flagged points marked, caches shown on an axis of sizes. */
#include <math.h>
#include <stdio.h>

#include "draw.h"
#include "elements.h"

enum {
    LEFT = 72,
    RIGHT = SVG_WIDTH - 36, /* half the label of the last tick stands beyond it */
    TOP = 34,
    BOTTOM = 380,
    LEGEND_ROW = 20,
    SYMBOL = 30,
    FEW_POINTS = 40,
    TOOLTIPS = 2000 /* points up to which each has its own */
};

static double place_x(const struct plot *plot, double value)
{
    return LEFT + (RIGHT - LEFT) * scale_share(&plot->x.scale, value);
}

static double place_y(const struct plot *plot, double value)
{
    return BOTTOM - (BOTTOM - TOP) * scale_share(&plot->value.scale, value);
}

static void draw_axes(const struct plot *plot, struct text *out)
{
    double tick[TICKS_MAX];
    size_t count = scale_ticks(&plot->value.scale, 6, tick);
    for (size_t i = 0; i < count; i++) {
        double y = place_y(plot, tick[i]);
        svg_line(out, LEFT, y, RIGHT, y, "g");
        svg_text(out, LEFT - 8, y + 4, "m", "end", "%s", plot_tick(&plot->value, tick[i], SPELT));
    }
    count = scale_ticks(&plot->x.scale, 12, tick);
    for (size_t i = 0; i < count; i++) {
        if (plot->x.whole && tick[i] != floor(tick[i]))
            continue; /* there are no half stores */
        double x = place_x(plot, tick[i]);
        svg_line(out, x, BOTTOM, x, BOTTOM + 5, "a");
        svg_text(out, x, BOTTOM + 19, "m", "middle", "%s", plot_tick(&plot->x, tick[i], SPELT));
    }
    svg_line(out, LEFT, BOTTOM, RIGHT, BOTTOM, "a");
    svg_text(out, (LEFT + RIGHT) / 2.0, BOTTOM + 38, "t", "middle", "%s", plot->x.title);
    svg_text_upwards(out, 14, (TOP + BOTTOM) / 2.0, "t", plot->value.title);
    for (size_t i = 0; i < plot->mark_count; i++) {
        double x = place_x(plot, plot->mark[i].x);
        svg_line(out, x, TOP - 12, x, BOTTOM, "k");
        svg_text(out, x - 4, TOP - 14, "m", "end", "%s", plot->mark[i].label);
    }
}

/* A line would say what lies between; across the end of a cache it would be wrong. */
static bool is_joined(const struct plot *plot, const struct plot_point *from)
{
    for (size_t i = 0; i < plot->mark_count; i++) {
        if (from[0].x <= plot->mark[i].x && from[1].x > plot->mark[i].x)
            return false;
    }
    return true;
}

static void draw_line(const struct plot *plot, size_t line, struct text *out)
{
    const struct plot_point *point = &plot->point[plot->line[line].first];
    const size_t count = plot->line[line].count;
    char class[16];
    snprintf(class, sizeof(class), "l s%zu", line % SVG_SERIES);
    text_printf(out, "<path class=\"%s\" d=\"", class);
    for (size_t i = 0; i < count; i++)
        text_printf(out, "%s%.12g %.12g", i > 0 && is_joined(plot, &point[i - 1]) ? "L" : "M",
                    svg_round(place_x(plot, point[i].x)), svg_round(place_y(plot, point[i].y)));
    text_add(out, "\"/>\n");
    for (size_t i = 0; i < count && count <= FEW_POINTS; i++)
        svg_circle(out, place_x(plot, point[i].x), place_y(plot, point[i].y), 3, class, NULL);
}

static void draw_flags(const struct plot *plot, struct text *out)
{
    double label_y = TOP + SVG_LINE;
    for (size_t i = 0; i < plot->point_count; i++) {
        const struct plot_point *point = &plot->point[i];
        if (!point->flag)
            continue;
        const bool several = plot->line_count > 1;
        const double x = place_x(plot, point->x);
        const bool left = x > (LEFT + RIGHT) / 2.0;
        svg_line(out, x, label_y - 10, x, BOTTOM, "k");
        svg_text(out, left ? x - 6 : x + 6, label_y, "t s", left ? "end" : "start", "%s: %s%s%s%s",
                 plot_number(&plot->x, point->x, SPELT), point->flag, several ? " (" : "",
                 several ? plot->line[point->line].name : "", several ? ")" : "");
        svg_circle(out, x, place_y(plot, point->y), 5, "d", NULL);
        label_y += SVG_LINE;
    }
}

/* Invisible circles: the value under the pointer is shown. */
static void add_tooltips(const struct plot *plot, struct text *out)
{
    text_add(out, "<g class=\"w\">\n");
    for (size_t i = 0; i < plot->point_count && plot->point_count <= TOOLTIPS; i++) {
        const struct plot_point *point = &plot->point[i];
        text_printf(out, "<circle cx=\"%.0f\" cy=\"%.0f\" r=\"4\"><title>", place_x(plot, point->x),
                    place_y(plot, point->y));
        svg_escape(out, plot->line[point->line].name);
        text_printf(out, ", %s: ", plot_number(&plot->x, point->x, SPELT));
        svg_escape(out, plot_value(&plot->value, point->y, SPELT));
        text_add(out, "</title></circle>\n");
    }
    text_add(out, "</g>\n");
}

static double draw_legend(const struct plot *plot, struct text *out)
{
    double x = LEFT, y = BOTTOM + 62;
    if (plot->line_count < 2)
        return BOTTOM + 56;
    for (size_t i = 0; i < plot->line_count; i++) {
        enum { POINTS = 12 }; /* characters of "(64 points)" */
        double width = SYMBOL + 8 + svg_text_width(plot->line[i].name) + POINTS * SVG_CHARACTER + 20;
        char class[16];
        if (x + width > RIGHT && x > LEFT) {
            x = LEFT;
            y += LEGEND_ROW;
        }
        snprintf(class, sizeof(class), "l s%zu", i % SVG_SERIES);
        svg_line(out, x, y - 4, x + SYMBOL, y - 4, class);
        svg_text(out, x + SYMBOL + 8, y, "t", "start", "%s (%zu point%s)", plot->line[i].name,
                 plot->line[i].count, plot->line[i].count == 1 ? "" : "s");
        x += width;
    }
    return y + 16;
}

double svg_curve(const struct plot *plot, struct text *out)
{
    draw_axes(plot, out);
    for (size_t i = 0; i < plot->line_count; i++)
        draw_line(plot, i, out);
    draw_flags(plot, out);
    add_tooltips(plot, out);
    return draw_legend(plot, out);
}
