/* SPDX-License-Identifier: MIT */
#include "pictures.h"

#include <stdlib.h>
#include <string.h>

#include "output/plot/plot.h"

/* A file may name columns that it does not have. */
static bool has_column(const struct table_spec *spec, int column)
{
    return column >= 0 && column < spec->column_count;
}

/* Names on both axes are bars, which the answers are already. */
static bool is_picture(const struct record_table *table)
{
    const struct table_spec *spec = table->spec;
    const struct view *view = &spec->view;
    return table->row_count > 0 && has_column(spec, view->x) && has_column(spec, view->value) &&
           type_is_number(spec->columns[view->x].type) &&
           (view->kind == VIEW_CURVE || (view->kind == VIEW_MATRIX && has_column(spec, view->y) &&
                                         type_is_number(spec->columns[view->y].type)));
}

/* The table of the same name, columns and kind of core; NULL: none. */
static const struct record_table *table_like(const struct record *record, const struct record_table *first)
{
    const struct table_spec *spec = first->spec;
    const char *kind = first->kind ? first->kind : "";
    for (size_t k = 0; record && k < record->tables.count; k++) {
        const struct table_spec *own = record->tables.of[k].spec;
        const char *its = record->tables.of[k].kind;
        bool alike = strcmp(own->name, spec->name) == 0 && strcmp(its ? its : "", kind) == 0 &&
                     own->column_count == spec->column_count && own->view.kind == spec->view.kind;
        for (int i = 0; alike && i < spec->column_count; i++)
            alike = strcmp(own->columns[i].key, spec->columns[i].key) == 0;
        if (alike)
            return &record->tables.of[k];
    }
    return NULL;
}

/* The columns of one table behind the machine, which is the series. Text of a file that was read is
 * copied, as the file does not last as long as the result. */
static size_t joint_table(struct record *record, const struct table_spec *of, const char *name,
                          const char *title)
{
    const size_t count = (size_t)of->column_count + 1;
    struct column *columns = record_own(record, memory_zeroed(count, sizeof(*columns)));
    struct view view = of->view;
    int *const places[] = {&view.x,     &view.y,     &view.value, &view.state,
                           &view.panel, &view.shown, &view.class, &view.flag};
    columns[0] = (struct column){"machine", "machine", NULL, CELL_TEXT, ROLE_PARAMETER, 0};
    for (size_t i = 1; i < count; i++) {
        const struct column *from = &of->columns[i - 1];
        columns[i] = (struct column){.key = record_own_text(record, from->key),
                                     .title = record_own_text(record, from->title),
                                     .unit = record_own_text(record, from->unit),
                                     .type = from->type == CELL_FLAGS ? CELL_TEXT : from->type,
                                     .role = from->role,
                                     .digits = from->digits};
    }
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        *places[i] += i < 3 || *places[i] > 0;
    view.series = view.lines = view.duration = 0;
    view.scale_unit = record_own_text(record, view.scale_unit);
    view.mark = false;
    view.derived = view.aside = true;
    const struct table_spec spec = {.name = record_own_text(record, name),
                                    .title = record_own_text(record, title),
                                    .columns = columns,
                                    .column_count = (int)count,
                                    .view = view};
    return record_table_add(record, record_own_bytes(record, &spec, sizeof(spec)));
}

/* Adds the rows of a value of the series; -1: no series. Each file numbers its classes and flags, so they
 * go by their names. */
static void add_rows(struct record *record, size_t table, const char *machine,
                     const struct record_table *from, int series, const struct cell *value)
{
    const size_t columns = (size_t)from->spec->column_count;
    struct cell *cell = memory_zeroed(columns + 1, sizeof(*cell));
    cell[0] = TEXT_CELL(machine);
    for (size_t row = 0; row < from->row_count; row++) {
        for (size_t i = 0; i < columns; i++) {
            const struct cell *own = record_cell(from, row, (int)i);
            cell[i + 1] = own->type == CELL_CLASS   ? TEXT_CELL(cell_text(own))
                          : own->type == CELL_FLAGS ? TEXT_CELL(own->integer ? "flagged" : NULL)
                                                    : *own;
        }
        if (series < 0 || cell_equal(record_cell(from, row, series), value))
            record_row(record, table, cell);
    }
    free(cell);
}

/* Adds a table for each value of the series: a map of each machine, or a line of each in one picture; a
 * curve only where its points are a line, as the answers have the others. */
static void add_tables(struct record *record, const struct group *group, size_t files,
                       const char *const *names, const struct record_table *first)
{
    enum { LINE_LEAST = 20 };
    const struct table_spec *spec = first->spec;
    const struct view *view = &spec->view;
    const bool curve = view->kind == VIEW_CURVE;
    const int series = has_column(spec, view->series) && view->series != view->x &&
                               view->series != view->value && (curve || view->series != view->y)
                           ? view->series
                           : -1;
    for (size_t row = 0, number = 0; row < first->row_count && (series >= 0 || row == 0); row++) {
        const struct cell *value = series >= 0 ? record_cell(first, row, series) : &NO_CELL;
        size_t seen = 0, points = 0;
        for (size_t i = 0; i < first->row_count; i++) {
            const bool same = series < 0 || cell_equal(record_cell(first, i, series), value);
            seen += same && i < row;
            points += same;
        }
        if (seen > 0 || (curve && points < LINE_LEAST))
            continue;
        struct text name = {0}, title = {0};
        text_printf(&name, "%s.%s", group->command, spec->name);
        text_add(&title, plot_title(first));
        if (series >= 0) {
            text_printf(&name, ".%zu", ++number);
            text_add(&title, ": ");
            text_add_cell_human(&title, value, 0);
        }
        const size_t table = joint_table(record, spec, name.data, title.data);
        for (size_t file = 0; file < files; file++) {
            const struct record_table *own = table_like(group->of[file], first);
            if (own)
                add_rows(record, table, names[file], own, series, value);
        }
        text_free(&name);
        text_free(&title);
    }
}

void pictures_add(struct record *record, const struct comparison *comparison, const char *const *names)
{
    for (size_t i = 0; i < comparison->groups.count; i++) {
        const struct group *group = &comparison->groups.of[i];
        for (size_t j = 0; group->of[0] && j < group->of[0]->tables.count; j++) {
            const struct record_table *first = &group->of[0]->tables.of[j];
            size_t alike = 0;
            for (size_t file = 1; file < comparison->count; file++)
                alike += table_like(group->of[file], first) != NULL;
            if (alike > 0 && is_picture(first))
                add_tables(record, group, comparison->count, names, first);
        }
    }
}
