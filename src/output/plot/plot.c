/* SPDX-License-Identifier: MIT */
#include "output/plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/plot/plot_internal.h"
#include "output/view.h"

const char *plot_number(const struct plot_axis *axis, double value, char spelt[PLOT_SPELT])
{
    struct text text = {0};
    if (axis->size)
        text_add_size(&text, (int64_t)fmin(value, 0x1p62));
    else
        text_add_cell_human(&text, &REAL_CELL(value), axis->digits);
    snprintf(spelt, PLOT_SPELT, "%s", text.data);
    text_free(&text);
    return spelt;
}

const char *plot_value(const struct plot_axis *axis, double value, char spelt[PLOT_SPELT])
{
    const size_t length = strlen(plot_number(axis, value, spelt));
    if (axis->unit && strlen(axis->unit) < PLOT_SPELT - 1 - length)
        snprintf(spelt + length, PLOT_SPELT - length, " %s", axis->unit);
    return spelt;
}

const char *plot_tick(const struct plot_axis *axis, double value, char spelt[PLOT_SPELT])
{
    if (axis->size && value >= 1)
        return plot_number(axis, value, spelt);
    snprintf(spelt, PLOT_SPELT, "%.10g", value);
    return spelt;
}

struct plot_axis plot_axis_of(const struct table_spec *spec, int column)
{
    const enum cell_type type = spec->columns[column].type;
    return (struct plot_axis){.title = view_heading(spec, column),
                              .name = spec->columns[column].title,
                              .unit = view_unit(spec, column),
                              .digits = spec->columns[column].digits,
                              .size = type == CELL_SIZE,
                              .whole = type == CELL_INTEGER || type == CELL_SIZE || type == CELL_CPU};
}

static int compare_points(const void *a, const void *b)
{
    const struct plot_point *left = a, *right = b;
    if (left->line != right->line)
        return left->line < right->line ? -1 : 1;
    if (left->x != right->x)
        return left->x < right->x ? -1 : 1;
    return (left->y > right->y) - (left->y < right->y);
}

/* What is no number, or has no place on a logarithmic axis, is no point. */
static void gather(struct plot *plot, const struct pivot *pivot, struct keys *keys)
{
    const struct record_table *table = pivot->table;
    const struct view *view = &pivot->spec->view;
    const int series = spec_series(pivot->spec);
    plot->point = memory_zeroed(pivot->list_count, sizeof(*plot->point));
    for (size_t i = 0; i < pivot->list_count; i++) {
        const uint32_t row = pivot->list[i];
        struct plot_point point = {
            .x = view_number(pivot->spec, view->x, record_cell(table, row, view->x)),
            .y = view_number(pivot->spec, view->value, record_cell(table, row, view->value)),
            .flag = row_flag(table, row)};
        if (isnan(point.x) || isnan(point.y) || (view->log_x && point.x <= 0) ||
            (view->log_value && point.y <= 0))
            continue;
        point.line = keys_index(keys, series < 0 ? NO_CELL : *record_cell(table, row, series));
        plot->point[plot->point_count++] = point;
    }
    qsort(plot->point, plot->point_count, sizeof(*plot->point), compare_points);
}

static void name_lines(struct plot *plot, const struct pivot *pivot, const struct keys *keys)
{
    const int series = spec_series(pivot->spec);
    plot->line_count = keys->count;
    plot->line = memory_zeroed(keys->count, sizeof(*plot->line));
    for (size_t i = 0; i < keys->count; i++)
        plot->line[i].name = series < 0 ? view_heading(pivot->spec, pivot->spec->view.value)
                                        : view_cell_text(pivot->spec, series, &keys->value[i]);
    for (size_t i = plot->point_count; i-- > 0;) {
        plot->line[plot->point[i].line].first = i;
        plot->line[plot->point[i].line].count++;
    }
}

static const double ROOM_FOR_FLAG = 0.06;

/* Differences are honest only where the axis begins at nothing. Above the curve is room for what flagged points are called. */
static void scale_curve(struct plot *plot, const struct view *view)
{
    double low_x = INFINITY, high_x = -INFINITY, low = view->log_value ? INFINITY : 0, high = -INFINITY;
    double room = 0.05;
    for (size_t i = 0; i < plot->point_count; i++) {
        low_x = fmin(low_x, plot->point[i].x);
        high_x = fmax(high_x, plot->point[i].x);
        low = fmin(low, plot->point[i].y);
        high = fmax(high, plot->point[i].y);
        room += plot->point[i].flag ? ROOM_FOR_FLAG : 0;
    }
    plot->x.scale = scale_make(low_x, high_x, view->log_x);
    plot->value.scale =
        scale_make(low, high + (view->log_value ? 0 : (high - low) * fmin(room, 0.25)), view->log_value);
}

static bool curve(struct plot *plot, const struct pivot *pivot)
{
    struct keys keys = {0};
    plot->kind = PLOT_CURVE;
    plot->x = plot_axis_of(pivot->spec, pivot->spec->view.x);
    gather(plot, pivot, &keys);
    name_lines(plot, pivot, &keys);
    keys_free(&keys);
    if (plot->point_count > 0)
        scale_curve(plot, &pivot->spec->view);
    return plot->point_count > 0;
}

static void plot_free(struct plot *plot)
{
    struct plot_axis *const axes[] = {&plot->x, &plot->y, &plot->value};
    for (int i = 0; i < 3; i++) {
        for (size_t j = 0; j < axes[i]->count; j++)
            free(axes[i]->label[j].name);
        free(axes[i]->label);
        free(axes[i]->title);
    }
    for (size_t i = 0; i < plot->class_count; i++)
        free(plot->class[i].name);
    for (int i = 0; i < plot->grouping_count; i++)
        free(plot->grouping[i].group_of);
    for (size_t i = 0; i < plot->line_count; i++)
        free(plot->line[i].name);
    for (size_t i = 0; i < plot->mark_count; i++)
        free(plot->mark[i].label);
    free(plot->series);
    free(plot->cell);
    free(plot->point);
    free(plot->line);
    free(plot->mark);
}

static bool make(struct plot *plot, const struct pivot *pivot)
{
    const struct table_spec *spec = pivot->spec;
    const struct view *view = &spec->view;
    bool curved =
        view->kind == VIEW_CURVE && spec_has_column(spec, view->x) && spec_has_column(spec, view->value);
    bool matrix = view->kind == VIEW_MATRIX && pivot->cell;
    if (!curved && !matrix)
        return false;
    if (pivot->series.type != CELL_NULL) {
        plot->series_name = spec->columns[view->series].title;
        plot->series = view_cell_text(spec, view->series, &pivot->series);
    }
    plot->value = plot_axis_of(spec, view->value);
    return curved ? curve(plot, pivot) : plot_matrix(plot, pivot);
}

/* A picture of one bar in each column, next to others with more, compares nothing. */
static size_t leave_out_lone_bars(struct plot *plots, size_t count)
{
    size_t kept = 0, rows = 0;
    for (size_t i = 0; i < count; i++)
        rows = plots[i].y.count > rows ? plots[i].y.count : rows;
    for (size_t i = 0; i < count; i++) {
        if (plots[i].kind == PLOT_BARS && plots[i].y.count < 2 && rows > 1)
            plot_free(&plots[i]);
        else
            plots[kept++] = plots[i];
    }
    return kept;
}

struct plot *plots_of(const struct record_table *table, size_t *count)
{
    size_t pivot_count, made = 0;
    struct pivot *pivots = pivots_of(table, &pivot_count);
    struct plot *plots = memory_zeroed(pivot_count, sizeof(*plots));
    for (size_t i = 0; i < pivot_count; i++) {
        plots[made] = (struct plot){0};
        if (!make(&plots[made], &pivots[i])) {
            plot_free(&plots[made]);
            continue;
        }
        struct pivot kept = pivots[made];
        pivots[made] = pivots[i];
        pivots[i] = kept;
        made++;
    }
    plot_classify(plots, pivots, made);
    pivots_free(pivots, pivot_count);
    for (size_t i = 0; i < made; i++) {
        if (plots[i].kind == PLOT_HEAT_MAP && plot_is_of_cpus(table->spec))
            plot_group_cpus(&plots[i], table->record);
        if (plots[i].kind == PLOT_CURVE && plots[i].x.size)
            plot_mark_caches(&plots[i], table->record);
    }
    *count = leave_out_lone_bars(plots, made);
    return plots;
}

void plots_free(struct plot *plots, size_t count)
{
    for (size_t i = 0; i < count; i++)
        plot_free(&plots[i]);
    free(plots);
}
