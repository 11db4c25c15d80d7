/* SPDX-License-Identifier: MIT */
#include "human.h"

#include <string.h>

#include "output/scratch.h"

enum { WIDTH_DEFAULT = 80 };

void human_bold(const struct style *style, const char *text, struct text *out)
{
    text_add(out, style->color ? "\033[1m" : "");
    text_add_printable(out, text);
    text_add(out, style->color ? "\033[0m" : "");
}

size_t human_width(const struct style *style)
{
    return style->width > 0 ? (size_t)style->width : WIDTH_DEFAULT;
}

size_t human_lines(const struct text *text)
{
    size_t lines = 0;
    for (size_t i = 0; i < text->length; i++)
        lines += text->data[i] == '\n';
    return lines;
}

void human_sentence(const struct style *style, size_t indent, const char *sentence, struct text *out)
{
    if (!*sentence)
        return;
    text_repeat(out, ' ', indent);
    text_add_wrapped(out, spell_line(sentence), indent, indent + 2, human_width(style));
    text_add(out, "\n");
}

static const char gap[] = "  ";
static const char bold_green[] = "\033[1;32m", bold[] = "\033[1m", plain[] = "\033[0m";

/* A grid that is being drawn. */
struct drawn {
    struct grid grid; /* label_columns: those that begin each block of columns */
    bool color, headed;
    size_t indent, screen; /* columns of the terminal behind the indent; 0: no limit */
    size_t *width;         /* of each column */
    struct text *out;
};

static void measure(struct drawn *drawn)
{
    const struct grid *grid = &drawn->grid;
    drawn->width = scratch_new((size_t)grid->column_count, sizeof(*drawn->width));
    for (int i = 0; i < grid->column_count; i++) {
        drawn->width[i] = text_width(grid->column[i].heading);
        drawn->headed |= drawn->width[i] > 0;
        for (size_t row = 0; row < grid->row_count; row++) {
            const size_t needed = text_width(grid_at(grid, row, i)->text);
            drawn->width[i] = needed > drawn->width[i] ? needed : drawn->width[i];
        }
    }
}

static void add_aligned(const char *text, size_t width, bool right, const char *before, struct text *out)
{
    const size_t blanks = width - text_width(text);
    text_repeat(out, ' ', right ? blanks : 0);
    text_add(out, before);
    text_add(out, text);
    text_add(out, *before ? plain : "");
    text_repeat(out, ' ', right ? 0 : blanks);
}

static void end_line(struct text *out)
{
    while (out->length > 0 && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
    text_add(out, "\n");
}

/* Green to red in the palette of 256 colours. */
static const char *const shades[] = {
    "", "\033[38;5;34m", "\033[38;5;70m", "\033[38;5;178m", "\033[38;5;208m", "\033[38;5;196m"};

const char *human_shade(int shade)
{
    return shade > 0 ? shades[shade] : plain;
}

/* The position of the first character of a column. */
static size_t begin_of(const struct drawn *drawn, int column)
{
    size_t begin = 0;
    for (int i = 0; i < column; i++)
        begin += drawn->width[i] > 0 ? drawn->width[i] + sizeof(gap) - 1 : 0;
    return begin;
}

enum {
    TEXT_LEAST = 24, /* narrower texts are not wrapped: they stand below their row, indented by BELOW */
    BELOW = 4,       /* before a remark below its row */
    MORE = 2         /* before further lines of a name */
};

static bool ends_in_text(const struct grid *grid)
{
    return !grid->column[grid->column_count - 1].number;
}

/* Gives the last column of texts the room that the others leave, if it is enough to read them; remarks get
 * it in any case. */
static void narrow_last(struct drawn *drawn)
{
    const struct grid *grid = &drawn->grid;
    const int last = grid->column_count - 1;
    const size_t begin = begin_of(drawn, last), screen = drawn->screen;
    if (ends_in_text(grid) && begin + drawn->width[last] > screen &&
        (begin + TEXT_LEAST <= screen || (grid->remarks && screen > 0)))
        drawn->width[last] = begin < screen ? screen - begin : 1;
}

/* Hides columns without a text in any row, then the spare ones if remarks have no room yet. */
static void hide_columns(struct drawn *drawn)
{
    const struct grid *grid = &drawn->grid;
    const int count = grid->column_count;
    for (int i = grid->label_columns; i < count; i++) {
        bool is_empty = grid->row_count > 0;
        for (size_t row = 0; row < grid->row_count && is_empty; row++)
            is_empty = !*grid_at(grid, row, i)->text;
        drawn->width[i] = is_empty ? 0 : drawn->width[i];
    }
    for (int i = grid->label_columns;
         i < count && begin_of(drawn, count - 1) + drawn->width[count - 1] > drawn->screen; i++)
        drawn->width[i] = grid->column[i].spare ? 0 : drawn->width[i];
}

/* The longest word of the names. */
static size_t longest_word(const struct grid *grid)
{
    size_t longest = 0;
    for (size_t row = 0; row < grid->row_count; row++)
        for (const char *word = grid_at(grid, row, 0)->text; *word; word += strspn(word, " ")) {
            const size_t length = strcspn(word, " ");
            longest = length > longest ? length : longest;
            word += length;
        }
    return longest;
}

/* Wraps long names where another column has room then, and no further than these leave; the first column of
 * numbers has room whatever a name takes. Columns that have no room even so, such as further machines, are
 * hidden. */
static void narrow_names(struct drawn *drawn)
{
    enum { NAME_LEAST = 22 };
    const struct grid *grid = &drawn->grid;
    const size_t name = drawn->width[0], word = MORE + longest_word(grid);
    size_t room = name;
    bool has_number = false;
    for (int end = 2, count = grid->column_count - ends_in_text(grid); end <= count; end++) {
        const size_t others = begin_of(drawn, end) - name - (sizeof(gap) - 1),
                     least = has_number && word < NAME_LEAST ? NAME_LEAST : word;
        if (others + (least < name ? least : name) > drawn->screen) {
            while (has_number && end <= count)
                drawn->width[end++ - 1] = 0;
            break;
        }
        room = drawn->screen - others;
        has_number |= grid->column[end - 1].number;
    }
    drawn->width[0] = name < room ? name : room;
}

/* Empty columns, spare ones, the line of the remark, the line of the name: in this order a screen makes room
 * for values. */
static void fit(struct drawn *drawn)
{
    const struct grid *grid = &drawn->grid;
    if (drawn->screen > 0 && grid->brief && grid->remarks && grid->label_columns == 1) {
        hide_columns(drawn);
        narrow_names(drawn);
    }
    narrow_last(drawn);
}

/* A name that is too long takes several lines; the values stand behind the last one. */
static void add_name(const struct drawn *drawn, const char *name)
{
    struct text wrapped = {0};
    text_add_wrapped(&wrapped, name, 0, MORE, drawn->width[0]);
    char *last = scratch_text(&wrapped);
    for (char *end; (end = strchr(last, '\n')); last = end + 1) {
        text_add_bytes(drawn->out, last, (size_t)(end + 1 - last));
        text_repeat(drawn->out, ' ', drawn->indent);
    }
    add_aligned(last, drawn->width[0], false, "", drawn->out);
}

/* Writes one column of one line; row -1 is the heading. */
static void add_field(const struct drawn *drawn, long row, int column)
{
    const struct grid *grid = &drawn->grid;
    const struct grid_column *of = &grid->column[column];
    const size_t width = drawn->width[column];
    const bool value = column >= grid->label_columns;
    struct text *out = drawn->out;
    if (width == 0)
        return;
    if (row < 0) {
        add_aligned(of->heading, width, of->number, drawn->color ? bold : "", out);
    } else {
        const struct grid_cell *cell = grid_at(grid, (size_t)row, column);
        const char *before = cell->best ? bold_green : shades[cell->shade];
        if (column == 0 && text_width(cell->text) > width) {
            add_name(drawn, cell->text);
            return;
        }
        if (text_width(cell->text) > width) {
            const bool below = width < TEXT_LEAST;
            const size_t begin = begin_of(drawn, column), indent = drawn->indent + (below ? BELOW : begin);
            if (below) {
                end_line(out);
                text_repeat(out, ' ', indent);
            }
            text_add_wrapped(out, cell->text, indent, indent, drawn->indent + drawn->screen);
            return;
        }
        add_aligned(cell->text, width, of->number, drawn->color ? before : "", out);
    }
    if (grid->marked && value)
        text_add(out, row >= 0 && grid_at(grid, (size_t)row, column)->best ? "*" : " ");
}

/* Writes the columns that name the row, and columns `first` to `end`; in a later block only the rows that
 * have text there. */
static void add_block(const struct drawn *drawn, int first, int end)
{
    for (long row = drawn->headed ? -1 : 0; row < (long)drawn->grid.row_count; row++) {
        bool any = row < 0 || first == drawn->grid.label_columns;
        for (int i = first; i < end && !any; i++)
            any = *grid_at(&drawn->grid, (size_t)row, i)->text;
        if (!any)
            continue;
        text_repeat(drawn->out, ' ', drawn->indent);
        for (int i = 0; i < end; i = i + 1 == drawn->grid.label_columns ? first : i + 1) {
            text_add(drawn->out, i > 0 && drawn->width[i] > 0 ? gap : "");
            add_field(drawn, row, i);
        }
        end_line(drawn->out);
    }
}

/* Returns the first column that no longer fits; at least one is drawn. */
static int block_end(const struct drawn *drawn, int first)
{
    const struct grid *grid = &drawn->grid;
    size_t used = begin_of(drawn, grid->label_columns) - (sizeof(gap) - 1);
    int end = first;
    if (drawn->screen == 0 || grid->label_columns == 0)
        return grid->column_count;
    for (; end < grid->column_count; end++) {
        const bool may_stand_below = grid->remarks && end + 1 == grid->column_count && ends_in_text(grid);
        used += drawn->width[end] > 0 ? sizeof(gap) - 1 + drawn->width[end] + grid->marked : 0;
        if (used > drawn->screen && end > first && !may_stand_below)
            break;
    }
    return end;
}

/* A short list of numbers wider than the terminal continues below and repeats its naming columns: as many as
 * leave room for another column, at least one. A long list, and texts, are read line by line. */
static int naming_columns(const struct drawn *drawn)
{
    enum { ROWS_MOST = 40, ROOM_LEAST = 26 }; /* "a pair takes [cycles]" */
    const struct grid *grid = &drawn->grid;
    int numbers = 0, count = 1;
    for (int i = 0; i < grid->column_count; i++)
        numbers += grid->column[i].number;
    if (2 * numbers <= grid->column_count || drawn->screen == 0 || grid->row_count > ROWS_MOST ||
        begin_of(drawn, grid->column_count) - (sizeof(gap) - 1) <= drawn->screen)
        return 0;
    while (count < grid->column_count && grid->column[count].names &&
           begin_of(drawn, count + 1) + ROOM_LEAST <= drawn->screen)
        count++;
    return count;
}

void human_grid(const struct style *style, size_t indent, const struct grid *grid, struct text *out)
{
    struct drawn drawn = {.grid = *grid, .color = style->color, .indent = indent, .out = out};
    /* Rows that are answers stay lines where no screen limits them: what reads a pipe looks for the value
     * behind the name. */
    drawn.screen = style->width > 0 && !(style->pipe && grid->remarks && !grid->brief)
                       ? (size_t)style->width - indent
                       : 0;
    if (grid->caption)
        text_printf(out, "%s\n\n", grid->caption);
    measure(&drawn);
    fit(&drawn);
    if (grid->label_columns == 0)
        drawn.grid.label_columns = naming_columns(&drawn);
    for (int first = drawn.grid.label_columns, end = 0; end < grid->column_count; first = end) {
        text_add(out, end > 0 ? "\n" : "");
        end = block_end(&drawn, first);
        add_block(&drawn, first, end);
    }
}
