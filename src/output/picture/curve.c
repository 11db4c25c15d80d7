/* SPDX-License-Identifier: MIT */
/* Curves: one line per value of the series, flagged points marked, caches shown on an axis of sizes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/keys.h"
#include "picture.h"
#include "result/subject.h"
#include "svg_draw.h"

enum {
    LEFT = 72,
    RIGHT = SVG_WIDTH - 36, /* half the label of the last tick stands beyond it */
    TOP = 34,
    BOTTOM = 380,
    LEGEND_ROW = 20,
    SYMBOL = 30,
    FEW_POINTS = 40
};

struct point {
    double x, y;
    size_t series, row;
};

struct curve {
    const struct record *record;
    const struct record_table *table;
    const struct table_spec *spec;
    struct text *out;
    struct keys series;
    size_t count;
    struct point *point;
    struct scale x, y;
    double flag_y; /* where the next label of a flag goes */
};

static void gather(struct curve *curve)
{
    const struct view *view = &curve->spec->view;
    int series = view_series(curve->spec);
    size_t row_count;
    size_t *rows = view_rows(curve->table, &row_count);
    curve->point = memory_zeroed(row_count + 1, sizeof(*curve->point));
    for (size_t i = 0; i < row_count; i++) {
        struct cell key = series < 0 ? NO_CELL : *record_cell(curve->table, rows[i], series);
        struct point point = {
            .x = picture_value(curve->spec, view->x, record_cell(curve->table, rows[i], view->x)),
            .y = picture_value(curve->spec, view->value, record_cell(curve->table, rows[i], view->value)),
            .row = rows[i]};
        if (isnan(point.x) || isnan(point.y) || (view->log_x && point.x <= 0))
            continue;
        point.series = keys_index(&curve->series, key);
        curve->point[curve->count++] = point;
    }
    free(rows);
}

static int compare_points(const void *a, const void *b)
{
    const struct point *left = a, *right = b;
    if (left->series != right->series)
        return left->series < right->series ? -1 : 1;
    if (left->x != right->x)
        return left->x < right->x ? -1 : 1;
    return left->row < right->row ? -1 : left->row > right->row;
}

static void make_scales(struct curve *curve)
{
    const struct view *view = &curve->spec->view;
    double low_x = INFINITY, high_x = -INFINITY, low_y = INFINITY, high_y = -INFINITY;
    for (size_t i = 0; i < curve->count; i++) {
        low_x = fmin(low_x, curve->point[i].x);
        high_x = fmax(high_x, curve->point[i].x);
        low_y = fmin(low_y, curve->point[i].y);
        high_y = fmax(high_y, curve->point[i].y);
    }
    /* Differences are honest only where the axis begins at nothing. */
    if (!view->log_value)
        low_y = fmin(low_y, 0);
    curve->x = scale_make(low_x, high_x, LEFT, RIGHT, view->log_x);
    curve->y = scale_make(low_y, high_y + (view->log_value ? 0 : (high_y - low_y) * 0.05), BOTTOM, TOP,
                          view->log_value);
}

static char *tick_text(const struct table_spec *spec, int column, double value)
{
    struct text text = {0};
    if (spec->columns[column].type == CELL_SIZE && value >= 1)
        text_add_size(&text, (int64_t)value);
    else
        text_printf(&text, "%.10g", value);
    return text_take(&text);
}

static void draw_axes(const struct curve *curve)
{
    const struct view *view = &curve->spec->view;
    double tick[TICKS_MAX];
    size_t count = scale_ticks(&curve->y, 6, tick);
    for (size_t i = 0; i < count; i++) {
        double y = scale_place(&curve->y, tick[i]);
        char *label = tick_text(curve->spec, view->value, tick[i]);
        svg_line(curve->out, LEFT, y, RIGHT, y, "g");
        svg_text(curve->out, LEFT - 8, y + 4, "m", "end", label);
        free(label);
    }
    count = scale_ticks(&curve->x, 12, tick);
    for (size_t i = 0; i < count; i++) {
        if (curve->spec->columns[view->x].type != CELL_REAL && tick[i] != floor(tick[i]))
            continue; /* there are no half stores */
        double x = scale_place(&curve->x, tick[i]);
        char *label = tick_text(curve->spec, view->x, tick[i]);
        svg_line(curve->out, x, BOTTOM, x, BOTTOM + 5, "a");
        svg_text(curve->out, x, BOTTOM + 19, "m", "middle", label);
        free(label);
    }
    svg_line(curve->out, LEFT, BOTTOM, RIGHT, BOTTOM, "a");
    char *title = view_heading(curve->spec, view->x);
    svg_text(curve->out, (LEFT + RIGHT) / 2.0, BOTTOM + 38, "t", "middle", title);
    free(title);
    title = view_heading(curve->spec, view->value);
    svg_text_upwards(curve->out, 14, (TOP + BOTTOM) / 2.0, "t", title);
    free(title);
}

/* Where a cache ends, on an axis of bytes. */
static void draw_caches(const struct curve *curve)
{
    struct host_cache cache;
    for (int i = 0; subject_cache(curve->record, i, &cache); i++) {
        const double bytes = (double)cache.bytes;
        if (strcmp(cache.type, "instruction") == 0 || bytes < curve->x.low || bytes > curve->x.high)
            continue;
        double x = scale_place(&curve->x, bytes);
        struct text label = {0};
        text_printf(&label, "L%d, ", cache.level);
        text_add_size(&label, cache.bytes);
        svg_line(curve->out, x, TOP - 12, x, BOTTOM, "k");
        svg_text(curve->out, x - 4, TOP - 14, "m", "end", label.data);
        text_free(&label);
    }
}

static void add_circle(const struct curve *curve, double x, double y, int radius, int series)
{
    text_printf(curve->out, "<circle class=\"l s%d\" r=\"%d\" cx=\"", series, radius);
    svg_number(curve->out, scale_place(&curve->x, x));
    text_add(curve->out, "\" cy=\"");
    svg_number(curve->out, scale_place(&curve->y, y));
    text_add(curve->out, "\"/>\n");
}

static void draw_line(const struct curve *curve, const struct point *point, size_t count)
{
    text_printf(curve->out, "<path class=\"l s%d\" d=\"", (int)(point->series % SVG_SERIES));
    for (size_t i = 0; i < count; i++) {
        text_add(curve->out, i ? "L" : "M");
        svg_number(curve->out, scale_place(&curve->x, point[i].x));
        text_add(curve->out, " ");
        svg_number(curve->out, scale_place(&curve->y, point[i].y));
    }
    text_add(curve->out, "\"/>\n");
    for (size_t i = 0; i < count && count <= FEW_POINTS; i++)
        add_circle(curve, point[i].x, point[i].y, 3, (int)(point->series % SVG_SERIES));
}

static char *series_name(const struct curve *curve, size_t series)
{
    int column = view_series(curve->spec);
    return column < 0 ? view_heading(curve->spec, curve->spec->view.value)
                      : view_cell_text(curve->spec, column, &curve->series.value[series]);
}

/* The flag of a point, NULL: none. A text speaks for itself, a truth needs its column's title. */
static char *flag_text(const struct curve *curve, const struct point *point)
{
    const struct view *view = &curve->spec->view;
    if (view->flag <= 0 || view->flag >= curve->spec->column_count)
        return NULL;
    const struct cell *cell = record_cell(curve->table, point->row, view->flag);
    struct text text = {0};
    char *x = view_cell_text(curve->spec, view->x, record_cell(curve->table, point->row, view->x));
    if (cell->type == CELL_BOOL && cell->boolean)
        text_printf(&text, "%s: %s", x, curve->spec->columns[view->flag].title);
    else if (cell_text(cell))
        text_printf(&text, "%s: %s", x, cell_text(cell));
    free(x);
    if (!text.data)
        return NULL;
    if (curve->series.count > 1) {
        char *name = series_name(curve, point->series);
        text_printf(&text, " (%s)", name);
        free(name);
    }
    return text_take(&text);
}

static void draw_flag(struct curve *curve, const struct point *point, const char *label)
{
    double x = scale_place(&curve->x, point->x), y = scale_place(&curve->y, point->y);
    bool left = x > (LEFT + RIGHT) / 2.0;
    svg_line(curve->out, x, curve->flag_y - 10, x, BOTTOM, "k");
    svg_text(curve->out, left ? x - 6 : x + 6, curve->flag_y, "t s", left ? "end" : "start", label);
    text_add(curve->out, "<circle class=\"d\" stroke-width=\"2\" r=\"5\" cx=\"");
    svg_number(curve->out, x);
    text_add(curve->out, "\" cy=\"");
    svg_number(curve->out, y);
    text_add(curve->out, "\"/>\n");
    curve->flag_y += SVG_LINE;
}

/* Invisible circles that tell the values under the pointer. */
static void add_tooltips(const struct curve *curve)
{
    enum { MOST = 2000 };
    const struct view *view = &curve->spec->view;
    for (size_t i = 0; i < curve->count && curve->count <= MOST; i++) {
        const struct point *point = &curve->point[i];
        char *name = series_name(curve, point->series);
        char *x = view_cell_text(curve->spec, view->x, record_cell(curve->table, point->row, view->x));
        char *y = picture_value_text(curve->spec, view->value, point->y);
        text_add(curve->out, "<circle class=\"w\" r=\"4\" cx=\"");
        svg_number(curve->out, scale_place(&curve->x, point->x));
        text_add(curve->out, "\" cy=\"");
        svg_number(curve->out, scale_place(&curve->y, point->y));
        text_add(curve->out, "\"><title>");
        svg_escape(curve->out, name);
        text_add(curve->out, ", ");
        svg_escape(curve->out, x);
        text_add(curve->out, ": ");
        svg_escape(curve->out, y);
        text_add(curve->out, "</title></circle>\n");
        free(name);
        free(x);
        free(y);
    }
}

static double draw_legend(const struct curve *curve)
{
    double x = LEFT, y = BOTTOM + 62;
    for (size_t i = 0; i < curve->series.count && curve->series.count > 1; i++) {
        size_t points = 0;
        struct text label = {0};
        char *name = series_name(curve, i), class[16];
        for (size_t j = 0; j < curve->count; j++)
            points += curve->point[j].series == i;
        text_printf(&label, "%s (%zu points)", name, points);
        free(name);
        double width = SYMBOL + 8 + svg_text_width(label.data) + 20;
        if (x + width > RIGHT && x > LEFT) {
            x = LEFT;
            y += LEGEND_ROW;
        }
        snprintf(class, sizeof(class), "l s%zu", i % SVG_SERIES);
        svg_line(curve->out, x, y - 4, x + SYMBOL, y - 4, class);
        svg_text(curve->out, x + SYMBOL + 8, y, "t", "start", label.data);
        text_free(&label);
        x += width;
    }
    return curve->series.count > 1 ? y + 16 : BOTTOM + 56;
}

static void draw_points(struct curve *curve)
{
    for (size_t i = 0, next; i < curve->count; i = next) {
        for (next = i; next < curve->count && curve->point[next].series == curve->point[i].series;)
            next++;
        draw_line(curve, &curve->point[i], next - i);
    }
    for (size_t i = 0; i < curve->count; i++) {
        char *flag = flag_text(curve, &curve->point[i]);
        if (flag)
            draw_flag(curve, &curve->point[i], flag);
        free(flag);
    }
}

bool picture_curve(const struct record *record, const struct record_table *table, struct picture *picture)
{
    struct curve curve = {.record = record,
                          .table = table,
                          .spec = table->spec,
                          .out = &picture->svg,
                          .flag_y = TOP + SVG_LINE};
    gather(&curve);
    if (curve.count > 0) {
        qsort(curve.point, curve.count, sizeof(*curve.point), compare_points);
        make_scales(&curve);
        draw_axes(&curve);
        if (curve.spec->columns[curve.spec->view.x].type == CELL_SIZE)
            draw_caches(&curve);
        draw_points(&curve);
        add_tooltips(&curve);
        picture->height = draw_legend(&curve);
    }
    keys_free(&curve.series);
    free(curve.point);
    return curve.count > 0;
}
