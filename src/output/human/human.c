/* SPDX-License-Identifier: MIT */
/* What a terminal shows: one screen with machine, conditions, answers, and a picture; with -v all answers and
 * tables. Warnings go to standard error, with every format. */
#include "human.h"

#include <stdint.h>
#include <string.h>

#include "output/lines.h"
#include "output/page.h"
#include "output/scratch.h"

/* Lines of a screen, above the prompt. */
enum { SCREEN = 23 };

/* A bold line, broken where the terminal ends. */
static void add_heading(const struct style *style, const char *title, struct text *out)
{
    text_add(out, style->color ? "\033[1m" : "");
    human_sentence(style, 0, title, out);
    out->length--;
    text_add(out, style->color ? "\033[0m\n" : "\n");
}

/* Draws pictures where characters show more than the table, else its values, of each grid at most so many
 * rows. With few lines only the first picture. */
static void add_table(const struct style *style, const struct record_table *table, size_t lines, size_t rows,
                      struct text *out)
{
    const struct table_spec *spec = table->spec;
    const bool whole = lines == SIZE_MAX;
    size_t count, drawn = 0, left = 0;
    bool marked = false;
    struct plot *plots = plots_of(table, &count);
    add_heading(style, plot_title(table), out);
    for (size_t i = 0; i < count && (whole || drawn == 0); i++) {
        const size_t before = out->length, room = whole ? lines : lines - 1;
        text_add(out, drawn ? "\n" : "");
        const bool fits = plots[i].kind == PLOT_CURVE ? human_curve(style, &plots[i], room, out)
                                                      : human_cpus(style, &plots[i], room, out) ||
                                                            human_heat_map(style, &plots[i], room, out);
        drawn += fits;
        out->length = fits ? out->length : before;
        if (plots[i].of_cpus && plots[i].cell && !whole) {
            text_add(out, fits ? "" : "matrix: -o FILE.svg\n");
            drawn = 1;
        }
    }
    for (size_t i = 0; i < count && drawn == 0; i++) {
        struct grid grid = grid_of_plot(&plots[i]);
        left += grid.row_count > rows ? grid.row_count - rows : 0;
        grid.row_count = grid.row_count < rows ? grid.row_count : rows;
        text_add(out, i ? "\n" : "");
        human_grid(style, 0, &grid, out);
        marked |= grid.marked;
    }
    if (left > 0)
        text_printf(out, "and %zu more%s\n", left, style->tables ? "" : ": -v");
    for (size_t i = 0; i < count; i++) {
        human_sentence(style, 0, plots[i].of_cpus && plots[i].cell ? human_cpus_summary(&plots[i]) : "", out);
        human_sentence(style, 0, plots[i].outliers ? plots[i].outliers : "", out);
    }
    text_add(out, marked ? "\n* best of its column\n" : "");
    if (spec->view.lines > 0 && whole && record_fact_number(table->record, "run.repeat") > 0) {
        const struct style wide = {.color = style->color};
        struct grid each = lines_grid(table);
        text_add(out, "\n");
        human_grid(&wide, 0, &each, out);
    }
    if (spec->note && whole)
        human_sentence(style, 0, spec->note, out);
}

/* Writes the machine and, where the line has room, the conditions at its right end. */
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

/* Draws as many rows as fit in `lines`: remarks that stand below their rows take lines, too. Returns how
 * many are left out. */
static size_t add_rows(const struct style *style, const struct grid *whole, size_t lines, struct text *out)
{
    struct grid grid = *whole;
    struct style bound = *style;
    const size_t before = out->length, used = human_lines(out);
    grid.brief = lines != SIZE_MAX;
    bound.width = (int)human_width(style);
    for (; grid.row_count > 0; grid.row_count--) {
        human_grid(&bound, 0, &grid, out);
        if (human_lines(out) - used <= lines)
            break;
        out->length = before;
    }
    return whole->row_count - grid.row_count;
}

/* Draws a block in at most `lines` lines, a table in so many rows; SIZE_MAX: no screen. Returns how many of
 * its rows or lines are left out. */
static size_t add_block(const struct style *style, const struct block *block, size_t lines, struct text *out)
{
    const size_t before = out->length, used = human_lines(out);
    const bool apart =
        block->kind == BLOCK_FACTS || block->kind == BLOCK_ANSWERS || block->kind == BLOCK_TABLE;
    if ((block->kind == BLOCK_TABLE && block->table->spec->view.aside) || block->kind == BLOCK_WARNING ||
        block->kind == BLOCK_METHOD)
        return 0;
    if (apart && out->length > 1 && out->data[out->length - 2] != '\n')
        text_add(out, "\n");
    if (block->kind == BLOCK_FACTS) {
        add_heading(style, block->text, out);
        human_grid(style, 2, &block->grid, out);
    } else if (block->kind == BLOCK_ANSWERS) {
        const size_t room = lines == SIZE_MAX ? lines : lines > used + 1 ? lines - used - 1 : 0;
        const size_t left = add_rows(style, &block->grid, room, out);
        out->length = left == block->grid.row_count ? before : out->length;
        return left;
    } else if (block->kind == BLOCK_TABLE) {
        add_table(style, block->table, SIZE_MAX, lines, out);
    } else {
        human_sentence(style, 0, block->text, out);
        if (block->kind == BLOCK_LINE && human_lines(out) > lines) {
            out->length = before;
            return 1;
        }
    }
    return 0;
}

static bool is_of_cpus(const struct record_table *table)
{
    const struct table_spec *spec = table->spec;
    const struct view *view = &spec->view;
    return view->kind == VIEW_MATRIX && !view->aside && view->x >= 0 && view->y >= 0 &&
           spec->columns[view->x].type == CELL_CPU && spec->columns[view->y].type == CELL_CPU;
}

/* Draws the matrices of CPUs, which people ask for: the first wherever it fits, each other one where it
 * leaves LEAST lines for answers. Returns how many are left out. */
static size_t add_cpus(const struct style *style, const struct section *section, size_t limit,
                       struct text *out)
{
    enum { LEAST = 6, SUMMARY = 2 };
    size_t left = 0, drawn = 0;
    for (size_t i = 0; i < section->count; i++) {
        const struct record_table *table = section->block[i].table;
        const size_t before = out->length, used = human_lines(out);
        if (!table || !is_of_cpus(table))
            continue;
        const size_t kept = drawn > 0 ? LEAST : SUMMARY;
        add_table(style, table, limit > used + kept ? limit - used - kept : 1, SIZE_MAX, out);
        text_add(out, "\n");
        if (drawn > 0 && human_lines(out) + LEAST > limit) {
            out->length = before;
            left++;
        }
        drawn++;
    }
    return left;
}

/* Draws the first table that has a picture or is small enough to stand for one; `map`: whose many cells
 * take the whole screen. False: there is none, or it has no room. */
static bool add_picture(const struct style *style, const struct section *section, size_t lines, bool map,
                        struct text *out)
{
    enum { CELLS_LEAST = 1024 };
    bool has_matrix = false; /* of answers, which restates all but curves of their own */
    for (size_t i = 0; i < section->count && lines > 2; i++) {
        const struct record_table *table = section->block[i].table;
        const struct view *view = table ? &table->spec->view : NULL;
        has_matrix |= section->block[i].is_matrix && !map;
        if (!table || is_of_cpus(table) || (has_matrix && (view->kind != VIEW_CURVE || view->derived)) ||
            view->kind == VIEW_LIST || view->aside ||
            (map && (view->kind != VIEW_MATRIX || view->class <= 0 || table->row_count < CELLS_LEAST)))
            continue;
        add_table(style, table, lines, SIZE_MAX, out);
        if (out->length > 0 && human_lines(out) <= lines)
            return true;
        out->length = 0;
    }
    return false;
}

/* Draws matrices of CPUs, the answers, a picture in the lines that they leave, then sentences in the lines
 * left by both; all of it in at most `limit` lines. Returns how many answers are left out. */
static size_t add_screen(const struct style *style, const struct section *section, size_t limit,
                         struct text *out)
{
    enum { SENTENCES_LEAST = 6 };
    struct text picture = {0};
    size_t left = section->left, sentences = 0;
    /* A pipe gets all differences or outliers: its reader is not bound to a screen. */
    const bool all = style->pipe && record_fact_find(section->record, "run.subject");
    if (add_picture(style, section, limit, true, &picture)) {
        for (size_t i = 0; i < section->count; i++)
            left += section->block[i].kind == BLOCK_LINE ? 1 : section->block[i].grid.row_count;
        text_add(out, picture.data);
        text_free(&picture);
        return left;
    }
    left += add_cpus(style, section, limit, out);
    for (size_t i = 0; i < section->count; i++) {
        const struct block *block = &section->block[i];
        sentences += block->kind == BLOCK_LINE;
        if (block->kind != BLOCK_LINE && block->kind != BLOCK_TABLE && block->kind != BLOCK_FACTS)
            left += add_block(style, block, all ? SIZE_MAX : limit, out);
    }
    const size_t reserved = 2 * sentences < SENTENCES_LEAST ? 2 * sentences : SENTENCES_LEAST;
    const size_t used = human_lines(out) + 1 + reserved;
    add_picture(style, section, limit > used ? limit - used : 0, false, &picture);
    const size_t below = (picture.length > 0) + human_lines(&picture);
    limit = limit > below ? limit - below : 0;
    for (size_t i = 0; i < section->count; i++)
        if (section->block[i].kind == BLOCK_LINE)
            left += add_block(style, &section->block[i], all ? SIZE_MAX : limit, out);
    if (picture.length > 0)
        text_printf(out, "\n%s", picture.data);
    text_free(&picture);
    return left;
}

/* Draws everything, of tables at most so many rows; the sections of a report follow each other. */
static void add_all(const struct style *style, const struct page *page, size_t rows, struct text *out)
{
    for (size_t i = 0; i < page->count; i++) {
        const struct section *section = &page->section[i];
        if (i > 0 && section->count > 0 && section->block[0].kind != BLOCK_FACTS) {
            text_add(out, "\n");
            human_bold(style, section->name, out);
            text_add(out, *section->summary ? ": " : "");
            text_add_wrapped(out, section->summary, strlen(section->name) + 2, 2, human_width(style));
            text_add(out, "\n");
        }
        for (size_t j = 0; j < section->count; j++)
            add_block(style, &section->block[j], section->block[j].kind == BLOCK_TABLE ? rows : SIZE_MAX,
                      out);
    }
}

static void human_write(const struct format *format, const struct style *style, const struct record *record,
                        struct text *out)
{
    (void)format;
    struct page page = page_of(record, !style->tables);
    struct text screen = {0};
    const struct section *section = &page.section[0];
    const bool got = page.count == 1 && record->children.count == 0 && record_fact_find(record, "got.where");
    unsigned kinds = 0;
    size_t left = 0;
    for (size_t i = 0; i < page.count; i++)
        for (size_t j = 0; j < page.section[i].count; j++)
            kinds |= 1U << page.section[i].block[j].kind;
    const unsigned facts = 1U << BLOCK_FACTS, rest = kinds & ~(1U << BLOCK_WARNING);
    const unsigned tables = 1U << BLOCK_TABLE | 1U << BLOCK_ANSWERS;
    if (rest == facts) { /* the user asked for facts */
        add_all(style, &page, SIZE_MAX, out);
    } else if (page.count == 1 && record->answers.count > 0 && !(kinds & (tables | facts))) {
        /* Each sentence of a check is one line, however long, for a program may read it. */
        for (size_t i = 0; i < section->count; i++) {
            if (section->block[i].kind != BLOCK_LINE && section->block[i].kind != BLOCK_VERDICT)
                continue;
            human_bold(style, section->block[i].text, out);
            text_add(out, "\n");
        }
    } else {
        /* HEAD: at least, as sentences below the rows may take two lines. LAST: the line that names what else
         * there is. */
        enum { HEAD = 2, LAST = 1 };
        add_head(style, &page, out);
        const size_t head = human_lines(out) > HEAD ? human_lines(out) : HEAD;
        if (!style->tables && !got && record_has_results(record))
            left = add_screen(style, section, SCREEN - LAST - head, &screen);
        if (screen.length > 0) {
            text_add(out, screen.data);
            human_sentence(style, 0,
                           spell("%s: -v   a page with pictures: -o FILE.html",
                                 left > 0 ? spell("and %zu more", left) : "all answers and tables"),
                           out);
        } else { /* tables alone that have no picture, such as those of `list`: with as many rows as fit */
            const size_t before = out->length;
            size_t rows = style->tables && !style->brief ? SIZE_MAX : SCREEN;
            add_all(style, &page, rows, out);
            for (; rows <= SCREEN && rows > 1 && human_lines(out) > SCREEN; rows--) {
                out->length = before;
                add_all(style, &page, rows - 1, out);
            }
        }
        if (got && !style->tables)
            text_add(out, "all that is known of the machine: -v   memory: uarchprobe ram\n");
    }
    text_free(&screen);
}

const struct format human_format = {.name = "human", .extension = ".txt", .write = human_write};
