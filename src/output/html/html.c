/* SPDX-License-Identifier: MIT */
/* One page that needs nothing else: summary, pictures, tables, notes, and the whole result as JSON. It is
 * read without scripts. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "output/card.h"
#include "output/conditions.h"
#include "output/format.h"
#include "output/rows.h"
#include "output/svg/draw.h"
#include "output/svg/elements.h"
#include "output/svg/sheet.h"
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
    ".card{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));gap:16px;margin-"
    "top:16px}"
    ".card>div{border:1px solid #d0d7de;border-radius:8px;padding:12px 14px;min-width:0}"
    ".card h3{margin-top:0}.card>.wide{grid-column:1/-1}"
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
    ".trust{border:1px solid currentColor;border-radius:9px;padding:0 7px;font-size:12px;white-space:nowrap}"
    /* Bars and curves keep a size at which they can be read, in a frame that scrolls. */
    "@media(max-width:600px){body{padding:10px}th,td{padding:2px 3px 2px 1px;font-size:9.5px}"
    "figure:not(.map,.sheet) svg{max-width:720px}.map.large svg:first-child text:not(.i){font-size:19px}}"
    "@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#11161c}a{color:#79b8ff}"
    ".m{color:#a3adb8}section,.card>div,th,td{border-color:#30363d}.warn{border-color:#f0a840}}"
    /* Tables and curves two to a row; left out: what is folded, and the answers that a section has again. */
    "@media "
    "print{@page{margin:10mm}body{max-width:none;padding:0;font-size:10px;line-height:1.35}p.m{font-size:9px}"
    "h2{font-size:15px;margin:0}h3{font-size:12px}.trust{font-size:8px;padding:0 4px}"
    "figure,.card>div,tr,div.half{break-inside:avoid}.scroll{overflow:visible}"
    "table{font-size:8.5px}th,td{padding:0 5px}"
    "nav,details:not([open]),#data,.card>div:not(.wide){display:none}h2,h3,summary{break-after:avoid}"
    "details.f{display:block}details.f::details-content{content-visibility:visible;display:block}"
    "figure{width:66%;margin:2px 0;overflow:visible}figure.half{width:49.5%}figure.sheet{width:92%}"
    "figure.map{display:inline-flex;flex-wrap:nowrap;gap:4px}"
    ".warn{margin:2px 0;padding:0 8px}.card>div{padding:4px 8px}"
    "div.half{float:left;width:49.5%;padding-right:8px}.half figure{width:100%}.whole,section{clear:both}"
    "section{margin-top:10px;padding-top:8px}h3{margin:8px 0 2px}ul,p{margin:2px 0}"
    "#machine table,#machine tbody,#machine tr{display:block}#machine tbody{columns:3}}"
    "</style>\n";

static void add_paragraphs(const char *text, const char *class, struct text *out)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        struct text line = {0};
        text_add_bytes(&line, text, length);
        if (length > 0)
            html_element(out, "p", class, line.data);
        text_free(&line);
        text += length + (text[length] == '\n');
    }
}

static void add_rows(const struct record *record, const bool *skipped, bool source, bool *marked,
                     struct text *out)
{
    struct grid grid = rows_of(record, skipped, source, marked);
    if (grid.row_count > 0)
        html_grid(out, &grid);
    grid_free(&grid);
}

/* Those that `skipped` (per answer, or NULL) does not name, the first `most` of them. Returns how many more
 * there are. */
static size_t add_answers(const struct record *record, const bool *skipped, size_t most, struct text *out)
{
    size_t count = 0;
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        if (!card_is_sentence(answer) || (skipped && skipped[i]) || count++ >= most)
            continue;
        struct text line = {0};
        card_sentence(answer, most == SIZE_MAX, &line);
        text_add(out, count > 1 ? "<li>" : "<ul>\n<li>");
        svg_escape(out, line.data);
        text_free(&line);
        if (answer->trust != TRUST_HIGH)
            text_printf(out, " <span class=\"trust\">%s trust</span>", trust_names[answer->trust]);
        text_add(out, "</li>\n");
    }
    text_add(out, count > 0 ? "</ul>\n" : "");
    return count > most ? count - most : 0;
}

static void add_failure(const struct record *record, struct text *out)
{
    const char *failure = fact_text(record, "run.fault", NULL);
    if (failure)
        html_element(out, "p", "warn", failure);
    else if (fact_is(record, "run.complete", false))
        html_element(out, "p", "warn", subject_incomplete);
}

static void add_warnings(const struct record *record, struct text *out)
{
    for (size_t i = 0; i < record->warnings.count; i++)
        html_element(out, "p", "warn", record->warnings.of[i].text);
}

/* One command in the summary. */
static void add_card(const struct record *record, size_t index, struct text *out)
{
    enum { MOST = 6 };
    struct card card = card_of(record);
    text_add(out, card.grid ? "<div class=\"wide\">\n" : "<div>\n");
    html_element(out, "h3", NULL, fact_text(record, "run.command", "result"));
    add_failure(record, out);
    if (card.grid)
        html_grid(out, card.grid);
    add_rows(record, card.in_grid, false, &card.marked, out);
    html_element(out, "p", "m", card.marked ? rows_trust_note : "");
    size_t more = add_answers(record, card.in_grid, MOST, out);
    if (more > 0)
        text_printf(out, "<p><a href=\"#part%zu\">%zu more</a></p>\n", index, more);
    text_add(out, "</div>\n");
    card_free(&card);
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

static void add_pictures(const struct record_table *table, struct text *out)
{
    size_t count;
    const char *name = table->spec->title ? table->spec->title : table->spec->name;
    struct plot *plots = plots_of(table, &count);
    for (size_t i = 0; i < count; i++) {
        if (plots[i].aside && plots[i].kind == PLOT_BARS) {
            html_pairs(out, &plots[i]);
            continue;
        }
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

enum { NARROW = 5 }; /* columns of a list that has room in half a page */

static void add_table(const struct record_table *table, struct text *out)
{
    if (table->spec->view.kind == VIEW_HIDDEN)
        return;
    const enum view_kind kind = table->spec->view.kind;
    const bool narrow = kind == VIEW_CURVE || (kind == VIEW_LIST && table->spec->column_count <= NARROW);
    text_add(out, narrow ? "<div class=\"half\">\n" : "<div class=\"whole\">\n");
    html_element(out, "h3", NULL, table->spec->title ? table->spec->title : table->spec->name);
    add_pictures(table, out);
    if (table->spec->note)
        html_element(out, "p", "m", table->spec->note);
    if (!table->spec->view.aside)
        html_table(out, table);
    text_add(out, "</div>\n");
}

static void add_tables(const struct record *record, bool lead, struct text *out)
{
    for (size_t i = 0; i < record->tables.count; i++) {
        const struct record_table *table = &record->tables.of[i];
        if (table->spec->view.lead == lead && table->row_count > 0)
            add_table(table, out);
    }
}

/* Folded where there are so many that the pictures would begin a page further down. */
static void add_section_answers(const struct record *record, struct text *out)
{
    enum { MOST = 10 };
    const size_t count = record->answers.count;
    const char *verdict = count && fact_text(record, "run.subject", NULL) ? record->answers.of[0].text : NULL;
    bool *said = memory_zeroed(count + 1, sizeof(*said)), marked = false;
    said[0] = verdict;
    html_element(out, "p", "verdict", verdict ? verdict : "");
    add_rows(record, NULL, true, &marked, out);
    html_element(out, "p", "m", marked ? rows_trust_note : "");
    if (count > MOST)
        text_printf(out, "<details class=\"f\"><summary>%zu findings</summary>\n", count);
    add_answers(record, said, SIZE_MAX, out);
    text_add(out, count > MOST ? "</details>\n" : "");
    free(said);
}

static void add_section(const struct record *record, size_t index, struct text *out)
{
    const char *method = fact_text(record, "run.method", NULL);
    text_printf(out, "<section id=\"part%zu\">\n<h2>", index);
    svg_escape(out, fact_text(record, "run.command", "result"));
    text_add(out, "</h2>\n");
    html_element(out, "p", "m", fact_text(record, "run.summary", ""));
    add_failure(record, out);
    add_warnings(record, out);
    html_facts(out, record, "plan.");
    add_tables(record, true, out);
    add_section_answers(record, out);
    add_tables(record, false, out);
    if (method) {
        text_add(out, "<details><summary>How it was measured</summary>\n");
        add_paragraphs(method, NULL, out);
        text_add(out, "</details>\n");
    }
    text_add(out, "</section>\n");
}

static void add_head(const struct record *record, struct text *out)
{
    char *cpu = subject_cpu(record), *details = subject_details(record);
    text_add(out,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    svg_escape(out, fact_text(record, "run.command", "result"));
    text_add(out, ": ");
    svg_escape(out, cpu);
    text_add(out, "</title>\n");
    text_add(out, page_style);
    svg_style(out);
    if (fact_text(record, "run.subject", NULL))
        html_pairs_style(out);
    text_add(out, "\n</head>\n<body>\n<header>\n");
    const bool sheet = record->children.count > 0;
    char *conditions = conditions_text(record);
    html_element(out, "h1", sheet ? "away" : NULL, cpu);
    if (sheet) {
        text_printf(out, "<figure class=\"sheet\"><svg viewBox=\"0 0 %d %d\" role=\"img\">\n", SHEET_WIDTH,
                    SHEET_HEIGHT);
        svg_sheet(record, out);
        text_add(out, "</svg></figure>\n");
    }
    html_element(out, "p", "m", details);
    html_element(out, "p", "m", sheet ? "" : conditions);
    text_add(out, "</header>\n");
    free(conditions);
    subject_free(cpu, details);
}

static void add_summary(const struct record *record, struct text *out)
{
    text_add(out, "<nav>\n");
    for (size_t i = 0; i < record->children.count; i++) {
        text_printf(out, "<a href=\"#part%zu\">", i);
        svg_escape(out, fact_text(record->children.of[i], "run.command", "result"));
        text_add(out, "</a>\n");
    }
    text_add(out, "<a href=\"#machine\">machine</a>\n</nav>\n");
    text_add(out, "<section id=\"summary\">\n<h2>Summary</h2>\n");
    add_warnings(record, out);
    bool marked = false;
    add_rows(record, NULL, false, &marked, out);
    html_facts(out, record, "got.");
    text_add(out, "<div class=\"card\">\n");
    for (size_t i = 0; i < record->children.count; i++)
        add_card(record->children.of[i], i, out);
    text_add(out, "</div>\n</section>\n");
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
    add_head(record, out);
    if (record->children.count > 0)
        add_summary(record, out);
    for (size_t i = 0; i < record->children.count; i++)
        add_section(record->children.of[i], i, out);
    if (record->children.count == 0)
        add_section(record, 0, out);
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
}

const struct format html_format = {.name = "html", .extension = ".html", .write = html_write};
