/* SPDX-License-Identifier: MIT */
/* Draws curves: a line per value of the series, marks at flagged points, cache sizes on an axis of sizes. */
#include <math.h>

#include "elements.h"
#include "output/scratch.h"
#include "svg.h"
#include "uarchprobe/stats.h"

enum {
    LEFT = 52,
    RIGHT = PANEL_WIDTH - 30, /* leaves half the label of the last tick beyond it */
    TOP = 44,
    BOTTOM = 330,
    SYMBOL = 24,
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
        svg_text(out, LEFT - 6, y + 4, "m", "end", "%s", plot_tick(&plot->value, tick[i]));
    }
    count = scale_ticks(&plot->x.scale, 7, tick);
    for (size_t i = 0; i < count; i++) {
        if (plot->x.whole && tick[i] != floor(tick[i]))
            continue; /* a tick between two numbers of stores means nothing */
        const double x = place_x(plot, tick[i]);
        svg_line(out, x, BOTTOM, x, BOTTOM + 5, "a");
        svg_text(out, x, BOTTOM + 19, "m", "middle", "%s", plot_tick(&plot->x, tick[i]));
    }
    svg_line(out, LEFT, BOTTOM, RIGHT, BOTTOM, "a");
    svg_text(out, (LEFT + RIGHT) / 2.0, BOTTOM + 38, "t", "middle", "%s", plot->x.title);
    svg_text(out, 0, 12, "t s", "start", "%s%s%s", plot->series ? plot->series : "", plot->series ? ", " : "",
             plot->value.title);
}

/* Marks the end of each cache and, with a single line, the level before it where most points lie on one. */
static void draw_marks(const struct plot *plot, struct text *out)
{
    enum { POINTS_LEAST = 3, ROOM_LEAST = 60 };
    static const double LEVEL = 1.2;
    double *level = scratch_new(plot->x.count, sizeof(*level)), before = LEFT;
    for (size_t i = 0; i <= plot->mark_count && plot->mark_count > 0; i++) {
        const double x = i < plot->mark_count ? place_x(plot, plot->mark[i].x) : RIGHT;
        size_t points = 0;
        for (size_t j = 0; j < plot->x.count; j++) {
            const double at = place_x(plot, plot->x.label[j].number), value = plot_at(plot, j, 0)->value;
            if (at > before && at <= x && !isnan(value))
                level[points++] = value;
        }
        if (i < plot->mark_count) {
            svg_line(out, x, TOP - 8, x, BOTTOM, "k");
            svg_text(out, x - 4, TOP - 12, "m", "end", "%s", plot->mark[i].label);
        }
        const double median = median_of(level, points);
        if (plot->y.count == 1 && points >= POINTS_LEAST && x - before > ROOM_LEAST &&
            quantile_of(level, points, 0.75) < LEVEL * quantile_of(level, points, 0.25))
            svg_text(out, before + 8, place_y(plot, median) - 10, "t s", "start", "%s",
                     plot_value(&plot->value, median));
        before = x;
    }
}

/* Shows the value of each point at the pointer, unless they are so many that only the line is visible. */
static void draw_line(const struct plot *plot, size_t line, struct text *out)
{
    const size_t count = plot_points(plot, line);
    const bool dots = count <= DOTS_MOST, joined = count >= PLOT_LINE;
    struct text path = {0}, circles = {0};
    const char *class = spell("l s%zu", line % SVG_SERIES);
    for (size_t i = 0; i < plot->x.count; i++) {
        const double value = plot_at(plot, i, line)->value;
        const double x = place_x(plot, plot->x.label[i].number), y = place_y(plot, value);
        if (isnan(value))
            continue;
        text_printf(&path, "%c%.5g %.5g", path.length > 0 ? 'L' : 'M', x, y);
        if (count <= TITLES_MOST)
            svg_circle(&circles, x, y, dots ? 3 : 4, dots ? class : "w",
                       spell("%s, %s: %s", plot->y.label[line].name, plot->x.label[i].name,
                             plot_value(&plot->value, value)));
    }
    if (joined)
        text_printf(out, "<path class=\"%s\" d=\"%s\"/>\n", class, path.data);
    text_add(out, circles.length > 0 ? circles.data : "");
    text_free(&path);
    text_free(&circles);
}

static void draw_flags(const struct plot *plot, struct text *out)
{
    double label_y = TOP + SVG_LINE;
    for (size_t i = 0; i < plot->x.count * plot->y.count; i++) {
        const struct plot_cell *cell = &plot->cell[i];
        if (!cell->flagged || isnan(cell->value))
            continue;
        const struct plot_label *at = &plot->x.label[i / plot->y.count];
        const bool several = plot->y.count > 1;
        const double x = place_x(plot, at->number);
        const bool left = x > (LEFT + RIGHT) / 2.0;
        svg_line(out, x, label_y - 10, x, BOTTOM, "k");
        svg_text(out, left ? x - 6 : x + 6, label_y, "t s", left ? "end" : "start", "%s: %s%s%s%s", at->name,
                 plot_flag(plot->table, cell->row - 1), several ? " (" : "",
                 several ? plot->y.label[i % plot->y.count].name : "", several ? ")" : "");
        svg_circle(out, x, place_y(plot, cell->value), 5, "d", NULL);
        label_y += SVG_LINE;
    }
}

/* Says which lines have too few points to be drawn. Returns the bottom of the legend. */
static double draw_legend(const struct plot *plot, struct text *out)
{
    double x = LEFT, y = BOTTOM + 60;
    if (plot->y.count == 1 && plot_points(plot, 0) >= PLOT_LINE)
        return BOTTOM + 48;
    for (size_t i = 0; i < plot->y.count; i++) {
        const size_t points = plot_points(plot, i);
        const char *class = spell("l s%zu", i % SVG_SERIES), *name = plot->y.label[i].name;
        if (points < PLOT_LINE)
            name = spell("%s (%zu point%s)", name, points, points == 1 ? "" : "s");
        const double width = SYMBOL + 8 + svg_text_width(name);
        if (x + width > PANEL_WIDTH && x > LEFT) {
            x = LEFT;
            y += SVG_LINE;
        }
        if (points >= PLOT_LINE)
            svg_line(out, x, y - 4, x + SYMBOL, y - 4, class);
        else
            svg_circle(out, x + SYMBOL / 2.0, y - 4, 3, class, NULL);
        svg_text(out, x + SYMBOL + 8, y, "t", "start", "%s", name);
        x += width + 16;
    }
    return y + 8;
}

/* Lines of one panel must differ in their patterns, and its labels have room. */
static bool needs_panels(const struct plot *plot)
{
    enum { LABELS_MOST = 4 };
    size_t labels = 0;
    for (size_t i = 0; i < plot->x.count * plot->y.count; i++)
        labels += plot->cell[i].flagged && !isnan(plot->cell[i].value);
    return plot->y.count > SVG_SERIES || (plot->y.count > 1 && labels > LABELS_MOST);
}

/* One line of a plot as a plot, with its own scale of values. */
static struct plot line_alone(const struct plot *plot, size_t line)
{
    struct plot alone = *plot;
    double low = INFINITY, high = -INFINITY;
    alone.cell = scratch_new(plot->x.count, sizeof(*alone.cell));
    alone.y.count = 1;
    alone.y.label = &plot->y.label[line];
    alone.series = plot->series ? spell("%s, %s", plot->series, alone.y.label->name) : alone.y.label->name;
    for (size_t i = 0; i < plot->x.count; i++) {
        alone.cell[i] = *plot_at(plot, i, line);
        low = fmin(low, alone.cell[i].value);
        high = fmax(high, alone.cell[i].value);
    }
    alone.value.scale =
        scale_make(plot->value.scale.log ? low : fmin(low, 0), high * 1.1, plot->value.scale.log);
    return alone;
}

static void draw_panel(const struct plot *plot, struct picture *picture)
{
    struct panel *panel = picture_panel(picture, plot->value.title, PANEL_WIDTH);
    draw_axes(plot, &panel->body);
    draw_marks(plot, &panel->body);
    for (size_t i = 0; i < plot->y.count; i++)
        draw_line(plot, i, &panel->body);
    draw_flags(plot, &panel->body);
    panel->height = draw_legend(plot, &panel->body);
}

void svg_curve(const struct plot *plot, struct picture *picture)
{
    if (!needs_panels(plot)) {
        draw_panel(plot, picture);
        return;
    }
    for (size_t i = 0; i < plot->y.count; i++) {
        const struct plot alone = line_alone(plot, i);
        if (plot_points(&alone, 0) > 0)
            draw_panel(&alone, picture);
    }
}
