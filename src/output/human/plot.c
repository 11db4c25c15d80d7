/* SPDX-License-Identifier: MIT */
/* A curve of many points as a plot of characters; of few points, the table of its values tells more. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "human.h"
#include "output/keys.h"

enum { FEWEST_POINTS = 24, HEIGHT = 18, MARGIN = 11, WIDTH_DEFAULT = 80, WIDTH_LEAST = 40, WIDTH_MOST = 110 };

static const char glyphs[] = "*o+x#@%&";

struct axis {
    double low, high;
    bool is_log;
};

struct plot {
    const struct record_table *table;
    const struct view *view;
    struct axis x, y;
    size_t width; /* of the area between the axes */
    char *area;   /* HEIGHT lines of `width` characters */
    struct keys series;
};

static bool point_of(const struct plot *plot, size_t row, double *x, double *y)
{
    const struct cell *at = record_cell(plot->table, row, plot->view->x);
    const struct cell *value = record_cell(plot->table, row, plot->view->value);

    *x = cell_number(at);
    *y = cell_number(value) * (plot->view->scale != 0 ? plot->view->scale : 1);
    if (!isfinite(*x) || !isfinite(*y))
        return false;
    return (!plot->x.is_log || *x > 0) && (!plot->y.is_log || *y > 0);
}

static void widen(struct axis *axis, double value)
{
    axis->low = fmin(axis->low, value);
    axis->high = fmax(axis->high, value);
}

static void find_ranges(struct plot *plot)
{
    plot->x = (struct axis){INFINITY, -INFINITY, plot->view->log_x};
    plot->y = (struct axis){INFINITY, -INFINITY, plot->view->log_value};
    for (size_t row = 0; row < plot->table->row_count; row++) {
        double x, y;

        if (!point_of(plot, row, &x, &y))
            continue;
        widen(&plot->x, x);
        widen(&plot->y, y);
    }
}

/* 0 .. last */
static size_t place(const struct axis *axis, double value, size_t last)
{
    double low = axis->is_log ? log(axis->low) : axis->low;
    double high = axis->is_log ? log(axis->high) : axis->high;
    double at = axis->is_log ? log(value) : value;

    return high > low ? (size_t)((at - low) / (high - low) * (double)last + 0.5) : 0;
}

static bool has_column(const struct plot *plot, int column)
{
    return column >= 0 && column < plot->table->spec->column_count;
}

static size_t series_of(struct plot *plot, size_t row)
{
    if (!has_column(plot, plot->view->series) || plot->view->series == plot->view->x)
        return 0;
    return keys_index(&plot->series, *record_cell(plot->table, row, plot->view->series));
}

static bool is_flagged(const struct plot *plot, size_t row)
{
    const struct cell *cell;

    if (plot->view->flag <= 0 || !has_column(plot, plot->view->flag))
        return false;
    cell = record_cell(plot->table, row, plot->view->flag);
    return cell->type == CELL_BOOL ? cell->boolean : cell_text(cell) != NULL;
}

/* Lines for flagged points first, so that no point hides behind one. */
static void draw(struct plot *plot)
{
    double x, y;

    memset(plot->area, ' ', plot->width * HEIGHT);
    for (size_t row = 0; row < plot->table->row_count; row++)
        if (is_flagged(plot, row) && point_of(plot, row, &x, &y))
            for (size_t line = 0; line < HEIGHT; line++)
                plot->area[line * plot->width + place(&plot->x, x, plot->width - 1)] = ':';
    for (size_t row = 0; row < plot->table->row_count; row++) {
        size_t series = series_of(plot, row);

        if (!point_of(plot, row, &x, &y))
            continue;
        plot->area[(HEIGHT - 1 - place(&plot->y, y, HEIGHT - 1)) * plot->width +
                   place(&plot->x, x, plot->width - 1)] = glyphs[series % (sizeof glyphs - 1)];
    }
}

static void add_label(struct text *out, double value, bool wanted)
{
    struct text label = {0};
    char *shown;

    if (wanted)
        text_printf(&label, "%.4g", value);
    shown = text_take(&label);
    text_repeat(out, ' ', text_width(shown) < MARGIN - 2 ? MARGIN - 2 - text_width(shown) : 0);
    text_add(out, shown);
    text_add(out, " |");
    free(shown);
}

static void add_area(const struct plot *plot, struct text *out)
{
    for (size_t line = 0; line < HEIGHT; line++) {
        const char *from = plot->area + line * plot->width;
        size_t length = plot->width;
        double share = 1 - (double)line / (HEIGHT - 1);

        while (length > 0 && from[length - 1] == ' ')
            length--;
        add_label(out,
                  plot->y.is_log ? plot->y.low * pow(plot->y.high / plot->y.low, share)
                                 : plot->y.low + share * (plot->y.high - plot->y.low),
                  line % 6 == 0 || line == HEIGHT - 1);
        text_add_bytes(out, from, length);
        text_add(out, "\n");
    }
}

static void add_x_axis(const struct plot *plot, struct text *out)
{
    const struct column *column = &plot->table->spec->columns[plot->view->x];
    struct text low = {0}, high = {0}, title = {0};
    size_t used;

    text_printf(&low, "%.6g ", plot->x.low);
    text_printf(&high, " %.6g", plot->x.high);
    text_add_heading(&title, column->title, column->unit);
    used = low.length + high.length + title.length;
    text_repeat(out, ' ', MARGIN - 1);
    text_add(out, "+");
    text_repeat(out, '-', plot->width);
    text_add(out, "\n");
    text_repeat(out, ' ', MARGIN);
    text_add(out, low.data);
    text_repeat(out, ' ', plot->width > used ? (plot->width - used) / 2 : 0);
    text_add_printable(out, title.data);
    text_repeat(out, ' ', plot->width > used ? plot->width - used - (plot->width - used) / 2 : 0);
    text_add(out, high.data);
    text_add(out, "\n");
    text_free(&low);
    text_free(&high);
    text_free(&title);
}

/* "* iso, last that fits: 112" */
static void add_legend(struct plot *plot, struct text *out)
{
    size_t count = plot->series.count > 0 ? plot->series.count : 1;

    for (size_t series = 0; series < count; series++) {
        text_repeat(out, ' ', MARGIN);
        text_printf(out, "%c ", glyphs[series % (sizeof glyphs - 1)]);
        if (plot->series.count > 0)
            text_add_cell_human(out, &plot->series.value[series], 0);
        for (size_t row = 0; row < plot->table->row_count; row++) {
            if (!is_flagged(plot, row) || series_of(plot, row) != series)
                continue;
            const struct cell *flag = record_cell(plot->table, row, plot->view->flag);
            text_add(out, ", ");
            text_add_printable(out, cell_text(flag) ? cell_text(flag)
                                                    : plot->table->spec->columns[plot->view->flag].title);
            text_add(out, ": ");
            text_add_cell_human(out, record_cell(plot->table, row, plot->view->x), 0);
        }
        text_add(out, "\n");
    }
}

static bool is_worth_it(const struct plot *plot)
{
    struct keys points = {0};
    bool enough;

    for (size_t row = 0; row < plot->table->row_count; row++)
        keys_index(&points, *record_cell(plot->table, row, plot->view->x));
    enough = points.count >= FEWEST_POINTS;
    keys_free(&points);
    return enough && plot->x.high > plot->x.low;
}

bool human_plot(const struct style *style, const struct record_table *table, struct text *out)
{
    struct plot plot = {.table = table, .view = &table->spec->view};
    size_t width = style->width > 0 ? (size_t)style->width : WIDTH_DEFAULT;
    struct text heading = {0};
    const struct column *value;

    if (plot.view->kind != VIEW_CURVE || !has_column(&plot, plot.view->x) ||
        !has_column(&plot, plot.view->value))
        return false;
    find_ranges(&plot);
    if (!is_worth_it(&plot))
        return false;
    width = width < WIDTH_LEAST ? WIDTH_LEAST : width > WIDTH_MOST ? WIDTH_MOST : width;
    plot.width = width - MARGIN;
    plot.area = memory_zeroed(plot.width, HEIGHT);
    draw(&plot);
    value = &table->spec->columns[plot.view->value];
    text_add_heading(&heading, value->title, plot.view->scale_unit ? plot.view->scale_unit : value->unit);
    text_add_printable(out, heading.data);
    text_add(out, "\n");
    add_area(&plot, out);
    add_x_axis(&plot, out);
    add_legend(&plot, out);
    text_free(&heading);
    free(plot.area);
    keys_free(&plot.series);
    return true;
}
