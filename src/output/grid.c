/* SPDX-License-Identifier: MIT */
#include "output/grid.h"

#include "output/scratch.h"

struct grid grid_new(size_t columns, size_t rows)
{
    return (struct grid){.column_count = (int)columns,
                         .column = scratch_new(columns, sizeof(struct grid_column)),
                         .row_count = rows,
                         .cell = scratch_new(rows * columns, sizeof(struct grid_cell))};
}

void grid_keep(struct grid *grid, const bool *kept)
{
    const int columns = grid->column_count;
    size_t at = 0;
    for (size_t i = 0; i < grid->row_count * (size_t)columns; i++)
        if (kept[i % (size_t)columns])
            grid->cell[at++] = grid->cell[i];
    grid->column_count = 0;
    for (int i = 0; i < columns; i++)
        if (kept[i])
            grid->column[grid->column_count++] = grid->column[i];
}

/* Leaves out columns that are empty in every row. Where all are, as in a table without rows, the headings
 * show which values it would have. */
static struct grid list_grid(const struct plot *plot)
{
    const struct table_spec *spec = plot->table->spec;
    const size_t columns = (size_t)spec->column_count;
    struct grid grid = grid_new(columns, plot->list_count);
    bool *says = scratch_new(columns, sizeof(*says)), any = false;
    for (size_t i = 0; i < columns; i++) {
        const struct column *column = &spec->columns[i];
        grid.column[i] = (struct grid_column){plot_heading(spec, (int)i),
                                              type_is_number(column->type) || column->role == ROLE_MEASURE,
                                              column->role == ROLE_PARAMETER};
        for (size_t row = 0; row < grid.row_count; row++) {
            const struct cell *cell = record_cell(plot->table, plot->list[row], (int)i);
            says[i] |= cell_has_value(cell);
            grid.cell[row * columns + i].text = plot_cell_text(spec, (int)i, cell);
        }
        any |= says[i];
    }
    if (any)
        grid_keep(&grid, says);
    return grid;
}

/* Names one of several matrices, else explains the signs behind values. */
static const char *caption_of(const struct plot *plot)
{
    const char *signs = plot_place_signs(plot);
    return plot->series ? plot->series : *signs ? signs : NULL;
}

/* A flagged value is followed by a sign, and so is that of a pair of CPUs, which says where they were. */
static struct grid_cell cell_of(const struct plot *plot, const struct plot_cell *cell)
{
    const struct view *view = &plot->table->spec->view;
    struct grid_cell shown = {.text = "", .best = cell->best};
    if (cell->row)
        shown.text = spell("%s%s",
                           plot_cell_text(plot->table->spec, view->value,
                                          record_cell(plot->table, cell->row - 1, view->value)),
                           plot_place_sign(plot, cell));
    if (view->shade && plot->class_count > 1 && cell->class != PLOT_BLANK)
        shown.shade = 1 + cell->class * GRID_SHADES / (int)plot->class_count;
    return shown;
}

struct grid grid_of_plot(const struct plot *plot)
{
    if (!plot->cell)
        return list_grid(plot);
    const struct plot_axis *rows = plot_rows(plot), *columns = plot_columns(plot);
    struct grid grid = grid_new(columns->count + 1, rows->count);
    grid.label_columns = 1;
    grid.caption = caption_of(plot);
    grid.marked = plot->marked;
    grid.column[0] = (struct grid_column){.heading = rows->title, .number = rows->number};
    for (size_t i = 0; i < columns->count; i++)
        grid.column[i + 1] =
            (struct grid_column){.heading = columns->label[i].name, .number = plot->value.number};
    struct grid_cell *cell = grid.cell;
    for (size_t i = 0; i < rows->count; i++) {
        const struct plot_label *label = &rows->label[i];
        *cell++ = (struct grid_cell){.text = label->raw.type == CELL_CPU
                                                 ? plot_cpu_text(plot->table->record, label->raw.integer)
                                                 : label->name};
        for (size_t j = 0; j < columns->count; j++)
            *cell++ = cell_of(plot, plot_at(plot, i, j));
    }
    return grid;
}

size_t grid_cells(const struct plot *plot)
{
    return plot->cell ? plot_rows(plot)->count * (plot_columns(plot)->count + 1)
                      : plot->list_count * (size_t)plot->table->spec->column_count;
}

struct grid *grids_of(const struct record_table *table, size_t *count)
{
    struct plot *plots = plots_of(table, count);
    struct grid *grids = plots ? scratch_new(*count, sizeof(*grids)) : NULL;
    for (size_t i = 0; i < *count; i++)
        grids[i] = grid_of_plot(&plots[i]);
    return grids;
}

const struct grid_cell *grid_at(const struct grid *grid, size_t row, int column)
{
    return &grid->cell[row * (size_t)grid->column_count + (size_t)column];
}
