/* SPDX-License-Identifier: MIT */
#include "output/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/keys.h"
#include "output/places.h"

/* A matrix with fewer than one cell in this many filled is drawn as a list. */
enum { SPARSE = 64 };

/* The rows of a table that are drawn, and how they fall on rows and columns of a matrix. */
struct pivot {
    const struct record_table *table;
    int row_column, column_column, value_column; /* column_column -1: one column for the value */
    struct keys rows, columns;
    size_t *row_of, *column_of; /* per drawn row of the table */
};

static bool has_column(const struct table_spec *spec, int column)
{
    return column >= 0 && column < spec->column_count;
}

/* Whether the row is of another point than the one before it, not only of another state. */
static bool leads(const struct record_table *table, size_t row)
{
    const struct table_spec *spec = table->spec;
    for (int i = 0; i < spec->column_count && row > 0 && spec->view.state > 0; i++) {
        if (i != spec->view.state && spec->columns[i].role == ROLE_PARAMETER &&
            !cell_equal(record_cell(table, row, i), record_cell(table, row - 1, i)))
            return true;
    }
    return row == 0 || spec->view.state <= 0;
}

size_t *view_rows(const struct record_table *table, size_t *count)
{
    size_t *rows = memory_zeroed(table->row_count, sizeof(*rows));
    *count = 0;
    for (size_t row = 0; row < table->row_count; row++) {
        if (leads(table, row))
            rows[(*count)++] = row;
    }
    return rows;
}

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

char *view_cell_text(const struct table_spec *spec, int column, const struct cell *cell)
{
    struct text text = {0};
    struct cell shown = *cell;
    if (is_scaled(spec, column) && !isnan(cell_number(cell)))
        shown = REAL_CELL(cell_number(cell) * spec->view.scale);
    text_add_cell_human(&text, &shown, spec->columns[column].digits);
    return text_take(&text);
}

static struct grid grid_new(int columns, size_t rows)
{
    return (struct grid){.column_count = columns,
                         .column = memory_zeroed((size_t)columns, sizeof(struct grid_column)),
                         .row_count = rows,
                         .cell = memory_zeroed(rows * (size_t)columns, sizeof(struct grid_cell))};
}

/* A column that says nothing in any row is not worth its width; without rows the headings tell what there would be. */
static bool says_something(const struct record_table *table, const size_t *rows, size_t count, int column)
{
    bool says = count == 0;
    for (size_t row = 0; row < count && !says; row++)
        says = cell_has_value(record_cell(table, rows[row], column));
    return says;
}

static void fill_list_column(struct grid *grid, int at, const struct record_table *table, const size_t *rows,
                             int column)
{
    const struct table_spec *spec = table->spec;
    grid->column[at] = (struct grid_column){.heading = view_heading(spec, column),
                                            .number = type_is_number(spec->columns[column].type)};
    for (size_t row = 0; row < grid->row_count; row++) {
        const struct cell *cell = record_cell(table, rows[row], column);
        grid->cell[row * (size_t)grid->column_count + (size_t)at] = (struct grid_cell){
            .text = view_cell_text(spec, column, cell), .raw = *cell, .row = rows[row] + 1};
    }
}

static struct grid list_grid(const struct record_table *table, const size_t *rows, size_t count)
{
    int shown = 0, at = 0;
    for (int i = 0; i < table->spec->column_count; i++)
        shown += says_something(table, rows, count, i);
    struct grid grid = grid_new(shown, count);
    for (int i = 0; i < table->spec->column_count; i++)
        if (says_something(table, rows, count, i))
            fill_list_column(&grid, at++, table, rows, i);
    return grid;
}

static bool is_better(const struct cell *cell, const struct cell *best, enum mark_rule mark)
{
    double difference = cell_number(cell) - cell_number(best);
    return mark == MARK_COLUMN_MAX ? difference > 0 : difference < 0;
}

/* Every cell as good as the best is marked: a tie is no win. */
static void mark_column(struct grid *grid, int column, enum mark_rule mark)
{
    const struct cell *best = NULL;
    size_t stride = (size_t)grid->column_count;
    for (size_t row = 0; row < grid->row_count; row++) {
        const struct cell *cell = &grid->cell[row * stride + (size_t)column].raw;
        if (isfinite(cell_number(cell)) && (!best || is_better(cell, best, mark)))
            best = cell;
    }
    for (size_t row = 0; best && row < grid->row_count; row++) {
        struct grid_cell *cell = &grid->cell[row * stride + (size_t)column];
        cell->best = cell_equal(&cell->raw, best);
        grid->marked |= cell->best;
    }
}

/* Returns text, of which it is the owner, with the sign that the value is not plain. */
static char *flagged_text(char *text)
{
    struct text flagged = {0};
    text_printf(&flagged, "%s!", text);
    free(text);
    return text_take(&flagged);
}

static bool is_flagged(const struct record_table *table, size_t row)
{
    const int flag = table->spec->view.flag;
    if (flag <= 0 || !has_column(table->spec, flag))
        return false;
    const struct cell *cell = record_cell(table, row, flag);
    if (cell->type == CELL_BOOL)
        return cell->boolean;
    return cell->type == CELL_FLAGS ? cell->integer != 0 : cell->type != CELL_NULL;
}

static void find_shades(struct grid *grid)
{
    grid->low = INFINITY;
    grid->high = -INFINITY;
    for (size_t i = 0; i < grid->row_count * (size_t)grid->column_count; i++) {
        const struct cell *cell = &grid->cell[i].raw;
        if (i % (size_t)grid->column_count == 0 || !cell_has_value(cell))
            continue;
        grid->low = fmin(grid->low, cell_number(cell));
        grid->high = fmax(grid->high, cell_number(cell));
    }
    grid->shaded = grid->high > grid->low;
}

static void fill_pivot(struct grid *grid, const struct pivot *pivot, const size_t *rows, size_t count)
{
    const struct table_spec *spec = pivot->table->spec;
    for (size_t i = 0; i < count; i++) {
        struct grid_cell *cell =
            &grid->cell[pivot->row_of[i] * (size_t)grid->column_count + 1 + pivot->column_of[i]];
        if (cell->text) {
            grid->overlaid = true;
            free(cell->text);
        }
        cell->raw = *record_cell(pivot->table, rows[i], pivot->value_column);
        cell->row = rows[i] + 1;
        cell->text = view_cell_text(spec, pivot->value_column, &cell->raw);
        if (is_flagged(pivot->table, rows[i]))
            cell->text = flagged_text(cell->text);
    }
    if (spec->view.shade)
        find_shades(grid);
    for (size_t i = 0; i < grid->row_count * (size_t)grid->column_count; i++) {
        if (!grid->cell[i].text)
            grid->cell[i].text = text_take(&(struct text){0});
    }
}

static void label_pivot(struct grid *grid, const struct pivot *pivot)
{
    const struct table_spec *spec = pivot->table->spec;
    const struct column *value = &spec->columns[pivot->value_column];
    grid->column[0] = (struct grid_column){.heading = view_heading(spec, pivot->row_column),
                                           .number = type_is_number(spec->columns[pivot->row_column].type)};
    for (int i = 1; i < grid->column_count; i++) {
        grid->column[i].number = type_is_number(value->type);
        grid->column[i].value = pivot->column_column < 0 ? NO_CELL : pivot->columns.value[i - 1];
        grid->column[i].heading = pivot->column_column < 0 ? view_heading(spec, pivot->value_column)
                                                           : view_cell_text(spec, pivot->column_column,
                                                                            &pivot->columns.value[i - 1]);
    }
    for (size_t row = 0; row < grid->row_count; row++) {
        struct grid_cell *label = &grid->cell[row * (size_t)grid->column_count];
        label->raw = pivot->rows.value[row];
        label->text = label->raw.type == CELL_CPU ? place_text(pivot->table->record, label->raw.integer)
                                                  : view_cell_text(spec, pivot->row_column, &label->raw);
    }
}

static char *series_text(const struct table_spec *spec, const struct cell *series)
{
    struct text text = {0};
    char *value = view_cell_text(spec, spec->view.series, series);
    text_add_printable(&text, spec->columns[spec->view.series].title);
    text_printf(&text, " = %s", value);
    free(value);
    return text_take(&text);
}

/* "copy", or what a mark means; why a cell of a matrix has one is in the findings. */
static char *caption_of(const struct table_spec *spec, const struct cell *series, bool flagged)
{
    struct text text = {0};
    if (series)
        return view_cell_text(spec, spec->view.series, series);
    if (!flagged)
        return NULL;
    text_add(&text, "! = ");
    text_add_printable(&text,
                       spec->view.kind == VIEW_CURVE ? spec->columns[spec->view.flag].title : "flagged");
    return text_take(&text);
}

static void place_rows(struct pivot *pivot, const size_t *rows, size_t count)
{
    pivot->row_of = memory_zeroed(count, sizeof(*pivot->row_of));
    pivot->column_of = memory_zeroed(count, sizeof(*pivot->column_of));
    for (size_t i = 0; i < count; i++) {
        const struct record_table *table = pivot->table;
        pivot->row_of[i] = keys_index(&pivot->rows, *record_cell(table, rows[i], pivot->row_column));
        if (pivot->column_column >= 0)
            pivot->column_of[i] =
                keys_index(&pivot->columns, *record_cell(table, rows[i], pivot->column_column));
    }
}

static bool is_dense(const struct pivot *pivot, size_t count)
{
    size_t columns = pivot->columns.count ? pivot->columns.count : 1;
    return pivot->rows.count / SPARSE <= (count + 1024) / columns;
}

static bool any_flagged(const struct record_table *table, const size_t *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_flagged(table, rows[i]))
            return true;
    }
    return false;
}

static struct grid pivot_grid(struct pivot pivot, const size_t *rows, size_t count, const struct cell *series)
{
    struct grid grid;
    place_rows(&pivot, rows, count);
    if (is_dense(&pivot, count)) {
        size_t columns = pivot.column_column < 0 ? 1 : pivot.columns.count;
        grid = grid_new((int)columns + 1, pivot.rows.count);
        grid.label_columns = 1;
        grid.series = series ? series_text(pivot.table->spec, series) : NULL;
        grid.caption = caption_of(pivot.table->spec, series, any_flagged(pivot.table, rows, count));
        label_pivot(&grid, &pivot);
        fill_pivot(&grid, &pivot, rows, count);
        for (int i = 1; i < grid.column_count && pivot.table->spec->view.mark != MARK_NONE; i++)
            mark_column(&grid, i, pivot.table->spec->view.mark);
    } else {
        grid = list_grid(pivot.table, rows, count);
    }
    keys_free(&pivot.rows);
    keys_free(&pivot.columns);
    free(pivot.row_of);
    free(pivot.column_of);
    return grid;
}

/* One matrix per value of the series. */
static struct grid *matrix_grids(struct pivot pivot, const size_t *rows, size_t row_count, size_t *count)
{
    int series = pivot.table->spec->view.series;
    struct keys keys = {0};
    size_t *key_of = memory_zeroed(row_count, sizeof(*key_of));
    for (size_t i = 0; i < row_count; i++)
        key_of[i] = keys_index(&keys, *record_cell(pivot.table, rows[i], series));
    *count = keys.count;
    struct grid *grids = memory_zeroed(keys.count, sizeof(*grids));
    size_t *own = memory_zeroed(row_count, sizeof(*own));
    for (size_t key = 0; key < keys.count; key++) {
        size_t own_count = 0;
        for (size_t i = 0; i < row_count; i++) {
            if (key_of[i] == key)
                own[own_count++] = rows[i];
        }
        grids[key] = pivot_grid(pivot, own, own_count, &keys.value[key]);
    }
    free(own);
    free(key_of);
    keys_free(&keys);
    return grids;
}

static struct grid *one_grid(struct grid grid, size_t *count)
{
    struct grid *grids = memory_zeroed(1, sizeof(*grids));
    *grids = grid;
    *count = 1;
    return grids;
}

/* A zero-initialised view names column 0 as series; that of x or y cannot be meant. */
int view_series(const struct table_spec *spec)
{
    const struct view *view = &spec->view;
    bool meant = has_column(spec, view->series) && view->series != view->x && view->series != view->value &&
                 (view->kind == VIEW_CURVE || view->series != view->y);
    return meant ? view->series : -1;
}

static struct grid *grids_of_rows(const struct record_table *table, const size_t *rows, size_t row_count,
                                  size_t *count)
{
    const struct table_spec *spec = table->spec;
    const struct view *view = &spec->view;
    bool drawable = has_column(spec, view->x) && has_column(spec, view->value);
    bool series = view_series(spec) >= 0;
    struct pivot pivot = {.table = table, .value_column = view->value};
    if (view->kind == VIEW_CURVE && drawable) {
        pivot.row_column = view->x;
        pivot.column_column = series ? view->series : -1;
        return one_grid(pivot_grid(pivot, rows, row_count, NULL), count);
    }
    if (view->kind == VIEW_MATRIX && drawable && has_column(spec, view->y)) {
        pivot.row_column = view->y;
        pivot.column_column = view->x;
        if (series && row_count > 0)
            return matrix_grids(pivot, rows, row_count, count);
        return one_grid(pivot_grid(pivot, rows, row_count, NULL), count);
    }
    return one_grid(list_grid(table, rows, row_count), count);
}

struct grid *view_grids(const struct record_table *table, size_t *count)
{
    *count = 0;
    if (table->spec->view.kind == VIEW_HIDDEN)
        return NULL;
    size_t row_count;
    size_t *rows = view_rows(table, &row_count);
    struct grid *grids = grids_of_rows(table, rows, row_count, count);
    free(rows);
    return grids;
}

void grids_free(struct grid *grids, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (int j = 0; j < grids[i].column_count; j++)
            free(grids[i].column[j].heading);
        for (size_t j = 0; j < grids[i].row_count * (size_t)grids[i].column_count; j++)
            free(grids[i].cell[j].text);
        free(grids[i].caption);
        free(grids[i].series);
        free(grids[i].column);
        free(grids[i].cell);
    }
    free(grids);
}

const struct grid_cell *grid_at(const struct grid *grid, size_t row, int column)
{
    return &grid->cell[row * (size_t)grid->column_count + (size_t)column];
}
