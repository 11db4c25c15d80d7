/* SPDX-License-Identifier: MIT */
/* Draws a heat map: a panel with axes, brackets and cells, and one that explains the colours. */
#include <math.h>
#include <string.h>

#include "elements.h"
#include "output/scratch.h"
#include "svg.h"

enum {
    CELL_LARGEST = 60,   /* greatest side of a cell */
    CELL_WITH_TEXT = 36, /* least side of a cell that shows its value */
    RUNS_TITLED = 4096,  /* most runs of cells that get a title each */
    TITLE = 18,
    BRACKET = 20, /* depth of one level */
    BRACKET_LEAST = 4,
    SWATCH = 14,
    CLASS_ROW = 38
};

struct heat {
    const struct plot *plot;
    struct text *out;
    size_t rows, columns;
    int levels;                    /* of brackets that are large enough to be seen, outermost first */
    double left, top, cell, depth; /* the map's corner, the side of its cells, the depth of all brackets */
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
    while (heat->levels < heat->plot->grouping_count &&
           PANEL_WIDTH / heat->plot->grouping[heat->levels].brackets >= BRACKET_LEAST)
        heat->levels++;
    heat->depth = heat->levels * BRACKET;
    heat->left = TITLE + fmin(widest(&heat->plot->y), PANEL_WIDTH / 4.0) + 12 + heat->depth;
    heat->top = 2 * TITLE + 24 + heat->depth;
    heat->cell = fmin((PANEL_WIDTH - heat->left - 2) / (double)longest, CELL_LARGEST);
}

/* How far apart labels are that have room, in cells: a power of two. */
static size_t label_step(double cell, double needed)
{
    size_t step = 1;
    while ((double)step * cell < needed)
        step *= 2;
    return step;
}

/* The middle of a cell, or of so many. */
static double middle_x(const struct heat *heat, size_t first, size_t count)
{
    return heat->left + ((double)first + (double)count / 2) * heat->cell;
}

static double middle_y(const struct heat *heat, size_t first, size_t count)
{
    return heat->top + ((double)first + (double)count / 2) * heat->cell;
}

static void draw_axes(const struct heat *heat)
{
    const struct plot *plot = heat->plot;
    const double above = heat->top - heat->depth, before = heat->left - heat->depth;
    size_t step = label_step(heat->cell, widest(&plot->x) + 6);
    for (size_t i = 0; i < heat->columns; i += step)
        svg_text(heat->out, middle_x(heat, i, 1), above - 6, "m", "middle", "%s", plot->x.label[i].name);
    step = label_step(heat->cell, 12);
    for (size_t i = 0; i < heat->rows; i += step)
        svg_text(heat->out, before - 6, middle_y(heat, i, 1) + 4, "m", "end", "%s", plot->y.label[i].name);
    svg_text(heat->out, middle_x(heat, 0, heat->columns), above - 24, "t", "middle", "%s", plot->x.title);
    svg_text_upwards(heat->out, 12, middle_y(heat, 0, heat->rows), "t", plot->y.title);
    if (plot->series)
        svg_text(heat->out, 0, 14, "t s", "start", "%s", plot->series);
}

/* Draws a bracket from cell `first` up to cell `end` on both axes, `depth` away from the map. */
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
    svg_text_upwards(heat->out, x - 4, heat->top + (from + to) / 2, "m", label);
}

static void draw_brackets(const struct heat *heat)
{
    for (int level = 0; level < heat->levels; level++) {
        const struct plot_grouping *grouping = &heat->plot->grouping[level];
        const double depth = 4 + (heat->levels - 1 - level) * BRACKET;
        for (size_t first = 0, end; first < heat->rows; first = end) {
            const int group = grouping->group_of[first];
            for (end = first + 1; end < heat->rows && grouping->group_of[end] == group;)
                end++;
            if (group >= 0)
                draw_bracket(heat, first, end, depth, plot_group_name(heat->plot, grouping, group));
        }
    }
}

/* How many cells of a row, from this one on, look the same: they are drawn as one. */
static size_t run_at(const struct heat *heat, size_t first)
{
    const struct plot_cell *own = &heat->plot->cell[first], *cell = own + 1;
    const struct plot_cell *end = own + heat->columns - first % heat->columns;
    while (cell < end && cell->class == own->class && cell->step == own->step &&
           cell->flagged == own->flagged)
        cell++;
    return (size_t)(cell - own);
}

static void add_title(const struct plot *plot, size_t first, size_t length, struct text *out)
{
    const struct plot_cell *cell = &plot->cell[first];
    const char *column = plot->x.label[first % plot->x.count].name, *value;
    double least = cell->value, most = cell->value;
    for (size_t i = 1; i < length; i++) {
        least = fmin(least, cell[i].value);
        most = fmax(most, cell[i].value);
    }
    value = plot_number(&plot->value, least);
    value = strcmp(value, plot_number(&plot->value, most)) == 0 ? "" : spell("%s to ", value);
    if (length > 1)
        column = spell("%s to %s", column, plot->x.label[first % plot->x.count + length - 1].name);
    text_add(out, "<title>");
    svg_escape(out, spell("%s %s, %s %s: %s%s, %s%s", plot->y.name, plot->y.label[first / plot->x.count].name,
                          plot->x.name, column, value, plot_value(&plot->value, most),
                          plot->class[cell->class].name, cell->flagged ? ", flagged" : ""));
    text_add(out, "</title>");
}

/* Draws the cells of a colour: each run with a title, or all as one path. */
static void draw_color(const struct heat *heat, int class, int step, bool titled)
{
    const struct rgb color = plot_color(heat->plot, class, step);
    struct text *out = heat->out;
    bool any = false;
    for (size_t i = 0, length; i < heat->rows * heat->columns; i += length) {
        const struct plot_cell *cell = &heat->plot->cell[i];
        length = run_at(heat, i);
        if (cell->class != class || cell->step != step)
            continue;
        if (!any)
            text_printf(out, "<%s fill=\"#%02x%02x%02x\"%s", titled ? "g" : "path", color.red, color.green,
                        color.blue, titled ? ">\n" : " d=\"");
        any = true;
        text_printf(out, "%sM%zu %zuh%zuv1h-%zu", titled ? "<path d=\"" : "", i % heat->columns,
                    i / heat->columns, length, length);
        if (titled) {
            text_add(out, "\">");
            add_title(heat->plot, i, length, out);
            text_add(out, "</path>\n");
        }
    }
    text_add(out, !any ? "" : titled ? "</g>\n" : "\"/>\n");
}

/* Draws cells without a class as background, and a corner of each flagged one where there is no room for a
 * sign. */
static void draw_cells(const struct heat *heat)
{
    const struct plot *plot = heat->plot;
    const size_t cells = heat->rows * heat->columns;
    size_t runs = 0;
    for (size_t i = 0; i < cells; i += run_at(heat, i))
        runs += plot->cell[i].class != PLOT_BLANK;
    text_printf(heat->out,
                "<g shape-rendering=\"crispEdges\" transform=\"translate(%.5g %.5g) scale(%.5f)\">\n",
                heat->left, heat->top, heat->cell);
    const bool is_triangle = plot->of_cpus && !plot->both_ways;
    for (size_t row = 1; is_triangle && row < heat->rows; row++)
        svg_rect(heat->out, 0, (double)row, (double)row, 1, "n", NULL);
    if (!is_triangle)
        svg_rect(heat->out, 0, 0, (double)heat->columns, (double)heat->rows, "n", NULL);
    for (int class = 0; class < (int)plot->class_count; class ++)
        for (int step = -PLOT_STEPS; step <= PLOT_STEPS; step++)
            draw_color(heat, class, step, runs <= RUNS_TITLED);
    for (size_t i = 0; i < cells && heat->cell < CELL_WITH_TEXT; i++)
        if (plot->cell[i].flagged && plot->cell[i].class != PLOT_BLANK)
            text_printf(heat->out, "<path class=\"q\" d=\"M%zu %zuv.4l-.4-.4z\"/>\n", i % heat->columns + 1,
                        i / heat->columns);
    text_add(heat->out, "</g>\n");
}

static void draw_values(const struct heat *heat)
{
    for (size_t i = 0; i < heat->rows * heat->columns && heat->cell >= CELL_WITH_TEXT; i++) {
        const struct plot_cell *cell = &heat->plot->cell[i];
        const char *value = plot_number(&heat->plot->value, cell->value), *mark = cell->flagged ? "!" : "";
        if (cell->class == PLOT_BLANK || svg_text_width(value) + svg_text_width(mark) > heat->cell)
            continue;
        const bool black = color_wants_black(plot_color(heat->plot, cell->class, cell->step));
        svg_text(heat->out, middle_x(heat, i % heat->columns, 1), middle_y(heat, i / heat->columns, 1) + 4,
                 black ? "v vb" : "v vw", "middle", "%s%s", value, mark);
    }
}

/* Whether there may be a value: not of a CPU with itself, and of a pair that has one number below the
 * diagonal only. */
static bool may_have_value(const struct plot *plot, size_t row, size_t column)
{
    return !plot->of_cpus || row > column || (plot->both_ways && row < column);
}

/* Counts missing pairs. */
static double draw_legend(const struct plot *plot, struct text *out)
{
    size_t missing = 0, all = 0;
    double y = 30;
    for (size_t i = 0; i < plot->y.count * plot->x.count; i++)
        missing +=
            plot->cell[i].class == PLOT_BLANK && may_have_value(plot, i / plot->x.count, i % plot->x.count);
    svg_text(out, 0, 14, "t s", "start", "%s",
             plot->table->spec->view.aside ? plot->series : plot->value.title);
    for (size_t i = 0; i < plot->class_count; i++)
        all += plot->class[i].cells;
    for (size_t i = 0; i < plot->class_count; i++, y += CLASS_ROW) {
        const struct plot_class *class = &plot->class[i];
        const double percent = 100 * (double)class->cells / (double)all;
        text_printf(out, "<path d=\"M0 %.5gh%dv%dh-%dz\" class=\"g\" style=\"fill:#%02x%02x%02x\"/>\n", y,
                    SWATCH, SWATCH, SWATCH, class->color.red, class->color.green, class->color.blue);
        svg_text(out, SWATCH + 8, y + 11, "t", "start", "%s", class->name);
        svg_text(out, SWATCH + 8, y + 26, "m", "start", "%s, %zu %s%s, %.*f %%",
                 plot_number(&plot->value, class->median), class->cells, plot->of_cpus ? "pair" : "cell",
                 class->cells == 1 ? "" : "s", percent < 0.1 ? 2 : 1, percent);
    }
    if (missing > 0) {
        svg_rect(out, 0, y, SWATCH, SWATCH, "n", NULL);
        svg_text(out, SWATCH + 8, y + 11, "m", "start", "not measured: %zu cell%s", missing,
                 missing == 1 ? "" : "s");
        y += CLASS_ROW;
    }
    return y + svg_paragraph(out, 0, y, PANEL_LEGEND, "t", plot->outliers ? plot->outliers : "");
}

void svg_heat_map(const struct plot *plot, struct picture *picture)
{
    struct panel *map = picture_panel(picture, plot->value.title, PANEL_WIDTH);
    struct heat heat = {.plot = plot, .out = &map->body, .rows = plot->y.count, .columns = plot->x.count};
    lay_out(&heat);
    map->height = heat.top + (double)heat.rows * heat.cell + 20;
    draw_axes(&heat);
    draw_brackets(&heat);
    draw_cells(&heat);
    draw_values(&heat);
    struct panel *legend = picture_panel(picture, "colours", PANEL_LEGEND);
    legend->height = draw_legend(plot, &legend->body);
}
