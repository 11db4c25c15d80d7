/* SPDX-License-Identifier: MIT */
#include "output/view.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "output/places.h"

static bool is_scaled(const struct table_spec *spec, int column)
{
    return spec->view.scale != 0 && column == spec->view.value;
}

const char *view_unit(const struct table_spec *spec, int column)
{
    if (spec->columns[column].type == CELL_SIZE)
        return NULL;
    if (is_scaled(spec, column) && spec->view.scale_unit)
        return spec->view.scale_unit;
    return spec->columns[column].unit;
}

char *view_heading(const struct table_spec *spec, int column)
{
    struct text text = {0};
    text_add_heading(&text, spec->columns[column].title, view_unit(spec, column));
    return text_take(&text);
}

double view_number(const struct table_spec *spec, int column, const struct cell *cell)
{
    const double value = cell_number(cell) * (is_scaled(spec, column) ? spec->view.scale : 1);
    return isfinite(value) ? value : NAN;
}

char *view_cell_text(const struct table_spec *spec, int column, const struct cell *cell)
{
    struct text text = {0};
    const double number = is_scaled(spec, column) ? view_number(spec, column, cell) : NAN;
    const struct cell shown = isnan(number) ? *cell : REAL_CELL(number);
    text_add_cell_human(&text, &shown, spec->columns[column].digits);
    return text_take(&text);
}

struct grid grid_new(size_t columns, size_t rows)
{
    return (struct grid){.column_count = (int)columns,
                         .column = memory_zeroed(columns, sizeof(struct grid_column)),
                         .row_count = rows,
                         .cell = memory_zeroed(rows * columns, sizeof(struct grid_cell))};
}

void grid_keep(struct grid *grid, const bool *kept)
{
    const int columns = grid->column_count;
    size_t at = 0;
    for (size_t i = 0; i < grid->row_count * (size_t)columns; i++) {
        if (kept[i % (size_t)columns])
            grid->cell[at++] = grid->cell[i];
        else
            free(grid->cell[i].text);
    }
    grid->column_count = 0;
    for (int i = 0; i < columns; i++) {
        if (kept[i])
            grid->column[grid->column_count++] = grid->column[i];
        else
            free(grid->column[i].heading);
    }
}

/* A column that says nothing in any row is not worth its width. */
static bool says_something(const struct pivot *pivot, int column)
{
    bool says = false;
    for (size_t i = 0; i < pivot->list_count && !says; i++)
        says = cell_has_value(record_cell(pivot->table, pivot->list[i], column));
    return says;
}

static void fill_list_column(struct grid *grid, int at, const struct pivot *pivot, int column)
{
    const struct table_spec *spec = pivot->spec;
    grid->column[at] = (struct grid_column){view_heading(spec, column),
                                            type_is_number(spec->columns[column].type) ||
                                                spec->columns[column].role == ROLE_MEASURE,
                                            spec->columns[column].role == ROLE_PARAMETER};
    for (size_t row = 0; row < grid->row_count; row++) {
        const struct cell *cell = record_cell(pivot->table, pivot->list[row], column);
        grid->cell[row * (size_t)grid->column_count + (size_t)at] =
            (struct grid_cell){.text = view_cell_text(spec, column, cell), .raw = *cell};
    }
}

/* Where no column says anything, as without rows, the headings show what there would be. */
static struct grid list_grid(const struct pivot *pivot)
{
    const size_t columns = (size_t)pivot->spec->column_count;
    size_t shown = 0;
    int at = 0;
    for (int i = 0; i < pivot->spec->column_count; i++)
        shown += says_something(pivot, i);
    struct grid grid = grid_new(shown ? shown : columns, pivot->list_count);
    for (int i = 0; i < pivot->spec->column_count; i++) {
        if (!shown || says_something(pivot, i))
            fill_list_column(&grid, at++, pivot, i);
    }
    return grid;
}

static void find_shades(struct grid *grid)
{
    grid->low = INFINITY;
    grid->high = -INFINITY;
    for (size_t i = 0; i < grid->row_count * (size_t)grid->column_count; i++) {
        const struct cell *cell = &grid->cell[i].raw;
        if (i % (size_t)grid->column_count == 0 || isnan(cell_number(cell)))
            continue;
        grid->low = fmin(grid->low, cell_number(cell));
        grid->high = fmax(grid->high, cell_number(cell));
    }
    grid->shaded = grid->high > grid->low;
}

/* A value that is flagged is followed by the sign that it is not plain. */
static struct grid_cell matrix_cell(const struct pivot *pivot, size_t row, size_t column)
{
    const struct pivot_cell *cell = pivot_at(pivot, row, column);
    struct text text = {0};
    if (!cell)
        return (struct grid_cell){.text = text_take(&text)};
    const struct cell *raw = pivot_get(pivot, cell, pivot->value_column);
    char *value = view_cell_text(pivot->spec, pivot->value_column, raw);
    if (cell->flagged) {
        text_printf(&text, "%s!", value);
        free(value);
        value = text_take(&text);
    }
    return (struct grid_cell){value, *raw, cell->best};
}

static void label_matrix(struct grid *grid, const struct pivot *pivot)
{
    const struct table_spec *spec = pivot->spec;
    const int column = pivot->column_column;
    grid->column[0] = (struct grid_column){.heading = view_heading(spec, pivot->row_column),
                                           .number = type_is_number(spec->columns[pivot->row_column].type)};
    for (int i = 1; i < grid->column_count; i++) {
        grid->column[i].number = type_is_number(spec->columns[pivot->value_column].type);
        grid->column[i].heading = column < 0 ? view_heading(spec, pivot->value_column)
                                             : view_cell_text(spec, column, &pivot->columns.value[i - 1]);
    }
    for (size_t row = 0; row < grid->row_count; row++) {
        struct grid_cell *label = &grid->cell[row * (size_t)grid->column_count];
        label->raw = pivot->rows.value[row];
        label->text = label->raw.type == CELL_CPU ? place_text(pivot->table->record, label->raw.integer)
                                                  : view_cell_text(spec, pivot->row_column, &label->raw);
    }
}

/* All flags that some value has, as one cell. */
static struct cell flags_of(const struct pivot *pivot)
{
    struct cell all = NO_CELL;
    for (size_t i = 0; i < pivot->list_count; i++) {
        const struct cell *cell = record_cell(pivot->table, pivot->list[i], pivot->spec->view.flag);
        const int64_t known = all.type == CELL_FLAGS ? all.integer : 0;
        if (cell->type == CELL_FLAGS) {
            all = *cell;
            all.integer |= known;
        }
    }
    return all;
}

/* Which of several matrices it is, else what the sign at flagged values means. */
static char *caption_of(const struct pivot *pivot)
{
    const struct table_spec *spec = pivot->spec;
    struct text text = {0};
    if (pivot->series.type != CELL_NULL)
        return view_cell_text(spec, spec->view.series, &pivot->series);
    if (!pivot->flagged)
        return NULL;
    const struct cell flags = flags_of(pivot);
    text_add(&text, "! = ");
    if (flags.type == CELL_FLAGS)
        text_add_value(&text, &flags, NULL);
    else
        text_add_printable(&text,
                           spec->view.kind == VIEW_CURVE ? spec->columns[spec->view.flag].title : "flagged");
    return text_take(&text);
}

size_t view_cells(const struct pivot *pivot)
{
    return pivot->cell ? pivot->row_count * (pivot->column_count + 1)
                       : pivot->list_count * (size_t)pivot->spec->column_count;
}

struct grid view_grid(const struct pivot *pivot)
{
    if (!pivot->cell)
        return list_grid(pivot);
    struct grid grid = grid_new(pivot->column_count + 1, pivot->row_count);
    grid.label_columns = 1;
    grid.caption = caption_of(pivot);
    grid.marked = pivot->marked;
    grid.overlaid = pivot->overlaid;
    label_matrix(&grid, pivot);
    for (size_t i = 0; i < pivot->row_count; i++) {
        for (size_t j = 0; j < pivot->column_count; j++)
            grid.cell[i * (pivot->column_count + 1) + 1 + j] = matrix_cell(pivot, i, j);
    }
    if (pivot->spec->view.shade)
        find_shades(&grid);
    return grid;
}

struct grid *view_grids(const struct record_table *table, size_t *count)
{
    struct pivot *pivots = pivots_of(table, count);
    struct grid *grids = pivots ? memory_zeroed(*count, sizeof(*grids)) : NULL;
    for (size_t i = 0; i < *count; i++)
        grids[i] = view_grid(&pivots[i]);
    pivots_free(pivots, *count);
    return grids;
}

void grid_free(struct grid *grid)
{
    for (int i = 0; i < grid->column_count; i++)
        free(grid->column[i].heading);
    for (size_t i = 0; i < grid->row_count * (size_t)grid->column_count; i++)
        free(grid->cell[i].text);
    free(grid->caption);
    free(grid->column);
    free(grid->cell);
}

void grids_free(struct grid *grids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        grid_free(&grids[i]);
    free(grids);
}

const struct grid_cell *grid_at(const struct grid *grid, size_t row, int column)
{
    return &grid->cell[row * (size_t)grid->column_count + (size_t)column];
}
