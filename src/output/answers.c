/* SPDX-License-Identifier: MIT */
#include "output/answers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const char answers_note[] = "~ medium trust, ? low trust";

const char *answers_unit(const char *unit)
{
    const char *shown;
    value_shown(NAN, unit, &shown);
    return strcmp(shown, "core cycles") == 0 ? "cycles" : strcmp(shown, "Byte") == 0 ? "" : shown;
}

static void add_number(struct text *text, const struct cell *cell, const char *unit)
{
    const char *shown;
    const double value = value_shown(cell_number(cell), unit, &shown);
    if (unit && strcmp(unit, "Byte") == 0 && !isnan(value))
        text_add_size_rounded(text, (int64_t)value);
    else if (cell->type == CELL_REAL && !isnan(value))
        text_add_rounded(text, value);
    else
        text_add_cell_human(text, cell, 0);
}

/* "9.5-34 MiB", "870 KiB to 1.2 MiB" */
static void add_sizes(struct text *text, const struct cell *low, const struct cell *high)
{
    struct text least = {0}, most = {0};
    add_number(&least, low, "Byte");
    add_number(&most, high, "Byte");
    const char *unit = strrchr(least.data, ' ');
    const bool same = strcmp(unit, strrchr(most.data, ' ')) == 0;
    text_add_bytes(text, least.data, same ? (size_t)(unit - least.data) : least.length);
    text_printf(text, "%s%s", same ? "-" : " to ", most.data);
    text_free(&least);
    text_free(&most);
}

/* Shows an interval with the fewest decimals for which its ends differ, at least one below ten. */
char *answers_value(const struct answer *answer, bool padded)
{
    struct text text = {0};
    const char *unit;
    if (!answer)
        return text_copy_valid("");
    const double low = value_shown(cell_number(&answer->low), answer->unit, &unit),
                 high = value_shown(cell_number(&answer->high), answer->unit, &unit);
    if (answer->trust == TRUST_LOW && low < high && answer->unit && strcmp(answer->unit, "Byte") == 0) {
        add_sizes(&text, &answer->low, &answer->high);
    }
    for (int digits = high < 10; text.length == 0 && answer->trust == TRUST_LOW && low < high && digits < 3;
         digits++) {
        char least[48], most[48];
        snprintf(least, sizeof least, "%.*f", digits, low);
        snprintf(most, sizeof most, "%.*f", digits, high);
        if (strcmp(least, most) == 0)
            continue;
        text_printf(&text, "%s-%s", least, most);
        break;
    }
    if (text.length == 0) {
        text_add(&text, answer_is_bound(answer) ? ">=" : "");
        add_number(&text, &answer->value, answer->unit);
    }
    static const char *const marks[] = {[TRUST_LOW] = "?", [TRUST_MEDIUM] = "~", [TRUST_HIGH] = ""};
    const char *mark = cell_has_value(&answer->value) ? marks[answer->trust] : "";
    text_add(&text, padded && !*mark ? " " : mark);
    return text_take(&text);
}

char *answers_published(const struct answer *answer)
{
    const struct quote *quote = &answer->published;
    struct text text = {0};
    if (!cell_has_value(&quote->value))
        return text_copy_valid(quote->standing == STANDING_MISSING ? "-" : "");
    const bool several = cell_number(&quote->least) < cell_number(&quote->most);
    add_number(&text, several ? &quote->least : &quote->value, quote->unit);
    if (several) { /* no value differs from within a range of sources that agree */
        const double value = cell_number(&answer->value);
        const bool within = cell_number(&quote->least) < value && value < cell_number(&quote->most);
        const bool apart =
            quote->standing == STANDING_DISPUTED || (quote->standing == STANDING_DIFFERS && within);
        text_add(&text, apart ? ", " : "-");
        add_number(&text, &quote->most, quote->unit);
    }
    if (quote->unit && strcmp(answers_unit(quote->unit), answers_unit(answer->unit)) != 0)
        text_printf(&text, " %s", answers_unit(quote->unit));
    return text_take(&text);
}

const char *answers_standing(const struct answer *answer)
{
    const enum standing standing = answer->published.standing;
    return standing == STANDING_DISPUTED ? "disputed" : standing == STANDING_DIFFERS ? "differs" : "";
}

enum { LABEL, UNIT, IDLE, BUSY, PUBLISHED, NS, REMARK, COLUMNS };

/* A key with its answers in the two columns of values; `idle` holds any state but the busy one. */
struct row {
    const struct answer *idle, *busy, *any;
};

/* Fills the cells of a row other than its values. common: the unit that stands above the labels. */
static void add_texts(const struct row *row, const char *common, bool sources, struct grid_cell *cell)
{
    struct text text[COLUMNS] = {{0}};
    const struct answer *any = row->any;
    const struct answer *timed = row->idle && cell_has_value(&row->idle->value) ? row->idle : row->busy;
    const struct quote *quote = &any->published;
    const char *unit = answers_unit(any->unit);
    const char *remark = any->remark || !row->busy ? any->remark : row->busy->remark;
    text_add_printable(&text[LABEL], any->label);
    if (timed && timed->ghz > 0 && strcmp(unit, "cycles") == 0)
        text_add_rounded(&text[NS], cell_number(&timed->value) / timed->ghz);
    const bool is_known = strcmp(unit, common) == 0 || (strlen(unit) > 3 && strstr(any->label, unit));
    text_add(&text[UNIT], is_known ? "" : unit);
    const char *const remarks[] = {answers_standing(any), remark,
                                   sources && cell_has_value(&quote->value) ? quote->source : NULL};
    for (size_t i = 0; i < sizeof remarks / sizeof *remarks; i++) {
        const char *part = remarks[i] ? remarks[i] : "";
        text_add(&text[REMARK], *part && text[REMARK].length > 0 ? "; " : "");
        text_add_printable(&text[REMARK], part);
    }
    for (int column = 0; column < COLUMNS; column++)
        if (column != IDLE && column != BUSY && column != PUBLISHED)
            cell[column].text = text_take(&text[column]);
    cell[PUBLISHED].text = answers_published(any);
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

struct grid answers_rows(const struct answer *const *of, size_t count, bool sources, bool *any_marked)
{
    struct row *row = memory_zeroed(count, sizeof(*row));
    bool marked[2] = {false}, idle = false, used[COLUMNS] = {[LABEL] = true, [IDLE] = true};
    size_t rows = 0;
    for (size_t i = 0; i < count; i++) {
        const bool busy = answer_is_busy(of[i]);
        size_t at = 0;
        if (!of[i]->label)
            continue;
        while (at < rows &&
               ((busy ? row[at].busy : row[at].idle) || strcmp(row[at].any->key, of[i]->key) != 0))
            at++;
        rows += at == rows;
        *(busy ? &row[at].busy : &row[at].idle) = of[i];
        row[at].any = row[at].idle ? row[at].idle : of[i];
        marked[busy] |= of[i]->trust != TRUST_HIGH;
        idle |= of[i]->state && strcmp(of[i]->state, state_names[STATE_IDLE]) == 0;
    }
    const char *common = common_unit(row, rows);
    struct grid grid = rows ? grid_new(COLUMNS, rows) : (struct grid){0};
    for (size_t i = 0; i < rows; i++) {
        struct grid_cell *cell = &grid.cell[i * COLUMNS];
        add_texts(&row[i], common, sources, cell);
        cell[IDLE].text = answers_value(row[i].idle, marked[0]);
        cell[BUSY].text = answers_value(row[i].busy, marked[1]);
        for (int column = 0; column < COLUMNS; column++)
            used[column] |= *cell[column].text != '\0';
    }
    free(row);
    if (rows == 0)
        return grid;
    const char *const headings[] = {common, "", idle ? "idle" : "value", "busy", "published", "ns", ""};
    for (int i = 0; i < COLUMNS; i++)
        grid.column[i] =
            (struct grid_column){.heading = text_copy_valid(headings[i]), .number = i > UNIT && i < REMARK};
    grid.label_columns = 1;
    grid.remarks = used[REMARK];
    grid_keep(&grid, used);
    *any_marked |= marked[0] || marked[1];
    return grid;
}

bool answers_has_row(const struct answer *answer)
{
    const char *slot = answer->slot ? answer->slot : "";
    return strncmp(slot, "core/", 5) == 0 || strncmp(slot, "distance/", 9) == 0;
}

/* Spells a part of a slot for people. */
static char *part_text(const char *part, size_t length)
{
    struct text text = {0};
    for (size_t i = 0; i < length; i++)
        text_add_bytes(&text, part[i] == '_' ? " " : part + i, 1);
    return text_take(&text);
}

/* Ranks idle before unknown before busy. */
static int rank_of(const struct answer *answer)
{
    const bool idle = answer->state && strcmp(answer->state, state_names[STATE_IDLE]) == 0;
    return answer_is_busy(answer) ? 0 : idle ? 2 : 1;
}

const struct answer *answers_find(const struct record *record, const char *slot)
{
    const struct answer *found = NULL;
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        const bool fits = answer->slot && strcmp(answer->slot, slot) == 0 && cell_has_value(&answer->value);
        if (fits && (!found || rank_of(answer) > rank_of(found)))
            found = answer;
    }
    for (size_t i = 0; i < record->children.count && !found; i++)
        found = answers_find(record->children.of[i], slot);
    return found;
}

/* The distinct parts of slots. */
enum { MEMBERS_MOST = 400 };
struct parts_of_slots {
    size_t count;
    struct {
        const char *at;
        size_t length;
    } part[MEMBERS_MOST];
};

struct matrix {
    struct parts_of_slots rows, columns;
    size_t members;
    struct {
        const struct answer *answer;
        size_t row, column;
    } member[MEMBERS_MOST];
};

static size_t part_index(struct parts_of_slots *parts, const char *at, size_t length)
{
    size_t i = 0;
    while (i < parts->count &&
           (parts->part[i].length != length || strncmp(parts->part[i].at, at, length) != 0))
        i++;
    if (i == parts->count) {
        parts->part[i].at = at;
        parts->part[i].length = length;
        parts->count++;
    }
    return i;
}

/* Collects the answers whose slots begin like this one, "memory/L1/read"; false: no matrix, because they have
 * fewer than two keys or columns, or too many members. */
static bool collect(struct matrix *matrix, const char *slot, const struct answer *const *of, size_t count)
{
    const size_t family = strcspn(slot, "/") + 1;
    bool several = false;
    matrix->members = matrix->rows.count = matrix->columns.count = 0;
    if (!slot[family - 1] || !strchr(slot + family, '/'))
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *row =
            of[i]->slot && strncmp(of[i]->slot, slot, family) == 0 ? of[i]->slot + family : NULL;
        const char *column = row ? strchr(row, '/') : NULL;
        if (!column)
            continue;
        if (matrix->members == MEMBERS_MOST)
            return false;
        matrix->member[matrix->members].answer = of[i];
        matrix->member[matrix->members].row = part_index(&matrix->rows, row, (size_t)(column - row));
        matrix->member[matrix->members].column = part_index(&matrix->columns, column + 1, strlen(column + 1));
        several |= strcmp(of[i]->key, matrix->member[0].answer->key) != 0;
        matrix->members++;
    }
    return several && matrix->columns.count > 1;
}

/* Adds the unit to a value where it differs from the column's, and to a heading where it differs from the
 * corner's, the unit of the first column. Returns whether a value has a mark. */
static bool add_column(struct grid *grid, const struct matrix *matrix, const struct answer *const *at,
                       size_t column, const char **corner)
{
    const size_t columns = matrix->columns.count;
    const char *unit = NULL;
    bool marked = false;
    for (size_t row = 0; row < matrix->rows.count; row++) {
        const struct answer *answer = at[row * columns + column];
        unit = unit || !answer ? unit : answers_unit(answer->unit);
        marked |= answer && answer->trust != TRUST_HIGH;
    }
    *corner = *corner ? *corner : unit;
    struct text heading = {0};
    char *name = part_text(matrix->columns.part[column].at, matrix->columns.part[column].length);
    const bool is_said = strcmp(unit, *corner) == 0 || strcmp(unit, name) == 0;
    text_add_heading(&heading, name, is_said ? NULL : unit);
    free(name);
    grid->column[column + 1] = (struct grid_column){.heading = text_take(&heading), .number = true};
    for (size_t row = 0; row < matrix->rows.count; row++) {
        const struct answer *answer = at[row * columns + column];
        const char *own = answer ? answers_unit(answer->unit) : "";
        const bool is_missing = column == 0 && answer && answer->remark && !cell_has_value(&answer->value);
        struct text cell = {.data =
                                is_missing ? text_copy_valid(answer->remark) : answers_value(answer, marked)};
        cell.length = strlen(cell.data);
        if (*own && strcmp(own, unit) != 0 && !is_missing)
            text_printf(&cell, "%s%s", cell.data[cell.length - 1] == ' ' ? "" : " ", own);
        grid->cell[row * (columns + 2) + column + 1].text = cell.data;
    }
    return marked;
}

/* What others have published of the first two columns, which a table is about, in the unit of the answer: a wider table would not fit. */
static char *row_published(const struct answer *const *at, size_t count)
{
    struct text text = {0};
    for (size_t i = 0; i < count && i < 2 && text.length == 0; i++) {
        if (!at[i] || !cell_has_value(&at[i]->published.value) ||
            strcmp(answers_unit(at[i]->published.unit), answers_unit(at[i]->unit)) != 0)
            continue;
        char *value = answers_published(at[i]);
        text_printf(&text, "%s %s", value, answers_unit(at[i]->unit));
        free(value);
    }
    return text_take(&text);
}

struct grid answers_matrix(const struct answer **of, size_t *count, bool *any_marked)
{
    enum { TRIED = 16 };
    struct matrix *matrix = memory_zeroed(1, sizeof(*matrix));
    bool found = false;
    for (size_t i = 0, tried = 0; i < *count && tried < TRIED && !found; i++) {
        found = of[i]->slot && collect(matrix, of[i]->slot, of, *count);
        tried += matrix->members > 0;
    }
    const size_t columns = matrix->columns.count, width = columns + 2, rows = found ? matrix->rows.count : 0;
    const struct answer **at = memory_zeroed(rows * columns, sizeof(*at));
    struct grid grid = found ? grid_new(width, rows) : (struct grid){0};
    const char *corner = NULL;
    grid.label_columns = 1;
    for (size_t i = 0; i < matrix->members && found; i++) {
        const struct answer *own = matrix->member[i].answer;
        const struct answer **place = &at[matrix->member[i].row * columns + matrix->member[i].column];
        *place = *place && rank_of(*place) >= rank_of(own) ? *place : own;
    }
    bool used[MEMBERS_MOST + 2];
    memset(used, true, sizeof used);
    used[width - 1] = false;
    for (size_t row = 0; row < rows; row++) {
        struct grid_cell *cell = &grid.cell[row * width];
        cell->text = part_text(matrix->rows.part[row].at, matrix->rows.part[row].length);
        cell[width - 1].text = row_published(at + row * columns, columns);
        used[width - 1] |= *cell[width - 1].text != '\0';
    }
    for (size_t column = 0; column < columns && found; column++)
        *any_marked |= add_column(&grid, matrix, at, column, &corner);
    if (found) {
        grid.column[0].heading = text_copy_valid(corner);
        grid.column[width - 1] =
            (struct grid_column){.heading = text_copy_valid("published"), .number = true};
        grid_keep(&grid, used);
        size_t left = 0;
        for (size_t i = 0, member = 0; i < *count; i++) {
            if (member < matrix->members && of[i] == matrix->member[member].answer)
                member++;
            else
                of[left++] = of[i];
        }
        *count = left;
    }
    free(at);
    free(matrix);
    return grid;
}
