/* SPDX-License-Identifier: MIT */
/* A matrix of classes as a map of characters: what a table of 64 x 64 numbers would hide. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "human.h"
#include "output/keys.h"
#include "output/picture/scale.h"

enum { MAP_CLASSES = 26, TICK = 8 };

struct map_class {
    size_t key; /* among the classes of the table */
    double value;
    size_t cells;
};

struct map {
    const struct style *style;
    const struct record_table *table;
    struct keys rows, columns, classes;
    int *class_of; /* rows x columns: index into class, -1: nothing there */
    size_t cells;
    int class_count;
    struct map_class class[MAP_CLASSES]; /* by ascending value */
};

static const struct cell *cell_of(const struct record_table *table, size_t row, int column)
{
    return record_cell(table, row, column);
}

static bool in_series(const struct record_table *table, size_t row, const struct cell *series)
{
    const int column = table->spec->view.series;
    return column < 0 || cell_equal(cell_of(table, row, column), series);
}

static void read_axes(struct map *map, const struct cell *series)
{
    const struct view *view = &map->table->spec->view;
    for (size_t i = 0; i < map->table->row_count; i++) {
        if (!in_series(map->table, i, series))
            continue;
        keys_index(&map->rows, *cell_of(map->table, i, view->y));
        keys_index(&map->columns, *cell_of(map->table, i, view->x));
        if (cell_has_value(cell_of(map->table, i, view->class)))
            keys_index(&map->classes, *cell_of(map->table, i, view->class));
    }
}

static int by_value(const void *a, const void *b)
{
    const struct map_class *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* The mean of its cells is enough to put classes into order. */
static void rank_classes(struct map *map, const struct cell *series)
{
    const struct view *view = &map->table->spec->view;
    for (size_t i = 0; i < map->classes.count; i++)
        map->class[i].key = i;
    for (size_t i = 0; i < map->table->row_count; i++) {
        const struct cell *class = cell_of(map->table, i, view->class);
        const struct cell *value = cell_of(map->table, i, view->value);
        if (!in_series(map->table, i, series) || !cell_has_value(class) || isnan(cell_number(value)))
            continue;
        struct map_class *of = &map->class[keys_index(&map->classes, *class)];
        of->value += cell_number(value);
        of->cells++;
    }
    map->class_count = (int)map->classes.count;
    for (int i = 0; i < map->class_count; i++)
        map->class[i].value /= (double)map->class[i].cells;
    qsort(map->class, (size_t)map->class_count, sizeof map->class[0], by_value);
}

static int rank_of(const struct map *map, size_t key)
{
    int rank = 0;
    while (map->class[rank].key != key)
        rank++;
    return rank;
}

static void place_cells(struct map *map, const struct cell *series)
{
    const struct view *view = &map->table->spec->view;
    map->class_of = memory_zeroed(map->rows.count * map->columns.count, sizeof *map->class_of);
    memset(map->class_of, -1, map->rows.count * map->columns.count * sizeof *map->class_of);
    for (size_t i = 0; i < map->table->row_count; i++) {
        const struct cell *class = cell_of(map->table, i, view->class);
        if (!in_series(map->table, i, series) || !cell_has_value(class))
            continue;
        const size_t row = keys_index(&map->rows, *cell_of(map->table, i, view->y));
        const size_t column = keys_index(&map->columns, *cell_of(map->table, i, view->x));
        map->class_of[row * map->columns.count + column] = rank_of(map, keys_index(&map->classes, *class));
        map->cells++;
    }
}

static int class_at(const struct map *map, size_t row, size_t column)
{
    return row < map->rows.count ? map->class_of[row * map->columns.count + column] : -1;
}

/* The nearest of the 6 x 6 x 6 colours that all terminals with 256 have. */
static int cube_level(unsigned char value)
{
    return value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40;
}

/* layer: 38 for the foreground, 48 for the background */
static void add_color(const struct map *map, int class, int layer, struct text *out)
{
    if (class < 0) {
        text_printf(out, "\033[%dm", layer + 1);
        return;
    }
    const struct rgb rgb = color_at(map->class_count > 1 ? (double)class / (map->class_count - 1) : 0);
    if (map->style->true_color)
        text_printf(out, "\033[%d;2;%d;%d;%dm", layer, rgb.red, rgb.green, rgb.blue);
    else
        text_printf(out, "\033[%d;5;%dm", layer,
                    16 + 36 * cube_level(rgb.red) + 6 * cube_level(rgb.green) + cube_level(rgb.blue));
}

/* Two rows of cells: the upper in the colour of the half block, the lower in that behind it. */
static void add_color_line(const struct map *map, size_t row, struct text *out)
{
    int upper = -2, lower = -2;
    for (size_t column = 0; column < map->columns.count; column++) {
        const int above = class_at(map, row, column), below = class_at(map, row + 1, column);
        if (above != upper)
            add_color(map, above, 38, out);
        if (below != lower)
            add_color(map, below, 48, out);
        upper = above;
        lower = below;
        text_add(out, "\xe2\x96\x80"); /* upper half block */
    }
    text_add(out, "\033[0m");
}

static void add_letter_line(const struct map *map, size_t row, struct text *out)
{
    for (size_t column = 0; column < map->columns.count; column++) {
        const int class = class_at(map, row, column);
        const char letter = class < 0 ? ' ' : (char)('a' + class);
        text_add_bytes(out, &letter, 1);
    }
}

static void add_tick(const struct keys *keys, size_t index, struct text *out)
{
    struct text label = {0};
    if (index % TICK == 0 && index < keys->count)
        text_add_cell_human(&label, &keys->value[index], 0);
    text_repeat(out, ' ', label.length < 5 ? 5 - label.length : 0);
    text_add(out, label.data ? label.data : "");
    text_add(out, "  ");
    text_free(&label);
}

static void add_ruler(const struct map *map, struct text *out)
{
    text_repeat(out, ' ', 7);
    for (size_t i = 0; i < map->columns.count; i += TICK) {
        struct text label = {0};
        text_add_cell_human(&label, &map->columns.value[i], 0);
        text_add(out, label.data);
        if (i + TICK < map->columns.count)
            text_repeat(out, ' ', label.length < TICK ? TICK - label.length : 1);
        text_free(&label);
    }
    text_add(out, "\n");
}

static void add_cells(const struct map *map, struct text *out)
{
    add_ruler(map, out);
    for (size_t row = 0; row < map->rows.count; row += map->style->color ? 2 : 1) {
        add_tick(&map->rows, row, out);
        if (map->style->color)
            add_color_line(map, row, out);
        else
            add_letter_line(map, row, out);
        text_add(out, "\n");
    }
}

static void add_legend(const struct map *map, struct text *out)
{
    text_add(out, "\n");
    for (int i = 0; i < map->class_count; i++) {
        const struct map_class *class = &map->class[i];
        if (map->style->color) {
            add_color(map, i, 48, out);
            text_add(out, "  \033[0m  ");
        } else {
            text_printf(out, "%c   ", 'a' + i);
        }
        const char *name = cell_text(&map->classes.value[class->key]);
        text_add_printable(out, name);
        const size_t width = text_width(name);
        text_repeat(out, ' ', width < 20 ? 20 - width : 1);
        text_printf(out, "%5zu cells  %5.1f %%\n", class->cells,
                    100.0 * (double)class->cells / (double)map->cells);
    }
}

static void map_clear(struct map *map)
{
    keys_free(&map->rows);
    keys_free(&map->columns);
    keys_free(&map->classes);
    free(map->class_of);
}

static void draw(const struct style *style, const struct record_table *table, const struct cell *series,
                 struct text *out)
{
    struct map map = {.style = style, .table = table};
    read_axes(&map, series);
    if (map.classes.count > 0 && map.classes.count <= MAP_CLASSES) {
        rank_classes(&map, series);
        place_cells(&map, series);
        if (series) {
            text_add_cell_human(out, series, 0);
            text_add(out, "\n\n");
        }
        add_cells(&map, out);
        add_legend(&map, out);
    } else {
        text_add(out, "(too many classes to be drawn)\n");
    }
    map_clear(&map);
}

static bool is_map(const struct table_spec *spec)
{
    const struct view *view = &spec->view;
    return view->kind == VIEW_MATRIX && view->class > 0 && view->class < spec->column_count &&
           spec->columns[view->class].type == CELL_CLASS && view->x >= 0 && view->y >= 0 && view->value >= 0;
}

bool human_map(const struct style *style, const struct record_table *table, struct text *out)
{
    const int series = table->spec->view.series;
    struct keys keys = {0};
    if (!is_map(table->spec) || table->row_count == 0)
        return false;
    text_add(out, out->length ? "\n" : "");
    human_bold(style, table->spec->title ? table->spec->title : table->spec->name, out);
    text_add(out, "\n");
    for (size_t i = 0; series >= 0 && i < table->row_count; i++)
        keys_index(&keys, *record_cell(table, i, series));
    for (size_t i = 0; i < keys.count; i++) {
        text_add(out, "\n");
        draw(style, table, &keys.value[i], out);
    }
    if (series < 0)
        draw(style, table, NULL, out);
    keys_free(&keys);
    return true;
}
