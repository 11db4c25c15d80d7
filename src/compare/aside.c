/* SPDX-License-Identifier: MIT */
/* Pictures of two results side by side, on one scale: the answers in pairs, and each map of both. They say nothing that the tables do
 * not say. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "compare.h"
#include "result/record_internal.h"

enum { PAIRS_MOST = 1000 }; /* that anybody looks at; the table has all */
enum { PAIR_WHAT, PAIR_NAME, PAIR_VALUE, PAIR_VERDICT, PAIR_COLUMNS };
enum { MAP_NAME, MAP_Y, MAP_X, MAP_VALUE, MAP_FLAG, MAP_COLUMNS };

static const struct column pair_columns[PAIR_COLUMNS] = {
    [PAIR_WHAT] = {"what", "what", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
    [PAIR_NAME] = {"machine", "machine", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
    [PAIR_VALUE] = {"value", "value", NULL, CELL_REAL, ROLE_MEASURE, 2},
    [PAIR_VERDICT] = {"verdict", "verdict", NULL, CELL_TEXT, ROLE_LABEL, 0}};

static const struct table_spec pair_table = {
    .name = "pairs",
    .title = "Findings of both",
    .note =
        "The longer bar of a pair is as wide as all longer ones. Bold or !: "
        "they differ by more than repeated runs do. Of more than 1000 the first are here.",
    .columns = pair_columns,
    .column_count = PAIR_COLUMNS,
    .view = {.kind = VIEW_MATRIX,
             .derived = true,
             .x = PAIR_NAME,
             .y = PAIR_WHAT,
             .value = PAIR_VALUE,
             .series = -1,
             .flag = PAIR_VERDICT,
             .aside = true}};

void aside_begin(struct comparison *comparison)
{
    comparison->pairs = record_table_add(comparison->record, &pair_table);
}

void aside_pair(const struct comparison *comparison, const char *key, const char *unit, const double value[2],
                const char *verdict)
{
    char what[160];
    if (comparison->record->tables.of[comparison->pairs].row_count >= 2 * PAIRS_MOST)
        return;
    snprintf(what, sizeof(what), *unit ? "%s [%s]" : "%s", key, unit);
    for (int side = 0; side < 2; side++)
        record_row(comparison->record, comparison->pairs,
                   (const struct cell[]){TEXT_CELL(what), TEXT_CELL(comparison->names[side]),
                                         REAL_CELL(value[side]), TEXT_CELL(verdict)});
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
    const bool has = flag > 0 && flag < table->spec->column_count;
    const struct cell *cell = has ? record_cell(table, row, flag) : &NO_CELL;
    return cell_is(cell, true) || (cell->type == CELL_FLAGS && cell->integer != 0);
}

/* A file may name columns that it does not have. */
static bool is_number(const struct table_spec *spec, int column)
{
    return column >= 0 && column < spec->column_count && type_is_number(spec->columns[column].type);
}

/* Names are bars, which the answers are already. */
static bool is_map(const struct table_spec *spec)
{
    const struct view *view = &spec->view;
    return view->kind == VIEW_MATRIX && is_number(spec, view->x) && is_number(spec, view->y) &&
           view->value >= 0 && view->value < spec->column_count;
}

/* What is of a file that was read does not last as long as the result. */
static struct column own_column(const struct comparison *comparison, const struct column *of,
                                enum cell_type type)
{
    return (struct column){record_own_text(comparison->record, of->key),
                           record_own_text(comparison->record, of->title),
                           record_own_text(comparison->record, of->unit),
                           type,
                           of->role,
                           of->digits};
}

/* Both maps of a table in one: which machine it is, and which map of it, is the series. */
static const struct table_spec *map_spec(const struct comparison *comparison, const char *command,
                                         const struct table_spec *of)
{
    struct table_spec *spec = record_own(comparison->record, memory_zeroed(1, sizeof(*spec)));
    struct column *columns = record_own(comparison->record, memory_zeroed(MAP_COLUMNS, sizeof(*columns)));
    struct text name = {0};
    text_printf(&name, "%s.%s", command, of->name);
    columns[MAP_NAME] = (struct column){"machine", "machine", NULL, CELL_TEXT, ROLE_PARAMETER, 0};
    columns[MAP_Y] = own_column(comparison, &of->columns[of->view.y], of->columns[of->view.y].type);
    columns[MAP_X] = own_column(comparison, &of->columns[of->view.x], of->columns[of->view.x].type);
    columns[MAP_VALUE] = own_column(comparison, &of->columns[of->view.value], CELL_REAL);
    columns[MAP_FLAG] = (struct column){"flag", "flag", NULL, CELL_TEXT, ROLE_LABEL, 0};
    *spec =
        (struct table_spec){.name = record_own(comparison->record, text_take(&name)),
                            .title = record_own_text(comparison->record, of->title),
                            .columns = columns,
                            .column_count = MAP_COLUMNS,
                            .view = {.kind = VIEW_MATRIX,
                                     .derived = true,
                                     .x = MAP_X,
                                     .y = MAP_Y,
                                     .value = MAP_VALUE,
                                     .series = MAP_NAME,
                                     .scale = of->view.scale,
                                     .scale_unit = record_own_text(comparison->record, of->view.scale_unit),
                                     .shade = true,
                                     .flag = MAP_FLAG,
                                     .aside = true}};
    return spec;
}

static void add_map(const struct comparison *comparison, size_t table, const char *machine,
                    const struct record_table *from)
{
    const struct view *view = &from->spec->view;
    for (size_t row = 0; row < from->row_count; row++) {
        struct text name = {0};
        text_add(&name, machine);
        if (view->series > 0 && view->series < from->spec->column_count) {
            text_add(&name, ", ");
            text_add_cell_human(&name, record_cell(from, row, view->series), 0);
        }
        record_row(comparison->record, table,
                   (const struct cell[]){TEXT_CELL(name.data), *record_cell(from, row, view->y),
                                         *record_cell(from, row, view->x),
                                         REAL_CELL(cell_number(record_cell(from, row, view->value))),
                                         TEXT_CELL(is_flagged(from, row) ? "flagged" : NULL)});
        text_free(&name);
    }
}

void aside_maps(const struct comparison *comparison, const char *command, const struct record *before,
                const struct record *after)
{
    for (size_t i = 0; i < before->tables.count; i++) {
        const struct record_table *first = &before->tables.of[i];
        const struct record_table *second = table_named(after, first->spec->name);
        if (!second || !is_map(first->spec) || !is_map(second->spec) || !first->row_count ||
            !second->row_count)
            continue;
        const size_t table = record_table_add(comparison->record, map_spec(comparison, command, first->spec));
        add_map(comparison, table, comparison->names[0], first);
        add_map(comparison, table, comparison->names[1], second);
    }
}
