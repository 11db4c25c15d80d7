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

/* Those of two files are numbered by each. */
static bool is_of_names(enum cell_type type)
{
    return type == CELL_CLASS || type == CELL_FLAGS;
}

/* The columns of one behind the machine, which is the series. What is of a file that was read does not last as long as the result. */
static const struct table_spec *both_spec(struct record *record, const struct table_spec *of,
                                          struct text *name, struct text *title)
{
    struct table_spec *spec = record_own(record, memory_zeroed(1, sizeof(*spec)));
    const size_t count = (size_t)of->column_count + 1;
    struct column *columns = record_own(record, memory_zeroed(count, sizeof(*columns)));
    const struct view *view = &of->view;
    columns[0] = (struct column){"machine", "machine", NULL, CELL_TEXT, ROLE_PARAMETER, 0};
    for (size_t i = 1; i < count; i++) {
        const struct column *from = &of->columns[i - 1];
        const enum cell_type type = from->type;
        columns[i] = (struct column){record_own_text(record, from->key),
                                     record_own_text(record, from->title),
                                     record_own_text(record, from->unit),
                                     is_of_names(type)      ? CELL_TEXT
                                     : type == CELL_SUMMARY ? CELL_REAL
                                                            : type,
                                     from->role,
                                     from->digits};
    }
    *spec = (struct table_spec){.name = record_own(record, text_take(name)),
                                .title = record_own(record, text_take(title)),
                                .columns = columns,
                                .column_count = of->column_count + 1};
    spec->view = (struct view){.kind = view->kind,
                               .x = view->x + 1,
                               .y = view->y + 1,
                               .value = view->value + 1,
                               .series = 0,
                               .state = view->state > 0 ? view->state + 1 : 0,
                               .shown = view->shown > 0 ? view->shown + 1 : 0,
                               .class = view->class > 0 ? view->class + 1 : 0,
                               .flag = view->flag > 0 ? view->flag + 1 : 0,
                               .scale = view->scale,
                               .scale_unit = record_own_text(record, view->scale_unit),
                               .log_x = view->log_x,
                               .log_value = view->log_value,
                               .derived = true,
                               .aside = true};
    return spec;
}

/* The rows of a value of the series; -1: it has none. */
static void add_rows(struct record *record, size_t table, const char *machine,
                     const struct record_table *from, int series, const struct cell *value)
{
    const size_t columns = (size_t)from->spec->column_count;
    struct cell *cell = memory_zeroed(columns + 1, sizeof(*cell));
    struct text *text = memory_zeroed(columns, sizeof(*text));
    cell[0] = TEXT_CELL(machine);
    for (size_t row = 0; row < from->row_count; row++) {
        if (series >= 0 && !cell_equal(record_cell(from, row, series), value))
            continue;
        for (size_t i = 0; i < columns; i++) {
            const struct cell *own = record_cell(from, row, (int)i);
            text[i].length = 0;
            if (is_of_names(own->type))
                text_add_cell(&text[i], own);
            cell[i + 1] = is_of_names(own->type)      ? TEXT_CELL(text[i].length > 0 ? text[i].data : NULL)
                          : own->type == CELL_SUMMARY ? REAL_CELL(cell_number(own))
                                                      : *own;
        }
        record_row(record, table, cell);
    }
    for (size_t i = 0; i < columns; i++)
        text_free(&text[i]);
    free(text);
    free(cell);
}

/* A table for each value of the series; of a curve, where its points are a line, as those of the answers are a table. */
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
