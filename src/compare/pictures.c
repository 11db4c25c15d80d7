/* SPDX-License-Identifier: MIT */
#include "pictures.h"

#include <stdlib.h>
#include <string.h>

#include "result/record_internal.h"

/* A file may name columns that it does not have. */
static bool has_column(const struct table_spec *spec, int column)
{
    return column >= 0 && column < spec->column_count;
}

static const struct record_table *table_named(const struct record *record, const char *name)
{
    for (size_t i = 0; i < record->tables.count; i++) {
        if (strcmp(record->tables.of[i].spec->name, name) == 0)
            return &record->tables.of[i];
    }
    return NULL;
}

/* Names on both axes are bars, which the answers are already. */
static bool is_picture(const struct table_spec *spec)
{
    const struct view *view = &spec->view;
    if (!has_column(spec, view->x) || !has_column(spec, view->value) ||
        !type_is_number(spec->columns[view->x].type))
        return false;
    return view->kind == VIEW_CURVE || (view->kind == VIEW_MATRIX && has_column(spec, view->y) &&
                                        type_is_number(spec->columns[view->y].type));
}

static bool is_alike(const struct table_spec *a, const struct table_spec *b)
{
    bool alike = a->column_count == b->column_count && a->view.kind == b->view.kind;
    for (int i = 0; i < a->column_count && alike; i++)
        alike = strcmp(a->columns[i].key, b->columns[i].key) == 0;
    return alike;
}

/* Columns of one table behind the machine, which is the series. Classes and flags become names, as each file numbers its own. Text of a
 * file that was read is copied, as the file does not last as long as the result. */
static const struct table_spec *both_spec(struct record *record, const struct table_spec *of,
                                          struct text *name, struct text *title)
{
    const size_t count = (size_t)of->column_count + 1;
    struct table_spec *spec = record_own(record, memory_zeroed(1, sizeof(*spec)));
    struct column *columns = record_own(record, memory_zeroed(count, sizeof(*columns)));
    struct view view = of->view;
    int *const places[] = {&view.x, &view.y, &view.value, &view.state, &view.shown, &view.class, &view.flag};
    columns[0] = (struct column){"machine", "machine", NULL, CELL_TEXT, ROLE_PARAMETER, 0};
    for (size_t i = 1; i < count; i++) {
        const struct column *from = &of->columns[i - 1];
        const bool named = from->type == CELL_CLASS || from->type == CELL_FLAGS;
        columns[i] = (struct column){.key = record_own_text(record, from->key),
                                     .title = record_own_text(record, from->title),
                                     .unit = record_own_text(record, from->unit),
                                     .type = named                        ? CELL_TEXT
                                             : from->type == CELL_SUMMARY ? CELL_REAL
                                                                          : from->type,
                                     .role = from->role,
                                     .digits = from->digits};
    }
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        *places[i] += i < 3 || *places[i] > 0;
    view.series = view.lines = view.duration = 0;
    view.scale_unit = record_own_text(record, view.scale_unit);
    view.mark = false;
    view.derived = view.aside = true;
    *spec = (struct table_spec){.name = record_own(record, text_take(name)),
                                .title = record_own(record, text_take(title)),
                                .columns = columns,
                                .column_count = of->column_count + 1,
                                .view = view};
    return spec;
}

/* Adds the rows of a value of the series; -1: no series. */
static void add_rows(struct record *record, size_t table, const char *machine,
                     const struct record_table *from, int series, const struct cell *value)
{
    const size_t columns = (size_t)from->spec->column_count;
    struct cell *cell = memory_zeroed(columns + 1, sizeof(*cell));
    cell[0] = TEXT_CELL(machine);
    for (size_t row = 0; row < from->row_count; row++) {
        if (series >= 0 && !cell_equal(record_cell(from, row, series), value))
            continue;
        for (size_t i = 0; i < columns; i++) {
            const struct cell *own = record_cell(from, row, (int)i);
            cell[i + 1] = own->type == CELL_CLASS     ? TEXT_CELL(cell_text(own))
                          : own->type == CELL_FLAGS   ? TEXT_CELL(own->integer ? "flagged" : NULL)
                          : own->type == CELL_SUMMARY ? REAL_CELL(cell_number(own))
                                                      : *own;
        }
        record_row(record, table, cell);
    }
    free(cell);
}

/* Adds a table for each value of the series; a curve only where its points are a line, as the answers have the others. */
static void add_tables(struct record *record, const char *command, const char *const *names,
                       const struct record_table *before, const struct record_table *after)
{
    const struct table_spec *spec = before->spec;
    const struct view *view = &spec->view;
    const bool has_series = has_column(spec, view->series) && view->series != view->x &&
                            view->series != view->value &&
                            (view->kind == VIEW_CURVE || view->series != view->y);
    enum { LINE_LEAST = 20 };
    const int series = has_series ? view->series : -1;
    for (size_t row = 0, number = 0; row < before->row_count && (has_series || row == 0); row++) {
        const struct cell *value = has_series ? record_cell(before, row, series) : &NO_CELL;
        size_t seen = 0, points = 0;
        for (size_t i = 0; i < before->row_count; i++) {
            const bool same = !has_series || cell_equal(record_cell(before, i, series), value);
            seen += same && i < row;
            points += same;
        }
        if (seen > 0 || (view->kind == VIEW_CURVE && points < LINE_LEAST))
            continue;
        struct text name = {0}, title = {0};
        text_printf(&name, "%s.%s", command, spec->name);
        text_add(&title, spec->title ? spec->title : spec->name);
        if (has_series) {
            text_printf(&name, ".%zu", ++number);
            text_add(&title, ": ");
            text_add_cell_human(&title, value, 0);
        }
        const size_t table = record_table_add(record, both_spec(record, spec, &name, &title));
        add_rows(record, table, names[0], before, series, value);
        add_rows(record, table, names[1], after, series, value);
    }
}

void pictures_add(struct record *record, const char *const *names, const struct results *first,
                  const struct results *second)
{
    for (size_t i = 0; i < first->count; i++) {
        const struct record *before = first->of[i], *after = results_partner(first, i, second);
        for (size_t j = 0; after && j < before->tables.count; j++) {
            const struct record_table *from = &before->tables.of[j],
                                      *to = table_named(after, from->spec->name);
            if (to && is_picture(from->spec) && is_alike(from->spec, to->spec) && from->row_count > 0 &&
                to->row_count > 0)
                add_tables(record, results_command(before), names, from, to);
        }
    }
}
