/* SPDX-License-Identifier: MIT */
/* GitHub's Markdown: what people see, for an issue or a README. */
#include <stdlib.h>
#include <string.h>

#include "output/card.h"
#include "output/conditions.h"
#include "output/format.h"
#include "output/rows.h"
#include "result/subject.h"

/* What Markdown or HTML would act upon is escaped, so that a text from outside stays a text. */
static void add_escaped(struct text *out, const char *text)
{
    struct text printable = {0};
    text_add_printable(&printable, text);
    char *from = text_take(&printable);
    for (const char *at = from; *at; at++) {
        if (*at == '&')
            text_add(out, "&amp;");
        else if (*at == '<')
            text_add(out, "&lt;");
        else if (strchr("\\`*_[]|~", *at))
            text_printf(out, "\\%c", *at);
        else
            text_add_bytes(out, at, 1);
    }
    free(from);
}

/* A paragraph or a heading. */
static void add_block(struct text *out, const char *before, const char *text)
{
    text_add(out, before);
    add_escaped(out, text);
    text_add(out, "\n\n");
}

static void add_line(const struct grid *grid, long row, struct text *out)
{
    text_add(out, "|");
    for (int i = 0; i < grid->column_count; i++) {
        const struct grid_cell *cell = row < 0 ? NULL : grid_at(grid, (size_t)row, i);
        text_add(out, " ");
        text_add(out, cell && cell->best ? "**" : "");
        add_escaped(out, cell ? cell->text : grid->column[i].heading);
        text_add(out, cell && cell->best ? "** |" : " |");
    }
    text_add(out, "\n");
}

static void add_grid(const struct grid *grid, struct text *out)
{
    if (grid->caption)
        add_block(out, "", grid->caption);
    add_line(grid, -1, out);
    text_add(out, "|");
    for (int i = 0; i < grid->column_count; i++)
        text_add(out, grid->column[i].number ? " ---: |" : " --- |");
    text_add(out, "\n");
    for (size_t row = 0; row < grid->row_count; row++)
        add_line(grid, (long)row, out);
    text_add(out, "\n");
    if (grid->overlaid)
        text_add(out, "Some cells have several rows; the last of them is shown.\n\n");
}

static void add_table(const struct record_table *table, struct text *out)
{
    size_t count;
    bool marked = false;
    if (table->spec->view.aside || table->row_count == 0)
        return;
    struct grid *grids = view_grids(table, &count);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 && table->spec->title)
            add_block(out, "## ", table->spec->title);
        add_grid(&grids[i], out);
        marked |= grids[i].marked;
    }
    text_add(out, marked ? "Bold: best of its column.\n\n" : "");
    if (count > 0 && table->spec->note)
        add_block(out, "", table->spec->note);
    grids_free(grids, count);
}

static void add_facts(const struct record *record, const char *heading, struct text *out)
{
    text_printf(out, "| %s | |\n| --- | --- |\n", heading);
    for (size_t i = 0; i < record->facts.count; i++) {
        const struct fact *fact = &record->facts.of[i];
        if (!fact->title || !cell_has_value(&fact->value))
            continue;
        struct text value = {0};
        text_add_value(&value, &fact->value, fact->unit);
        char *shown = text_take(&value);
        text_add(out, "| ");
        add_escaped(out, fact->title);
        text_add(out, " | ");
        add_escaped(out, shown);
        text_add(out, " |\n");
        free(shown);
    }
    text_add(out, "\n");
}

/* What results say of each other begins with a verdict. */
static void add_answers(const struct record *record, const bool *skipped, bool verdict, struct text *out)
{
    const char *first = verdict && record->answers.count ? record->answers.of[0].text : NULL;
    bool any = false;
    if (first)
        add_block(out, "### ", first);
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        if (skipped[i] || !card_is_sentence(answer) || (first && i == 0))
            continue;
        any = true;
        text_add(out, "- ");
        struct text line = {0};
        card_sentence(answer, true, &line);
        add_escaped(out, line.data);
        text_printf(out, "%s\n", card_trust(answer->trust));
        text_free(&line);
    }
    text_add(out, any ? "\n" : "");
}

/* Verdict first. Tables are folded where this is the summary of a job: of a part of a report, of two results. */
static void add_result(const struct record *record, bool is_part, struct text *out)
{
    struct card card = card_of(record);
    const char *failure = fact_text(record, "run.fault", NULL);
    const bool verdict = fact_text(record, "run.subject", NULL),
               folded = (is_part || verdict) && record->tables.count > 0;
    if (is_part)
        add_block(out, "## ", fact_text(record, "run.command", "result"));
    if (failure)
        add_block(out, "Failed: ", failure);
    else if (fact_is(record, "run.complete", false))
        add_block(out, "", subject_incomplete);
    if (is_part && record_fact_find(record, "plan.seconds"))
        add_facts(record, "plan", out);
    if (card.grid)
        add_grid(card.grid, out);
    struct grid rows = rows_of(record, card.in_grid, true, &card.marked);
    if (rows.row_count > 0)
        add_grid(&rows, out);
    grid_free(&rows);
    if (card.marked)
        add_block(out, "", rows_trust_note);
    add_answers(record, card.in_grid, verdict, out);
    for (size_t i = 0; i < record->warnings.count; i++)
        add_block(out, "Warning: ", record->warnings.of[i].text);
    text_add(out, folded ? "<details><summary>Tables</summary>\n\n" : "");
    for (size_t i = 0; i < record->tables.count; i++)
        add_table(&record->tables.of[i], out);
    text_add(out, folded ? "</details>\n\n" : "");
    card_free(&card);
}

static void markdown_write(const struct format *format, const struct style *style,
                           const struct record *record, struct text *out)
{
    const size_t children = record->children.count, answers = record->answers.count;
    if (children + answers > 0) {
        char *cpu = subject_cpu(record), *details = subject_details(record);
        char *conditions = conditions_text(record);
        add_block(out, "# ", cpu);
        add_block(out, "", details);
        if (*conditions)
            add_block(out, "", conditions);
        free(conditions);
        subject_free(cpu, details);
    } else if (record->tables.count == 0) {
        add_facts(record, "host", out);
    }
    add_result(record, false, out);
    for (size_t i = 0; i < children; i++)
        add_result(record->children.of[i], true, out);
}

const struct format markdown_format = {.name = "markdown", .extension = ".md", .write = markdown_write};
