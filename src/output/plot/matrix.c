/* SPDX-License-Identifier: MIT */
/* Heat maps and bars: their axes and cells. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "output/plot/plot_internal.h"
#include "output/view.h"
#include "uarchprobe/stats.h"

/* Bars stand side by side, each kind of them in a column of its own: more than these have no room. */
enum { BAR_COLUMNS = 12 };

static int compare_labels(const void *a, const void *b)
{
    const struct plot_label *left = a, *right = b;
    if (left->number != right->number)
        return left->number < right->number ? -1 : 1;
    return (left->at > right->at) - (left->at < right->at);
}

/* Numbers ascend; names stay in the order of the table. */
static void sort_axis(struct plot_axis *axis)
{
    for (size_t i = 0; i < axis->count; i++) {
        if (isnan(axis->label[i].number))
            return;
    }
    qsort(axis->label, axis->count, sizeof(*axis->label), compare_labels);
}

static bool holds(const struct plot_axis *axis, double number)
{
    for (size_t i = 0; i < axis->count; i++) {
        if (axis->label[i].number == number)
            return true;
    }
    return false;
}

/* A CPU that is only on the other axis gets a place on this one too. */
static void complete(struct plot_axis *axis, const struct plot_axis *other, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct plot_label *label = &other->label[i];
        if (holds(axis, label->number))
            continue;
        struct text name = {0};
        text_add(&name, label->name);
        axis->label[axis->count++] = (struct plot_label){text_take(&name), label->number, -1};
    }
}

static struct plot_axis axis_of(const struct pivot *pivot, int column, const struct keys *keys, size_t room)
{
    struct plot_axis axis = plot_axis_of(pivot->spec, column);
    axis.label = memory_zeroed(room, sizeof(*axis.label));
    for (size_t i = 0; i < keys->count; i++)
        /* The number of a CPU is enough: the brackets say where it is. */
        axis.label[axis.count++] =
            (struct plot_label){view_cell_text(pivot->spec, column, &keys->value[i]),
                                view_number(pivot->spec, column, &keys->value[i]), (int)i};
    return axis;
}

static void make_axes(struct plot *plot, const struct pivot *pivot)
{
    const size_t rows = pivot->row_count, columns = pivot->column_count;
    plot->y = axis_of(pivot, pivot->row_column, &pivot->rows, rows + columns);
    plot->x = axis_of(pivot, pivot->column_column, &pivot->columns, rows + columns);
    if (plot_is_of_cpus(pivot->spec)) {
        complete(&plot->x, &plot->y, rows);
        complete(&plot->y, &plot->x, columns);
    }
    if (plot->kind == PLOT_HEAT_MAP) {
        sort_axis(&plot->x);
        sort_axis(&plot->y);
    }
}

static const struct pivot_cell *cell_behind(const struct plot *plot, const struct pivot *pivot, size_t row,
                                            size_t column)
{
    const int y = plot->y.label[row].at, x = plot->x.label[column].at;
    const struct pivot_cell *cell = y < 0 || x < 0 ? NULL : pivot_at(pivot, (size_t)y, (size_t)x);
    return cell && cell_has_value(pivot_get(pivot, cell, pivot->value_column)) ? cell : NULL;
}

/* Between two CPUs that of the other direction, where only it was measured. */
const struct pivot_cell *plot_source(const struct plot *plot, const struct pivot *pivot, size_t index)
{
    const size_t row = index / plot->x.count, column = index % plot->x.count;
    const struct pivot_cell *cell = cell_behind(plot, pivot, row, column);
    return cell || !plot_is_of_cpus(pivot->spec) ? cell : cell_behind(plot, pivot, column, row);
}

/* A CPU with itself, or the reverse of a pair, where only that was measured. */
static bool is_aside(const struct plot *plot, const struct pivot *pivot, size_t index)
{
    const size_t row = index / plot->x.count, column = index % plot->x.count;
    return plot->y.label[row].number == plot->x.label[column].number ||
           !cell_behind(plot, pivot, row, column);
}

static void fill_cells(struct plot *plot, const struct pivot *pivot)
{
    const size_t count = plot->x.count * plot->y.count;
    const int value = pivot->value_column;
    const bool cpus = plot_is_of_cpus(pivot->spec);
    size_t counted = 0;
    plot->cell = memory_zeroed(count, sizeof(*plot->cell));
    plot->least = plot->most = NAN;
    for (size_t i = 0; i < count; i++) {
        const struct pivot_cell *from = plot_source(plot, pivot, i);
        struct plot_cell *cell = &plot->cell[i];
        *cell = (struct plot_cell){.value = NAN, .shade = PLOT_BLANK};
        if (!from)
            continue;
        cell->value = view_number(pivot->spec, value, pivot_get(pivot, from, value));
        cell->best = from->best;
        cell->flagged = from->flagged;
        cell->aside = cpus && is_aside(plot, pivot, i);
        plot->measured += !isnan(cell->value);
        counted += !cell->aside;
    }
    for (size_t i = 0; i < count; i++) {
        struct plot_cell *cell = &plot->cell[i];
        cell->aside = cell->aside && counted > 0;
        plot->least = fmin(plot->least, cell->aside ? NAN : cell->value);
        plot->most = fmax(plot->most, cell->aside ? NAN : cell->value);
    }
}

bool plot_is_of_cpus(const struct table_spec *spec)
{
    return spec->columns[spec->view.x].type == CELL_CPU && spec->columns[spec->view.y].type == CELL_CPU;
}

bool plot_matrix(struct plot *plot, const struct pivot *pivot)
{
    const struct table_spec *spec = pivot->spec;
    /* Names on both axes say that nothing lies between two columns: bars. Numbers make a plane. */
    const bool named = !type_is_number(spec->columns[spec->view.x].type) &&
                       !type_is_number(spec->columns[spec->view.y].type);
    plot->kind = named && pivot->column_count <= BAR_COLUMNS ? PLOT_BARS : PLOT_HEAT_MAP;
    plot->of_cpus = plot_is_of_cpus(spec);
    plot->aside = spec->view.aside;
    plot->one_scale = spec->view.mark == MARK_NONE;
    make_axes(plot, pivot);
    fill_cells(plot, pivot);
    return plot->measured > 0;
}

const struct plot_cell *plot_at(const struct plot *plot, size_t row, size_t column)
{
    return &plot->cell[row * plot->x.count + column];
}
