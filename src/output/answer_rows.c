/* SPDX-License-Identifier: MIT */
/* Answers as rows: the states of the SMT sibling, and the kinds of cores, are columns. */
#include <string.h>

#include "output/answers.h"
#include "output/scratch.h"

/* Columns of a table of answers: those of each kind of core stand between the units and the rest. */
enum { LABEL, UNIT, FIRST_KIND, IDLE = 0, BUSY, PUBLISHED, OF_KIND, NS = 0, REMARK, BEHIND };

/* The answers of one kind in the two columns of values; `idle` holds any state but the busy one. */
struct of_kind {
    const struct answer *idle, *busy, *any;
};

struct row {
    struct of_kind *of;       /* of each kind */
    const struct answer *any; /* of the first kind that has one */
};

/* What a table is about. kind: NULL for answers that name none; marked: whether some value of that column
 * has a mark. */
struct kinds {
    size_t count, columns;
    struct {
        const char *name;
        bool marked[2], is_idle;
    } * of;
};

static size_t column_of(size_t kind, int column)
{
    return FIRST_KIND + kind * OF_KIND + (size_t)column;
}

static size_t behind(const struct kinds *kinds, int column)
{
    return column_of(kinds->count, column);
}

/* The parts of a remark: the end of a label that is another one of each kind, "differs", the own remark, the
 * source. */
enum { ENDING, AGREEMENT, OWN, SOURCE, REMARKS };

/* How many bytes the labels of all kinds share: all, or those up to a colon: "cheapest full barrier:
 * exchange". */
static size_t label_length(const struct row *row, const struct kinds *kinds)
{
    const char *const label = row->any->label;
    size_t length = strlen(label);
    for (size_t k = 0; k < kinds->count; k++)
        if (row->of[k].any && strcmp(row->of[k].any->label, label) != 0)
            length = strcspn(label, ":");
    return length;
}

static const char *part_of(const struct of_kind *of, int part, size_t label, bool sources)
{
    const struct answer *any = of->any;
    const char *own = any->remark || !of->busy ? any->remark : of->busy->remark;
    const char *const ending =
        strlen(any->label) > label ? any->label + label + strspn(any->label + label, ": ") : "";
    const char *const parts[REMARKS] = {
        [ENDING] = ending,
        [AGREEMENT] = answers_agreement(any),
        [OWN] = own,
        [SOURCE] = sources && cell_has_value(&any->published.value) ? any->published.source : NULL};
    return parts[part] ? spell_line(parts[part]) : "";
}

/* "differs; P core: 2 samples": a part that is not the same of all kinds names its own. */
static const char *remarks_of(const struct row *row, const struct kinds *kinds, bool sources)
{
    const size_t label = label_length(row, kinds);
    const char *all = "";
    for (int part = 0; part < REMARKS; part++) {
        const char *first = NULL, *named = "";
        bool is_one = true;
        for (size_t k = 0; k < kinds->count; k++) {
            const char *own = row->of[k].any ? part_of(&row->of[k], part, label, sources) : "";
            is_one &= !first || strcmp(own, first) == 0;
            first = first ? first : own;
            if (*own)
                named = spell("%s%s%s: %s", named, *named ? ", " : "", kinds->of[k].name, own);
        }
        if (*(named = is_one ? first : named))
            all = spell("%s%s%s", all, *all ? "; " : "", named);
    }
    return all;
}

/* Fills the cells of a row, and notes the columns that are used. common: the unit that stands above the
 * labels. */
static void fill_row(const struct row *row, const struct kinds *kinds, const char *common, bool sources,
                     struct grid_cell *cell, bool *used)
{
    const char *unit = answers_unit(row->any->unit);
    const bool is_known = strcmp(unit, common) == 0 || (strlen(unit) > 3 && strstr(row->any->label, unit));
    struct text ns = {0};
    for (size_t k = 0; k < kinds->count; k++) {
        const struct of_kind *of = &row->of[k];
        cell[column_of(k, IDLE)].text = answers_value(of->idle, kinds->of[k].marked[0]);
        cell[column_of(k, BUSY)].text = answers_value(of->busy, kinds->of[k].marked[1]);
        cell[column_of(k, PUBLISHED)].text = of->any ? answers_published(of->any) : "";
    }
    /* Each kind has a clock of its own. */
    const struct of_kind *one = row->of;
    const struct answer *timed = one->idle && cell_has_value(&one->idle->value) ? one->idle : one->busy;
    if (kinds->count == 1 && timed && timed->ghz > 0 && strcmp(unit, "cycles") == 0)
        text_add_rounded(&ns, cell_number(&timed->value) / timed->ghz);
    cell[LABEL].text = spell_line(spell("%.*s", (int)label_length(row, kinds), row->any->label));
    cell[UNIT].text = is_known ? "" : unit;
    cell[behind(kinds, NS)].text = scratch_text(&ns);
    cell[behind(kinds, REMARK)].text = remarks_of(row, kinds, sources);
    for (size_t column = 0; column < kinds->columns; column++)
        used[column] |= *cell[column].text != '\0';
}

/* The unit of most rows, which stands above the labels; "": no two rows share one. */
static const char *common_unit(const struct row *row, size_t count)
{
    enum { ROWS_TRIED = 64 };
    const char *unit = "";
    count = count < ROWS_TRIED ? count : ROWS_TRIED;
    for (size_t i = 0, most = 1; i < count; i++) {
        const char *own = answers_unit(row[i].any->unit);
        size_t same = 0;
        for (size_t j = i; j < count; j++)
            same += strcmp(answers_unit(row[j].any->unit), own) == 0;
        if (same > most) {
            unit = own;
            most = same;
        }
    }
    return unit;
}

/* Of rows that follow each other and have one remark, the last one says it for all. */
static void say_once(struct grid *grid)
{
    enum { ROWS_LEAST = 3 };
    const size_t rows = grid->row_count, columns = (size_t)grid->column_count, remarks = columns - 1;
    for (size_t first = 0, end; first < rows; first = end) {
        const char *const remark = grid->cell[first * columns + remarks].text;
        for (end = first + 1; end < rows && strcmp(grid->cell[end * columns + remarks].text, remark) == 0;)
            end++;
        if (!*remark || end - first < ROWS_LEAST)
            continue;
        for (size_t row = first; row < end; row++)
            grid->cell[row * columns + remarks].text = "";
        grid->cell[(end - 1) * columns + remarks].text = spell("%zu rows: %s", end - first, remark);
    }
}

/* The kind of an answer, added where it is new. */
static size_t kind_of(struct kinds *kinds, const struct answer *answer)
{
    size_t k = 0;
    while (k < kinds->count &&
           strcmp(kinds->of[k].name ? kinds->of[k].name : "", answer->kind ? answer->kind : "") != 0)
        k++;
    if (k == kinds->count) {
        kinds->of = scratch_more(kinds->of, kinds->count++, sizeof(*kinds->of));
        memset(&kinds->of[k], 0, sizeof(*kinds->of));
        kinds->of[k].name = answer->kind;
    }
    return k;
}

/* Whether the row has a place for an answer of kind k. */
static bool takes(const struct row *row, size_t k, const struct answer *answer)
{
    const struct of_kind *of = &row->of[k];
    return !(answer_is_busy(answer) ? of->busy : of->idle) && strcmp(row->any->key, answer->key) == 0;
}

static struct row *collect_rows(const struct answer *const *of, size_t count, struct kinds *kinds,
                                size_t *rows)
{
    struct row *row = scratch_new(count, sizeof(*row));
    for (size_t i = 0; i < count; i++)
        if (of[i]->label)
            kind_of(kinds, of[i]);
    *rows = 0;
    for (size_t i = 0; i < count; i++) {
        const bool busy = answer_is_busy(of[i]);
        size_t at = 0;
        if (!of[i]->label)
            continue;
        const size_t k = kind_of(kinds, of[i]);
        while (at < *rows && !takes(&row[at], k, of[i]))
            at++;
        if (at == *rows) {
            row[at].of = scratch_new(kinds->count, sizeof(*row[at].of));
            (*rows)++;
        }
        struct of_kind *own = &row[at].of[k];
        *(busy ? &own->busy : &own->idle) = of[i];
        own->any = own->idle ? own->idle : of[i];
        for (size_t first = kinds->count; first-- > 0;)
            row[at].any = row[at].of[first].any ? row[at].of[first].any : row[at].any;
        kinds->of[k].marked[busy] |= of[i]->trust != TRUST_HIGH;
        kinds->of[k].is_idle |= of[i]->state && strcmp(of[i]->state, state_names[STATE_IDLE]) == 0;
    }
    return row;
}

static void add_headings(struct grid *grid, const struct kinds *kinds, const char *common)
{
    for (size_t i = 0; i < kinds->columns; i++)
        grid->column[i] = (struct grid_column){
            .heading = "", .number = i > UNIT && i < behind(kinds, REMARK), .spare = i == behind(kinds, NS)};
    grid->column[LABEL].heading = common;
    grid->column[behind(kinds, NS)].heading = "ns";
    for (size_t k = 0; k < kinds->count; k++) {
        const char *name = kinds->of[k].name;
        grid->column[column_of(k, IDLE)].heading = name ? name : kinds->of[k].is_idle ? "idle" : "value";
        grid->column[column_of(k, BUSY)].heading = "busy";
        grid->column[column_of(k, PUBLISHED)].heading = "published";
    }
}

struct grid answers_rows(const struct answer *const *of, size_t count, bool sources, bool *any_marked)
{
    struct kinds kinds = {0};
    size_t rows;
    const struct row *row = collect_rows(of, count, &kinds, &rows);
    if (rows == 0)
        return (struct grid){0};
    kinds.columns = behind(&kinds, BEHIND);
    bool *used = scratch_new(kinds.columns, sizeof(*used));
    const char *common = common_unit(row, rows);
    struct grid grid = grid_new(kinds.columns, rows);
    used[LABEL] = used[FIRST_KIND + IDLE] = true;
    for (size_t i = 0; i < rows; i++)
        fill_row(&row[i], &kinds, common, sources, &grid.cell[i * kinds.columns], used);
    if (!sources)
        say_once(&grid);
    add_headings(&grid, &kinds, common);
    grid.label_columns = 1;
    grid.remarks = used[behind(&kinds, REMARK)];
    grid_keep(&grid, used);
    for (size_t k = 0; k < kinds.count; k++)
        *any_marked |= kinds.of[k].marked[0] || kinds.of[k].marked[1];
    return grid;
}

bool answers_have_kinds(const struct record *record)
{
    bool have = false;
    for (size_t i = 0; i < record->answers.count; i++)
        have |= record->answers.of[i].kind != NULL;
    for (size_t i = 0; i < record->children.count; i++)
        have |= answers_have_kinds(record->children.of[i]);
    return have;
}
