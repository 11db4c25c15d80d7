/* SPDX-License-Identifier: MIT */
#include "output/pivot.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

/* A matrix with fewer than one cell in this many filled is seen as a list. */
enum { SPARSE = 64 };

bool spec_has_column(const struct table_spec *spec, int column)
{
    return column >= 0 && column < spec->column_count;
}

/* A zero-initialised view names column 0 as series; that of x or y cannot be meant. */
int spec_series(const struct table_spec *spec)
{
    const struct view *view = &spec->view;
    bool meant = spec_has_column(spec, view->series) && view->series != view->x &&
                 view->series != view->value && (view->kind == VIEW_CURVE || view->series != view->y);
    return meant ? view->series : -1;
}

const char *row_flag(const struct record_table *table, size_t row)
{
    const int flag = table->spec->view.flag;
    if (flag <= 0 || !spec_has_column(table->spec, flag))
        return NULL;
    const struct cell *cell = record_cell(table, row, flag);
    if (cell_text(cell))
        return cell_text(cell);
    const bool plain = cell_is(cell, false) || (cell->type == CELL_FLAGS && !cell->integer);
    return plain || cell->type == CELL_NULL ? NULL : table->spec->columns[flag].title;
}

/* Whether the row is shown, and of another point than the one before it, not only of another state. */
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

const struct pivot_cell *pivot_at(const struct pivot *pivot, size_t row, size_t column)
{
    const struct pivot_cell *cell = &pivot->cell[row * pivot->column_count + column];
    return cell->row ? cell : NULL;
}

const struct cell *pivot_get(const struct pivot *pivot, const struct pivot_cell *cell, int column)
{
    return record_cell(pivot->table, cell->row - 1, column);
}

static size_t row_key(struct pivot *pivot, size_t row)
{
    return keys_index(&pivot->rows, *record_cell(pivot->table, row, pivot->row_column));
}

static size_t column_key(struct pivot *pivot, size_t row)
{
    const int column = pivot->column_column;
    return column < 0 ? 0 : keys_index(&pivot->columns, *record_cell(pivot->table, row, column));
}

static void place_rows(struct pivot *pivot)
{
    pivot->cell = memory_zeroed(pivot->row_count * pivot->column_count, sizeof(*pivot->cell));
    for (size_t i = 0; i < pivot->list_count; i++) {
        const uint32_t row = pivot->list[i];
        const size_t at = row_key(pivot, row) * pivot->column_count + column_key(pivot, row);
        const bool flagged = row_flag(pivot->table, row);
        pivot->overlaid |= pivot->cell[at].row > 0;
        pivot->flagged |= flagged;
        pivot->cell[at] = (struct pivot_cell){.row = row + 1, .flagged = flagged};
    }
}

static bool is_better(const struct cell *cell, const struct cell *best, enum mark_rule mark)
{
    double difference = cell_number(cell) - cell_number(best);
    return mark == MARK_COLUMN_MAX ? difference > 0 : difference < 0;
}

/* Every cell as good as the best is marked: a tie is no win. */
static void mark_column(struct pivot *pivot, size_t column)
{
    const struct cell *best = NULL;
    for (size_t row = 0; row < pivot->row_count; row++) {
        const struct pivot_cell *at = pivot_at(pivot, row, column);
        const struct cell *cell = at ? pivot_get(pivot, at, pivot->value_column) : &NO_CELL;
        if (isfinite(cell_number(cell)) && (!best || is_better(cell, best, pivot->spec->view.mark)))
            best = cell;
    }
    for (size_t row = 0; best && row < pivot->row_count; row++) {
        struct pivot_cell *at = &pivot->cell[row * pivot->column_count + column];
        at->best = at->row && cell_equal(pivot_get(pivot, at, pivot->value_column), best);
        pivot->marked |= at->best;
    }
}

/* False: the view does not ask for a matrix, or for none that is there. */
static bool choose_columns(struct pivot *pivot)
{
    const struct table_spec *spec = pivot->spec;
    const struct view *view = &spec->view;
    const bool matrix = view->kind == VIEW_MATRIX;
    pivot->value_column = view->value;
    pivot->row_column = matrix ? view->y : view->x;
    pivot->column_column = matrix ? view->x : spec_series(spec);
    return (matrix || view->kind == VIEW_CURVE) && spec_has_column(spec, view->x) &&
           spec_has_column(spec, view->value) && spec_has_column(spec, pivot->row_column);
}

static void fill(struct pivot *pivot)
{
    if (!choose_columns(pivot))
        return;
    for (size_t i = 0; i < pivot->list_count; i++) {
        row_key(pivot, pivot->list[i]);
        column_key(pivot, pivot->list[i]);
    }
    pivot->row_count = pivot->rows.count;
    pivot->column_count = pivot->column_column < 0 ? 1 : pivot->columns.count;
    const size_t columns = pivot->column_count ? pivot->column_count : 1;
    if (pivot->row_count / SPARSE > (pivot->list_count + 1024) / columns)
        return;
    place_rows(pivot);
    for (size_t i = 0; i < pivot->column_count && pivot->spec->view.mark != MARK_NONE; i++)
        mark_column(pivot, i);
}

/* Of each row 1 + the number of its pivot, 0: it is not shown. Freed by the caller. */
static uint32_t *assign_rows(const struct record_table *table, int series, struct keys *keys)
{
    uint32_t *pivot_of = memory_zeroed(table->row_count, sizeof(*pivot_of));
    for (size_t row = 0; row < table->row_count; row++) {
        if (leads(table, row))
            pivot_of[row] =
                1 + (series < 0 ? 0 : (uint32_t)keys_index(keys, *record_cell(table, row, series)));
    }
    return pivot_of;
}

static void list_rows(struct pivot *pivots, size_t count, const uint32_t *pivot_of, size_t rows)
{
    for (size_t row = 0; row < rows; row++) {
        if (pivot_of[row])
            pivots[pivot_of[row] - 1].list_count++;
    }
    for (size_t i = 0; i < count; i++) {
        pivots[i].list = memory_zeroed(pivots[i].list_count, sizeof(*pivots[i].list));
        pivots[i].list_count = 0;
    }
    for (size_t row = 0; row < rows; row++) {
        struct pivot *pivot = pivot_of[row] ? &pivots[pivot_of[row] - 1] : NULL;
        if (pivot)
            pivot->list[pivot->list_count++] = (uint32_t)row;
    }
}

struct pivot *pivots_of(const struct record_table *table, size_t *count)
{
    struct keys keys = {0};
    struct pivot asked = {.spec = table->spec};
    const bool several = table->spec->view.kind == VIEW_MATRIX && choose_columns(&asked);
    *count = 0;
    if (table->spec->view.kind == VIEW_HIDDEN)
        return NULL;
    uint32_t *pivot_of = assign_rows(table, several ? spec_series(table->spec) : -1, &keys);
    *count = keys.count ? keys.count : 1;
    struct pivot *pivots = memory_zeroed(*count, sizeof(*pivots));
    list_rows(pivots, *count, pivot_of, table->row_count);
    for (size_t i = 0; i < *count; i++) {
        pivots[i].table = table;
        pivots[i].spec = table->spec;
        pivots[i].series = keys.count ? keys.value[i] : NO_CELL;
        fill(&pivots[i]);
    }
    free(pivot_of);
    keys_free(&keys);
    return pivots;
}

void pivots_free(struct pivot *pivots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        keys_free(&pivots[i].rows);
        keys_free(&pivots[i].columns);
        free(pivots[i].list);
        free(pivots[i].cell);
    }
    free(pivots);
}
