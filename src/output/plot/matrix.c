/* SPDX-License-Identifier: MIT */
/* Assigns each row of a table to a cell of a matrix, and orders its axes. */
#include <math.h>
#include <stdlib.h>

#include "output/keys.h"
#include "output/plot/plot_internal.h"
#include "output/scratch.h"

/* A matrix with fewer than one cell in SPARSE filled becomes a list. */
enum { SPARSE = 64 };

/* The values of a column (-1: one for all) in the shown rows, and the place of each on the axis. */
struct side {
    int column;
    struct keys keys;
    size_t *place;
};

static struct cell value_at(const struct plot *plot, size_t row, int column)
{
    return column < 0 ? NO_CELL : *record_cell(plot->table, row, column);
}

static int compare_labels(const void *a, const void *b)
{
    const struct plot_label *left = a, *right = b;
    if (left->number != right->number)
        return left->number < right->number ? -1 : 1;
    return (left->key > right->key) - (left->key < right->key);
}

/* Sorts numbers in ascending order and keeps names in that of the table. also: another column whose values
 * get places; -1: none. CPUs are labelled by number alone, for brackets show their place. */
static struct side make_axis(struct plot_axis *axis, const struct plot *plot, int column, int also)
{
    const struct table_spec *spec = plot->table->spec;
    const int shown = column < 0 ? spec->view.value : column;
    struct side side = {.column = column};
    bool numbers = true;
    for (size_t i = 0; i < plot->list_count; i++) {
        keys_index(&side.keys, value_at(plot, plot->list[i], column));
        if (also >= 0)
            keys_index(&side.keys, value_at(plot, plot->list[i], also));
    }
    *axis = plot_axis_of(spec, shown);
    axis->count = side.keys.count;
    axis->label = scratch_new(axis->count, sizeof(*axis->label));
    for (size_t i = 0; i < axis->count; i++) {
        const struct cell *value = &side.keys.value[i];
        axis->label[i] = (struct plot_label){.name = column < 0 ? plot_heading(spec, shown)
                                                                : plot_cell_text(spec, shown, value),
                                             .number = column < 0 ? NAN : plot_scaled(spec, shown, value),
                                             .key = i,
                                             .raw = *value};
        numbers &= !isnan(axis->label[i].number);
    }
    if (numbers)
        qsort(axis->label, axis->count, sizeof(*axis->label), compare_labels);
    side.place = scratch_new(axis->count, sizeof(*side.place));
    for (size_t i = 0; i < axis->count; i++)
        side.place[axis->label[i].key] = i;
    return side;
}

static size_t place_of(struct side *side, const struct plot *plot, size_t row)
{
    return side->place[keys_index(&side->keys, value_at(plot, row, side->column))];
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

/* One number holds for both directions of a pair that was measured once: it stands below the diagonal, and
 * no copy of it above. A CPU with itself is left out of statistics unless nothing else is there. */
static void settle_pairs(struct plot *plot)
{
    const size_t count = plot->x.count;
    size_t counted = 0;
    for (size_t i = 0; i < count * count; i++) {
        const size_t row = i / count, column = i % count;
        struct plot_cell *cell = &plot->cell[i], *below = &plot->cell[column * count + row];
        if (row < column && cell->row && !below->row) {
            *below = *cell;
            *cell = (struct plot_cell){.value = NAN, .class = PLOT_BLANK};
        }
    }
    for (size_t i = 0; i < count * count; i++) {
        struct plot_cell *cell = &plot->cell[i];
        cell->aside = i / count == i % count;
        counted += !isnan(cell->value) && !cell->aside;
        plot->both_ways |= cell->row && i / count < i % count;
    }
    for (size_t i = 0; i < count * count && counted == 0; i++)
        plot->cell[i].aside = false;
    if (!plot->both_ways)
        plot->x.title = plot->y.title = "CPU";
}

/* Marks every cell within 1 % of the greatest of its column: a tie is no win. */
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

static void fill_cells(struct plot *plot, struct side *rows, struct side *columns)
{
    const struct record_table *table = plot->table;
    const int value = table->spec->view.value;
    const size_t width = plot_columns(plot)->count, count = plot_rows(plot)->count * width;
    plot->cell = scratch_new(count, sizeof(*plot->cell));
    for (size_t i = 0; i < count; i++)
        plot->cell[i] = (struct plot_cell){.value = NAN, .class = PLOT_BLANK};
    for (size_t i = 0; i < plot->list_count; i++) {
        const uint32_t row = plot->list[i];
        struct plot_cell *cell =
            &plot->cell[place_of(rows, plot, row) * width + place_of(columns, plot, row)];
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
    plot->of_cpus =
        !curve && spec->columns[row_column].type == CELL_CPU && spec->columns[column_column].type == CELL_CPU;
    /* Each axis of CPUs has those of both columns. */
    struct side down = make_axis(rows, plot, row_column, plot->of_cpus ? column_column : -1);
    struct side across = make_axis(columns, plot, column_column, plot->of_cpus ? row_column : -1);
    if (rows->count / SPARSE <= (plot->list_count + 1024) / (columns->count ? columns->count : 1)) {
        fill_cells(plot, &down, &across);
        if (plot->of_cpus)
            settle_pairs(plot);
        if (spec->view.mark)
            mark_best(plot, rows->count, columns->count);
    }
}
