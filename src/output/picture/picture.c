/* SPDX-License-Identifier: MIT */
#include "picture.h"

#include <math.h>
#include <stdlib.h>

/* Bars stand side by side, each kind of them in a column of its own: more than these have no room. */
enum { BAR_COLUMNS = 12 };

double picture_value(const struct table_spec *spec, int column, const struct cell *cell)
{
    double value = cell_number(cell);
    if (column == spec->view.value && spec->view.scale != 0)
        value *= spec->view.scale;
    return isfinite(value) ? value : NAN;
}

char *picture_value_text(const struct table_spec *spec, int column, double value)
{
    const char *unit = view_unit(spec, column);
    struct text text = {0};
    text_add_cell_human(&text, &REAL_CELL(value), spec->columns[column].digits);
    if (unit) {
        text_add(&text, " ");
        text_add_printable(&text, unit);
    }
    return text_take(&text);
}

static bool is_named(const struct column *column)
{
    return !type_is_number(column->type);
}

/* Names on both axes say that nothing lies between two columns: bars. Numbers make a plane: a heat map. */
static bool wants_bars(const struct table_spec *spec, const struct grid *grid)
{
    const struct view *view = &spec->view;
    return is_named(&spec->columns[view->x]) && is_named(&spec->columns[view->y]) &&
           grid->column_count <= BAR_COLUMNS + 1;
}

static struct picture *matrix_pictures(const struct record *record, const struct record_table *table,
                                       size_t *count)
{
    size_t grid_count;
    struct grid *grids = view_grids(table, &grid_count);
    struct picture *pictures = memory_zeroed(grid_count + 1, sizeof(*pictures));
    for (size_t i = 0; i < grid_count; i++) {
        const struct grid *grid = &grids[i];
        if (grid->label_columns == 0 || grid->row_count == 0)
            continue;
        bool drawn = wants_bars(table->spec, grid) ? picture_bars(table, grid, &pictures[*count])
                                                   : picture_heat(record, table, grid, &pictures[*count]);
        *count += drawn;
    }
    grids_free(grids, grid_count);
    return pictures;
}

struct picture *pictures_of(const struct record *record, const struct record_table *table, size_t *count)
{
    const struct view *view = &table->spec->view;
    *count = 0;
    if (view->kind == VIEW_MATRIX && view->x >= 0 && view->y >= 0 && view->value >= 0)
        return matrix_pictures(record, table, count);
    if (view->kind != VIEW_CURVE || view->x < 0 || view->value < 0)
        return NULL;
    struct picture *picture = memory_zeroed(1, sizeof(*picture));
    *count = picture_curve(record, table, picture);
    return picture;
}

void pictures_free(struct picture *pictures, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_free(&pictures[i].svg);
    free(pictures);
}
