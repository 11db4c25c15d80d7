/* SPDX-License-Identifier: MIT */
/* All pictures of a record below each other, as one drawing. */
#include <stdlib.h>

#include "draw.h"
#include "elements.h"
#include "output/card.h"
#include "output/format.h"
#include "result/subject.h"
#include "sheet.h"

enum { MARGIN = 20, BETWEEN = 14 };

static double add_table(const struct record_table *table, double y, struct text *out)
{
    size_t count;
    struct plot *plots = plots_of(table, &count);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 && table->spec->title)
            y += svg_paragraph(out, y, "t s", table->spec->title) + BETWEEN;
        text_printf(out, "<g transform=\"translate(0 %.12g)\">\n", svg_round(y));
        y += svg_plot(&plots[i], out) + BETWEEN;
        text_add(out, "</g>\n");
    }
    if (count > 0 && table->spec->note)
        y += svg_paragraph(out, y, "m", table->spec->note) + BETWEEN;
    plots_free(plots, count);
    return y;
}

static bool has_plots(const struct record *record)
{
    size_t count = 0;
    for (size_t i = 0; i < record->tables.count && count == 0; i++) {
        struct plot *plots = plots_of(&record->tables.of[i], &count);
        plots_free(plots, count);
    }
    return count > 0;
}

/* As a heading of the pictures; where there are many, the pictures show them better. */
static double add_answers(const struct record *record, double y, struct text *out)
{
    enum { MOST = 8 };
    if (record->answers.count > MOST && has_plots(record))
        return y;
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        if (!answer->text && !answer->label)
            continue;
        struct text line = {0};
        card_sentence(answer, true, &line);
        text_add(&line, card_trust(answer->trust));
        y += svg_paragraph(out, y, "t", line.data);
        text_free(&line);
    }
    return y;
}

static double add_record(const struct record *record, double y, struct text *out)
{
    const char *failure = fact_text(record, "run.fault", NULL);
    y += 24;
    svg_text(out, 0, y, "h", "start", "%s", fact_text(record, "run.command", "result"));
    y += BETWEEN;
    if (failure)
        y += svg_paragraph(out, y, "t", failure);
    y = add_answers(record, y, out) + BETWEEN;
    double before = y;
    for (size_t i = 0; i < record->tables.count; i++)
        y = add_table(&record->tables.of[i], y, out);
    if (y == before && record->answers.count == 0 && !failure)
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
    char *cpu = subject_cpu(record), *details = subject_details(record);
    svg_text(out, 0, 18, "h", "start", "%s", cpu);
    svg_text(out, 0, 38, "m", "start", "%s", details);
    add_frame(record, begun, add_record(record, 38, out), out);
    subject_free(cpu, details);
}

/* The pictures of a table. */
static void svg_write_table(const struct format *format, const struct record_table *table, struct text *out)
{
    const double height = add_table(table, 0, out);
    if (height > 0)
        add_frame(table->record, 0, height, out);
}

const struct format svg_format = {
    .name = "svg", .extension = ".svg", .write = svg_write, .write_table = svg_write_table};
