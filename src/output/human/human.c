/* SPDX-License-Identifier: MIT */
/* What a terminal shows: one screen with the answers, under what they were measured, and a picture; where tables are
 * asked for, all answers and all tables. Warnings go to standard error, with every format. */
#include "human.h"

#include <stdint.h>
#include <string.h>

#include "output/page.h"
#include "result/subject.h"

enum {
    SCREEN = 23,
    FIXED = 4,     /* the machine and conditions, what is blank, and the last line */
    ROWS_MOST = 18 /* of answers; the others with -v */
};

static size_t lines_in(const struct text *text)
{
    size_t lines = 0;
    for (size_t i = 0; i < text->length; i++)
        lines += text->data[i] == '\n';
    return lines;
}

static void add_text(struct text *out, const struct text *more)
{
    text_add_bytes(out, more->data ? more->data : "", more->length);
}

/* A bold line, broken where the terminal ends. */
static void add_heading(const struct style *style, const char *title, struct text *out)
{
    struct style plain = *style;
    plain.color = false;
    text_add(out, style->color ? "\033[1m" : "");
    human_sentence(&plain, 0, title, out);
    out->length--;
    text_add(out, style->color ? "\033[0m\n" : "\n");
}

/* As many rows as have room in these lines: remarks that stand below their rows take lines, too. Returns how many are left. */
static size_t add_rows(const struct style *style, const struct grid *whole, size_t lines, struct text *out)
{
    struct grid grid = *whole;
    struct style bound = *style;
    const size_t before = out->length, used = lines_in(out);
    grid.brief = lines != SIZE_MAX;
    grid.row_count = grid.row_count > ROWS_MOST && lines != SIZE_MAX ? ROWS_MOST : grid.row_count;
    bound.width = (int)human_width(style);
    for (; grid.row_count > 0; grid.row_count--) {
        human_grid(&bound, 0, &grid, out);
        if (lines_in(out) - used <= lines)
            break;
        out->length = before;
    }
    return whole->row_count - grid.row_count;
}

bool human_plot(const struct style *style, const struct plot *plot, size_t lines, struct text *out)
{
    return plot->kind == PLOT_CURVE      ? human_curve(style, plot, lines, out)
           : plot->kind == PLOT_HEAT_MAP ? human_heat_map(style, plot, lines, out)
                                         : false;
}

/* Pictures, where characters can show what the table does not; else its values. In a few lines the first picture alone. */
static void add_table(const struct style *style, const struct record_table *table, size_t lines,
                      struct text *out)
{
    const struct table_spec *spec = table->spec;
    size_t count, drawn = 0;
    add_heading(style, spec->title ? spec->title : spec->name, out);
    struct plot *plots = plots_of(table, &count);
    for (size_t i = 0; i < count && (lines == SIZE_MAX || drawn == 0); i++) {
        const size_t before = out->length;
        text_add(out, drawn ? "\n" : "");
        if (human_plot(style, &plots[i], lines == SIZE_MAX ? lines : lines - 1, out))
            drawn++;
        else
            out->length = before;
    }
    plots_free(plots, count);
    bool marked = false;
    struct grid *grids = drawn ? NULL : grids_of(table, &count);
    for (size_t i = 0; grids && i < count; i++) {
        text_add(out, i ? "\n" : "");
        human_grid(style, 0, &grids[i], out);
        marked |= grids[i].marked;
    }
    text_add(out, marked ? "\n* best of its column\n" : "");
    grids_free(grids, grids ? count : 0);
    if (spec->note && lines == SIZE_MAX)
        human_sentence(style, 0, spec->note, out);
}

/* The first table that has a picture, or is small enough to be one. */
static void add_picture(const struct style *style, const struct section *section, size_t lines,
                        struct text *out)
{
    for (size_t i = 0; i < section->count && lines > 2; i++) {
        const struct record_table *table = section->block[i].table;
        if (section->block[i].is_matrix)
            return;
        if (!table || table->spec->view.kind == VIEW_LIST || table->spec->view.aside)
            continue;
        add_table(style, table, lines, out);
        if (out->length > 0 && lines_in(out) <= lines)
            return;
        out->length = 0;
    }
}

/* The machine and, where the line has room for them, the conditions at its right end. */
static void add_head(const struct style *style, const struct page *page, struct text *out)
{
    const size_t used = page->is_machine ? text_width(page->cpu) : 0,
                 conditions = text_width(page->conditions), width = human_width(style);
    if (used > 0 && used + 2 + conditions <= width) {
        human_bold(style, page->cpu, out);
        text_repeat(out, ' ', conditions ? width - used - conditions : 0);
        text_printf(out, "%s\n\n", page->conditions);
        return;
    }
    if (used > 0)
        add_heading(style, page->cpu, out);
    human_sentence(style, 0, page->conditions, out);
    text_add(out, used + conditions > 0 ? "\n" : "");
}

/* A block, in that many lines. Returns how many of its rows or lines are left out. */
static size_t add_block(const struct style *style, const struct block *block, size_t lines, struct text *out)
{
    const struct text before = *out;
    size_t left = 0;
    switch (block->kind) {
    case BLOCK_FACTS:
        text_add(out, out->length > 1 && out->data[out->length - 2] != '\n' ? "\n" : "");
        add_heading(style, block->text, out);
        human_grid(style, 2, &block->grid, out);
        break;
    case BLOCK_ANSWERS:
        text_add(out, out->length > 1 && out->data[out->length - 2] != '\n' ? "\n" : "");
        left = add_rows(style, &block->grid, lines, out);
        break;
    case BLOCK_FAILURE:
    case BLOCK_LINE:
    case BLOCK_VERDICT:
    case BLOCK_NOTE:
        human_sentence(style, 0, block->text, out);
        if (block->kind == BLOCK_LINE && lines != SIZE_MAX && lines_in(out) > lines) {
            out->length = before.length;
            left = 1;
        }
        break;
    case BLOCK_TABLE:
        if (block->table->spec->view.aside)
            break;
        text_add(out, out->length > 1 && out->data[out->length - 2] != '\n' ? "\n" : "");
        add_table(style, block->table, SIZE_MAX, out);
        break;
    case BLOCK_WARNING:
    case BLOCK_METHOD:
        break;
    }
    return left;
}

static void add_whole(const struct style *style, const struct section *section, struct text *out)
{
    const struct block *verdict = section_block(section, BLOCK_VERDICT);
    for (size_t i = 0; i < section->count; i++)
        add_block(style, &section->block[i], SIZE_MAX, out);
    /* What is read of a long text is its end. */
    if (verdict && section_block(section, BLOCK_TABLE)) {
        text_add(out, "\n");
        human_sentence(style, 0, verdict->text, out);
    }
}

/* Answers, a picture of what they leave, and sentences in what that leaves. */
static void add_screen(const struct style *style, const struct section *section, struct text *out)
{
    enum { SENTENCES_LEAST = 6 };
    struct text answers = {0}, sentences = {0}, picture = {0};
    size_t left = section->left, count = 0;
    /* Who reads differences or outliers from a pipe wants all of them. */
    const bool all = style->pipe && fact_text(section->record, "run.subject", NULL);
    for (size_t i = 0; i < section->count; i++) {
        const struct block *block = &section->block[i];
        const size_t used = lines_in(&answers) + FIXED + 1;
        count += block->kind == BLOCK_LINE;
        if (block->kind == BLOCK_FAILURE || block->kind == BLOCK_ANSWERS || block->kind == BLOCK_VERDICT ||
            block->kind == BLOCK_NOTE)
            left += add_block(style, block, all ? SIZE_MAX : used < SCREEN ? SCREEN - used : 0, &answers);
    }
    const size_t used = FIXED + lines_in(&answers) + (left > 0), room = used < SCREEN ? SCREEN - used : 0;
    const size_t reserved = count < SENTENCES_LEAST ? 2 * count : SENTENCES_LEAST;
    add_picture(style, section, room > reserved + 1 ? room - reserved - 1 : 0, &picture);
    for (size_t i = 0; i < section->count; i++) {
        const size_t taken = lines_in(&picture) + (picture.length > 0) + 1;
        if (section->block[i].kind == BLOCK_LINE)
            left += add_block(style, &section->block[i],
                              all            ? SIZE_MAX
                              : room > taken ? room - taken
                                             : 0,
                              &sentences);
    }
    add_text(out, &answers);
    add_text(out, &sentences);
    if (left > 0)
        text_printf(out, "and %zu more: -v\n", left);
    text_add(out, picture.length > 0 ? "\n" : "");
    add_text(out, &picture);
    text_free(&answers);
    text_free(&sentences);
    text_free(&picture);
}

/* The sections of a report one below the other. */
static void add_all(const struct style *style, const struct page *page, struct text *out)
{
    add_head(style, page, out);
    for (size_t i = 0; i < page->count; i++) {
        const struct section *section = &page->section[i];
        if (i > 0) {
            text_add(out, "\n");
            human_bold(style, section->name, out);
            text_add(out, *section->summary ? ": " : "");
            text_add_wrapped(out, section->summary, strlen(section->name) + 2, 2, human_width(style));
            text_add(out, "\n");
        }
        add_whole(style, section, out);
    }
}

/* Where there are sentences alone, as of a check, each is a line, however long: a program may read it. False: there is more. */
static bool add_lines(const struct style *style, const struct page *page, struct text *out)
{
    const struct section *section = &page->section[0];
    if (page->record->answers.count == 0 || page->count > 1 || section_block(section, BLOCK_TABLE) ||
        section_block(section, BLOCK_ANSWERS))
        return false;
    for (size_t i = 0; i < section->count; i++) {
        if (section->block[i].kind != BLOCK_LINE && section->block[i].kind != BLOCK_VERDICT)
            continue;
        human_bold(style, section->block[i].text, out);
        text_add(out, "\n");
    }
    return true;
}

/* Whether it is facts that were asked for; warnings stand elsewhere. */
static bool is_of_facts(const struct section *section)
{
    bool only = section->count > 0;
    for (size_t i = 0; i < section->count; i++)
        only &= section->block[i].kind == BLOCK_FACTS || section->block[i].kind == BLOCK_WARNING;
    return only;
}

static void add_page(const struct style *style, const struct page *page, struct text *out)
{
    const struct section *section = &page->section[0];
    struct text screen = {0};
    const bool got =
        page->count == 1 && record_fact_find(page->record, "got.where") && page->record->children.count == 0;
    if (got || (is_of_facts(section) && (page->count == 1 || is_of_facts(&page->section[1])))) {
        if (got)
            add_head(style, page, out);
        for (size_t i = 0; i < page->count; i++)
            add_whole(style, &page->section[i], out);
        text_add(out, got && !style->tables
                          ? "all that is known of the machine: -v   memory: uarchprobe ram\n"
                          : "");
        return;
    }
    if (add_lines(style, page, out))
        return;
    if (!style->tables && record_has_results(page->record))
        add_screen(style, section, &screen);
    if (screen.length > 0) {
        add_head(style, page, out);
        add_text(out, &screen);
        human_sentence(style, 0, "all findings and tables: -v   a page with pictures: -o FILE.html", out);
    } else { /* tables alone that are no pictures, as of `list`, too */
        add_all(style, page, out);
    }
    text_free(&screen);
}

static void human_write(const struct format *format, const struct style *style, const struct record *record,
                        struct text *out)
{
    struct page page = page_of(record, style->tables ? PAGE_WHOLE : PAGE_SCREEN);
    add_page(style, &page, out);
    page_free(&page);
}

const struct format human_format = {.name = "human", .extension = ".txt", .write = human_write};
