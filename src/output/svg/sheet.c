/* SPDX-License-Identifier: MIT */
/* Draws a card for each cache level and memory, and one for each command with numbers of the core, a row
 * each: sheet_cells decide. */
#include "svg.h"

#include <math.h>
#include <string.h>

#include "elements.h"
#include "output/answers.h"
#include "output/scratch.h"
#include "result/subject.h"

enum { LEFT = 14, ROOM = PANEL_WIDTH - 2 * LEFT, HEIGHT = 140 };

/* As in sheet_cells, "memory/L1/read". */
static const char *const levels[] = {"L1", "L2", "L3", "DRAM"};

/* Memory that may have been measured in the last cache has sheet_cells of both: "L3 or DRAM". */
static const char *known_level(const struct record *record, const char *level)
{
    enum { LEVELS_MOST = 4 };
    for (int i = 1; i <= LEVELS_MOST && *level == 'D'; i++)
        if (answers_find(record, spell("memory/L%d_or_DRAM/size", i)))
            return spell("L%d_or_DRAM", i);
    return level;
}

/* Adds the size, "32 KiB", to the name of a level. */
static void add_title(const struct record *record, const char *level, struct text *out)
{
    enum { WHOLE_FROM = 36, GIB = 30 }; /* powers of two */
    const char *known = known_level(record, level);
    const double memory = *known == 'D' ? record_fact_number(record, "host.memory_bytes") : NAN;
    int64_t bytes = memory > 0 ? (int64_t)fmin(memory, 0x1p62) : 0;
    struct host_cache cache;
    struct text size = {0};
    for (int i = 0; subject_cache(record, i, &cache); i++)
        if (*level == 'L' && cache.level == level[1] - '0' && strcmp(cache.type, "instruction") != 0)
            bytes = cache.bytes;
    if (bytes > 0)
        text_add_size_rounded(&size, bytes >> WHOLE_FROM ? bytes >> GIB << GIB : bytes);
    svg_text(out, LEFT, 24, "t s", "start", "%s%s%s", known == level ? level : spell("%.2s or DRAM", known),
             bytes > 0 ? ", " : "", scratch_text(&size));
}

/* Adds the cycles below a time, and the bytes a cycle below a rate. */
static void add_by_clock(const struct answer *answer, double x, double y, struct text *out)
{
    const double value = cell_number(&answer->value);
    struct text text = {0};
    if (!(answer->ghz > 0) || answer->trust == TRUST_LOW || !answer->unit)
        return;
    const bool time = strcmp(answer->unit, "ns") == 0;
    text_add_rounded(&text, time ? value * answer->ghz : value * 1e-9 / answer->ghz);
    svg_text(out, x, y, "m", "start", "%s %s", scratch_text(&text), time ? "cycles" : "B/cycle");
}

/* Shows the trust as shade and mark, and the published value below the number. */
static void add_number(const struct answer *answer, const char *name, double x, struct text *out)
{
    static const char *const shades[] = {[TRUST_LOW] = "p z", [TRUST_MEDIUM] = "m z", [TRUST_HIGH] = "t z"};
    const char *unit = answers_unit(answer->unit), *quoted_unit = answer->published.unit;
    svg_text(out, x, 46, "m", "start", "%s%s%s", name, *unit ? ", " : "", unit);
    svg_text(out, x, 72, shades[answer->trust], "start", "%s", answers_value(answer, false));
    add_by_clock(answer, x, 91, out);
    if (quoted_unit && strcmp(quoted_unit, "bytes/cycle") == 0)
        svg_text(out, x, 109, "m", "start", "of %g B/cycle", cell_number(&answer->published.value));
    else if (cell_has_value(&answer->published.value))
        svg_text(out, x, 109, "m", "start", "published %s", answers_published(answer));
}

/* A frame with a title; the caller completes its body. */
static struct text *add_card(struct picture *picture, const char *title, double height)
{
    struct panel *panel = picture_panel(picture, title, PANEL_WIDTH);
    panel->height = height;
    text_printf(&panel->body, "<rect x=\"1\" y=\"1\" width=\"%d\" height=\"%.0f\" rx=\"8\" class=\"o\"/>\n",
                PANEL_WIDTH - 2, height - 2);
    return &panel->body;
}

static void add_level(const struct record *record, const char *level, struct picture *picture)
{
    static const char *const tasks[] = {"latency", "read", "write", "copy"};
    enum { TASKS = sizeof tasks / sizeof *tasks };
    struct text *out = add_card(picture, level, HEIGHT);
    size_t drawn = 0;
    add_title(record, level, out);
    level = known_level(record, level);
    for (size_t i = 0; i < TASKS; i++) {
        const double x = LEFT + (double)(i * ROOM) / TASKS;
        const struct answer *answer = answers_find(record, spell("memory/%s/%s", level, tasks[i]));
        const struct answer *all = answers_find(record, spell("memory/%s_all/%s", level, tasks[i]));
        if (answer)
            add_number(answer, tasks[i], x, out);
        if (all)
            svg_text(out, x, 127, "m", "start", "all CPUs %s", answers_value(all, false));
        drawn += answer != NULL;
    }
    const struct answer *size = answers_find(record, spell("memory/%s/size", level));
    const char *why = size && cell_text(&size->value) ? cell_text(&size->value) : ""; /* "no room" */
    if (drawn == 0)
        svg_text(out, LEFT, 72, "m", "start", "not measured%s%s", strncmp(why, "no", 2) == 0 ? ": " : "",
                 strncmp(why, "no", 2) == 0 ? why : "");
}

enum { GAP = 10, LETTER = 7 };

static double column_width(const struct grid *grid, int column)
{
    const double character = grid->column[column].number ? SVG_CHARACTER : LETTER;
    double width = LETTER * (double)text_width(grid->column[column].heading);
    for (size_t row = 0; row < grid->row_count; row++)
        width = fmax(width, character * (double)text_width(grid_at(grid, row, column)->text));
    return width;
}

/* Leaves out what is published where the values of all kinds of cores have no room next to it. */
static void keep_values(struct grid *grid)
{
    bool *kept = scratch_new((size_t)grid->column_count, sizeof(*kept));
    double width = -GAP;
    for (int i = 0; i < grid->column_count; i++) {
        kept[i] = strcmp(grid->column[i].heading, "published") != 0;
        width += i == 0 || grid->column[i].number ? column_width(grid, i) + GAP : 0;
    }
    if (width > ROOM)
        grid_keep(grid, kept);
}

/* Draws the cells of a grid that have room. */
static void add_rows(const struct grid *grid, double y, struct text *out)
{
    double x = LEFT, width;
    for (int i = 0; i < grid->column_count; i++, x += width + GAP) {
        const bool number = grid->column[i].number;
        width = column_width(grid, i);
        for (size_t line = 0; line <= grid->row_count; line++) {
            const char *text = line > 0 ? grid_at(grid, line - 1, i)->text : grid->column[i].heading;
            const char *class = line == 0 ? "m" : number && strchr(text, '?') ? "p" : "t";
            if (x + LETTER * (double)text_width(text) <= LEFT + ROOM + (line == 0 ? GAP : 0))
                svg_text(out, number ? fmin(x + width, LEFT + ROOM) : x, y + (double)line * SVG_LINE, class,
                         number ? "end" : "start", "%s", text);
        }
    }
}

/* Adds the card of a command, or those of a report's commands, with all its answers but those of a busy
 * sibling. */
static void add_cards(const struct record *record, struct picture *picture)
{
    enum { ABOVE = 46 };
    const struct answer **of = scratch_new(record->answers.count, sizeof(*of));
    const char *name = fact_text(record, "run.command", "result");
    size_t count = 0;
    bool marked = false;
    for (size_t i = 0; i < record->answers.count; i++) {
        of[count] = &record->answers.of[i];
        count += answers_has_row(of[count]) && !answer_is_busy(of[count]);
    }
    struct grid grid = answers_rows(of, count, false, &marked);
    if (grid.row_count > 0) {
        keep_values(&grid);
        struct text *out = add_card(picture, name, ABOVE + (double)(grid.row_count + 1) * SVG_LINE);
        svg_text(out, LEFT, 24, "t s", "start", "%s", name);
        const char *summary = fact_text(record, "run.summary", "");
        const double x = LEFT + SVG_CHARACTER + svg_text_width(name);
        if (x + svg_text_width(summary) <= LEFT + ROOM)
            svg_text(out, x, 24, "m", "start", "%s", summary);
        add_rows(&grid, ABOVE, out);
    }
    for (size_t i = 0; i < record->children.count; i++)
        add_cards(record->children.of[i], picture);
}

void svg_sheet(const struct record *record, struct picture *picture)
{
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
        add_level(record, levels[i], picture);
    add_cards(record, picture);
}
