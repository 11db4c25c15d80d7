/* SPDX-License-Identifier: MIT */
/* A heat map: its layout, axes, brackets and cells. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "elements.h"

enum {
    SIDE = 600,               /* of the map at most */
    CELL_LARGEST = 72,        /* side of a cell at most */
    CELL_WITH_TEXT = 36,      /* and from where it has room for its value */
    TOOLTIPS = 10000,         /* cells up to which each value has its own */
    MARKUP_LIMIT = 360 << 10, /* bytes for the cells of a map without them */
    TITLE = 18,
    BRACKET = 18, /* depth of one level */
    BETWEEN = 28, /* of map and legend */
    LEGEND = 230  /* its width */
};

struct heat {
    const struct plot *plot;
    struct text *out;
    size_t rows, columns;
    double left, top, cell, depth; /* the map's corner, the side of its cells, room for all brackets */
};

static double widest(const struct plot_axis *axis)
{
    double width = 0;
    for (size_t i = 0; i < axis->count; i++)
        width = fmax(width, svg_text_width(axis->label[i].name));
    return width;
}

static void lay_out(struct heat *heat)
{
    const size_t longest = heat->rows > heat->columns ? heat->rows : heat->columns;
    heat->depth = heat->plot->grouping_count * BRACKET;
    heat->left = TITLE + fmin(widest(&heat->plot->y), SVG_WIDTH / 4) + 10 + heat->depth;
    heat->top = (heat->plot->series ? 2 : 1) * TITLE + 20 + heat->depth;
    heat->cell = fmin((double)SIDE / (double)longest, CELL_LARGEST);
    heat->cell = fmin(heat->cell, (SVG_WIDTH - heat->left - BETWEEN - LEGEND) / (double)heat->columns);
}

/* Every nth label is drawn, n a power of two. */
static size_t label_step(double cell, double needed)
{
    size_t step = 1;
    while ((double)step * cell < needed)
        step *= 2;
    return step;
}

static void draw_axes(const struct heat *heat)
{
    const struct plot *plot = heat->plot;
    const double above = heat->top - heat->depth, before = heat->left - heat->depth;
    size_t step = label_step(heat->cell, widest(&plot->x) + 6);
    for (size_t i = 0; i < heat->columns; i += step)
        svg_text(heat->out, heat->left + ((double)i + 0.5) * heat->cell, above - 6, "m", "middle", "%s",
                 plot->x.label[i].name);
    step = label_step(heat->cell, 14);
    for (size_t i = 0; i < heat->rows; i += step)
        svg_text(heat->out, before - 6, heat->top + ((double)i + 0.5) * heat->cell + 4, "m", "end", "%s",
                 plot->y.label[i].name);
    svg_text(heat->out, heat->left + (double)heat->columns * heat->cell / 2, above - 24, "t", "middle", "%s",
             plot->x.title);
    svg_text_upwards(heat->out, 12, heat->top + (double)heat->rows * heat->cell / 2, "t", plot->y.title);
}

/* A bracket from cell `first` up to cell `end` on both axes, `depth` away from the map. */
static void draw_bracket(const struct heat *heat, size_t first, size_t end, double depth, const char *label)
{
    const double inset = heat->cell > 6 ? 1.5 : heat->cell / 6;
    const double from = (double)first * heat->cell + inset, to = (double)end * heat->cell - inset;
    const double x = heat->left - depth, y = heat->top - depth;
    text_printf(heat->out, "<path class=\"a\" d=\"M%.2f %.2fv-4h%.2fv4M%.2f %.2fh-4v%.2fh4\"/>\n",
                heat->left + from, y + 4, to - from, x + 4, heat->top + from, to - from);
    if (svg_text_width(label) > to - from)
        return;
    svg_text(heat->out, heat->left + (from + to) / 2, y - 3, "m", "middle", "%s", label);
    svg_text_upwards(heat->out, x - 3, heat->top + (from + to) / 2, "m", label);
}

static void draw_brackets(const struct heat *heat)
{
    for (int level = 0; level < heat->plot->grouping_count; level++) {
        const struct plot_grouping *grouping = &heat->plot->grouping[level];
        const double depth = 4 + (heat->plot->grouping_count - 1 - level) * BRACKET;
        for (size_t first = 0, end; first < heat->rows; first = end) {
            const int group = grouping->group_of[first];
            char label[48];
            for (end = first + 1; end < heat->rows && grouping->group_of[end] == group;)
                end++;
            snprintf(label, sizeof(label), "%s %d", grouping->word, group);
            if (group >= 0)
                draw_bracket(heat, first, end, depth, label);
        }
    }
}

/* Whether two cells are spelt the same under the pointer. */
static bool are_equal(const struct plot *plot, const struct plot_cell *a, const struct plot_cell *b)
{
    return a->shade == b->shade && a->flagged == b->flagged &&
           strcmp(plot_number(&plot->value, a->value, SPELT), plot_number(&plot->value, b->value, SPELT)) ==
               0;
}

/* The cell and those that follow in its row and equal it, with one title. Returns how many they are. */
static size_t titled_run(const struct heat *heat, size_t index)
{
    const struct plot *plot = heat->plot;
    const struct plot_cell *cell = &plot->cell[index];
    const size_t row = index / heat->columns, column = index % heat->columns;
    size_t run = 1;
    while (column + run < heat->columns && are_equal(plot, cell, cell + run))
        run++;
    struct text title = {0};
    text_printf(&title, "%s %s, %s %s", plot->y.name, plot->y.label[row].name, plot->x.name,
                plot->x.label[column].name);
    if (run > 1)
        text_printf(&title, " to %s", plot->x.label[column + run - 1].name);
    text_printf(&title, ": %s%s", plot_value(&plot->value, cell->value, SPELT),
                cell->flagged ? ", flagged" : "");
    if (plot->class_count > 0)
        text_printf(&title, ", %s", plot->class[cell->shade].name);
    text_printf(heat->out, "<path d=\"M%zu %zuh%zuv1h-%zuz\"><title>", column, row, run, run);
    svg_escape(heat->out, title.data);
    text_add(heat->out, "</title></path>\n");
    text_free(&title);
    return run;
}

static void titled_cells(const struct heat *heat)
{
    for (int shade = 0; shade < plot_shades(heat->plot); shade++) {
        const size_t before = heat->out->length;
        text_add(heat->out, "<g fill=\"");
        svg_color(heat->out, plot_color(heat->plot, shade));
        text_add(heat->out, "\">\n");
        const size_t begun = heat->out->length;
        for (size_t i = 0, run; i < heat->rows * heat->columns; i += run)
            run = heat->plot->cell[i].shade == shade ? titled_run(heat, i) : 1;
        if (heat->out->length > begun)
            text_add(heat->out, "</g>\n");
        else
            heat->out->length = before;
    }
}

/* The shade of a square of cells: the lowest, so that what is near each other never vanishes. */
static unsigned char block_shade(const struct heat *heat, size_t row, size_t column, size_t block)
{
    unsigned char shade = PLOT_BLANK;
    for (size_t i = row; i < row + block && i < heat->rows; i++) {
        for (size_t j = column; j < column + block && j < heat->columns; j++) {
            const struct plot_cell *cell = plot_at(heat->plot, i, j);
            shade = cell->shade < shade ? cell->shade : shade;
        }
    }
    return shade;
}

/* All squares of one colour as one path of runs; false: longer than the limit. */
static bool merged_cells(const struct heat *heat, size_t block)
{
    struct text *out = heat->out;
    const size_t begun = out->length, columns = (heat->columns + block - 1) / block;
    const size_t count = (heat->rows + block - 1) / block * columns;
    unsigned char *shade_of = memory_zeroed(count, 1);
    for (size_t i = 0; i < count; i++)
        shade_of[i] = block_shade(heat, i / columns * block, i % columns * block, block);
    for (int shade = 0; shade < plot_shades(heat->plot); shade++) {
        const size_t before = out->length;
        text_add(out, "<path fill=\"");
        svg_color(out, plot_color(heat->plot, shade));
        text_add(out, "\" d=\"");
        const size_t path = out->length;
        for (size_t i = 0, run; i < count && out->length - begun <= MARKUP_LIMIT; i += run) {
            for (run = 1; (i + run) % columns && shade_of[i + run] == shade_of[i];)
                run++;
            if (shade_of[i] == shade)
                text_printf(out, "M%zu %zuh%zuv1h-%zuz", i % columns, i / columns, run, run);
        }
        if (out->length > path)
            text_add(out, "\"/>\n");
        else
            out->length = before;
    }
    free(shade_of);
    return out->length - begun <= MARKUP_LIMIT;
}

/* In the smallest squares that keep the markup short; pixels are rarer than cells by then anyway. Returns their
 * side. */
static size_t many_cells(const struct heat *heat)
{
    const size_t begun = heat->out->length;
    for (size_t block = 1;; block *= 2) {
        heat->out->length = begun;
        text_printf(heat->out, "<g transform=\"scale(%zu)\">\n", block);
        if (merged_cells(heat, block)) {
            text_add(heat->out, "</g>\n");
            return block;
        }
    }
}

/* One invisible strip a row, with its extremes. */
static void row_tooltips(const struct heat *heat)
{
    const struct plot *plot = heat->plot;
    for (size_t row = 0; row < heat->rows; row++) {
        double least = NAN, most = NAN;
        for (size_t i = 0; i < heat->columns; i++) {
            least = fmin(least, plot_at(plot, row, i)->value);
            most = fmax(most, plot_at(plot, row, i)->value);
        }
        if (isnan(least))
            continue;
        struct text title = {0};
        text_printf(&title, "%s %s: %s to %s", plot->y.name, plot->y.label[row].name,
                    plot_value(&plot->value, least, SPELT), plot_value(&plot->value, most, SPELT));
        svg_rect(heat->out, 0, (double)row, (double)heat->columns, 1, "w", title.data);
        text_free(&title);
    }
}

static void draw_cells(const struct heat *heat)
{
    text_printf(heat->out,
                "<g shape-rendering=\"crispEdges\" transform=\"translate(%.12g %.12g) scale(%.5f)\">\n",
                svg_round(heat->left), svg_round(heat->top), heat->cell);
    svg_rect(heat->out, 0, 0, (double)heat->columns, (double)heat->rows, "n", NULL);
    size_t block = 1;
    if (heat->rows * heat->columns <= TOOLTIPS) {
        titled_cells(heat);
    } else {
        block = many_cells(heat);
        row_tooltips(heat);
    }
    text_add(heat->out, "</g>\n");
    if (block > 1)
        svg_text(heat->out, heat->left, heat->top + (double)heat->rows * heat->cell + 16, "m", "start",
                 "each square is the lowest of %zu x %zu cells", block, block);
}

static void draw_values(const struct heat *heat)
{
    for (size_t i = 0; i < heat->rows * heat->columns && heat->cell >= CELL_WITH_TEXT; i++) {
        const struct plot_cell *cell = &heat->plot->cell[i];
        const char *value = plot_number(&heat->plot->value, cell->value, SPELT),
                   *mark = cell->flagged ? "!" : "";
        if (cell->shade == PLOT_BLANK || svg_text_width(value) + svg_text_width(mark) > heat->cell)
            continue;
        const bool black = color_wants_black(plot_color(heat->plot, cell->shade));
        svg_text(heat->out, heat->left + ((double)(i % heat->columns) + 0.5) * heat->cell,
                 heat->top + ((double)(i / heat->columns) + 0.5) * heat->cell + 4, black ? "v vb" : "v vw",
                 "middle", "%s%s", value, mark);
    }
}

double svg_heat_map(const struct plot *plot, struct text *out)
{
    struct heat heat = {.plot = plot, .out = out, .rows = plot->y.count, .columns = plot->x.count};
    lay_out(&heat);
    if (plot->series)
        svg_text(out, 0, 14, "t s", "start", "%s = %s", plot->series_name, plot->series);
    draw_axes(&heat);
    draw_brackets(&heat);
    draw_cells(&heat);
    draw_values(&heat);
    const double right = heat.left + (double)heat.columns * heat.cell + BETWEEN;
    const double height = (double)heat.rows * heat.cell;
    const double end = svg_heat_legend(plot, right, heat.top, height, out);
    return fmax(heat.top + height + 28, end + 8);
}
