/* SPDX-License-Identifier: MIT */
/* One page that needs nothing else: summary, pictures, tables, notes, and the whole result as JSON. It is
 * read without scripts. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "output/format.h"
#include "output/page.h"
#include "output/svg/draw.h"
#include "output/svg/elements.h"
#include "parts.h"
#include "result/json/json.h"
#include "result/subject.h"

static const char page_style[] =
    "<style>"
    ":root{color-scheme:light dark}"
    "*{box-sizing:border-box}"
    "body{margin:0 auto;padding:16px;max-width:1100px;font:15px/1.5 system-ui,sans-serif;color:#1b1f24;"
    "background:#fff;overflow-wrap:break-word}"
    "h1{font-size:24px;margin:0}h2{font-size:20px;margin:0 0 8px}h3{font-size:16px;margin:20px 0 6px}"
    "p{margin:6px 0}ul{margin:6px 0;padding-left:20px}"
    "a{color:#0a58a4}.m{color:#57606a}"
    "section{border-top:1px solid #d0d7de;margin-top:24px;padding-top:16px}"
    "nav a{margin-right:14px;white-space:nowrap}"
    ".verdict{clear:both;font-size:17px;font-weight:600}"
    ".warn{border-left:4px solid #b45309;padding:2px 10px;margin:8px 0}"
    ".scroll{overflow-x:auto}"
    "figure{margin:12px 0;overflow-x:auto}figure svg{display:block;max-width:100%;height:auto}"
    "figure.map{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:flex-start;overflow:visible}.map "
    "svg{min-width:0;overflow:visible}"
    "figure.sheet{margin:0}figure.sheet svg{width:100%;max-width:1100px}.away{position:absolute;left:-9999px}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13px}"
    "th,td{padding:3px 8px;text-align:left;border-bottom:1px solid "
    "#d8dee4}td{text-align:right;white-space:nowrap}"
    "th{font-weight:600}th.n{text-align:right}td.x{text-align:left;white-space:normal}.best{font-weight:700}"
    "details{margin:8px 0}summary{cursor:pointer}"
    /* Bars and curves keep a size at which they can be read, in a frame that scrolls. */
    "@media(max-width:600px){body{padding:10px}th,td{padding:2px 3px 2px 1px;font-size:9.5px}"
    "figure:not(.map,.sheet) svg{max-width:720px}.map.large svg:first-child text:not(.i){font-size:19px}}"
    "@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#11161c}a{color:#79b8ff}"
    ".m{color:#a3adb8}section,th,td{border-color:#30363d}.warn{border-color:#f0a840}}"
    /* Tables and curves two to a row; left out: what is folded, and the answers that a section has again. */
    "@media "
    "print{@page{margin:10mm}body{max-width:none;padding:0;font-size:10px;line-height:1.35}p.m{font-size:9px}"
    "h2{font-size:15px;margin:0}h3{font-size:12px}"
    "figure,tr,div.half{break-inside:avoid}.scroll{overflow:visible}"
    "table{font-size:8.5px}th,td{padding:0 5px}"
    "nav,details:not([open]),#data{display:none}h2,h3,summary{break-after:avoid}"
    "details.f{display:block}details.f::details-content{content-visibility:visible;display:block}"
    "figure{width:66%;margin:2px 0;overflow:visible}figure.half{width:49.5%}figure.sheet{width:92%}"
    "figure.map{display:inline-flex;flex-wrap:nowrap;gap:4px}"
    ".warn{margin:2px 0;padding:0 8px}"
    "div.half{float:left;width:49.5%;padding-right:8px}.half figure{width:100%}.whole,section{clear:both}"
    "section{margin-top:10px;padding-top:8px}h3{margin:8px 0 2px}ul,p{margin:2px 0}"
    "#machine table,#machine tbody,#machine tr{display:block}#machine tbody{columns:3}}"
    "</style>\n";

static void add_paragraphs(const char *text, struct text *out)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");
        struct text line = {0};
        text_add_bytes(&line, text, length);
        if (length > 0)
            html_element(out, "p", NULL, line.data);
        text_free(&line);
        text += length + (text[length] == '\n');
    }
}

/* What was drawn from `begun` on becomes a picture of that size. */
static void wrap(struct text *out, size_t begun, const char *name, double width, double height)
{
    struct text head = {0};
    text_printf(&head, "<svg viewBox=\"0 0 %d %d\" style=\"width:%dpx\" role=\"img\" aria-label=\"",
                (int)width, (int)height + 1, (int)width);
    svg_escape(&head, name);
    text_add(&head, "\">\n");
    text_insert(out, begun, &head);
    text_add(out, "</svg>");
    text_free(&head);
}

/* A map and its legend, which is next to it or below. */
static void add_map(const struct plot *plot, const char *name, bool half, struct text *out)
{
    enum { MARGIN = 12 };
    const size_t before = out->length;
    struct text figure = {0};
    const struct svg_map map = svg_heat_cells(plot, out);
    wrap(out, before, name, map.right + MARGIN, map.bottom + MARGIN);
    const size_t legend = out->length;
    const double end = svg_heat_legend(plot, 0, SVG_LINE, out);
    wrap(out, legend, "colours", SVG_LEGEND, end + 8);
    text_printf(&figure, "<figure class=\"map%s%s\">", map.large ? " large" : "", half ? " half" : "");
    text_insert(out, before, &figure);
    text_free(&figure);
}

static void add_pictures(const struct record_table *table, const char *name, struct text *out)
{
    size_t count;
    struct plot *plots = plots_of(table, &count);
    for (size_t i = 0; i < count; i++) {
        if (plots[i].kind < PLOT_CURVE)
            continue;
        if (plots[i].kind == PLOT_HEAT_MAP) {
            add_map(&plots[i], name, count > 1, out);
        } else {
            text_add(out, "<figure>");
            const size_t begun = out->length;
            const double height = svg_plot(&plots[i], out);
            wrap(out, begun, name, SVG_WIDTH, height);
        }
        text_add(out, "</figure>\n");
    }
    plots_free(plots, count);
}

static void add_table(const struct record_table *table, struct text *out)
{
    enum { NARROW = 5 }; /* columns of a list that has room in half a page */
    const struct table_spec *spec = table->spec;
    const enum view_kind kind = spec->view.kind;
    const bool narrow = kind == VIEW_CURVE || (kind == VIEW_LIST && spec->column_count <= NARROW);
    const char *name = spec->title ? spec->title : spec->name;
    text_add(out, narrow ? "<div class=\"half\">\n" : "<div class=\"whole\">\n");
    html_element(out, "h3", NULL, name);
    add_pictures(table, name, out);
    html_element(out, "p", "m", spec->note ? spec->note : "");
    if (!spec->view.aside)
        html_table(out, table);
    text_add(out, "</div>\n");
}

/* Sentences that follow each other. Folded where there are so many that the pictures would begin a page further down. Returns their number. */
static size_t add_lines(const struct section *section, size_t first, struct text *out)
{
    enum { MOST = 10 };
    size_t count = 0;
    while (first + count < section->count && section->block[first + count].kind == BLOCK_LINE)
        count++;
    if (count > MOST)
        text_printf(out, "<details class=\"f\"><summary>%zu findings</summary>\n", count);
    text_add(out, "<ul>\n");
    for (size_t i = 0; i < count; i++)
        html_element(out, "li", NULL, section->block[first + i].text);
    text_add(out, count > MOST ? "</ul>\n</details>\n" : "</ul>\n");
    return count;
}

static void add_blocks(const struct section *section, struct text *out)
{
    static const char *const classes[] = {
        [BLOCK_FAILURE] = "warn", [BLOCK_WARNING] = "warn", [BLOCK_VERDICT] = "verdict", [BLOCK_NOTE] = "m"};
    for (size_t i = 0; i < section->count; i++) {
        const struct block *block = &section->block[i];
        switch (block->kind) {
        case BLOCK_FACTS:
            html_element(out, "h3", NULL, block->text);
            html_grid(out, &block->grid);
            break;
        case BLOCK_ANSWERS:
            html_grid(out, &block->grid);
            break;
        case BLOCK_LINE:
            i += add_lines(section, i, out) - 1;
            break;
        case BLOCK_TABLE:
            add_table(block->table, out);
            break;
        case BLOCK_METHOD:
            text_add(out, "<details><summary>How it was measured</summary>\n");
            add_paragraphs(block->text, out);
            text_add(out, "</details>\n");
            break;
        default:
            html_element(out, "p", classes[block->kind], block->text);
        }
    }
}

static void add_section(const struct section *section, size_t index, struct text *out)
{
    text_printf(out, "<section id=\"part%zu\">\n", index);
    html_element(out, "h2", NULL, section->name);
    html_element(out, "p", "m", section->summary);
    add_blocks(section, out);
    text_add(out, "</section>\n");
}

static void add_head(const struct page *page, struct text *out)
{
    const bool sheet = page->record->children.count > 0;
    text_add(out,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    svg_escape(out, page->section[0].name);
    text_add(out, ": ");
    svg_escape(out, page->cpu);
    text_add(out, "</title>\n");
    text_add(out, page_style);
    svg_style(out);
    text_add(out, "\n</head>\n<body>\n<header>\n");
    html_element(out, "h1", sheet ? "away" : NULL, page->cpu);
    if (sheet) {
        text_printf(out, "<figure class=\"sheet\"><svg viewBox=\"0 0 %d %d\" role=\"img\">\n", SHEET_WIDTH,
                    SHEET_HEIGHT);
        svg_sheet(page->record, out);
        text_add(out, "</svg></figure>\n");
    }
    html_element(out, "p", "m", page->details);
    html_element(out, "p", "m", sheet ? "" : page->conditions);
    text_add(out, "</header>\n");
}

/* Of a report: the way to its commands, and what a screen has of all of them. */
static void add_summary(const struct page *page, struct text *out)
{
    struct page summary = page_of(page->record, PAGE_SCREEN);
    text_add(out, "<nav>\n");
    for (size_t i = 1; i < page->count; i++) {
        text_printf(out, "<a href=\"#part%zu\">", i - 1);
        svg_escape(out, page->section[i].name);
        text_add(out, "</a>\n");
    }
    text_add(out,
             "<a href=\"#machine\">machine</a>\n</nav>\n"
             "<section id=\"summary\">\n<h2>Summary</h2>\n");
    add_blocks(&page->section[0], out);
    add_blocks(&summary.section[0], out);
    text_add(out, "</section>\n");
    page_free(&summary);
}

static bool leaves_out(const struct record *record)
{
    bool leaves = false;
    for (size_t i = 0; i < record->tables.count; i++)
        leaves |= record->tables.of[i].row_count > ROWS_MOST;
    for (size_t i = 0; i < record->children.count; i++)
        leaves |= leaves_out(record->children.of[i]);
    return leaves;
}

/* "<" never stands in JSON but within a text, where it can be spelt otherwise: so no "</script>" ends it. */
static void add_data(const struct record *record, struct text *out)
{
    struct text json = {0};
    json_write(record, false, ROWS_MOST, &json);
    text_add(out, "<script type=\"application/json\" id=\"result\">\n");
    for (const char *at = json.data; *at;) {
        const size_t plain = strcspn(at, "<");
        text_add_bytes(out, at, plain);
        text_add(out, at[plain] ? "\\u003c" : "");
        at += plain + (at[plain] != '\0');
    }
    text_add(out, "</script>\n");
    text_free(&json);
}

static void html_write(const struct format *format, const struct style *style, const struct record *record,
                       struct text *out)
{
    struct page page = page_of(record, PAGE_WHOLE);
    add_head(&page, out);
    if (page.count > 1)
        add_summary(&page, out);
    for (size_t i = page.count > 1; i < page.count; i++)
        add_section(&page.section[i], i - (page.count > 1), out);
    html_machine(out, record);
    text_add(out,
             "<section id=\"data\">\n<h2>Data</h2>\n<p>This page holds the result as JSON (element "
             "<code>result</code>). <code>uarchprobe compare</code> and <code>uarchprobe report "
             "--from</code> read it from the page.");
    if (leaves_out(record))
        text_printf(out, " Tables of more than %d rows are left out; <code>-f json</code> has them.",
                    ROWS_MOST);
    text_add(out, "</p>\n</section>\n");
    add_data(record, out);
    text_add(out, "</body>\n</html>\n");
    page_free(&page);
}

const struct format html_format = {.name = "html", .extension = ".html", .write = html_write};
