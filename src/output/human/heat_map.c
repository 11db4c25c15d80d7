/* SPDX-License-Identifier: MIT */
/* A heat map of classes in characters: what a table of 64 x 64 numbers would hide. */
#include "human.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TICK = 8, CPUS_MOST = 32, MARGIN = 7, GAP = 3, SWATCH = 4, SHARE = 9, STEP_MOST = 4, NO_CLASS = -1 };

/* What is drawn: squares of `step` rows and columns, and the widths of the legend's names and values. */
struct map {
    const struct style *style;
    const struct plot *plot;
    size_t step, rows, columns;
    int *shade; /* rows x columns */
    size_t names, values;
};

/* Half blocks in colour; else letters. */
static bool in_color(const struct style *style)
{
    return style->color && !style->ascii;
}

static int shade_at(const struct map *map, size_t row, size_t column)
{
    return row < map->rows ? map->shade[row * map->columns + column] : PLOT_BLANK;
}

/* Of the cells of a square, that of the class with the fewest cells in the plot; or that of `wanted`, where one is. */
static int shade_of_square(const struct map *map, size_t square, int wanted)
{
    const struct plot *plot = map->plot;
    const size_t top = square / map->columns * map->step, left = square % map->columns * map->step;
    int rarest = PLOT_BLANK;
    for (size_t y = top; y < top + map->step && y < plot->y.count; y++) {
        for (size_t x = left; x < left + map->step && x < plot->x.count; x++) {
            const int shade = plot_at(plot, y, x)->shade;
            if (shade == PLOT_BLANK || rarest == wanted)
                continue;
            if (rarest == PLOT_BLANK || shade == wanted ||
                plot->class[shade].cells < plot->class[rarest].cells)
                rarest = shade;
        }
    }
    return rarest;
}

/* A class that shares all its squares with rarer ones gets one that the other can spare. */
static void show_class(struct map *map, int class, size_t drawn[PLOT_CLASSES])
{
    for (size_t i = 0; i < map->rows * map->columns && drawn[class] == 0; i++) {
        const int shade = map->shade[i];
        if (shade == PLOT_BLANK || drawn[shade] < 2 || shade_of_square(map, i, class) != class)
            continue;
        drawn[shade]--;
        drawn[class]++;
        map->shade[i] = class;
    }
}

/* No class of the plot is lost: a sample of every nth row and column meets none of what is n apart. */
static void fold(struct map *map)
{
    size_t drawn[PLOT_CLASSES] = {0};
    const size_t squares = map->rows * map->columns;
    map->shade = memory_zeroed(squares, sizeof *map->shade);
    for (size_t i = 0; i < squares; i++) {
        map->shade[i] = shade_of_square(map, i, NO_CLASS);
        if (map->shade[i] != PLOT_BLANK)
            drawn[map->shade[i]]++;
    }
    for (size_t class = 0; class < map->plot->class_count; class ++)
        show_class(map, (int)class, drawn);
}

/* The nearest of the 6 x 6 x 6 colours that all terminals with 256 have. */
static int cube_level(unsigned char value)
{
    return value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40;
}

/* layer: 38 for the character, 48 for what is behind it. */
static void add_color(const struct style *style, const struct plot *plot, int shade, int layer,
                      struct text *out)
{
    if (shade == PLOT_BLANK) {
        text_printf(out, "\033[%dm", layer + 1);
        return;
    }
    const struct rgb rgb = plot_color(plot, shade);
    if (style->true_color)
        text_printf(out, "\033[%d;2;%d;%d;%dm", layer, rgb.red, rgb.green, rgb.blue);
    else
        text_printf(out, "\033[%d;5;%dm", layer,
                    16 + 36 * cube_level(rgb.red) + 6 * cube_level(rgb.green) + cube_level(rgb.blue));
}

/* Two rows of cells: the upper in the colour of the half block, the lower in that behind it. */
static void add_color_line(const struct map *map, size_t row, struct text *out)
{
    int upper = -1, lower = -1;
    for (size_t column = 0; column < map->columns; column++) {
        const int above = shade_at(map, row, column), below = shade_at(map, row + 1, column);
        if (above != upper)
            add_color(map->style, map->plot, above, 38, out);
        if (below != lower)
            add_color(map->style, map->plot, below, 48, out);
        upper = above;
        lower = below;
        text_add(out, "\xe2\x96\x80"); /* upper half block */
    }
    text_add(out, "\033[0m");
}

/* A name with blanks before it (from the right) or behind it, up to a width. */
static void add_padded(const char *name, size_t width, bool right, struct text *out)
{
    const size_t used = text_width(name), blanks = used < width ? width - used : !right;
    text_repeat(out, ' ', right ? blanks : 0);
    text_add(out, name);
    text_repeat(out, ' ', right ? 0 : blanks);
}

static void measure_legend(struct map *map)
{
    const struct plot *plot = map->plot;
    for (size_t i = 0; i < plot->class_count; i++) {
        const size_t name = text_width(plot->class[i].name);
        const size_t value = strlen(plot_number(&plot->value, plot->class[i].median, SPELT));
        map->names = name > map->names ? name : map->names;
        map->values = value > map->values ? value : map->values;
    }
}

/* Where the map is small and the terminal wide enough; on a screen of few lines there is no other place. */
static bool fits_aside(const struct map *map, size_t lines)
{
    enum { MAP_MOST = 28 };
    const size_t needed = MARGIN + map->columns + GAP + SWATCH + map->names + 2 + map->values + SHARE;
    return map->columns <= MAP_MOST && (needed <= human_width(map->style) || lines != SIZE_MAX);
}

static void add_class(const struct map *map, size_t index, struct text *out)
{
    const struct plot_class *class = &map->plot->class[index];
    if (in_color(map->style)) {
        add_color(map->style, map->plot, (int)index, 48, out);
        text_add(out, "  \033[0m  ");
    } else {
        text_printf(out, "%c   ", 'a' + (int)index);
    }
    add_padded(class->name, map->names + 2, false, out);
    add_padded(plot_number(&map->plot->value, class->median, SPELT), map->values, true, out);
    text_printf(out, "  %5.1f %%", 100 * plot_class_share(map->plot, index));
}

/* What the map is of, what its numbers are in, and what of it is drawn. */
static void add_title(const struct map *map, struct text *out)
{
    const struct plot *plot = map->plot;
    const char *series = plot->series ? plot->series : "", *unit = plot->value.unit ? plot->value.unit : "";
    const size_t before = out->length;
    text_printf(out, "%s%s%s", series, *series && *unit ? "; " : "", unit);
    if (map->step > 1)
        text_printf(out, "%s%zu x %zu cells as one, of their rarest class", out->length > before ? "; " : "",
                    map->step, map->step);
    text_add(out, out->length > before ? "\n" : "");
}

static void add_row(const struct map *map, size_t row, struct text *out)
{
    add_padded(row % TICK == 0 ? map->plot->y.label[row * map->step].name : "", MARGIN - 2, true, out);
    text_add(out, "  ");
    if (in_color(map->style))
        add_color_line(map, row, out);
    for (size_t column = 0; !in_color(map->style) && column < map->columns; column++) {
        const int shade = shade_at(map, row, column);
        text_repeat(out, shade == PLOT_BLANK ? ' ' : (char)('a' + shade), 1);
    }
}

/* The map, with the legend next to it where it is small; there what has no room are the highest classes. */
static void add_map(const struct map *map, bool aside, size_t lines, struct text *out)
{
    enum { TITLES = 2 };
    const struct plot *plot = map->plot;
    size_t listed = 0;
    text_repeat(out, ' ', MARGIN);
    for (size_t i = 0; i < map->columns; i += TICK)
        add_padded(plot->x.label[i * map->step].name, i + TICK < map->columns ? TICK : 0,
                   i + TICK >= map->columns, out);
    text_add(out, "\n");
    for (size_t row = 0; row < map->rows; row += in_color(map->style) ? 2 : 1) {
        add_row(map, row, out);
        if (aside && listed < plot->class_count) {
            text_repeat(out, ' ', GAP);
            add_class(map, listed++, out);
        }
        text_add(out, "\n");
    }
    const size_t drawn = TITLES + (in_color(map->style) ? (map->rows + 1) / 2 : map->rows);
    const size_t room = lines == SIZE_MAX ? plot->class_count : lines > drawn ? lines - drawn : 0;
    text_add(out, lines == SIZE_MAX && listed < plot->class_count ? "\n" : "");
    for (size_t i = 0; i < room && listed < plot->class_count; i++) {
        text_repeat(out, ' ', lines == SIZE_MAX ? 0 : MARGIN + map->columns + GAP);
        add_class(map, listed++, out);
        text_add(out, "\n");
    }
}

bool human_heat_map(const struct style *style, const struct plot *plot, size_t lines, struct text *out)
{
    if (plot->of_cpus && plot->y.count > CPUS_MOST) {
        human_groups(style, plot, out);
        return true;
    }
    if (!plot->classed || plot->of_cpus)
        return false;
    if (plot->class_count == 0) {
        text_add(out, "(too many classes to be drawn)\n");
        return true;
    }
    struct map map = {
        .style = style, .plot = plot, .step = 1, .rows = plot->y.count, .columns = plot->x.count};
    while (map.rows / (in_color(style) ? 2 : 1) + 2 > lines) {
        map.step *= 2;
        map.rows = (plot->y.count + map.step - 1) / map.step;
        map.columns = (plot->x.count + map.step - 1) / map.step;
    }
    if (map.step > STEP_MOST)
        return false;
    fold(&map);
    measure_legend(&map);
    add_title(&map, out);
    add_map(&map, fits_aside(&map, lines), lines, out);
    free(map.shade);
    return true;
}
