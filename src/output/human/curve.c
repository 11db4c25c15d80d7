/* SPDX-License-Identifier: MIT */
/* Draws a curve of many points in characters; with few points the table of its values says more. */
#include <math.h>
#include <string.h>

#include "human.h"
#include "output/scratch.h"

enum { HEIGHT_MOST = 18, HEIGHT_LEAST = 4, MARGIN = 11, TICKS = 4, WIDTH_LEAST = 40, WIDTH_MOST = 110 };

static const char glyphs[] = "*o+x#@%&";

struct area {
    const struct plot *plot;
    size_t width, height; /* between the axes */
    char *at;             /* height lines of `width` characters */
};

static size_t line_of(const struct area *area, double y)
{
    const size_t top = area->height - 1;
    return top - (size_t)(scale_share(&area->plot->value.scale, y) * (double)top + 0.5);
}

static char glyph_of(size_t line)
{
    return glyphs[line % (sizeof glyphs - 1)];
}

static size_t column_of(const struct area *area, double x)
{
    return (size_t)(scale_share(&area->plot->x.scale, x) * (double)(area->width - 1) + 0.5);
}

/* A line at each mark with its label on the left, where there is room: at the bottom where the curve
 * falls. */
static void draw_marks(const struct area *area)
{
    const struct plot *plot = area->plot;
    size_t used = 0, first = 0;
    while (isnan(plot->cell[first].value))
        first++;
    const bool falls = scale_share(&plot->value.scale, plot->cell[first].value) > 0.5;
    char *labels = area->at + (falls ? area->height - 1 : 0) * area->width;
    for (size_t i = 0; i < area->plot->mark_count; i++) {
        const struct plot_mark *mark = &area->plot->mark[i];
        const size_t column = column_of(area, mark->x), length = strlen(mark->label);
        for (size_t line = 0; line < area->height; line++)
            area->at[line * area->width + column] = ':';
        if (column >= used + length + 1)
            memcpy(labels + column - length - 1, mark->label, length);
        used = column + 1;
    }
}

/* Draws lines for marks and flagged points first, so that they hide no point. */
static void draw(const struct area *area)
{
    const struct plot *plot = area->plot;
    memset(area->at, ' ', area->width * area->height);
    draw_marks(area);
    for (int points = 0; points < 2; points++) {
        for (size_t i = 0; i < plot->x.count * plot->y.count; i++) {
            const struct plot_cell *cell = &plot->cell[i];
            if (isnan(cell->value))
                continue;
            char *top = area->at + column_of(area, plot->x.label[i / plot->y.count].number);
            for (size_t line = 0; line < area->height && cell->flagged && !points; line++)
                top[line * area->width] = ':';
            if (points)
                top[line_of(area, cell->value) * area->width] = glyph_of(i % plot->y.count);
        }
    }
}

static void add_area(const struct area *area, struct text *out)
{
    double tick[TICKS_MAX];
    const size_t ticks = scale_ticks(&area->plot->value.scale, TICKS, tick);
    for (size_t line = 0; line < area->height; line++) {
        const char *from = area->at + line * area->width;
        size_t length = area->width, next = 0;
        while (length > 0 && from[length - 1] == ' ')
            length--;
        while (next < ticks && line_of(area, tick[next]) != line)
            next++;
        const char *label = next < ticks ? plot_tick(&area->plot->value, tick[next]) : "";
        text_printf(out, "%*s |", MARGIN - 2, label);
        text_add_bytes(out, from, length);
        text_add(out, "\n");
    }
}

static void add_x_axis(const struct area *area, struct text *out)
{
    const struct plot_axis *axis = &area->plot->x;
    const char *low = plot_tick(axis, axis->scale.low), *high = plot_tick(axis, axis->scale.high);
    const size_t used = text_width(low) + text_width(axis->title) + text_width(high);
    const size_t blanks = area->width > used + 2 ? area->width - used : 2;
    text_repeat(out, ' ', MARGIN - 1);
    text_add(out, "+");
    text_repeat(out, '-', area->width);
    text_add(out, "\n");
    text_repeat(out, ' ', MARGIN);
    text_add(out, low);
    text_repeat(out, ' ', blanks / 2);
    text_add(out, axis->title);
    text_repeat(out, ' ', blanks - blanks / 2);
    text_printf(out, "%s\n", high);
}

/* "* iso, last that fits: 112", each on a line; names alone share one. */
static void add_legend(const struct style *style, const struct plot *plot, struct text *out)
{
    struct text legend = {0};
    for (size_t i = 0; i < plot->y.count; i++) {
        text_printf(&legend, "%s%c %s", legend.length > 0 ? "   " : "", glyph_of(i), plot->y.label[i].name);
        for (size_t j = 0; j < plot->x.count; j++) {
            const struct plot_cell *cell = plot_at(plot, j, i);
            if (cell->flagged && !isnan(cell->value))
                text_printf(&legend, ", %s: %s", plot_flag(plot->table, cell->row - 1),
                            plot->x.label[j].name);
        }
        if (!plot->flagged && i + 1 < plot->y.count)
            continue;
        human_sentence(style, MARGIN, legend.data, out);
        text_free(&legend);
    }
}

bool human_curve(const struct style *style, const struct plot *plot, size_t lines, struct text *out)
{
    size_t width = human_width(style);
    width = width < WIDTH_LEAST ? WIDTH_LEAST : width > WIDTH_MOST ? WIDTH_MOST : width;
    struct text legend = {0};
    add_legend(style, plot, &legend);
    const size_t around = 3 + human_lines(&legend);
    const char *below = scratch_text(&legend);
    bool line = false;
    for (size_t i = 0; i < plot->y.count; i++)
        line |= plot_points(plot, i) >= PLOT_LINE;
    if (!line || lines < around + HEIGHT_LEAST)
        return false;
    struct area area = {.plot = plot,
                        .width = width - MARGIN,
                        .height = lines - around < HEIGHT_MOST ? lines - around : HEIGHT_MOST};
    area.at = scratch_new(area.width, area.height);
    draw(&area);
    text_printf(out, "%s%s%s\n", plot->series ? plot->series : "", plot->series ? ", " : "",
                plot->value.title);
    add_area(&area, out);
    add_x_axis(&area, out);
    text_add(out, below);
    return true;
}
