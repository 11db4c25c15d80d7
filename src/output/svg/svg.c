/* SPDX-License-Identifier: MIT */
/* All pictures of a record below each other, as one drawing. */
#include <math.h>
#include <stdlib.h>

#include "draw.h"
#include "elements.h"
#include "output/format.h"
#include "output/page.h"
#include "result/subject.h"

enum { MARGIN = 20, BETWEEN = 14 };

double svg_plot(const struct plot *plot, struct text *out)
{
    static double (*const draw[])(const struct plot *, struct text *) = {
        [PLOT_CURVE] = svg_curve, [PLOT_HEAT_MAP] = svg_heat_map, [PLOT_BARS] = svg_bars};
    return draw[plot->kind](plot, out);
}

static double add_table(const struct record_table *table, double y, struct text *out)
{
    size_t count, drawn = 0;
    struct plot *plots = plots_of(table, &count);
    for (size_t i = 0; i < count; i++) {
        if (plots[i].kind < PLOT_CURVE)
            continue;
        if (drawn++ == 0 && table->spec->title)
            y += svg_paragraph(out, y, "t s", table->spec->title) + BETWEEN;
        text_printf(out, "<g transform=\"translate(0 %.12g)\">\n", svg_round(y));
        y += svg_plot(&plots[i], out) + BETWEEN;
        text_add(out, "</g>\n");
    }
    if (drawn > 0 && table->spec->note)
        y += svg_paragraph(out, y, "m", table->spec->note) + BETWEEN;
    plots_free(plots, count);
    return y;
}

/* Columns as wide as their widest text. */
static double add_grid(const struct grid *grid, double y, struct text *out)
{
    double x = 0;
    for (int i = 0; i < grid->column_count; i++) {
        const bool right = grid->column[i].number;
        double width = svg_text_width(grid->column[i].heading);
        for (size_t row = 0; row < grid->row_count; row++)
            width = fmax(width, svg_text_width(grid_at(grid, row, i)->text));
        for (size_t row = 0; row <= grid->row_count; row++) {
            const char *text = row > 0 ? grid_at(grid, row - 1, i)->text : grid->column[i].heading;
            if (*text)
                svg_text(out, right ? x + width : x, y + (double)(row + 1) * SVG_LINE - 5,
                         row > 0 ? "t" : "m", right ? "end" : "start", "%s", text);
        }
        x += width + 2 * SVG_CHARACTER;
    }
    return y + (double)(grid->row_count + 1) * SVG_LINE;
}

/* Sentences as a heading of the pictures; where there are many, the pictures show them better. */
static double add_section(const struct section *section, double y, struct text *out)
{
    enum { LINES_MOST = 8 };
    size_t lines = 0;
    svg_text(out, 0, y + 24, "h", "start", "%s", section->name);
    y += 24 + BETWEEN;
    const double before = y;
    for (size_t i = 0; i < section->count; i++) {
        const struct block *block = &section->block[i];
        if (block->kind == BLOCK_ANSWERS)
            y = add_grid(&block->grid, y, out);
        else if (block->kind == BLOCK_TABLE)
            y = add_table(block->table, y + (i > 0 && !block[-1].table ? BETWEEN : 0), out);
        else if (block->kind == BLOCK_FAILURE || block->kind == BLOCK_VERDICT || block->kind == BLOCK_NOTE ||
                 (block->kind == BLOCK_LINE && lines++ < LINES_MOST))
            y += svg_paragraph(out, y, block->kind == BLOCK_NOTE ? "m" : "t", block->text);
    }
    if (y == before)
        y += svg_paragraph(out, y, "m", "This result has nothing to draw; other formats show all of it.");
    return y;
}

static void add_head(const struct record *record, const char *cpu, int width, int height, struct text *out)
{
    text_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "role=\"img\">\n<title>",
                width, height, width, height);
    svg_escape(out, fact_text(record, "run.command", "result"));
    text_add(out, ": ");
    svg_escape(out, cpu);
    text_add(out, "</title>\n");
    svg_style(out);
    text_printf(out, "\n<rect class=\"b\" width=\"100%%\" height=\"100%%\"/>\n");
}

/* What was drawn from `begun` on becomes a document: its height stands at the beginning. */
static void add_frame(const struct record *record, size_t begun, double height, struct text *out)
{
    struct text head = {0};
    char *cpu = subject_cpu(record);
    text_add(out, "</g>\n</svg>\n");
    add_head(record, cpu, SVG_WIDTH + 2 * MARGIN, (int)height + 2 * MARGIN, &head);
    text_printf(&head, "<g transform=\"translate(%d %d)\">\n", MARGIN, MARGIN);
    text_insert(out, begun, &head);
    text_free(&head);
    free(cpu);
}

static void svg_write(const struct format *format, const struct style *style, const struct record *record,
                      struct text *out)
{
    if (record->children.count > 0) {
        /* A report's pictures are on its page: the core sheet alone. */
        char *cpu = subject_cpu(record);
        add_head(record, cpu, SHEET_WIDTH, SHEET_HEIGHT, out);
        svg_sheet(record, out);
        text_add(out, "</svg>\n");
        free(cpu);
        return;
    }
    const size_t begun = out->length;
    struct page page = page_of(record, PAGE_SCREEN);
    svg_text(out, 0, 18, "h", "start", "%s", page.cpu);
    svg_text(out, 0, 38, "m", "start", "%s", page.details);
    add_frame(record, begun, add_section(&page.section[0], 38, out), out);
    page_free(&page);
}

void svg_document(const struct record_table *table, struct text *out)
{
    const double height = add_table(table, 0, out);
    if (height > 0)
        add_frame(table->record, 0, height, out);
}

const struct format svg_format = {.name = "svg", .extension = ".svg", .write = svg_write};
