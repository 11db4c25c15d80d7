/* SPDX-License-Identifier: MIT */
#include "pictures.h"

#include <string.h>

#include "result/record_internal.h"

enum { MAP_NAME, MAP_Y, MAP_X, MAP_VALUE, MAP_FLAG, MAP_COLUMNS };

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

static bool is_flagged(const struct record_table *table, size_t row)
{
    const int flag = table->spec->view.flag;
    const struct cell *cell =
        flag > 0 && has_column(table->spec, flag) ? record_cell(table, row, flag) : &NO_CELL;
    return cell_is(cell, true) || (cell->type == CELL_FLAGS && cell->integer != 0);
}

/* Names are bars, which the answers are already. */
static bool is_map(const struct table_spec *spec)
{
    const struct view *view = &spec->view;
    return view->kind == VIEW_MATRIX && has_column(spec, view->x) && has_column(spec, view->y) &&
           type_is_number(spec->columns[view->x].type) && type_is_number(spec->columns[view->y].type) &&
           has_column(spec, view->value);
}

/* What is of a file that was read does not last as long as the result. */
static struct column own_column(struct record *record, const struct column *of, enum cell_type type)
{
    return (struct column){record_own_text(record, of->key),
                           record_own_text(record, of->title),
                           record_own_text(record, of->unit),
                           type,
                           of->role,
                           of->digits};
}

/* Both maps of a table in one: which machine it is, and which map of it, is the series. */
static const struct table_spec *map_spec(struct record *record, const char *command,
                                         const struct table_spec *of)
{
    struct table_spec *spec = record_own(record, memory_zeroed(1, sizeof(*spec)));
    struct column *columns = record_own(record, memory_zeroed(MAP_COLUMNS, sizeof(*columns)));
    struct text name = {0};
    text_printf(&name, "%s.%s", command, of->name);
    columns[MAP_NAME] = (struct column){"machine", "machine", NULL, CELL_TEXT, ROLE_PARAMETER, 0};
    columns[MAP_Y] = own_column(record, &of->columns[of->view.y], of->columns[of->view.y].type);
    columns[MAP_X] = own_column(record, &of->columns[of->view.x], of->columns[of->view.x].type);
    columns[MAP_VALUE] = own_column(record, &of->columns[of->view.value], CELL_REAL);
    columns[MAP_FLAG] = (struct column){"flag", "flag", NULL, CELL_TEXT, ROLE_LABEL, 0};
    *spec = (struct table_spec){.name = record_own(record, text_take(&name)),
                                .title = record_own_text(record, of->title),
                                .columns = columns,
                                .column_count = MAP_COLUMNS,
                                .view = {.kind = VIEW_MATRIX,
                                         .derived = true,
                                         .x = MAP_X,
                                         .y = MAP_Y,
                                         .value = MAP_VALUE,
                                         .series = MAP_NAME,
                                         .scale = of->view.scale,
                                         .scale_unit = record_own_text(record, of->view.scale_unit),
                                         .shade = true,
                                         .flag = MAP_FLAG,
                                         .aside = true}};
    return spec;
}

static void add_map(struct record *record, size_t table, const char *machine, const struct record_table *from)
{
    const struct view *view = &from->spec->view;
    for (size_t row = 0; row < from->row_count; row++) {
        struct text name = {0};
        text_add(&name, machine);
        if (view->series > 0 && has_column(from->spec, view->series)) {
            text_add(&name, ", ");
            text_add_cell_human(&name, record_cell(from, row, view->series), 0);
        }
        record_row(record, table,
                   (const struct cell[]){TEXT_CELL(name.data), *record_cell(from, row, view->y),
                                         *record_cell(from, row, view->x),
                                         REAL_CELL(cell_number(record_cell(from, row, view->value))),
                                         TEXT_CELL(is_flagged(from, row) ? "flagged" : NULL)});
        text_free(&name);
    }
}

static void add_maps(struct record *record, const char *const *names, const struct record *before,
                     const struct record *after)
{
    for (size_t i = 0; i < before->tables.count; i++) {
        const struct record_table *first = &before->tables.of[i];
        const struct record_table *second = table_named(after, first->spec->name);
        if (!second || !is_map(first->spec) || !is_map(second->spec) || !first->row_count ||
            !second->row_count)
            continue;
        const size_t table = record_table_add(record, map_spec(record, results_command(before), first->spec));
        add_map(record, table, names[0], first);
        add_map(record, table, names[1], second);
    }
}

void pictures_add(struct record *record, const char *const *names, const struct results *first,
                  const struct results *second)
{
    for (size_t i = 0; i < first->count; i++) {
        const struct record *partner = results_partner(first, i, second);
        if (partner)
            add_maps(record, names, first->of[i], partner);
    }
}
