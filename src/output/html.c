/* SPDX-License-Identifier: MIT */
/* Fills the slots of data/page.html: a page that needs no other file and no scripts, with summary, pictures,
 * tables, notes, and the whole result as JSON. */
#include <stdint.h>
#include <string.h>

#include "base/embedded.h"
#include "output/format.h"
#include "output/page.h"
#include "output/scratch.h"
#include "output/svg/elements.h"
#include "output/svg/svg.h"
#include "result/json/json.h"
#include "result/subject.h"

EMBED(page_template, PAGE_HTML);

enum {
    ROWS_MOST = 10000, /* in the data of the page, for each table */
    CELLS_MOST = 3000, /* shown of a table */
    CELLS_OPEN = 600   /* of a table without a picture that is not folded */
};

/* Adds an element with escaped text, or nothing where the text is empty; class "": none. */
static void add_element(struct text *out, const char *name, const char *class, const char *text)
{
    if (!*text)
        return;
    text_printf(out, *class ? "<%s class=\"%s\">" : "<%s>", name, class);
    svg_escape(out, text);
    text_printf(out, "</%s>\n", name);
}

/* Texts have a class and numbers none, because most cells are numbers. */
static void add_grid(struct text *out, const struct grid *grid)
{
    bool headed = false;
    for (int i = 0; i < grid->column_count; i++)
        headed |= *grid->column[i].heading != '\0';
    text_add(out,
             headed ? "<div class=\"scroll\"><table>\n<thead><tr>\n" : "<div class=\"scroll\"><table>\n");
    for (int i = 0; i < grid->column_count && headed; i++) {
        text_add(out, grid->column[i].number ? "<th class=\"n\">" : "<th>");
        svg_escape(out, grid->column[i].heading);
        text_add(out, "</th>");
    }
    text_add(out, headed ? "</tr></thead>\n<tbody>\n" : "<tbody>\n");
    for (size_t row = 0; row < grid->row_count; row++) {
        text_add(out, "<tr>");
        for (int i = 0; i < grid->column_count; i++) {
            const struct grid_cell *cell = grid_at(grid, row, i);
            const bool label = i < grid->label_columns;
            const bool number = grid->column[i].number;
            text_add(out, label        ? number ? "<th class=\"n\">" : "<th>"
                          : !number    ? "<td class=\"x\">"
                          : cell->best ? "<td class=\"best\">"
                                       : "<td>");
            svg_escape(out, cell->text);
            text_add(out, label ? "</th>" : "</td>");
        }
        text_add(out, "</tr>\n");
    }
    text_add(out, "</tbody>\n</table></div>\n");
}

/* Adds the pictures of a table and, folded, its grids that are not too long for a page. */
static void add_table(const struct record_table *table, struct text *out)
{
    enum { NARROW = 5 }; /* a list of so few columns fits in half a page */
    const struct table_spec *spec = table->spec;
    const bool list = spec->view.kind == VIEW_LIST;
    const bool narrow = list && spec->column_count <= NARROW;
    const char *name = plot_title(table);
    size_t count, cells = 0;
    struct plot *plots = plots_of(table, &count);
    text_add(out, narrow ? "<div class=\"half\">\n" : "<div class=\"whole\">\n");
    add_element(out, "h3", "", name);
    for (size_t i = 0; i < count; i++)
        cells += grid_cells(&plots[i]);
    svg_figures(plots, count, out);
    add_element(out, "p", "m", spec->note ? spec->note : "");
    if (!spec->view.aside && cells > CELLS_MOST)
        text_printf(out, "<p class=\"m\">%zu rows: too many for this page; %s.</p>\n", table->row_count,
                    table->row_count > ROWS_MOST ? "-f json has them" : "they are in its data");
    if (!spec->view.aside && cells <= CELLS_MOST && count > 0) {
        text_printf(out, "<details%s><summary>Table (%zu row%s)</summary>\n",
                    list && cells <= CELLS_OPEN ? " open" : "", table->row_count,
                    table->row_count == 1 ? "" : "s");
        for (size_t i = 0; i < count; i++) {
            struct grid grid = grid_of_plot(&plots[i]);
            add_element(out, "p", "m", grid.caption ? grid.caption : "");
            add_grid(out, &grid);
        }
        text_add(out, "</details>\n");
    }
    text_add(out, "</div>\n");
}

static void add_blocks(const struct section *section, struct text *out)
{
    static const char *const classes[] = {
        [BLOCK_FAILURE] = "warn", [BLOCK_WARNING] = "warn", [BLOCK_VERDICT] = "verdict", [BLOCK_NOTE] = "m"};
    const struct block *end = section->block + section->count;
    for (const struct block *block = section->block; block < end; block++) {
        switch (block->kind) {
        case BLOCK_FACTS:
        case BLOCK_ANSWERS:
            add_element(out, "h3", "", block->text ? block->text : "");
            add_grid(out, &block->grid);
            break;
        case BLOCK_LINE:
            text_add(out, block > section->block && block[-1].kind == BLOCK_LINE ? "" : "<ul>\n");
            add_element(out, "li", "", block->text);
            text_add(out, block + 1 < end && block[1].kind == BLOCK_LINE ? "" : "</ul>\n");
            break;
        case BLOCK_TABLE:
            add_table(block->table, out);
            break;
        case BLOCK_METHOD:
            text_add(out, "<details><summary>How it was measured</summary>\n");
            for (char *rest = spell("%s", block->text), *line; (line = strsep(&rest, "\n"));)
                add_element(out, "p", "", line);
            text_add(out, "</details>\n");
            break;
        default:
            add_element(out, "p", classes[block->kind], block->text);
        }
    }
}

static void add_head(const struct page *page, struct text *out)
{
    struct picture sheet = {0};
    add_element(out, "h1", "", page->cpu);
    add_element(out, "p", "m", page->conditions);
    if (page_has_sheet(page->record)) {
        svg_sheet(page->record, &sheet);
        svg_figure(&sheet, "sheet", out);
    }
    add_element(out, "p", "m", page->details);
}

/* A report begins with links to its commands and the answers of all of them that fit on a screen. */
static void add_sections(const struct page *page, struct text *out)
{
    const size_t first = page->count > 1;
    if (first > 0) {
        struct page summary = page_of(page->record, true);
        text_add(out, "<nav>\n");
        for (size_t i = first; i < page->count; i++) {
            text_printf(out, "<a href=\"#part%zu\">", i - first);
            svg_escape(out, page->section[i].name);
            text_add(out, "</a>\n");
        }
        text_add(out,
                 "<a href=\"#machine\">machine</a>\n</nav>\n<section id=\"summary\">\n<h2>Summary</h2>\n");
        add_blocks(&page->section[0], out);
        if (page_has_sheet(page->record))
            add_blocks(&summary.section[0], out);
        text_add(out, "</section>\n");
    }
    for (size_t i = first; i < page->count; i++) {
        text_printf(out, "<section id=\"part%zu\">\n", i - first);
        add_element(out, "h2", "", page->section[i].name);
        add_element(out, "p", "m", page->section[i].summary);
        add_blocks(&page->section[i], out);
        text_add(out, "</section>\n");
    }
}

/* JSON has "<" only within texts, where it can be escaped: so no "</script>" ends the data. */
static void add_data(const struct record *record, struct text *out)
{
    struct text json = {0};
    json_write(record, false, ROWS_MOST, &json);
    for (const char *at = json.data; *at;) {
        const size_t plain = strcspn(at, "<");
        text_add_bytes(out, at, plain);
        text_add(out, at[plain] ? "\\u003c" : "");
        at += plain + (at[plain] != '\0');
    }
    text_free(&json);
}

/* Fills a sheet_cell of the template with a part of the page, or with the fact of that path in the unit
 * behind it. False: the fact is unknown. */
static bool fill_slot(const struct page *page, const char *sheet_cell, struct text *out)
{
    const struct record *record = page->record;
    if (strcmp(sheet_cell, "title") == 0) {
        svg_escape(out, page->section[0].name);
        text_add(out, ": ");
        svg_escape(out, page->cpu);
    } else if (strcmp(sheet_cell, "pictures") == 0) {
        svg_style(out);
    } else if (strcmp(sheet_cell, "head") == 0) {
        add_head(page, out);
    } else if (strcmp(sheet_cell, "sections") == 0) {
        add_sections(page, out);
    } else if (strcmp(sheet_cell, "data") == 0) {
        add_data(record, out);
    } else {
        const char *unit = strchr(sheet_cell, ' ');
        const struct fact *fact =
            record_fact_find(record, spell("%.*s", (int)strcspn(sheet_cell, " "), sheet_cell));
        struct text value = {0};
        if (!fact || !cell_has_value(&fact->value))
            return false;
        text_add_value(&value, &fact->value, unit ? unit + 1 : NULL);
        svg_escape(out, scratch_text(&value));
    }
    return true;
}

/* Leaves out a line of the template whose fact is unknown. */
static void html_write(const struct format *format, const struct style *style, const struct record *record,
                       struct text *out)
{
    struct page page = page_of(record, false);
    char *rest = spell("%s", page_template);
    for (char *line; rest && *rest && (line = strsep(&rest, "\n"));) {
        const size_t before = out->length;
        bool known = true, sheet_cell = false;
        for (char *part; known && (part = strsep(&line, "$")); sheet_cell = !sheet_cell) {
            if (sheet_cell)
                known = fill_slot(&page, part, out);
            else
                text_add(out, part);
        }
        if (known)
            text_add(out, out->data[out->length - 1] == '\n' ? "" : "\n");
        else
            out->length = before;
    }
}

const struct format html_format = {.name = "html", .extension = ".html", .write = html_write};
