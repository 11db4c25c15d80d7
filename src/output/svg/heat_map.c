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
        svg_text(heat->out, heat->left + ((double)i + 0.5) * heat->cell, above - 6, "m", "middle",
                 plot->x.label[i].name);
    step = label_step(heat->cell, 14);
    for (size_t i = 0; i < heat->rows; i += step)
        svg_text(heat->out, before - 6, heat->top + ((double)i + 0.5) * heat->cell + 4, "m", "end",
                 plot->y.label[i].name);
    char *x = plot_title(&plot->x), *y = plot_title(&plot->y);
    svg_text(heat->out, heat->left + (double)heat->columns * heat->cell / 2, above - 24, "t", "middle", x);
    svg_text_upwards(heat->out, 12, heat->top + (double)heat->rows * heat->cell / 2, "t", y);
    free(x);
    free(y);
}

/* A bracket from cell `first` up to cell `end` on both axes, `depth` away from the map. */
static void draw_bracket(const struct heat *heat, size_t first, size_t end, double depth, const char *label)
{
    const double inset = heat->cell > 6 ? 1.5 : heat->cell / 6;
    const double from = (double)first * heat->cell + inset, to = (double)end * heat->cell - inset;
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

/* What a cell is under the pointer: cells in a row that are the same have one title. */
static char *cell_words(const struct plot *plot, size_t index)
{
    const struct plot_cell *cell = &plot->cell[index];
    struct text words = {0};
    char *value = plot_value(&plot->value, cell->value);
    text_printf(&words, "%s%s", value, cell->flagged ? ", flagged" : "");
    if (plot->class_count > 0)
        text_printf(&words, ", %s", plot->class[cell->shade].name);
    free(value);
    return text_take(&words);
}

static size_t equal_cells(const struct plot *plot, size_t first, const char *words)
{
    size_t count = 1;
    bool equal = true;
    for (; equal && (first + count) % plot->x.count; count += equal) {
        equal = plot->cell[first + count].shade == plot->cell[first].shade;
        char *next = equal ? cell_words(plot, first + count) : NULL;
        equal = equal && strcmp(next, words) == 0;
        free(next);
    }
    return count;
}

static size_t titled_run(const struct heat *heat, size_t index)
{
    const struct plot *plot = heat->plot;
    const size_t row = index / heat->columns, column = index % heat->columns;
    char *words = cell_words(plot, index);
    const size_t run = equal_cells(plot, index, words);
    struct text title = {0};
    text_printf(&title, "%s %s, %s %s", plot->y.name, plot->y.label[row].name, plot->x.name,
                plot->x.label[column].name);
    if (run > 1)
        text_printf(&title, " to %s", plot->x.label[column + run - 1].name);
    text_printf(&title, ": %s", words);
    text_printf(heat->out, "<path d=\"M%zu %zuh%zuv1h-%zuz\"><title>", column, row, run, run);
    svg_escape(heat->out, title.data);
    text_add(heat->out, "</title></path>\n");
    text_free(&title);
    free(words);
    return run;
}

static void titled_cells(const struct heat *heat)
{
    for (int shade = 0; shade < plot_shades(heat->plot); shade++) {
        text_add(heat->out, "<g fill=\"");
        svg_color(heat->out, plot_color(heat->plot, shade));
        text_add(heat->out, "\">\n");
        for (size_t i = 0, run; i < heat->rows * heat->columns; i += run)
            run = heat->plot->cell[i].shade == shade ? titled_run(heat, i) : 1;
        text_add(heat->out, "</g>\n");
    }
}

/* The shade of a square of cells: that of the middle one of its shaded cells. */
static int block_shade(const struct heat *heat, size_t row, size_t column, size_t block)
{
    size_t counts[PLOT_STEPS] = {0}, shaded = 0, passed = 0;
    for (size_t i = row; i < row + block && i < heat->rows; i++) {
        for (size_t j = column; j < column + block && j < heat->columns; j++) {
            const int shade = plot_at(heat->plot, i, j)->shade;
            counts[shade % PLOT_STEPS] += shade != PLOT_BLANK;
            shaded += shade != PLOT_BLANK;
        }
    }
    for (int shade = 0; shade < PLOT_STEPS && shaded > 0; shade++) {
        passed += counts[shade];
        if (2 * passed >= shaded)
            return shade;
    }
    return PLOT_BLANK;
}

/* All squares of one colour as one path of runs; false: longer than the limit. */
static bool merged_cells(const struct heat *heat, size_t block)
{
    struct text *out = heat->out;
    const size_t begun = out->length, columns = (heat->columns + block - 1) / block;
    const size_t count = (heat->rows + block - 1) / block * columns;
    unsigned char *shade_of = memory_zeroed(count, 1);
    for (size_t i = 0; i < count; i++)
        shade_of[i] = (unsigned char)block_shade(heat, i / columns * block, i % columns * block, block);
    for (int shade = 0; shade < plot_shades(heat->plot); shade++) {
        text_add(out, "<path fill=\"");
        svg_color(out, plot_color(heat->plot, shade));
        text_add(out, "\" d=\"");
        for (size_t i = 0, run; i < count && out->length - begun <= MARKUP_LIMIT; i += run) {
            for (run = 1; (i + run) % columns && shade_of[i + run] == shade_of[i];)
                run++;
            if (shade_of[i] == shade)
                text_printf(out, "M%zu %zuh%zuv1h-%zuz", i % columns, i / columns, run, run);
        }
        text_add(out, "\"/>\n");
    }
    free(shade_of);
    return out->length - begun <= MARKUP_LIMIT;
}

/* The smallest squares that keep the markup short; pixels are rarer than cells by then anyway. */
static void many_cells(const struct heat *heat)
{
    const size_t begun = heat->out->length;
    size_t block = 1;
    text_printf(heat->out, "<g transform=\"scale(%zu)\">\n", block);
    while (!merged_cells(heat, block)) {
        block *= 2;
        heat->out->length = begun;
        text_printf(heat->out, "<g transform=\"scale(%zu)\">\n", block);
    }
    text_add(heat->out, "</g>\n");
    if (block == 1)
        return;
    struct text note = {0};
    text_printf(&note, "each square is the middle one of %zu x %zu cells", block, block);
    text_printf(heat->out, "<g transform=\"scale(%.5f)\">", 1 / heat->cell);
    svg_text(heat->out, 0, (double)heat->rows * heat->cell + 16, "m", "start", note.data);
    text_add(heat->out, "</g>\n");
    text_free(&note);
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
        char *low = plot_value(&plot->value, least), *high = plot_value(&plot->value, most);
        struct text title = {0};
        text_printf(&title, "%s %s: %s to %s", plot->y.name, plot->y.label[row].name, low, high);
        svg_rect(heat->out, 0, (double)row, (double)heat->columns, 1, "w", title.data);
        text_free(&title);
        free(low);
        free(high);
    }
}

static void draw_cells(const struct heat *heat)
{
    text_add(heat->out, "<g shape-rendering=\"crispEdges\" transform=\"translate(");
    svg_point(heat->out, "", heat->left, heat->top);
    text_printf(heat->out, ") scale(%.5f)\">\n", heat->cell);
    svg_rect(heat->out, 0, 0, (double)heat->columns, (double)heat->rows, "n", NULL);
    if (heat->rows * heat->columns <= TOOLTIPS) {
        titled_cells(heat);
    } else {
        many_cells(heat);
        row_tooltips(heat);
    }
    text_add(heat->out, "</g>\n");
}

static void draw_values(const struct heat *heat)
{
    for (size_t i = 0; i < heat->rows * heat->columns && heat->cell >= CELL_WITH_TEXT; i++) {
        const struct plot_cell *cell = &heat->plot->cell[i];
        if (cell->shade == PLOT_BLANK)
            continue;
        char *value = plot_number(&heat->plot->value, cell->value);
        if (svg_text_width(value) + (cell->flagged ? SVG_CHARACTER : 0) <= heat->cell) {
            const bool black = color_wants_black(plot_color(heat->plot, cell->shade));
            text_printf(heat->out,
                        "<text pointer-events=\"none\" class=\"v\" text-anchor=\"middle\" style=\"fill:%s\"",
                        black ? "#000" : "#fff");
            text_add(heat->out, " x=\"");
            svg_number(heat->out, heat->left + ((double)(i % heat->columns) + 0.5) * heat->cell);
            text_add(heat->out, "\" y=\"");
            svg_number(heat->out, heat->top + ((double)(i / heat->columns) + 0.5) * heat->cell + 4);
            text_printf(heat->out, "\">%s%s</text>\n", value, cell->flagged ? "!" : "");
        }
        free(value);
    }
}

double svg_heat_map(const struct plot *plot, struct text *out)
{
    struct heat heat = {.plot = plot, .out = out, .rows = plot->y.count, .columns = plot->x.count};
    lay_out(&heat);
    if (plot->series) {
        struct text series = {0};
        text_printf(&series, "%s = %s", plot->series_name, plot->series);
        svg_text(out, 0, 14, "t s", "start", series.data);
        text_free(&series);
    }
    draw_axes(&heat);
    draw_brackets(&heat);
    draw_cells(&heat);
    draw_values(&heat);
    const double right = heat.left + (double)heat.columns * heat.cell + BETWEEN;
    const double height = (double)heat.rows * heat.cell;
    const double end = svg_heat_legend(plot, right, heat.top, height, out);
    return fmax(heat.top + height + 28, end + 8);
}
