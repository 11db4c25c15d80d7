/* SPDX-License-Identifier: MIT */
/* The order of the axes of a heat map, and what CPUs on them share, as brackets. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heat.h"
#include "output/places.h"
#include "svg_draw.h"

enum { LEVELS = 3 };

/* Which group each row of the map belongs to, -1: none. */
struct grouping {
    enum place_level level;
    int *group;
};

static bool all_numbers(const struct heat_axis *axis)
{
    for (size_t i = 0; i < axis->count; i++) {
        if (isnan(cell_number(&axis->label[i].value)))
            return false;
    }
    return true;
}

static int compare_labels(const void *a, const void *b)
{
    const struct heat_label *left = a, *right = b;
    const double x = cell_number(&left->value), y = cell_number(&right->value);
    return x != y ? (x > y) - (x < y) : (left->at > right->at) - (left->at < right->at);
}

static void sort_axis(struct heat_axis *axis)
{
    if (all_numbers(axis))
        qsort(axis->label, axis->count, sizeof(*axis->label), compare_labels);
}

static bool holds(const struct heat_axis *axis, const struct cell *value)
{
    for (size_t i = 0; i < axis->count; i++) {
        if (cell_equal(&axis->label[i].value, value))
            return true;
    }
    return false;
}

/* What is only on the other axis gets a place on this one too. */
static void complete(struct heat_axis *axis, const struct heat_axis *other, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!holds(axis, &other->label[i].value)) {
            axis->label[axis->count] = other->label[i];
            axis->label[axis->count++].at = -1;
        }
    }
}

const char *heat_label_name(const struct heat_label *label)
{
    return label->name ? label->name : label->number;
}

/* The number of a CPU is enough: the brackets say where it is. */
static struct heat_label label_of(const char *name, struct cell value, int at)
{
    struct heat_label label = {.name = value.type == CELL_CPU ? NULL : name, .value = value, .at = at};
    if (value.type == CELL_CPU)
        snprintf(label.number, sizeof(label.number), "%d", (int)value.integer);
    return label;
}

static bool is_of_cpus(const struct heat *heat)
{
    const struct column *columns = heat->spec->columns;
    return columns[heat->spec->view.x].type == CELL_CPU && columns[heat->spec->view.y].type == CELL_CPU;
}

void heat_make_axes(struct heat *heat)
{
    const struct grid *grid = heat->grid;
    const size_t rows = grid->row_count, columns = (size_t)grid->column_count - 1;
    heat->y.label = memory_zeroed(rows + columns, sizeof(*heat->y.label));
    heat->x.label = memory_zeroed(rows + columns, sizeof(*heat->x.label));
    for (size_t i = 0; i < rows; i++) {
        const struct grid_cell *label = grid_at(grid, i, 0);
        heat->y.label[heat->y.count++] = label_of(label->text, label->raw, (int)i);
    }
    for (size_t i = 0; i < columns; i++)
        heat->x.label[heat->x.count++] =
            label_of(grid->column[i + 1].heading, grid->column[i + 1].value, (int)i);
    if (is_of_cpus(heat)) {
        complete(&heat->x, &heat->y, rows);
        complete(&heat->y, &heat->x, columns);
    }
    sort_axis(&heat->x);
    sort_axis(&heat->y);
    heat->rows = heat->y.count;
    heat->columns = heat->x.count;
}

static const struct grid_cell *grid_cell_of(const struct heat *heat, size_t row, size_t column)
{
    const int y = heat->y.label[row].at, x = heat->x.label[column].at;
    const struct grid_cell *cell = y < 0 || x < 0 ? NULL : grid_at(heat->grid, (size_t)y, x + 1);
    return cell && cell->row > 0 && cell_has_value(&cell->raw) ? cell : NULL;
}

const struct grid_cell *heat_cell(const struct heat *heat, size_t index)
{
    const size_t row = index / heat->columns, column = index % heat->columns;
    const struct grid_cell *cell = grid_cell_of(heat, row, column);
    if (cell || !is_of_cpus(heat))
        return cell;
    return grid_cell_of(heat, column, row);
}

static int *groups_of_level(const struct heat *heat, enum place_level level)
{
    int *group_of = memory_zeroed(heat->rows, sizeof(*group_of));
    for (size_t i = 0; i < heat->rows; i++)
        group_of[i] = place_group(heat->record, heat->y.label[i].value.integer, level);
    return group_of;
}

static size_t changes_in(const int *group_of, size_t count)
{
    size_t changes = 0;
    for (size_t i = 1; i < count; i++)
        changes += group_of[i] != group_of[i - 1];
    return changes;
}

/* Worth a bracket: there is more than one, some hold several CPUs, and they differ from those outside them.
 */
static bool tells_something(const struct heat *heat, const int *group_of, const int *outer)
{
    size_t changes = changes_in(group_of, heat->rows);
    bool same = outer && memcmp(group_of, outer, heat->rows * sizeof(*group_of)) == 0;
    return group_of[0] >= 0 && changes > 0 && 2 * (changes + 1) <= heat->rows && !same;
}

/* The groupings that are drawn, outermost first; their lists are freed by the caller. */
static int choose_groupings(const struct heat *heat, struct grouping chosen[LEVELS])
{
    int count = 0;
    if (!is_of_cpus(heat))
        return 0;
    for (int level = 0; level < LEVEL_COUNT && count < LEVELS; level++) {
        int *group_of = groups_of_level(heat, (enum place_level)level);
        if (tells_something(heat, group_of, count ? chosen[count - 1].group : NULL))
            chosen[count++] = (struct grouping){(enum place_level)level, group_of};
        else
            free(group_of);
    }
    return count;
}

int heat_bracket_levels(const struct heat *heat)
{
    struct grouping chosen[LEVELS];
    int count = choose_groupings(heat, chosen);
    for (int i = 0; i < count; i++)
        free(chosen[i].group);
    return count;
}

/* A bracket from cell `first` up to cell `end` on the axis, `depth` away from the map. */
static void draw_bracket(const struct heat *heat, double first, double end, double depth, const char *label)
{
    const double inset = heat->cell > 6 ? 1.5 : heat->cell / 6;
    const double from = first * heat->cell + inset, to = end * heat->cell - inset;
    const double x = heat->left - depth, y = heat->top - depth;
    svg_line(heat->out, heat->left + from, y, heat->left + to, y, "a");
    svg_line(heat->out, heat->left + from, y, heat->left + from, y + 4, "a");
    svg_line(heat->out, heat->left + to, y, heat->left + to, y + 4, "a");
    svg_line(heat->out, x, heat->top + from, x, heat->top + to, "a");
    svg_line(heat->out, x, heat->top + from, x + 4, heat->top + from, "a");
    svg_line(heat->out, x, heat->top + to, x + 4, heat->top + to, "a");
    if (svg_text_width(label) > to - from)
        return;
    svg_text(heat->out, heat->left + (from + to) / 2, y - 3, "m", "middle", label);
    svg_text_upwards(heat->out, x - 3, heat->top + (from + to) / 2, "m", label);
}

static void draw_grouping(const struct heat *heat, const struct grouping *grouping, double depth)
{
    for (size_t first = 0, end; first < heat->rows; first = end) {
        char label[48];
        for (end = first + 1; end < heat->rows && grouping->group[end] == grouping->group[first];)
            end++;
        snprintf(label, sizeof(label), "%s %d", place_levels[grouping->level], grouping->group[first]);
        if (grouping->group[first] >= 0)
            draw_bracket(heat, (double)first, (double)end, depth, label);
    }
}

void heat_brackets(const struct heat *heat)
{
    struct grouping chosen[LEVELS];
    int count = choose_groupings(heat, chosen);
    for (int i = 0; i < count; i++) {
        draw_grouping(heat, &chosen[i], 4 + (count - 1 - i) * HEAT_BRACKET);
        free(chosen[i].group);
    }
}
