/* SPDX-License-Identifier: MIT */
/* A heat map: its layout, axes, brackets and cells. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "elements.h"

enum {
    SIDE = 600,          /* of the map at most */
    CELL_LARGEST = 72,   /* side of a cell at most */
    CELL_WITH_TEXT = 36, /* and from where it has room for its value */
    RUNS_TITLED = 4096,  /* runs of cells up to which each has a title */
    RUNS_MOST = 16384,   /* and up to which none are drawn together */
    TITLE = 18,
    BRACKET = 18, /* depth of one level */
    BRACKET_LEAST = 4,
    BETWEEN = 28,       /* of map and legend */
    LEGEND = SVG_LEGEND /* its width */
};

/* A page on a telephone shows a large map with larger labels, for which there is room; those of class "i" stay. */
static const double LARGER = 1.7;

struct heat {
    const struct plot *plot;
    struct text *out;
    size_t rows, columns;
    int levels;                    /* of brackets, from the outside, as far as they can be seen */
    double left, top, cell, depth; /* the map's corner, the side of its cells, room for all brackets */
    double larger;                 /* labels than drawn */
};

static double widest(const struct plot_axis *axis)
{
    double width = 0;
    for (size_t i = 0; i < axis->count; i++)
        width = fmax(width, svg_text_width(axis->label[i].name));
    return width;
}

static bool is_visible(const struct heat *heat, const struct plot_grouping *grouping)
{
    size_t groups = 1;
    for (size_t i = 1; i < heat->rows; i++)
        groups += grouping->group_of[i] != grouping->group_of[i - 1];
    return SIDE / groups >= BRACKET_LEAST;
}

static void lay_out(struct heat *heat)
{
    const size_t longest = heat->rows > heat->columns ? heat->rows : heat->columns;
    while (heat->levels < heat->plot->grouping_count && is_visible(heat, &heat->plot->grouping[heat->levels]))
        heat->levels++;
    heat->depth = heat->levels * BRACKET;
    heat->larger = longest * CELL_LARGEST < SIDE ? 1 : LARGER;
    heat->left = TITLE + fmin(heat->larger * widest(&heat->plot->y), SVG_WIDTH / 4) + 14 + heat->depth;
    heat->top = (heat->plot->series ? 2 : 1) * TITLE + 24 + heat->depth;
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
    size_t step = label_step(heat->cell, heat->larger * widest(&plot->x) + 6);
    for (size_t i = 0; i < heat->columns; i += step)
        svg_text(heat->out, heat->left + ((double)i + 0.5) * heat->cell, above - 6, "m", "middle", "%s",
                 plot->x.label[i].name);
    step = label_step(heat->cell, heat->larger * 10);
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
    svg_text(heat->out, heat->left + (from + to) / 2, y - 3, "m i", "middle", "%s", label);
    svg_text_upwards(heat->out, x - 3, heat->top + (from + to) / 2, "m i", label);
}

static void draw_brackets(const struct heat *heat)
{
    for (int level = 0; level < heat->levels; level++) {
        const struct plot_grouping *grouping = &heat->plot->grouping[level];
        const double depth = 4 + (heat->levels - 1 - level) * BRACKET;
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

/* What is drawn as one: a cell, or a square of them, which shows its lowest, so that what is near each other never
 * vanishes. */
struct square {
    unsigned char shade;
    bool flagged;
    double least, most;
};

struct squares {
    size_t block, rows, columns; /* cells a side; squares */
    bool exact;                  /* only equal values are one run */
    struct square *of;           /* row by row */
};

static struct square square_at(const struct heat *heat, size_t row, size_t column, size_t block)
{
    struct square square = {.shade = PLOT_BLANK, .least = NAN, .most = NAN};
    for (size_t i = row; i < row + block && i < heat->rows; i++) {
        for (size_t j = column; j < column + block && j < heat->columns; j++) {
            const struct plot_cell *cell = plot_at(heat->plot, i, j);
            square.shade = cell->shade < square.shade ? cell->shade : square.shade;
            square.flagged |= cell->flagged;
            square.least = fmin(square.least, cell->value);
            square.most = fmax(square.most, cell->value);
        }
    }
    return square;
}

static struct squares squares_of(const struct heat *heat, size_t block)
{
    struct squares squares = {.block = block,
                              .rows = (heat->rows + block - 1) / block,
                              .columns = (heat->columns + block - 1) / block,
                              .exact = heat->plot->class_count == 0 && !heat->plot->aside &&
                                       heat->rows * heat->columns <= RUNS_TITLED};
    squares.of = memory_zeroed(squares.rows * squares.columns, sizeof(*squares.of));
    for (size_t i = 0; i < squares.rows * squares.columns; i++)
        squares.of[i] = square_at(heat, i / squares.columns * block, i % squares.columns * block, block);
    return squares;
}

/* The squares from one on that follow each other in its row and look alike. */
static size_t run_length(const struct squares *squares, size_t index)
{
    const struct square *from = &squares->of[index];
    size_t run = 1;
    while ((index + run) % squares->columns && from[run].shade == from->shade &&
           from[run].flagged == from->flagged && (!squares->exact || from[run].most == from->most))
        run++;
    return run;
}

static size_t count_runs(const struct squares *squares)
{
    size_t count = 0;
    for (size_t i = 0; i < squares->rows * squares->columns; i += run_length(squares, i))
        count += squares->of[i].shade != PLOT_BLANK;
    return count;
}

/* "CPU 0 to 3" */
static void add_range(const struct plot_axis *axis, size_t first, size_t end, struct text *title)
{
    const size_t last = (end < axis->count ? end : axis->count) - 1;
    text_printf(title, "%s %s", axis->name, axis->label[first].name);
    if (last > first)
        text_printf(title, " to %s", axis->label[last].name);
}

static void add_title(const struct heat *heat, const struct squares *squares, size_t index, size_t run)
{
    const struct plot *plot = heat->plot;
    const size_t row = index / squares->columns * squares->block;
    const size_t column = index % squares->columns * squares->block;
    const struct square *from = &squares->of[index];
    double least = from->least, most = from->most;
    for (size_t i = 1; i < run; i++) {
        least = fmin(least, from[i].least);
        most = fmax(most, from[i].most);
    }
    struct text title = {0};
    add_range(&plot->y, row, row + squares->block, &title);
    text_add(&title, ", ");
    add_range(&plot->x, column, column + run * squares->block, &title);
    const char *low = plot_number(&plot->value, least, SPELT), *high = plot_value(&plot->value, most, SPELT);
    if (strcmp(low, plot_number(&plot->value, most, SPELT)) != 0)
        text_printf(&title, ": %s to %s", low, high);
    else
        text_printf(&title, ": %s", high);
    if (plot->class_count > 0)
        text_printf(&title, ", %s", plot->class[from->shade].name);
    text_add(&title, from->flagged ? ", flagged" : "");
    text_add(heat->out, "<title>");
    svg_escape(heat->out, title.data);
    text_add(heat->out, "</title>");
    text_free(&title);
}

/* All runs of one shade, each an element with a title of its own, or together one element. */
static void draw_shade(const struct heat *heat, const struct squares *squares, int shade, bool titled)
{
    struct text *out = heat->out;
    const size_t before = out->length;
    text_add(out, titled ? "<g fill=\"" : "<path fill=\"");
    svg_color(out, plot_color(heat->plot, shade));
    text_add(out, titled ? "\">\n" : "\" d=\"");
    const size_t begun = out->length;
    for (size_t i = 0, run; i < squares->rows * squares->columns; i += run) {
        run = run_length(squares, i);
        if (squares->of[i].shade != shade)
            continue;
        text_add(out, titled ? "<path d=\"" : "");
        text_printf(out, "M%zu %zuh%zuv1h-%zu", i % squares->columns, i / squares->columns, run, run);
        text_add(out, titled ? "\">" : "");
        if (titled)
            add_title(heat, squares, i, run);
        text_add(out, titled ? "</path>\n" : "");
    }
    if (out->length > begun)
        text_add(out, titled ? "</g>\n" : "\"/>\n");
    else
        out->length = before;
}

/* A corner of each square with a flag, where no text can have a sign. */
static void draw_flags(const struct heat *heat, const struct squares *squares)
{
    const char *before = "<path class=\"q\" d=\"";
    for (size_t i = 0; heat->cell < CELL_WITH_TEXT && i < squares->rows * squares->columns; i++) {
        if (!squares->of[i].flagged || squares->of[i].shade == PLOT_BLANK)
            continue;
        text_printf(heat->out, "%sM%zu %zuv.4l-.4-.4z", before, i % squares->columns + 1,
                    i / squares->columns);
        before = "";
    }
    text_add(heat->out, *before ? "" : "\"/>\n");
}

/* In the smallest squares that keep the markup short; pixels are rarer than cells by then anyway. */
static void draw_cells(const struct heat *heat)
{
    struct squares squares = squares_of(heat, 1);
    while (count_runs(&squares) > RUNS_MOST) {
        const size_t block = 2 * squares.block;
        free(squares.of);
        squares = squares_of(heat, block);
    }
    text_printf(heat->out,
                "<g shape-rendering=\"crispEdges\" transform=\"translate(%.12g %.12g) scale(%.5f)\">\n",
                svg_round(heat->left), svg_round(heat->top), heat->cell * (double)squares.block);
    svg_rect(heat->out, 0, 0, (double)heat->columns / (double)squares.block,
             (double)heat->rows / (double)squares.block, "n", NULL);
    const bool titled = count_runs(&squares) <= RUNS_TITLED;
    for (int shade = 0; shade < plot_shades(heat->plot); shade++)
        draw_shade(heat, &squares, shade, titled);
    draw_flags(heat, &squares);
    text_add(heat->out, "</g>\n");
    free(squares.of);
    if (squares.block > 1)
        svg_text(heat->out, heat->left, heat->top + (double)heat->rows * heat->cell + 16, "m", "start",
                 "each square is the lowest of %zu x %zu cells", squares.block, squares.block);
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
        const bool room = heat->larger * (svg_text_width(value) + svg_text_width(mark)) <= heat->cell;
        svg_text(heat->out, heat->left + ((double)(i % heat->columns) + 0.5) * heat->cell,
                 heat->top + ((double)(i / heat->columns) + 0.5) * heat->cell + 4,
                 room    ? black ? "v vb" : "v vw"
                 : black ? "v vb i"
                         : "v vw i",
                 "middle", "%s%s", value, mark);
    }
}

struct svg_map svg_heat_cells(const struct plot *plot, struct text *out)
{
    struct heat heat = {.plot = plot, .out = out, .rows = plot->y.count, .columns = plot->x.count};
    lay_out(&heat);
    if (plot->series)
        svg_text(out, 0, 14, "t s", "start", "%s = %s", plot->series_name, plot->series);
    draw_axes(&heat);
    draw_brackets(&heat);
    draw_cells(&heat);
    draw_values(&heat);
    return (struct svg_map){.right = heat.left + (double)heat.columns * heat.cell,
                            .top = heat.top,
                            .large = heat.larger > 1,
                            .bottom = heat.top + (double)heat.rows * heat.cell};
}

double svg_heat_map(const struct plot *plot, struct text *out)
{
    const struct svg_map map = svg_heat_cells(plot, out);
    const double end = svg_heat_legend(plot, map.right + BETWEEN, map.top, out);
    return fmax(map.bottom + 28, end + 8);
}
