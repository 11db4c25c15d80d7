/* SPDX-License-Identifier: MIT */
/* What a terminal shows: one screen with the answers, under what they were measured, and a picture; where tables are
 * asked for, all answers and all tables. Warnings go to standard error, with every format. */
#include "human.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "output/card.h"
#include "output/conditions.h"
#include "output/rows.h"
#include "result/subject.h"

enum {
    SCREEN = 23,
    FIXED = 5, /* the machine and conditions, the last line and what is blank */
    ANSWERS_LEAST = 6
};

static void add_heading(const struct style *style, const char *title, struct text *out)
{
    text_add(out, style->color ? "\033[1m" : "");
    human_sentence(style, 0, title, out);
    out->length--;
    text_add(out, style->color ? "\033[0m\n" : "\n");
}

static size_t lines_in(const struct text *text, size_t from)
{
    size_t lines = 0;
    for (size_t i = from; i < text->length; i++)
        lines += text->data[i] == '\n';
    return lines;
}

static void add_answer(const struct style *style, size_t indent, const struct answer *answer,
                       struct text *out)
{
    struct text sentence = {0};
    card_sentence(answer, style->tables, &sentence);
    text_add(&sentence, card_trust(answer->trust));
    human_sentence(style, indent, sentence.data, out);
    text_free(&sentence);
}

/* The table of answers, as much of it as has room in these lines. Returns how many rows there are besides. */
static size_t add_rows(const struct style *style, const struct record *record, const bool *in_grid,
                       size_t lines, bool *marked, struct text *out)
{
    struct grid grid = rows_of(record, style->tables ? NULL : in_grid, style->tables, marked);
    const size_t rows = grid.row_count, before = out->length;
    struct style wide = *style;
    wide.width = (int)human_width(style);
    grid.row_count = rows < lines ? rows : lines > 0 ? lines - 1 : 0;
    while (grid.row_count > 0) {
        human_grid(&wide, &grid, out);
        if (lines_in(out, before) <= lines)
            break;
        out->length = before; /* remarks below their rows take lines, too */
        grid.row_count--;
    }
    const size_t shown = grid.row_count;
    grid.row_count = rows;
    grid_free(&grid);
    return rows - shown;
}

/* The card of a screen: what the grid shows of one state of the SMT sibling is for -v of the other. */
static struct card card_of_screen(const struct record *record)
{
    struct card card = card_of(record);
    for (size_t i = 0; card.grid && i < record->answers.count; i++)
        for (size_t j = 0; j < record->answers.count && !card.in_grid[i]; j++)
            card.in_grid[i] =
                card.in_grid[j] && strcmp(record->answers.of[i].key, record->answers.of[j].key) == 0;
    return card;
}

/* As many as have room in these lines. Returns how many there are besides. */
static size_t add_answers(const struct style *style, const struct record *record, size_t indent, size_t lines,
                          struct text *out)
{
    struct card card = card_of_screen(record);
    const size_t begun = out->length;
    bool marked = card.marked && !style->tables;
    if (card.grid && !style->tables)
        human_grid(style, card.grid, out);
    const size_t used = lines_in(out, begun) + 1;
    size_t left =
        card.sentences + add_rows(style, record, card.in_grid, used < lines ? lines - used : 0, &marked, out);
    if (marked)
        text_printf(out, "%s\n", rows_trust_note);
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        const size_t before = out->length;
        if (!card_is_sentence(answer) || (card.in_grid[i] && !style->tables))
            continue;
        add_answer(style, indent, answer, out);
        if (lines_in(out, begun) > lines) {
            out->length = before;
            break;
        }
        left--;
    }
    card_free(&card);
    return style->tables ? 0 : left;
}

/* One line, where the run failed, ended early or found nothing. */
static void add_failure(const struct style *style, const struct record *record, size_t indent,
                        struct text *out)
{
    const char *failure = fact_text(record, "run.fault", NULL);
    struct text sentence = {0};
    if (failure)
        text_printf(&sentence, "failed: %s", failure);
    else if (fact_is(record, "run.complete", false))
        text_add(&sentence, record_has_results(record)
                                ? subject_incomplete
                                : "Incomplete: the run ended early; nothing was measured until then.");
    else if (!record_has_results(record))
        text_add(&sentence,
                 "Nothing found: no sample could be used (see the warnings). Try again, or longer (-r).");
    if (sentence.length > 0)
        human_sentence(style, indent, sentence.data, out);
    text_free(&sentence);
}

bool human_plot(const struct style *style, const struct plot *plot, size_t lines, struct text *out)
{
    static bool (*const draw[])(const struct style *, const struct plot *, size_t, struct text *) = {
        [PLOT_CURVE] = human_curve, [PLOT_HEAT_MAP] = human_heat_map};
    return plot->kind != PLOT_BARS && draw[plot->kind](style, plot, lines, out);
}

/* False: the table says more than a picture of characters would. */
static bool add_plots(const struct style *style, const struct record_table *table, size_t lines,
                      struct text *out)
{
    size_t count, drawn = 0;
    struct plot *plots = plots_of(table, &count);
    for (size_t i = 0; i < count && (style->tables || drawn == 0); i++) {
        const size_t before = out->length;
        text_add(out, drawn ? "\n" : "");
        if (human_plot(style, &plots[i], lines, out))
            drawn++;
        else
            out->length = before;
    }
    plots_free(plots, count);
    return drawn > 0;
}

static void add_grids(const struct style *style, const struct record_table *table, struct text *out)
{
    size_t count;
    bool marked = false;
    struct grid *grids = view_grids(table, &count);
    for (size_t i = 0; i < count; i++) {
        text_add(out, i ? "\n" : "");
        human_grid(style, &grids[i], out);
        marked |= grids[i].marked;
    }
    text_add(out, marked ? "\n* best of its column\n" : "");
    grids_free(grids, count);
}

static void add_table(const struct style *style, const struct record_table *table, size_t lines,
                      struct text *out)
{
    const struct table_spec *spec = table->spec;
    if (spec->view.kind == VIEW_HIDDEN || spec->view.aside || table->row_count == 0)
        return;
    text_add(out, out->length ? "\n" : "");
    add_heading(style, spec->title ? spec->title : spec->name, out);
    if (!add_plots(style, table, lines, out))
        add_grids(style, table, out);
    if (spec->note && style->tables)
        human_sentence(style, 0, spec->note, out);
}

/* The first table that has a picture, or is small enough to be one. */
static void add_picture(const struct style *style, const struct record *record, size_t lines,
                        struct text *out)
{
    for (size_t i = 0; i < record->tables.count; i++) {
        const struct record_table *table = &record->tables.of[i];
        const size_t before = out->length;
        if (table->spec->view.kind == VIEW_LIST)
            continue;
        add_table(style, table, lines - 2, out);
        if (out->length > before && lines_in(out, before) <= lines)
            return;
        out->length = before;
    }
}

static void add_tables(const struct style *style, const struct record *record, struct text *out)
{
    for (size_t i = 0; i < record->tables.count; i++)
        add_table(style, &record->tables.of[i], SIZE_MAX, out);
}

/* The machine and, where the line has room for them, the conditions at its right end. */
static void add_subject(const struct style *style, const struct record *record, struct text *out)
{
    char *conditions = conditions_text(record);
    char *cpu = fact_text(record, "host.cpu.brand", NULL) ? subject_cpu(record) : NULL;
    const size_t used = cpu ? text_width(cpu) : 0, width = human_width(style);
    const bool fits = used + 2 + text_width(conditions) <= width;
    if (used > 0 && fits) {
        human_bold(style, cpu, out);
        text_repeat(out, ' ', *conditions ? width - used - text_width(conditions) : 0);
    } else if (used > 0) {
        add_heading(style, cpu, out);
    }
    human_sentence(style, 0, conditions, out);
    if (used > 0 || *conditions)
        text_add(out, used > 0 && fits && !*conditions ? "\n\n" : "\n");
    free(cpu);
    free(conditions);
}

/* Lines that a picture has on a screen; 0: there is none, or the answers are a table that shows as much. */
static size_t picture_lines(const struct record *record)
{
    enum { TABLE = 4, LEAST = 6 }; /* its heading, its note, and two answers; lines of a picture */
    struct card card = card_of_screen(record);
    bool marked = false;
    struct grid rows = rows_of(record, card.in_grid, false, &marked);
    size_t answers = rows.row_count + (card.grid ? card.grid->row_count : 0);
    answers = answers ? answers + TABLE : ANSWERS_LEAST;
    const bool summarized = card.is_picture || answers + LEAST > SCREEN - FIXED;
    grid_free(&rows);
    card_free(&card);
    for (size_t i = 0; i < record->tables.count && !summarized; i++) {
        const enum view_kind kind = record->tables.of[i].spec->view.kind;
        if (kind == VIEW_CURVE || kind == VIEW_MATRIX)
            return SCREEN - FIXED - answers;
    }
    return 0;
}

static bool has_picture(const struct style *style, const struct record *record)
{
    struct text picture = {0};
    const size_t lines = picture_lines(record);
    if (lines > 0)
        add_picture(style, record, lines, &picture);
    const bool any = picture.length > 0;
    text_free(&picture);
    return any;
}

static void add_hint(const struct style *style, struct text *out)
{
    human_sentence(style, 0, "all findings and tables: -v   a page with pictures: -o FILE.html", out);
}

/* What the picture leaves is for the answers. */
static void add_screen(const struct style *style, const struct record *record, struct text *out)
{
    struct text picture = {0};
    const size_t lines = picture_lines(record);
    if (lines > 0)
        add_picture(style, record, lines, &picture);
    /* Who reads differences or outliers from a pipe wants all of them. */
    const bool all = style->pipe && fact_text(record, "run.subject", NULL);
    const size_t left = all ? SIZE_MAX : SCREEN - FIXED - lines_in(&picture, 0) - (picture.length > 0);
    add_subject(style, record, out);
    const size_t before = out->length;
    if (add_answers(style, record, 0, left, out) > 0) {
        out->length = before;
        text_printf(out, "and %zu more\n", add_answers(style, record, 0, left - 1, out));
    }
    add_failure(style, record, 0, out);
    text_add(out, picture.length > 0 ? "\n" : "");
    text_add(out, picture.length > 0 ? picture.data : "");
    text_free(&picture);
    add_hint(style, out);
}

/* What measuring took besides the samples. */
static void add_cost(const struct style *style, const struct record *record, struct text *out)
{
    const struct fact *share = record_fact_find(record, "run.looking_share");
    struct text sentence = {0};
    if (!share || !cell_has_value(&share->value))
        return;
    text_printf(&sentence, "Looks at the machine between samples took %.1f %% of the time.",
                100 * cell_number(&share->value));
    human_sentence(style, 0, sentence.data, out);
    text_free(&sentence);
}

static void add_whole(const struct style *style, const struct record *record, struct text *out)
{
    add_subject(style, record, out);
    add_answers(style, record, 0, SIZE_MAX, out);
    add_failure(style, record, 0, out);
    add_cost(style, record, out);
    add_tables(style, record, out);
    text_add(out, fact_text(record, "run.subject", NULL) ? "\n" : "");
    /* What results say of each other ends as it begins where tables are between. */
    if (fact_text(record, "run.subject", NULL) && record->answers.count > 0 && record->answers.of[0].text)
        add_answer(style, 0, &record->answers.of[0], out);
}

static void add_part(const struct style *style, const struct record *part, size_t lines, struct text *out)
{
    const char *summary = style->tables ? fact_text(part, "run.summary", NULL) : NULL;
    struct text answers = {0};
    add_failure(style, part, 2, &answers);
    const size_t failed = lines_in(&answers, 0);
    const size_t more = add_answers(style, part, 2, lines > failed ? lines - failed : 0, &answers);
    const char *name = fact_text(part, "run.command", "result");
    human_bold(style, name, out);
    text_add(out, summary ? ": " : "");
    text_add_wrapped(out, summary ? summary : "", strlen(name) + 2, 2, human_width(style));
    if (more > 0)
        text_printf(out, " (%zu more finding%s)", more, more == 1 ? "" : "s");
    text_add(out, "\n");
    text_add_bytes(out, answers.data ? answers.data : "", answers.length);
    text_free(&answers);
    if (style->tables)
        add_tables(style, part, out);
}

/* The commands of a report share a screen. */
static void add_parts(const struct style *style, const struct record *record, struct text *out)
{
    const size_t count = record->children.count;
    add_subject(style, record, out);
    if (style->tables) {
        add_answers(style, record, 0, SIZE_MAX, out);
        human_facts(style, record, out);
    }
    for (size_t i = 0; i < count; i++) {
        const size_t used = lines_in(out, 0) + 3, left = used < SCREEN ? SCREEN - used : 0;
        const size_t share = left / (count - i);
        add_part(style, record->children.of[i], style->tables ? SIZE_MAX : share - (share > 0), out);
        text_add(out, style->tables && i + 1 < count ? "\n" : "");
    }
    if (!style->tables)
        add_hint(style, out);
}

/* Where there are answers alone, as of a check, each has a line, however long: a program may read it. */
static void add_lines(const struct style *style, const struct record *record, struct text *out)
{
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        if (!answer->text)
            continue;
        human_bold(style, answer->text, out);
        text_printf(out, "%s\n", card_trust(answer->trust));
    }
}

static bool has_rows(const struct record *record)
{
    size_t i = 0;
    while (i < record->answers.count && !record->answers.of[i].label)
        i++;
    return i < record->answers.count;
}

static void human_write(const struct format *format, const struct style *style, const struct record *record,
                        struct text *out)
{
    if (record_fact_find(record, "plan.seconds") && !record_has_results(record)) {
        human_facts(style, record, out);
        for (size_t i = 0; i < record->children.count; i++)
            human_facts(style, record->children.of[i], out);
    } else if (record->children.count > 0) {
        add_parts(style, record, out);
    } else if (record_fact_find(record, "got.where")) {
        add_subject(style, record, out);
        add_answers(style, record, 0, SIZE_MAX, out);
        human_facts(style, record, out);
        text_add(out, style->tables ? "" : "all that is known of the machine: -v   memory: uarchprobe ram\n");
    } else if (record->tables.count == 0 && record->answers.count == 0) {
        human_facts(style, record, out);
        if (out->length == 0)
            add_whole(style, record, out);
    } else if (record->tables.count == 0 && !has_rows(record)) {
        add_lines(style, record, out);
    } else if (style->tables || !record_has_results(record)) {
        add_whole(style, record, out);
    } else if (record->answers.count == 0 && !has_picture(style, record)) { /* as of `list` */
        struct style whole = *style;
        whole.tables = true;
        add_whole(&whole, record, out);
    } else {
        add_screen(style, record, out);
    }
}

const struct format human_format = {.name = "human", .extension = ".txt", .write = human_write};
