/* SPDX-License-Identifier: MIT */
/* A matrix of numbers as a heat map: layout, axes and cells. */
#include "heat.h"

#include <math.h>
#include <stdlib.h>

#include "svg_draw.h"

enum {
    SIDE = 600,               /* of the map at most */
    CELL_LARGEST = 72,        /* side of a cell at most */
    CELL_WITH_TEXT = 36,      /* and from where it has room for its value */
    TOOLTIPS = 10000,         /* cells up to which each has its own */
    MARKUP_LIMIT = 360 << 10, /* bytes for the cells of a map without them */
    TITLE = 18,
    BETWEEN = 28, /* of map and legend */
    LEGEND = 230  /* its width */
};

/* Side of the squares of cells that are drawn as one, and steps of colour that are drawn as one. */
struct rounding {
    size_t block;
    int steps;
};

static const char *row_name(const struct heat *heat, size_t row)
{
    return heat_label_name(&heat->y.label[row]);
}

static const char *column_name(const struct heat *heat, size_t column)
{
    return heat_label_name(&heat->x.label[column]);
}

static char *axis_title(const struct heat *heat, int column)
{
    return view_heading(heat->spec, column);
}

static void lay_out(struct heat *heat)
{
    const size_t longest = heat->rows > heat->columns ? heat->rows : heat->columns;
    const int levels = heat_bracket_levels(heat);
    double labels = 0;
    for (size_t row = 0; row < heat->rows; row++)
        labels = fmax(labels, svg_text_width(row_name(heat, row)));
    labels = fmin(labels, SVG_WIDTH / 4);
    heat->left = TITLE + labels + 10 + levels * HEAT_BRACKET;
    heat->cell = fmin((double)SIDE / (double)longest, CELL_LARGEST);
    heat->cell = fmin(heat->cell, (SVG_WIDTH - heat->left - BETWEEN - LEGEND) / (double)heat->columns);
    heat->top = (heat->grid->series ? 2 : 1) * TITLE + 20 + levels * HEAT_BRACKET;
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
    const struct view *view = &heat->spec->view;
    const double depth = heat_bracket_levels(heat) * HEAT_BRACKET;
    double widest = 0;
    for (size_t i = 0; i < heat->columns; i++)
        widest = fmax(widest, svg_text_width(column_name(heat, i)));
    size_t step = label_step(heat->cell, widest + 6);
    for (size_t i = 0; i < heat->columns; i += step)
        svg_text(heat->out, heat->left + ((double)i + 0.5) * heat->cell, heat->top - depth - 6, "m", "middle",
                 column_name(heat, i));
    step = label_step(heat->cell, 14);
    for (size_t i = 0; i < heat->rows; i += step)
        svg_text(heat->out, heat->left - depth - 6, heat->top + ((double)i + 0.5) * heat->cell + 4, "m",
                 "end", row_name(heat, i));
    char *title = axis_title(heat, view->x);
    svg_text(heat->out, heat->left + (double)heat->columns * heat->cell / 2, heat->top - depth - 24, "t",
             "middle", title);
    free(title);
    title = axis_title(heat, view->y);
    svg_text_upwards(heat->out, 12, heat->top + (double)heat->rows * heat->cell / 2, "t", title);
    free(title);
}

static void add_cell_title(const struct heat *heat, size_t row, size_t column)
{
    const struct view *view = &heat->spec->view;
    const size_t index = row * heat->columns + column;
    char *value = picture_value_text(heat->spec, view->value, heat->value[index]);
    struct text title = {0};
    text_printf(&title, "%s %s, %s %s: %s", heat->spec->columns[view->y].title, row_name(heat, row),
                heat->spec->columns[view->x].title, column_name(heat, column), value);
    if (heat->class_count > 0)
        text_printf(&title, ", %s", heat->class[heat->color_of[index]].name);
    text_add(heat->out, "<title>");
    svg_escape(heat->out, title.data);
    text_add(heat->out, "</title>");
    text_free(&title);
    free(value);
}

/* A cell each, with its tooltip. */
static void single_cells(const struct heat *heat)
{
    for (int color = 0; color < heat->colors; color++) {
        text_add(heat->out, "<g fill=\"");
        svg_color(heat->out, heat->color[color]);
        text_add(heat->out, "\">\n");
        for (size_t i = 0; i < heat->rows * heat->columns; i++) {
            if (heat->color_of[i] != color)
                continue;
            const size_t row = i / heat->columns, column = i % heat->columns;
            text_printf(heat->out, "<path d=\"M%zu %zuh1v1h-1z\">", column, row);
            add_cell_title(heat, row, column);
            text_add(heat->out, "</path>\n");
        }
        text_add(heat->out, "</g>\n");
    }
}

/* The colour of a square of cells: that of the middle one of its measured cells. */
static int block_color(const struct heat *heat, size_t row, size_t column, struct rounding rounding)
{
    size_t counts[HEAT_STEPS] = {0}, measured = 0, passed = 0;
    for (size_t i = row; i < row + rounding.block && i < heat->rows; i++) {
        for (size_t j = column; j < column + rounding.block && j < heat->columns; j++) {
            int color = heat->color_of[i * heat->columns + j];
            if (color >= 0) {
                counts[color]++;
                measured++;
            }
        }
    }
    for (int color = 0; color < heat->colors && measured > 0; color++) {
        passed += counts[color];
        if (2 * passed >= measured)
            return color * rounding.steps / heat->colors;
    }
    return -1;
}

/* Where a rounded colour lies among those of the map. */
static struct rgb rounded_color(const struct heat *heat, int color, int steps)
{
    int width = heat->colors / steps;
    return heat->color[color * heat->colors / steps + (width - 1) / 2];
}

/* All squares of one colour as one path of runs; false: longer than the limit. */
static bool merged_cells(const struct heat *heat, struct rounding rounding, struct text *out)
{
    const size_t rows = (heat->rows + rounding.block - 1) / rounding.block;
    const size_t columns = (heat->columns + rounding.block - 1) / rounding.block;
    int *color_of = memory_zeroed(rows * columns, sizeof(*color_of));
    for (size_t i = 0; i < rows * columns; i++)
        color_of[i] = block_color(heat, i / columns * rounding.block, i % columns * rounding.block, rounding);
    for (int color = 0; color < rounding.steps && out->length <= MARKUP_LIMIT; color++) {
        size_t before = out->length;
        text_add(out, "<path fill=\"");
        svg_color(out, rounded_color(heat, color, rounding.steps));
        text_add(out, "\" d=\"");
        size_t begun = out->length;
        for (size_t i = 0, run; i < rows * columns && out->length <= MARKUP_LIMIT; i += run) {
            run = 1;
            if (color_of[i] != color)
                continue;
            while ((i + run) % columns && color_of[i + run] == color)
                run++;
            text_printf(out, "M%zu %zuh%zuv1h-%zuz", i % columns, i / columns, run, run);
        }
        if (out->length == begun)
            out->length = before;
        else
            text_add(out, "\"/>\n");
    }
    free(color_of);
    return out->length <= MARKUP_LIMIT;
}

/* The finest rounding that keeps the markup short; pixels are rarer than cells by then anyway. Returns it. */
static struct rounding many_cells(const struct heat *heat)
{
    struct rounding rounding = {1, heat->colors};
    struct text cells = {0};
    while (!merged_cells(heat, rounding, &cells)) {
        cells.length = 0;
        if (heat->class_count == 0 && rounding.steps > 16)
            rounding.steps /= 2;
        else
            rounding.block *= 2;
    }
    text_printf(heat->out, "<g transform=\"scale(%zu)\">\n", rounding.block);
    text_add_bytes(heat->out, cells.data, cells.length);
    text_add(heat->out, "</g>\n");
    text_free(&cells);
    return rounding;
}

/* One invisible strip a row, which tells its extremes. */
static void row_tooltips(const struct heat *heat)
{
    const struct view *view = &heat->spec->view;
    for (size_t row = 0; row < heat->rows; row++) {
        double least = NAN, most = NAN;
        for (size_t i = row * heat->columns; i < (row + 1) * heat->columns; i++) {
            least = fmin(least, heat->value[i]);
            most = fmax(most, heat->value[i]);
        }
        if (isnan(least))
            continue;
        char *low = picture_value_text(heat->spec, view->value, least);
        char *high = picture_value_text(heat->spec, view->value, most);
        struct text title = {0};
        text_printf(&title, "%s %s: %s to %s", heat->spec->columns[view->y].title, row_name(heat, row), low,
                    high);
        svg_rect(heat->out, 0, (double)row, (double)heat->columns, 1, "w", title.data);
        text_free(&title);
        free(low);
        free(high);
    }
}

static void tell_rounding(const struct heat *heat, struct rounding rounding)
{
    struct text note = {0};
    if (rounding.block > 1)
        text_printf(&note, "each square is the middle one of %zu x %zu cells", rounding.block,
                    rounding.block);
    if (rounding.steps < heat->colors)
        text_printf(&note, "%scolours rounded to %d steps", note.data ? ", " : "", rounding.steps);
    if (note.data)
        svg_text(heat->out, heat->left, heat->top + (double)heat->rows * heat->cell + 16, "m", "start",
                 note.data);
    text_free(&note);
}

void heat_cells(const struct heat *heat)
{
    struct rounding rounding = {1, heat->colors};
    const bool few = heat->rows * heat->columns <= TOOLTIPS;
    text_add(heat->out, "<g shape-rendering=\"crispEdges\" transform=\"translate(");
    svg_number(heat->out, heat->left);
    text_add(heat->out, " ");
    svg_number(heat->out, heat->top);
    text_printf(heat->out, ") scale(%.5f)\">\n", heat->cell);
    svg_rect(heat->out, 0, 0, (double)heat->columns, (double)heat->rows, "n", NULL);
    if (few) {
        single_cells(heat);
    } else {
        rounding = many_cells(heat);
        row_tooltips(heat);
    }
    text_add(heat->out, "</g>\n");
    tell_rounding(heat, rounding);
}

static void draw_values(const struct heat *heat)
{
    for (size_t i = 0; i < heat->rows * heat->columns && heat->cell >= CELL_WITH_TEXT; i++) {
        if (heat->color_of[i] < 0)
            continue;
        const struct grid_cell *cell = heat_cell(heat, i);
        const char *text = cell ? cell->text : "";
        if (svg_text_width(text) > heat->cell)
            continue;
        text_add(heat->out, "<text pointer-events=\"none\" class=\"v\" text-anchor=\"middle\" style=\"fill:");
        text_add(heat->out, color_wants_black(heat->color[heat->color_of[i]]) ? "#000" : "#fff");
        text_add(heat->out, "\" x=\"");
        svg_number(heat->out, heat->left + ((double)(i % heat->columns) + 0.5) * heat->cell);
        text_add(heat->out, "\" y=\"");
        svg_number(heat->out, heat->top + ((double)(i / heat->columns) + 0.5) * heat->cell + 4);
        text_add(heat->out, "\">");
        svg_escape(heat->out, text);
        text_add(heat->out, "</text>\n");
    }
}

bool picture_heat(const struct record *record, const struct record_table *table, const struct grid *grid,
                  struct picture *picture)
{
    struct heat heat = {
        .record = record, .table = table, .spec = table->spec, .grid = grid, .out = &picture->svg};
    heat_read(&heat);
    if (heat.measured > 0) {
        lay_out(&heat);
        if (grid->series)
            svg_text(heat.out, 0, 14, "t s", "start", grid->series);
        draw_axes(&heat);
        heat_brackets(&heat);
        heat_cells(&heat);
        draw_values(&heat);
        double right = heat.left + (double)heat.columns * heat.cell + BETWEEN;
        double below = heat.top + (double)heat.rows * heat.cell + 28;
        double end = heat_legend(&heat, right, heat.top);
        picture->height = fmax(below, end + 8);
    }
    heat_clear(&heat);
    return heat.measured > 0;
}
