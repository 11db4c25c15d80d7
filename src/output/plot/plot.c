/* SPDX-License-Identifier: MIT */
#include "output/plot/plot.h"

#include <math.h>

#include "output/keys.h"
#include "output/plot/plot_internal.h"
#include "output/scratch.h"

/* More bars than these do not fit next to each other. */
enum { BAR_COLUMNS = 12 };

/* Room above a curve for the name of a flagged point. */
static const double ROOM_FOR_FLAG = 0.06;

const char *plot_number(const struct plot_axis *axis, double value)
{
    struct text text = {0};
    if (axis->size)
        text_add_size(&text, (int64_t)fmin(value, 0x1p62));
    else
        text_add_cell_human(&text, &REAL_CELL(value), axis->digits);
    return scratch_text(&text);
}

const char *plot_value(const struct plot_axis *axis, double value)
{
    return spell("%s%s%s", plot_number(axis, value), axis->unit ? " " : "", axis->unit ? axis->unit : "");
}

const char *plot_tick(const struct plot_axis *axis, double value)
{
    return axis->size && value >= 1 ? plot_number(axis, value) : spell("%.10g", value);
}

static bool has_column(const struct table_spec *spec, int column)
{
    return column >= 0 && column < spec->column_count;
}

/* A zero-initialised view names column 0 as series; a series that equals x or y is not meant. */
static int series_of(const struct table_spec *spec)
{
    const struct view *view = &spec->view;
    const bool meant = has_column(spec, view->series) && view->series != view->x &&
                       view->series != view->value && (view->kind == VIEW_CURVE || view->series != view->y);
    return meant ? view->series : -1;
}

/* The unit in which a column is shown; NULL: none, or spelt with each cell. */
static const char *unit_of(const struct table_spec *spec, int column)
{
    const bool scaled = spec->view.scale != 0 && column == spec->view.value && spec->view.scale_unit;
    return spec->columns[column].type == CELL_SIZE ? NULL
           : scaled                                ? spec->view.scale_unit
                                                   : spec->columns[column].unit;
}

const char *plot_heading(const struct table_spec *spec, int column)
{
    return spell_heading(spec->columns[column].title, unit_of(spec, column));
}

const char *plot_title(const struct record_table *table)
{
    const char *title = table->spec->title ? table->spec->title : table->spec->name;
    return table->kind ? spell("%s, %s", title, table->kind) : title;
}

double plot_scaled(const struct table_spec *spec, int column, const struct cell *cell)
{
    const bool scaled = spec->view.scale != 0 && column == spec->view.value;
    const double value = cell_number(cell) * (scaled ? spec->view.scale : 1);
    return isfinite(value) ? value : NAN;
}

const char *plot_cell_text(const struct table_spec *spec, int column, const struct cell *cell)
{
    struct text text = {0};
    const bool scaled = spec->view.scale != 0 && column == spec->view.value;
    const double number = scaled ? plot_scaled(spec, column, cell) : NAN;
    text_add_cell_human(&text, isnan(number) ? cell : &REAL_CELL(number), spec->columns[column].digits);
    return scratch_text(&text);
}

const char *plot_flag(const struct record_table *table, size_t row)
{
    const int flag = table->spec->view.flag;
    if (flag <= 0 || !has_column(table->spec, flag))
        return NULL;
    const struct cell *cell = record_cell(table, row, flag);
    if (cell_text(cell))
        return cell_text(cell);
    const bool plain = cell_is(cell, false) || (cell->type == CELL_FLAGS && !cell->integer);
    return plain || cell->type == CELL_NULL ? NULL : table->spec->columns[flag].title;
}

/* Whether the row is shown and differs from the one before it in more than its state. */
static bool leads(const struct record_table *table, size_t row)
{
    const struct table_spec *spec = table->spec;
    if (spec->view.shown > 0 && !cell_has_value(record_cell(table, row, spec->view.shown)))
        return false;
    for (int i = 0; i < spec->column_count && row > 0 && spec->view.state > 0; i++) {
        if (i != spec->view.state && spec->columns[i].role == ROLE_PARAMETER &&
            !cell_equal(record_cell(table, row, i), record_cell(table, row - 1, i)))
            return true;
    }
    return row == 0 || spec->view.state <= 0;
}

struct plot_axis plot_axis_of(const struct table_spec *spec, int column)
{
    const enum cell_type type = spec->columns[column].type;
    return (struct plot_axis){.title = plot_heading(spec, column),
                              .name = spec->columns[column].title,
                              .unit = unit_of(spec, column),
                              .digits = spec->columns[column].digits,
                              .size = type == CELL_SIZE,
                              .number = type_is_number(type),
                              .whole = type == CELL_INTEGER || type == CELL_SIZE || type == CELL_CPU};
}

size_t plot_points(const struct plot *plot, size_t line)
{
    size_t points = 0;
    for (size_t i = 0; i < plot->x.count; i++)
        points += !isnan(plot_at(plot, i, line)->value);
    return points;
}

/* Only numbers that the scale can show are points. A linear axis begins at 0, which shows differences true
 * to scale. */
static void scale_curve(struct plot *plot, const struct view *view)
{
    double low_x = INFINITY, high_x = -INFINITY, low = view->log_value ? INFINITY : 0, high = -INFINITY;
    double room = 0.05;
    for (size_t i = 0; i < plot->x.count * plot->y.count; i++) {
        struct plot_cell *cell = &plot->cell[i];
        const double x = plot->x.label[i / plot->y.count].number;
        if (isnan(x) || (view->log_x && x <= 0) || (view->log_value && cell->value <= 0))
            cell->value = NAN;
        if (isnan(cell->value))
            continue;
        low_x = fmin(low_x, x);
        high_x = fmax(high_x, x);
        low = fmin(low, cell->value);
        high = fmax(high, cell->value);
        room += cell->flagged ? ROOM_FOR_FLAG : 0;
        plot->kind = PLOT_CURVE;
    }
    plot->x.scale = scale_make(low_x, high_x, view->log_x);
    plot->value.scale =
        scale_make(low, high + (view->log_value ? 0 : (high - low) * fmin(room, 0.25)), view->log_value);
}

/* Names on both axes make bars, because nothing lies between two columns; numbers make a plane. */
static enum plot_kind kind_of(const struct plot *plot)
{
    size_t measured = 0;
    for (size_t i = 0; i < plot->x.count * plot->y.count; i++)
        measured += !isnan(plot->cell[i].value);
    return measured == 0                                                                    ? PLOT_TEXT
           : !plot->x.number && !plot->y.number && plot_columns(plot)->count <= BAR_COLUMNS ? PLOT_BARS
                                                                                            : PLOT_HEAT_MAP;
}

/* Gives all bars of a table one scale, so that they can be compared. */
static void scale_bars(struct plot *plots, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; plots[i].cell && j < plots[i].x.count * plots[i].y.count; j++)
            most = fmax(most, plots[i].cell[j].value);
    for (size_t i = 0; i < count; i++)
        if (plots[i].kind == PLOT_BARS)
            plots[i].value.scale = scale_make(0, most, false);
}

/* Makes the plot of the rows in its list, those of one value of the series. */
static void make(struct plot *plot)
{
    const struct table_spec *spec = plot->table->spec;
    const struct view *view = &spec->view;
    const bool curve = view->kind == VIEW_CURVE, matrix = view->kind == VIEW_MATRIX;
    const int rows = matrix ? view->y : view->x;
    if ((!curve && !matrix) || !has_column(spec, view->x) || !has_column(spec, view->value) ||
        !has_column(spec, rows))
        return;
    plot->value = plot_axis_of(spec, view->value);
    plot_make_cells(plot, rows, matrix ? view->x : series_of(spec));
    if (plot->cell && curve) {
        scale_curve(plot, view);
    } else if (plot->cell) {
        plot->kind = kind_of(plot);
    }
}

bool plot_has_rows(const struct record_table *table)
{
    for (size_t row = 0; row < table->row_count; row++)
        if (leads(table, row))
            return true;
    return false;
}

/* A column whose values have plots of their own; -1: none. */
struct split {
    int column;
    struct keys keys;
};

static size_t part_of(struct split *split, const struct record_table *table, size_t row)
{
    return split->column < 0 ? 0 : keys_index(&split->keys, *record_cell(table, row, split->column));
}

/* Lists the shown rows of each pair of a series and a panel. */
static struct plot *list_rows(const struct record_table *table, struct split *series, struct split *panel,
                              size_t *count)
{
    struct plot *plots = scratch_more(NULL, 0, sizeof(*plots));
    struct keys pairs = {0};
    *count = 1;
    for (size_t row = 0; row < table->row_count; row++) {
        if (!leads(table, row))
            continue;
        const size_t pair = part_of(panel, table, row) << 32 | part_of(series, table, row);
        const size_t index = keys_index(&pairs, INTEGER_CELL(pair));
        if (index == *count)
            plots = scratch_more(plots, (*count)++, sizeof(*plots));
        struct plot *plot = &plots[index];
        plot->list = scratch_more(plot->list, plot->list_count, sizeof(*plot->list));
        plot->list[plot->list_count++] = (uint32_t)row;
    }
    for (size_t i = 0; i < *count; i++)
        plots[i].table = table;
    return plots;
}

/* Spells what tells the plot from the others of its table. NULL: nothing does. */
static const char *name_of(const struct plot *plot, const struct split *series, const struct split *panel)
{
    const struct table_spec *spec = plot->table->spec;
    const bool several = panel->keys.count > 1;
    const char *name = "", *part = "";
    if (series->column >= 0)
        name = plot_cell_text(spec, series->column, record_cell(plot->table, plot->list[0], series->column));
    if (several)
        part = spell(
            "%s: %s", spec->columns[panel->column].title,
            plot_cell_text(spec, panel->column, record_cell(plot->table, plot->list[0], panel->column)));
    return *name || *part ? spell("%s%s%s", name, *name && *part ? ", " : "", part) : NULL;
}

struct plot *plots_of(const struct record_table *table, size_t *count)
{
    const struct table_spec *spec = table->spec;
    const struct view *view = &spec->view;
    *count = 0;
    if (view->kind == VIEW_HIDDEN || !plot_has_rows(table))
        return NULL;
    const bool matrix = view->kind == VIEW_MATRIX && has_column(spec, view->x) && has_column(spec, view->y) &&
                        has_column(spec, view->value);
    struct split series = {.column = matrix ? series_of(spec) : -1},
                 panel = {.column = view->panel > 0 && has_column(spec, view->panel) ? view->panel : -1};
    struct plot *plots = list_rows(table, &series, &panel, count);
    for (size_t i = 0; i < *count; i++) {
        plots[i].series = name_of(&plots[i], &series, &panel);
        make(&plots[i]);
    }
    scale_bars(plots, *count);
    plot_classify(plots, *count);
    for (size_t i = 0; i < *count; i++) {
        if (plots[i].kind == PLOT_HEAT_MAP && plots[i].of_cpus) {
            plot_group_cpus(&plots[i], table->record);
            plot_find_outliers(&plots[i]);
        }
        if (plots[i].kind == PLOT_CURVE && plots[i].x.size)
            plot_mark_sizes(&plots[i], table->record);
    }
    return plots;
}
