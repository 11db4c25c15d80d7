/* SPDX-License-Identifier: MIT */
/* GitHub's Markdown: the result as people see it, for an issue or a README. */
#include <string.h>

#include "output/format.h"
#include "output/page.h"
#include "output/scratch.h"
#include "result/subject.h"

/* Escapes characters that Markdown or HTML would interpret. */
static void add_escaped(struct text *out, const char *text)
{
    for (const char *at = spell_line(text); *at; at++) {
        if (*at == '&')
            text_add(out, "&amp;");
        else if (*at == '<')
            text_add(out, "&lt;");
        else if (strchr("\\`*_[]|~", *at))
            text_printf(out, "\\%c", *at);
        else
            text_add_bytes(out, at, 1);
    }
}

static void add_paragraph(struct text *out, const char *before, const char *text)
{
    if (!*text)
        return;
    text_add(out, before);
    add_escaped(out, text);
    text_add(out, "\n\n");
}

/* heading: replaces that of the first column; or NULL. */
static void add_grid(const struct grid *grid, const char *heading, struct text *out)
{
    add_paragraph(out, "", grid->caption ? grid->caption : "");
    text_add(out, "|");
    for (int i = 0; i < grid->column_count; i++) {
        text_add(out, " ");
        add_escaped(out, i == 0 && heading ? heading : grid->column[i].heading);
        text_add(out, " |");
    }
    text_add(out, "\n|");
    for (int i = 0; i < grid->column_count; i++)
        text_add(out, grid->column[i].number ? " ---: |" : " --- |");
    for (size_t row = 0; row < grid->row_count; row++) {
        text_add(out, "\n|");
        for (int i = 0; i < grid->column_count; i++) {
            const struct grid_cell *cell = grid_at(grid, row, i);
            text_add(out, cell->best ? " **" : " ");
            add_escaped(out, cell->text);
            text_add(out, cell->best ? "** |" : " |");
        }
    }
    text_add(out, "\n\n");
}

static void add_table(const struct record_table *table, struct text *out)
{
    size_t count;
    bool marked = false;
    struct grid *grids = grids_of(table, &count);
    add_paragraph(out, "## ", table->spec->title ? plot_title(table) : "");
    for (size_t i = 0; i < count; i++) {
        add_grid(&grids[i], NULL, out);
        marked |= grids[i].marked;
    }
    text_add(out, marked ? "Bold: best of its column.\n\n" : "");
    add_paragraph(out, "", table->spec->note ? table->spec->note : "");
}

/* Folds the tables of a report and of a comparison, which a CI job may show as its summary. */
static void add_section(const struct section *section, bool is_part, struct text *out)
{
    static const char *const before[] = {
        [BLOCK_VERDICT] = "### ", [BLOCK_WARNING] = "Warning: ", [BLOCK_FAILURE] = "", [BLOCK_NOTE] = ""};
    const bool fold = is_part || fact_text(section->record, "run.subject", NULL);
    const struct block *end = section->block + section->count;
    bool folded = false;
    if (is_part)
        add_paragraph(out, "## ", section->name);
    for (const struct block *block = section->block; block < end; block++) {
        switch (block->kind) {
        case BLOCK_FACTS:
        case BLOCK_ANSWERS:
            add_grid(&block->grid, block->text, out);
            break;
        case BLOCK_LINE:
            text_add(out, "- ");
            add_escaped(out, block->text);
            text_add(out, block + 1 < end && block[1].kind == BLOCK_LINE ? "\n" : "\n\n");
            break;
        case BLOCK_TABLE:
            if (block->table->spec->view.aside)
                break;
            text_add(out, fold && !folded ? "<details><summary>Tables</summary>\n\n" : "");
            folded = fold;
            add_table(block->table, out);
            break;
        case BLOCK_METHOD:
            break;
        default:
            add_paragraph(out, before[block->kind], block->text);
        }
    }
    text_add(out, folded ? "</details>\n\n" : "");
}

static void markdown_write(const struct format *format, const struct style *style,
                           const struct record *record, struct text *out)
{
    struct page page = page_of(record, false);
    if (record->children.count + record->answers.count > 0) {
        add_paragraph(out, "# ", page.cpu);
        add_paragraph(out, "", page.details);
        add_paragraph(out, "", page.conditions);
    }
    for (size_t i = 0; i < page.count; i++)
        add_section(&page.section[i], i > 0, out);
}

const struct format markdown_format = {.name = "markdown", .extension = ".md", .write = markdown_write};
