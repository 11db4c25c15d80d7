/* SPDX-License-Identifier: MIT */
/* A heat map of classes in characters: what a table of 64 x 64 numbers would hide. */
#include "human.h"

enum { TICK = 8 };

static int shade_at(const struct plot *plot, size_t row, size_t column)
{
    return row < plot->y.count ? plot_at(plot, row, column)->shade : PLOT_BLANK;
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
static void add_color_line(const struct style *style, const struct plot *plot, size_t row, struct text *out)
{
    int upper = -1, lower = -1;
    for (size_t column = 0; column < plot->x.count; column++) {
        const int above = shade_at(plot, row, column), below = shade_at(plot, row + 1, column);
        if (above != upper)
            add_color(style, plot, above, 38, out);
        if (below != lower)
            add_color(style, plot, below, 48, out);
        upper = above;
        lower = below;
        text_add(out, "\xe2\x96\x80"); /* upper half block */
    }
    text_add(out, "\033[0m");
}

static void add_letter_line(const struct plot *plot, size_t row, struct text *out)
{
    for (size_t column = 0; column < plot->x.count; column++) {
        const int shade = shade_at(plot, row, column);
        text_repeat(out, shade == PLOT_BLANK ? ' ' : (char)('a' + shade), 1);
    }
}

/* A name with blanks before it (from the right) or behind it, up to a width. */
static void add_padded(const char *name, size_t width, bool right, struct text *out)
{
    const size_t used = text_width(name), blanks = used < width ? width - used : !right;
    text_repeat(out, ' ', right ? blanks : 0);
    text_add(out, name);
    text_repeat(out, ' ', right ? 0 : blanks);
}

static void add_cells(const struct style *style, const struct plot *plot, struct text *out)
{
    text_repeat(out, ' ', 7);
    for (size_t i = 0; i < plot->x.count; i += TICK)
        add_padded(plot->x.label[i].name, i + TICK < plot->x.count ? TICK : 0, i + TICK >= plot->x.count,
                   out);
    text_add(out, "\n");
    for (size_t row = 0; row < plot->y.count; row += style->color ? 2 : 1) {
        add_padded(row % TICK == 0 ? plot->y.label[row].name : "", 5, true, out);
        text_add(out, "  ");
        if (style->color)
            add_color_line(style, plot, row, out);
        else
            add_letter_line(plot, row, out);
        text_add(out, "\n");
    }
}

static void add_legend(const struct style *style, const struct plot *plot, struct text *out)
{
    text_add(out, "\n");
    for (size_t i = 0; i < plot->class_count; i++) {
        const struct plot_class *class = &plot->class[i];
        if (style->color) {
            add_color(style, plot, (int)i, 48, out);
            text_add(out, "  \033[0m  ");
        } else {
            text_printf(out, "%c   ", 'a' + (int)i);
        }
        add_padded(class->name, 26, false, out);
        text_printf(out, "%17s  %4zu cells  %5.1f %%\n", plot_value(&plot->value, class->median, SPELT),
                    class->cells, 100.0 * (double)class->cells / (double)plot->shaded);
    }
}

bool human_heat_map(const struct style *style, const struct plot *plot, struct text *out)
{
    if (!plot->classed)
        return false;
    if (plot->class_count == 0) {
        text_add(out, "(too many classes to be drawn)\n");
        return true;
    }
    if (plot->series)
        text_printf(out, "%s\n\n", plot->series);
    add_cells(style, plot, out);
    add_legend(style, plot, out);
    return true;
}
