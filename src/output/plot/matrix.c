/* SPDX-License-Identifier: MIT */
/* Which row of a table falls on which cell of a matrix, its axes in their order. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "output/keys.h"
#include "output/plot/plot_internal.h"

/* A matrix with fewer than one cell in this many filled is seen as a list. */
enum { SPARSE = 64 };

static int compare_labels(const void *a, const void *b)
{
    const struct plot_label *left = a, *right = b;
    if (left->number != right->number)
        return left->number < right->number ? -1 : 1;
    return (left->key > right->key) - (left->key < right->key);
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

/* A CPU that is only on the other axis gets a place on this one too. */
static void complete(struct plot_axis *axis, const struct plot_axis *other, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct plot_label label = other->label[i];
        size_t at = 0;
        while (at < axis->count && axis->label[at].number != label.number)
            at++;
        if (at < axis->count)
            continue;
        label.name = text_copy_valid(label.name);
        label.key = SIZE_MAX;
        axis->label[axis->count++] = label;
    }
}

/* Of each key the place of its label; freed by the caller. */
static size_t *places_of(const struct plot_axis *axis, size_t keys)
{
    size_t *place = memory_zeroed(keys, sizeof(*place));
    for (size_t i = 0; i < axis->count; i++)
        if (axis->label[i].key < keys)
            place[axis->label[i].key] = i;
    return place;
}

const struct plot_axis *plot_rows(const struct plot *plot)
{
    return plot->table->spec->view.kind == VIEW_CURVE ? &plot->x : &plot->y;
}

const struct plot_axis *plot_columns(const struct plot *plot)
{
    return plot->table->spec->view.kind == VIEW_CURVE ? &plot->y : &plot->x;
}

const struct plot_cell *plot_at(const struct plot *plot, size_t row, size_t column)
{
    return &plot->cell[row * plot_columns(plot)->count + column];
}

/* Between two CPUs the value of the other direction, where only it was measured. That and a CPU with itself count for nothing, if anything
 * else does. */
static void mirror(struct plot *plot)
{
    const size_t count = plot->x.count;
    size_t counted = 0;
    for (size_t i = 0; i < count * count; i++) {
        struct plot_cell *cell = &plot->cell[i];
        const struct plot_cell *reverse = &plot->cell[i % count * count + i / count];
        const bool own = i / count == i % count;
        if (isnan(cell->value) && !isnan(reverse->value) && !reverse->aside) {
            *cell = *reverse;
            cell->aside = true;
        }
        cell->aside |= own;
        counted += !isnan(cell->value) && !cell->aside;
    }
    for (size_t i = 0; i < count * count && counted == 0; i++)
        plot->cell[i].aside = false;
}

/* Every cell within 1 % of the best of its column is marked: a tie is no win. */
static void mark_best(struct plot *plot, size_t rows, size_t columns)
{
    static const double TIE = 0.01;
    for (size_t column = 0; column < columns; column++) {
        double best = NAN;
        for (size_t row = 0; row < rows; row++)
            best = fmax(best, plot->cell[row * columns + column].value);
        for (size_t row = 0; row < rows; row++) {
            struct plot_cell *cell = &plot->cell[row * columns + column];
            cell->best = cell->value >= best - TIE * fabs(best);
            plot->marked |= cell->best;
        }
    }
}

/* The labels of an axis, one for each value of a column (-1: one for all) in the rows that are shown; *of_row: of each of
 * these the key of its label. Of a CPU the number is enough: brackets say where it is. */
static void make_axis(struct plot_axis *axis, const struct plot *plot, int column, size_t **of_row)
{
    const struct table_spec *spec = plot->table->spec;
    const int shown = column < 0 ? spec->view.value : column;
    const enum cell_type type = spec->columns[shown].type;
    struct keys keys = {0};
    *of_row = memory_zeroed(plot->list_count, sizeof(**of_row));
    for (size_t i = 0; i < plot->list_count; i++)
        (*of_row)[i] =
            keys_index(&keys, column < 0 ? NO_CELL : *record_cell(plot->table, plot->list[i], column));
    *axis = plot_axis_of(spec, shown);
    axis->count = keys.count;
    axis->label = memory_zeroed(keys.count, sizeof(*axis->label));
    for (size_t i = 0; i < keys.count; i++)
        axis->label[i] = (struct plot_label){
            .name = column < 0 ? plot_heading(spec, shown) : plot_cell_text(spec, shown, &keys.value[i]),
            .number = column < 0 ? NAN : plot_scaled(spec, shown, &keys.value[i]),
            .key = i,
            .raw = keys.value[i]};
    axis->number = type_is_number(type);
    keys_free(&keys);
}

/* Both axes of CPUs have all of them. */
static void order_axes(struct plot *plot, struct plot_axis *rows, struct plot_axis *columns)
{
    const size_t known = rows->count, room = rows->count + columns->count;
    if (plot->of_cpus) {
        rows->label = memory_grow(rows->label, room * sizeof(*rows->label));
        columns->label = memory_grow(columns->label, room * sizeof(*columns->label));
        complete(rows, columns, columns->count);
        complete(columns, rows, known);
    }
    sort_axis(rows);
    sort_axis(columns);
}

static void fill_cells(struct plot *plot, const size_t *row_at, const size_t *row_key,
                       const size_t *column_at, const size_t *column_key)
{
    const struct record_table *table = plot->table;
    const int value = table->spec->view.value;
    const size_t columns = plot_columns(plot)->count, count = plot_rows(plot)->count * columns;
    plot->cell = memory_zeroed(count, sizeof(*plot->cell));
    for (size_t i = 0; i < count; i++)
        plot->cell[i] = (struct plot_cell){.value = NAN, .class = PLOT_BLANK};
    for (size_t i = 0; i < plot->list_count; i++) {
        const uint32_t row = plot->list[i];
        struct plot_cell *cell = &plot->cell[row_at[row_key[i]] * columns + column_at[column_key[i]]];
        plot->overlaid |= cell->row > 0;
        cell->row = row + 1;
        cell->value = plot_scaled(table->spec, value, record_cell(table, row, value));
        cell->flagged = plot_flag(table, row);
        plot->flagged |= cell->flagged;
    }
}

void plot_make_cells(struct plot *plot, int row_column, int column_column)
{
    const struct table_spec *spec = plot->table->spec;
    const bool curve = spec->view.kind == VIEW_CURVE;
    struct plot_axis *rows = curve ? &plot->x : &plot->y, *columns = curve ? &plot->y : &plot->x;
    size_t *row_key, *column_key;
    make_axis(rows, plot, row_column, &row_key);
    make_axis(columns, plot, column_column, &column_key);
    const size_t row_keys = rows->count, column_keys = columns->count;
    if (row_keys / SPARSE <= (plot->list_count + 1024) / (column_keys ? column_keys : 1)) {
        plot->of_cpus = !curve && spec->columns[row_column].type == CELL_CPU &&
                        spec->columns[column_column].type == CELL_CPU;
        order_axes(plot, rows, columns);
        size_t *row_at = places_of(rows, row_keys), *column_at = places_of(columns, column_keys);
        fill_cells(plot, row_at, row_key, column_at, column_key);
        free(row_at);
        free(column_at);
        if (plot->of_cpus)
            mirror(plot);
        if (spec->view.mark)
            mark_best(plot, rows->count, columns->count);
    }
    free(row_key);
    free(column_key);
}
