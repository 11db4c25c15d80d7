/* SPDX-License-Identifier: MIT */
/* A heat map in characters, for tables as large as 64 x 64 that nobody would read as numbers. */
#include "human.h"
#include "output/scratch.h"

#include <stdint.h>
#include <string.h>

enum { TICK = 8, CPUS_MOST = 32, MARGIN = 7, STEP_MOST = 8, NO_CLASS = -1 };

/* Squares of `high` x `wide` cells, each drawn as one class. In colour a character is two squares, a half
 * block and its background; else a letter is one square. */
struct map {
    const struct style *style;
    const struct plot *plot;
    bool color;
    size_t high, wide, rows, columns;
    int *class; /* rows x columns */
};

static int class_at(const struct map *map, size_t row, size_t column)
{
    return row < map->rows ? map->class[row * map->columns + column] : PLOT_BLANK;
}

/* Of the classes in a square, the one with the fewest cells in the plot; or `wanted`, where a cell has it. */
static int class_of_square(const struct map *map, size_t square, int wanted)
{
    const struct plot *plot = map->plot;
    const size_t top = square / map->columns * map->high, left = square % map->columns * map->wide;
    int rarest = PLOT_BLANK;
    for (size_t y = top; y < top + map->high && y < plot->y.count; y++) {
        for (size_t x = left; x < left + map->wide && x < plot->x.count; x++) {
            const int class = plot_at(plot, y, x)->class;
            if (class == PLOT_BLANK || rarest == wanted)
                continue;
            if (rarest == PLOT_BLANK || class == wanted ||
                plot->class[class].cells < plot->class[rarest].cells)
                rarest = class;
        }
    }
    return rarest;
}

/* Gives each class a square: sampling every nth row and column would miss some. A class that shares all its
 * squares with rarer ones gets one that the other can spare. */
static void fold(struct map *map)
{
    const size_t squares = map->rows * map->columns;
    size_t drawn[PLOT_BLANK + 1] = {0};
    map->class = scratch_new(squares, sizeof *map->class);
    for (size_t i = 0; i < squares; i++)
        drawn[map->class[i] = class_of_square(map, i, NO_CLASS)]++;
    for (int class = 0; class < (int)map->plot->class_count; class ++) {
        for (size_t i = 0; i < squares && drawn[class] == 0; i++) {
            if (map->class[i] == PLOT_BLANK || drawn[map->class[i]] < 2 ||
                class_of_square(map, i, class) != class)
                continue;
            drawn[map->class[i]]--;
            drawn[map->class[i] = class]++;
        }
    }
}

/* The nearest of the 6 x 6 x 6 colours of a terminal with 256 colours. */
static int cube_level(unsigned char value)
{
    return value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40;
}

/* layer: 38 for the character, 48 for its background. */
static void add_color(const struct style *style, const struct plot *plot, int class, int layer,
                      struct text *out)
{
    if (class == PLOT_BLANK) {
        text_printf(out, "\033[%dm", layer + 1);
        return;
    }
    const struct rgb rgb = plot_color(plot, class, 0);
    if (style->true_color)
        text_printf(out, "\033[%d;2;%d;%d;%dm", layer, rgb.red, rgb.green, rgb.blue);
    else
        text_printf(out, "\033[%d;5;%dm", layer,
                    16 + 36 * cube_level(rgb.red) + 6 * cube_level(rgb.green) + cube_level(rgb.blue));
}

static void add_row(const struct map *map, size_t row, struct text *out)
{
    int upper = -1, lower = -1;
    text_printf(out, "%*s  ", MARGIN - 2,
                row * map->high % TICK < map->high * (map->color ? 2 : 1)
                    ? map->plot->y.label[row * map->high].name
                    : "");
    for (size_t column = 0; column < map->columns; column++) {
        const int above = class_at(map, row, column), below = class_at(map, row + 1, column);
        if (!map->color) {
            text_repeat(out, above == PLOT_BLANK ? ' ' : (char)('a' + above), 1);
            continue;
        }
        if (above != upper)
            add_color(map->style, map->plot, upper = above, 38, out);
        if (below != lower)
            add_color(map->style, map->plot, lower = below, 48, out);
        text_add(out, "\xe2\x96\x80"); /* upper half block */
    }
    text_add(out, map->color ? "\033[0m\n" : "\n");
}

/* Names the quantity, its unit, the part of the map that is drawn, and the columns. */
static void add_head(const struct map *map, struct text *out)
{
    const struct plot *plot = map->plot;
    const char *series = plot->series ? plot->series : "", *unit = plot->value.unit ? plot->value.unit : "";
    text_printf(out, "%s%s%s", series, *series && *unit ? "; " : "", unit);
    if (map->high * map->wide > 1)
        text_printf(out, "; %zu x %zu cells as one, of their rarest class", map->high, map->wide);
    text_add(out, "\n");
    text_repeat(out, ' ', MARGIN);
    for (size_t i = 0; i < map->columns; i += TICK)
        text_printf(out, "%-*s", i + TICK < map->columns ? TICK : 0, plot->x.label[i * map->wide].name);
    text_add(out, "\n");
}

/* Writes entries such as "a independent 0.83", as many in a line as fit. */
static void add_legend(const struct map *map, struct text *out)
{
    enum { SIGN = 3, GAP = 3 };
    size_t column = 0;
    for (size_t i = 0; i < map->plot->class_count; i++) {
        const struct plot_class *class = &map->plot->class[i];
        const char *value = plot_number(&map->plot->value, class->median);
        const size_t width = SIGN + text_width(class->name) + 1 + strlen(value);
        const bool breaks = column > 0 && column + GAP + width > human_width(map->style);
        text_add(out, breaks ? "\n" : column > 0 ? "   " : "");
        column = (breaks || column == 0 ? 0 : column + GAP) + width;
        if (map->color)
            add_color(map->style, map->plot, (int)i, 48, out);
        text_add(out, map->color ? "  \033[0m " : (char[]){'a' + (char)i, ' ', ' ', '\0'});
        text_printf(out, "%s %s", class->name, value);
    }
    text_add(out, "\n");
}

bool human_heat_map(const struct style *style, const struct plot *plot, size_t lines, struct text *out)
{
    enum { HEAD = 2 };
    if (plot->kind == PLOT_HEAT_MAP && plot->of_cpus && plot->y.count > CPUS_MOST) {
        human_groups(style, plot, out);
        return true;
    }
    if (plot->kind != PLOT_HEAT_MAP || plot->of_cpus || plot->table->spec->view.class <= 0)
        return false;
    struct map map = {
        .style = style, .plot = plot, .color = style->color && !style->ascii, .high = 1, .wide = 1};
    struct text legend = {0};
    add_legend(&map, &legend);
    const size_t used = HEAD + human_lines(&legend);
    const size_t room = (lines == SIZE_MAX ? plot->y.count
                         : lines > used    ? lines - used
                                           : 0) *
                        (map.color ? 2 : 1);
    while (plot->x.count / map.wide + MARGIN > human_width(style))
        map.wide *= 2;
    while (room > 0 && (plot->y.count + map.high - 1) / map.high > room)
        map.high++;
    const bool fits = room > 0 && map.high <= STEP_MOST && map.wide <= STEP_MOST;
    if (fits) {
        map.rows = (plot->y.count + map.high - 1) / map.high;
        map.columns = (plot->x.count + map.wide - 1) / map.wide;
        fold(&map);
        add_head(&map, out);
        for (size_t row = 0; row < map.rows; row += map.color ? 2 : 1)
            add_row(&map, row, out);
        text_add(out, legend.data);
    }
    text_free(&legend);
    return fits;
}
