/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "human.h"

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

void human_sentence(const struct style *style, size_t indent, const char *sentence, struct text *out)
{
    struct text clean = {0};
    text_add_printable(&clean, sentence);
    char *rest = text_take(&clean);
    for (char *line = rest, *next; *line; line = next, indent += line > rest && indent % 4 < 2 ? 2 : 0) {
        next = line + text_fit(line, human_width(style) - indent);
        text_repeat(out, ' ', indent);
        text_add_bytes(out, line, (size_t)(next - line));
        text_add(out, "\n");
        next += *next == ' ';
    }
    free(rest);
}

static const char gap[] = "  ";
static const char bold_green[] = "\033[1;32m", bold[] = "\033[1m", plain[] = "\033[0m";

static size_t *column_widths(const struct grid *grid)
{
    size_t *width = memory_zeroed((size_t)grid->column_count, sizeof(*width));
    for (int i = 0; i < grid->column_count; i++) {
        width[i] = text_width(grid->column[i].heading);
        for (size_t row = 0; row < grid->row_count; row++) {
            size_t needed = text_width(grid_at(grid, row, i)->text);
            width[i] = needed > width[i] ? needed : width[i];
        }
    }
    return width;
}

static void add_aligned(const char *text, size_t width, bool right, const char *before, const char *after,
                        struct text *out)
{
    size_t blanks = width - text_width(text);
    text_repeat(out, ' ', right ? blanks : 0);
    text_add(out, before);
    text_add(out, text);
    text_add(out, after);
    text_repeat(out, ' ', right ? 0 : blanks);
}

static void end_line(struct text *out)
{
    while (out->length > 0 && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
    text_add(out, "\n");
}

/* Values nearer to each other than this are not set apart by colour: they differ by noise. */
static const double SHADED_RATIO = 1.5;

/* Green to red, of the 256 colours; in equal steps of the ratio to the lowest. */
static const char *shade_of(const struct grid *grid, const struct grid_cell *cell)
{
    static const char *const shade[] = {"\033[38;5;34m", "\033[38;5;70m", "\033[38;5;178m", "\033[38;5;208m",
                                        "\033[38;5;196m"};
    enum { SHADES = sizeof shade / sizeof *shade };

    if (!(cell_number(&cell->raw) > 0) || !(grid->low > 0))
        return "";
    double range = log(fmax(grid->high / grid->low, SHADED_RATIO));
    double share = log(cell_number(&cell->raw) / grid->low) / range;
    int index = (int)(share * SHADES);
    return shade[index < 0 ? 0 : index >= SHADES ? SHADES - 1 : index];
}

/* The first character of a column. */
static size_t begin_of(const size_t *width, int column)
{
    size_t begin = 0;
    for (int i = 0; i < column; i++)
        begin += width[i] + sizeof(gap) - 1;
    return begin;
}

enum {
    TEXT_LEAST = 24,
    BELOW = 4
}; /* that a text is wrapped in; else it stands below its row, so far to the right */

/* The last column of texts has what the others leave of the terminal, if that is enough to be read in; of remarks in any case. */
static void narrow_last(const struct style *style, const struct grid *grid, size_t *width)
{
    const int last = grid->column_count - 1;
    const size_t begin = begin_of(width, last), screen = (size_t)style->width;
    if (!grid->column[last].number && begin + width[last] > screen &&
        (begin + TEXT_LEAST <= screen || (grid->remarks && begin < screen)))
        width[last] = screen - begin;
}

/* One column of one line; row -1 is the heading. */
static void add_field(const struct style *style, const struct grid *grid, const size_t *width, long row,
                      int column, struct text *out)
{
    const struct grid_column *of = &grid->column[column];
    bool value = column >= grid->label_columns;
    if (row < 0) {
        add_aligned(of->heading, width[column], of->number, style->color ? bold : "",
                    style->color ? plain : "", out);
    } else {
        const struct grid_cell *cell = grid_at(grid, (size_t)row, column);
        const char *before = cell->best ? bold_green : value && grid->shaded ? shade_of(grid, cell) : "";
        bool lit = style->color && *before;
        if (text_width(cell->text) > width[column]) {
            const bool below = width[column] < TEXT_LEAST;
            const size_t begin = begin_of(width, column), indent = below ? BELOW : begin;
            if (below) {
                end_line(out);
                text_repeat(out, ' ', BELOW);
            }
            text_add_wrapped(out, cell->text, indent, indent, begin + width[column]);
            return;
        }
        add_aligned(cell->text, width[column], of->number, lit ? before : "", lit ? plain : "", out);
    }
    if (grid->marked && value)
        text_add(out, row >= 0 && grid_at(grid, (size_t)row, column)->best ? "*" : " ");
}

static void add_block(const struct style *style, const struct grid *grid, const size_t *width, int first,
                      int end, struct text *out)
{
    for (long row = -1; row < (long)grid->row_count; row++) {
        for (int i = 0; i < grid->label_columns; i++) {
            add_field(style, grid, width, row, i, out);
            text_add(out, first > i || end > first ? gap : "");
        }
        for (int i = first; i < end; i++) {
            text_add(out, i > first ? gap : "");
            add_field(style, grid, width, row, i, out);
        }
        end_line(out);
    }
}

/* The first column that does not fit any more; at least one is drawn. */
static int block_end(const struct style *style, const struct grid *grid, const size_t *width, int first)
{
    if (style->width == 0 || grid->label_columns == 0)
        return grid->column_count;
    size_t used = begin_of(width, grid->label_columns) - (sizeof(gap) - 1);
    int end = first;
    for (; end < grid->column_count; end++) {
        used += sizeof(gap) - 1 + width[end] + grid->marked;
        if (used > (size_t)style->width && end > first)
            break;
    }
    return end;
}

/* A short list of numbers wider than the terminal: further columns below, behind those again that name the row. A long
 * one, and texts, are read line by line. */
static bool is_split(const struct style *style, const struct grid *grid, const size_t *width)
{
    enum { ROWS_MOST = 40 };
    const size_t needed = begin_of(width, grid->column_count) - (sizeof(gap) - 1);
    int numbers = 0;
    for (int i = 0; i < grid->column_count; i++)
        numbers += grid->column[i].number;
    return grid->label_columns == 0 && 2 * numbers > grid->column_count && style->width > 0 &&
           needed > (size_t)style->width && grid->row_count <= ROWS_MOST;
}

/* As many of the columns that name the row as leave room for another; one at least. */
static int naming_columns(const struct style *style, const struct grid *grid, const size_t *width)
{
    enum { ROOM_LEAST = 26 }; /* "a pair takes [core cycles]" */
    int count = 1;
    while (count < grid->column_count && grid->column[count].names &&
           begin_of(width, count + 1) + ROOM_LEAST <= (size_t)style->width)
        count++;
    return count;
}

void human_grid(const struct style *style, const struct grid *whole, struct text *out)
{
    struct grid copy = *whole;
    const struct grid *grid = &copy;
    if (grid->caption) {
        text_add(out, grid->caption);
        text_add(out, "\n\n");
    }
    size_t *width = column_widths(grid);
    narrow_last(style, grid, width);
    if (is_split(style, grid, width))
        copy.label_columns = naming_columns(style, grid, width);
    int first = grid->label_columns;
    do {
        int end = block_end(style, grid, width, first);
        text_add(out, first > grid->label_columns ? "\n" : "");
        add_block(style, grid, width, first, end, out);
        first = end;
    } while (first < grid->column_count);
    free(width);
    if (grid->overlaid)
        text_add(out, "Some cells have several rows; the last of them is shown.\n");
}
