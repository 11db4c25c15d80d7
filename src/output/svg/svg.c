/* SPDX-License-Identifier: MIT */
/* Writes panels as figures of a page, and all panels of a record as one drawing. */
#include "svg.h"

#include <math.h>

#include "elements.h"
#include "output/format.h"
#include "output/page.h"
#include "output/scratch.h"
#include "result/subject.h"

enum { MARGIN = 20, BETWEEN = 16, DRAWING_WIDTH = 2 * PANEL_WIDTH + BETWEEN };

struct panel *picture_panel(struct picture *picture, const char *name, double width)
{
    picture->panel = scratch_more(picture->panel, picture->count, sizeof(*picture->panel));
    struct panel *panel = &picture->panel[picture->count++];
    *panel = (struct panel){.name = name, .width = width};
    return panel;
}

void svg_figure(struct picture *picture, const char *class, struct text *out)
{
    text_printf(out, "<figure class=\"%s\">", class);
    for (size_t i = 0; i < picture->count; i++) {
        struct panel *panel = &picture->panel[i];
        text_printf(out, "<svg viewBox=\"0 0 %.0f %.0f\" style=\"width:%.0fpx\" role=\"img\" aria-label=\"",
                    panel->width, ceil(panel->height), panel->width);
        svg_escape(out, panel->name);
        text_add(out, "\">\n");
        text_add(out, panel->body.data);
        text_free(&panel->body);
        text_add(out, "</svg>");
    }
    text_add(out, "</figure>\n");
}

/* Takes the next picture of a table: all bars, all curves, the maps of all machines followed by their
 * legends, or else one map and its legend. False: there are no more. */
static bool next_picture(const struct plot *plots, size_t count, size_t *at, struct picture *picture)
{
    bool maps = false;
    *picture = (struct picture){0};
    while (*at < count) {
        const struct plot *plot = &plots[(*at)++];
        if (plot->kind == PLOT_CURVE)
            svg_curve(plot, picture);
        else if (plot->kind == PLOT_HEAT_MAP)
            svg_heat_map(plot, picture);
        else if (plot->kind == PLOT_BARS)
            svg_bars(plot, picture);
        maps = plot->kind == PLOT_HEAT_MAP;
        if (maps && !plot->table->spec->view.aside)
            break;
    }
    const size_t half = picture->count / 2;
    struct panel *sorted = scratch_new(picture->count, sizeof(*sorted));
    for (size_t i = 0; maps && i < picture->count; i++)
        sorted[i / 2 + (i % 2) * half] = picture->panel[i];
    picture->panel = maps ? sorted : picture->panel;
    return picture->count > 0;
}

void svg_figures(const struct plot *plots, size_t count, struct text *out)
{
    static const char *const kinds[] = {
        "", [PLOT_CURVE] = "curve", [PLOT_HEAT_MAP] = "map", [PLOT_BARS] = "bars"};
    struct picture picture = {0};
    for (size_t at = 0; next_picture(plots, count, &at, &picture);)
        svg_figure(&picture, kinds[plots[at - 1].kind], out);
}

/* Panels stand in rows, as many next to each other as have room; a drawing is as wide as its widest row. */
struct drawing {
    struct text body;
    double width, height; /* of the rows that are complete */
    double x, row_height; /* of the last row so far */
};

static void end_row(struct drawing *drawing)
{
    drawing->height += drawing->row_height > 0 ? drawing->row_height + BETWEEN : 0;
    drawing->x = drawing->row_height = 0;
}

/* Places a picture as a page would; title: above each of its panels, or NULL. */
static void place(struct drawing *drawing, struct picture *picture, const char *title)
{
    for (size_t i = 0; i < picture->count; i++) {
        struct panel *panel = &picture->panel[i];
        double above = 0;
        if (drawing->x + panel->width > DRAWING_WIDTH)
            end_row(drawing);
        if (title)
            above = svg_paragraph(&drawing->body, drawing->x, drawing->height, panel->width, "t s", title) +
                    BETWEEN / 2.0;
        text_printf(&drawing->body, "<g transform=\"translate(%.0f %.0f)\">\n", drawing->x,
                    drawing->height + above);
        text_add(&drawing->body, panel->body.data);
        text_free(&panel->body);
        text_add(&drawing->body, "</g>\n");
        drawing->width = fmax(drawing->width, drawing->x + panel->width);
        drawing->x += panel->width + BETWEEN;
        drawing->row_height = fmax(drawing->row_height, above + panel->height);
    }
}

/* Curves of several tables stand next to each other, each with the title of its table; a map or bars begin a
 * row. */
static void add_table(struct drawing *drawing, const struct record_table *table)
{
    size_t count, at = 0;
    struct plot *plots = plots_of(table, &count);
    struct picture picture = {0};
    for (bool first = true; next_picture(plots, count, &at, &picture); first = false) {
        const bool is_curve = plots[at - 1].kind == PLOT_CURVE;
        if (!is_curve)
            end_row(drawing);
        if (!is_curve && first && table->spec->title)
            drawing->height += BETWEEN + svg_paragraph(&drawing->body, 0, drawing->height, PANEL_WIDTH, "t s",
                                                       plot_title(table));
        place(drawing, &picture, is_curve ? plot_title(table) : NULL);
        if (!is_curve)
            end_row(drawing);
    }
}

/* Adds the document, headed by the machine and its conditions; nothing where nothing was drawn. */
static void add_document(const struct record *record, struct drawing *drawing, struct text *out)
{
    enum { LINES = 34 };
    struct text details = {0};
    const double below = svg_paragraph(&details, MARGIN, MARGIN + LINES + 5, drawing->width, "m",
                                       scratch_keep(subject_details(record)));
    const double head = LINES + below + BETWEEN;
    end_row(drawing);
    const double width = drawing->width + 2 * MARGIN, height = drawing->height + head + MARGIN;
    const double enlarged = drawing->width > PANEL_WIDTH ? 1 : 1.5;
    const char *cpu = scratch_keep(subject_cpu(record));
    text_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f "
                "%.0f\" role=\"img\">\n<title>",
                enlarged * width, enlarged * height, width, height);
    svg_escape(out, fact_text(record, "run.command", "result"));
    text_add(out, ": ");
    svg_escape(out, cpu);
    text_add(out, "</title>\n");
    svg_style(out);
    text_add(out, "\n<rect class=\"b\" width=\"100%\" height=\"100%\"/>\n");
    svg_text(out, MARGIN, MARGIN + 14, "h", "start", "%s", cpu);
    svg_text(out, MARGIN, MARGIN + LINES, "m", "start", "%s", page_conditions(record));
    text_add(out, scratch_text(&details));
    text_printf(out, "<g transform=\"translate(%d %.0f)\">\n", MARGIN, MARGIN + head);
    text_add_bytes(out, drawing->body.data, drawing->body.length);
    text_add(out, "</g>\n</svg>\n");
    text_free(&drawing->body);
}

/* The figure of a result: a report's core sheet, cycles by load offset, or the pictures of its tables, else
 * its answers. The other pictures are on its HTML page. */
static void add_figure(const struct record *record, struct drawing *drawing)
{
    struct picture picture = {0};
    if (page_has_sheet(record))
        svg_sheet(record, &picture);
    else
        svg_dots(record, "offsets/", &picture);
    place(drawing, &picture, NULL);
    for (size_t i = 0; i < record->tables.count && picture.count == 0; i++)
        add_table(drawing, &record->tables.of[i]);
    if (drawing->width > 0)
        return;
    svg_dots(record, NULL, &picture);
    place(drawing, &picture, NULL);
}

static void svg_write(const struct format *format, const struct style *style, const struct record *record,
                      struct text *out)
{
    struct drawing drawing = {0};
    add_figure(record, &drawing);
    if (drawing.width <= 0) {
        drawing.width = PANEL_WIDTH;
        drawing.height = svg_paragraph(&drawing.body, 0, 0, PANEL_WIDTH, "m",
                                       "This result has nothing to draw; other formats show all of it.");
    }
    add_document(record, &drawing, out);
}

const struct format svg_format = {.name = "svg", .extension = ".svg", .write = svg_write};
