/* SPDX-License-Identifier: MIT */
/* Curves: a line per value of the series, flagged points marked, caches shown on an axis of sizes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "elements.h"
#include "svg.h"
#include "uarchprobe/stats.h"

enum {
    LEFT = 52,
    RIGHT = PANEL_WIDTH - 30, /* half the label of the last tick stands beyond it */
    TOP = 44,
    BOTTOM = 330,
    SYMBOL = 24,
    LINE_LEAST = 20, /* points that a line is drawn through: it says what lies between them */
    DOTS_MOST = 40,
    TITLES_MOST = 1000
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
        const double y = place_y(plot, tick[i]);
        svg_line(out, LEFT, y, RIGHT, y, "g");
        svg_text(out, LEFT - 6, y + 4, "m", "end", "%s", plot_tick(&plot->value, tick[i], SPELT));
    }
    count = scale_ticks(&plot->x.scale, 7, tick);
    for (size_t i = 0; i < count; i++) {
        if (plot->x.whole && tick[i] != floor(tick[i]))
            continue; /* there are no half stores */
        const double x = place_x(plot, tick[i]);
        svg_line(out, x, BOTTOM, x, BOTTOM + 5, "a");
        svg_text(out, x, BOTTOM + 19, "m", "middle", "%s", plot_tick(&plot->x, tick[i], SPELT));
    }
    svg_line(out, LEFT, BOTTOM, RIGHT, BOTTOM, "a");
    svg_text(out, (LEFT + RIGHT) / 2.0, BOTTOM + 38, "t", "middle", "%s", plot->x.title);
    svg_text(out, 0, 12, "t s", "start", "%s%s%s", plot->series ? plot->series : "", plot->series ? ", " : "",
             plot->value.title);
}

/* The end of each cache and, before it, the level of the only line there, if most points are on one. */
static void draw_marks(const struct plot *plot, struct text *out)
{
    enum { POINTS_LEAST = 3, ROOM_LEAST = 60 };
    static const double LEVEL = 1.2;
    double *level = memory_zeroed(plot->point_count, sizeof(*level)), before = LEFT;
    for (size_t i = 0; i <= plot->mark_count && plot->mark_count > 0; i++) {
        const double x = i < plot->mark_count ? place_x(plot, plot->mark[i].x) : RIGHT;
        size_t points = 0;
        for (size_t j = 0; j < plot->point_count; j++) {
            const double at = place_x(plot, plot->point[j].x);
            if (at > before && at <= x)
                level[points++] = plot->point[j].y;
        }
        if (i < plot->mark_count) {
            svg_line(out, x, TOP - 8, x, BOTTOM, "k");
            svg_text(out, x - 4, TOP - 12, "m", "end", "%s", plot->mark[i].label);
        }
        const double median = median_of(level, points);
        if (plot->line_count == 1 && points >= POINTS_LEAST && x - before > ROOM_LEAST &&
            quantile_of(level, points, 0.75) < LEVEL * quantile_of(level, points, 0.25))
            svg_text(out, before + 8, place_y(plot, median) - 10, "t s", "start", "%s",
                     plot_value(&plot->value, median, SPELT));
        before = x;
    }
    free(level);
}

/* Each point has its value at the pointer; where there are many, only the line is seen. */
static void draw_line(const struct plot *plot, size_t line, struct text *out)
{
    const struct plot_point *point = &plot->point[plot->line[line].first];
    const size_t count = plot->line[line].count;
    const bool dots = count <= DOTS_MOST;
    char class[16];
    snprintf(class, sizeof(class), "l s%zu", line % SVG_SERIES);
    if (count >= LINE_LEAST)
        text_printf(out, "<path class=\"%s\" d=\"", class);
    for (size_t i = 0; i < count && count >= LINE_LEAST; i++)
        text_printf(out, "%c%.5g %.5g", i > 0 ? 'L' : 'M', place_x(plot, point[i].x),
                    place_y(plot, point[i].y));
    text_add(out, count >= LINE_LEAST ? "\"/>\n" : "");
    for (size_t i = 0; i < count && count <= TITLES_MOST; i++) {
        struct text title = {0};
        text_printf(&title, "%s, %s: ", plot->line[line].name, plot_number(&plot->x, point[i].x, SPELT));
        text_add(&title, plot_value(&plot->value, point[i].y, SPELT));
        svg_circle(out, place_x(plot, point[i].x), place_y(plot, point[i].y), dots ? 3 : 4,
                   dots ? class : "w", title.data);
        text_free(&title);
    }
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

/* Where points are too few for a line, it says so. Returns where it ends. */
static double draw_legend(const struct plot *plot, struct text *out)
{
    double x = LEFT, y = BOTTOM + 60;
    if (plot->line_count == 1 && plot->line[0].count >= LINE_LEAST)
        return BOTTOM + 48;
    for (size_t i = 0; i < plot->line_count; i++) {
        const bool line = plot->line[i].count >= LINE_LEAST;
        struct text name = {0};
        char class[16];
        snprintf(class, sizeof(class), "l s%zu", i % SVG_SERIES);
        text_add(&name, plot->line[i].name);
        if (!line)
            text_printf(&name, " (%zu point%s)", plot->line[i].count, plot->line[i].count == 1 ? "" : "s");
        const double width = SYMBOL + 8 + svg_text_width(name.data);
        if (x + width > PANEL_WIDTH && x > LEFT) {
            x = LEFT;
            y += SVG_LINE;
        }
        if (line)
            svg_line(out, x, y - 4, x + SYMBOL, y - 4, class);
        else
            svg_circle(out, x + SYMBOL / 2.0, y - 4, 3, class, NULL);
        svg_text(out, x + SYMBOL + 8, y, "t", "start", "%s", name.data);
        x += width + 16;
        text_free(&name);
    }
    return y + 8;
}

void svg_curve(const struct plot *plot, struct picture *picture)
{
    struct panel *panel = picture_panel(picture, plot->value.title, PANEL_WIDTH);
    draw_axes(plot, &panel->body);
    draw_marks(plot, &panel->body);
    for (size_t i = 0; i < plot->line_count; i++)
        draw_line(plot, i, &panel->body);
    draw_flags(plot, &panel->body);
    panel->height = draw_legend(plot, &panel->body);
}
