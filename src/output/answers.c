/* SPDX-License-Identifier: MIT */
#include "output/answers.h"

#include <math.h>
#include <string.h>

#include "output/keys.h"
#include "output/scratch.h"

const char answers_note[] = "~ medium trust, ? low trust";

const char *answers_unit(const char *unit)
{
    const char *shown;
    value_shown(NAN, unit, &shown);
    return strcmp(shown, "Byte") == 0 ? "" : shown;
}

const char *answers_number(const struct cell *cell, const char *unit)
{
    const char *shown;
    const double value = value_shown(cell_number(cell), unit, &shown);
    struct text text = {0};
    if (unit && strcmp(unit, "Byte") == 0 && !isnan(value))
        text_add_size_rounded(&text, (int64_t)value);
    /* A rate that another program wrote without decimals is an integer, and has no other unit for that. */
    else if (!isnan(value) && (cell->type == CELL_REAL || (unit && strcmp(shown, unit) != 0)))
        text_add_rounded(&text, value);
    else
        text_add_cell_human(&text, cell, 0);
    return scratch_text(&text);
}

/* Spells an interval with the fewest decimals for which its ends differ, at least one below ten: "45-53",
 * "9.5-34 MiB", "870 KiB to 1.2 MiB". NULL: they do not differ. */
static const char *interval(const struct answer *answer)
{
    const char *unit = answer->unit;
    const double low = value_shown(cell_number(&answer->low), answer->unit, &unit),
                 high = value_shown(cell_number(&answer->high), answer->unit, &unit);
    if (low < high && answer->unit && strcmp(answer->unit, "Byte") == 0) {
        const char *least = answers_number(&answer->low, "Byte"),
                   *most = answers_number(&answer->high, "Byte");
        const char *scale = strrchr(least, ' ');
        const bool same = strcmp(scale, strrchr(most, ' ')) == 0;
        return same ? spell("%.*s-%s", (int)(scale - least), least, most) : spell("%s to %s", least, most);
    }
    for (int digits = high < 10; low < high && digits < 3; digits++) {
        const char *least = spell("%.*f", digits, low), *most = spell("%.*f", digits, high);
        if (strcmp(least, most) != 0)
            return spell("%s-%s", least, most);
    }
    return NULL;
}

const char *answers_value(const struct answer *answer, bool padded)
{
    static const char *const marks[] = {[TRUST_LOW] = "?", [TRUST_MEDIUM] = "~", [TRUST_HIGH] = ""};
    if (!answer)
        return "";
    /* A number of a series in steps lies between two of its points. */
    const bool is_between =
        answer->value.type == CELL_INTEGER &&
        (answer->within_absolute > 1 || cell_number(&answer->low) == cell_number(&answer->value));
    const char *range = answer->trust == TRUST_LOW || is_between ? interval(answer) : NULL;
    const char *mark = cell_has_value(&answer->value) ? marks[answer->trust] : "";
    return spell("%s%s%s", !range && answer_is_bound(answer) ? ">=" : "",
                 range ? range : answers_number(&answer->value, answer->unit), padded && !*mark ? " " : mark);
}

const char *answers_published(const struct answer *answer)
{
    const struct quote *quote = &answer->published;
    const char *unit = answers_unit(quote->unit);
    if (!cell_has_value(&quote->value))
        return quote->agreement == AGREEMENT_MISSING ? "-" : "";
    const bool other = quote->unit && strcmp(unit, answers_unit(answer->unit)) != 0;
    const bool several = cell_number(&quote->least) < cell_number(&quote->most);
    /* No value differs from within a range of sources that agree. */
    const double value = cell_number(&answer->value);
    const bool within = cell_number(&quote->least) < value && value < cell_number(&quote->most);
    const bool apart =
        quote->agreement == AGREEMENT_DISPUTED || (quote->agreement == AGREEMENT_DIFFERS && within);
    return spell("%s%s%s%s%s", answers_number(several ? &quote->least : &quote->value, quote->unit),
                 !several ? ""
                 : apart  ? ", "
                          : "-",
                 several ? answers_number(&quote->most, quote->unit) : "", other ? " " : "",
                 other ? unit : "");
}

const char *answers_agreement(const struct answer *answer)
{
    const enum quote_agreement agreement = answer->published.agreement;
    return agreement == AGREEMENT_DISPUTED ? "disputed" : agreement == AGREEMENT_DIFFERS ? "differs" : "";
}

bool answers_has_row(const struct answer *answer)
{
    const char *sheet_cell = answer->sheet_cell ? answer->sheet_cell : "";
    return strncmp(sheet_cell, "core/", 5) == 0 || strncmp(sheet_cell, "distance/", 9) == 0;
}

/* Ranks idle before unknown before busy. */
static int rank_of(const struct answer *answer)
{
    const bool idle = answer->state && strcmp(answer->state, state_names[STATE_IDLE]) == 0;
    return answer_is_busy(answer) ? 0 : idle ? 2 : 1;
}

const struct answer *answers_find(const struct record *record, const char *sheet_cell)
{
    const struct answer *found = NULL;
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        const bool fits = answer->sheet_cell && strcmp(answer->sheet_cell, sheet_cell) == 0 &&
                          cell_has_value(&answer->value);
        if (fits && (!found || rank_of(answer) > rank_of(found)))
            found = answer;
    }
    for (size_t i = 0; i < record->children.count && !found; i++)
        found = answers_find(record->children.of[i], sheet_cell);
    return found;
}

/* Members are answers, whose sheet_cells name rows and columns. */
enum { MEMBERS_MOST = 400 };
struct matrix {
    struct keys rows, columns;
    size_t count;
    struct member {
        const struct answer *answer;
        size_t row, column;
    } * member;
};

/* A part of a sheet_cell as it is printed. */
static struct cell part_of(const char *part, size_t length)
{
    char *name = spell("%.*s", (int)length, part);
    for (char *at = name; (at = strchr(at, '_'));)
        *at = ' ';
    return TEXT_CELL(name);
}

/* The same of a row: "fast address, Gracemont". */
static struct cell row_of(const struct answer *answer, const char *part, size_t length)
{
    const struct cell name = part_of(part, length);
    return answer->kind ? TEXT_CELL(spell("%s, %s", name.text, answer->kind)) : name;
}

/* Collects the answers whose sheet_cells begin like this one, "memory/L1/read"; false: no matrix, because
 * they have fewer than two keys or columns, or too many members. */
static bool collect(struct matrix *matrix, const char *sheet_cell, const struct answer *const *of,
                    size_t count)
{
    const size_t family = strcspn(sheet_cell, "/") + 1;
    bool several = false;
    *matrix = (struct matrix){0};
    for (size_t i = 0; i < count && matrix->count <= MEMBERS_MOST; i++) {
        const bool alike = of[i]->sheet_cell && strncmp(of[i]->sheet_cell, sheet_cell, family) == 0;
        const char *row = alike ? of[i]->sheet_cell + family : NULL;
        const char *column = alike && row[-1] ? strchr(row, '/') : NULL;
        if (!column)
            continue;
        matrix->member = scratch_more(matrix->member, matrix->count, sizeof(*matrix->member));
        matrix->member[matrix->count++] =
            (struct member){of[i], keys_index(&matrix->rows, row_of(of[i], row, (size_t)(column - row))),
                            keys_index(&matrix->columns, part_of(column + 1, strlen(column + 1)))};
        several |= strcmp(of[i]->key, matrix->member->answer->key) != 0;
    }
    return several && matrix->columns.count > 1 && matrix->count <= MEMBERS_MOST;
}

/* Adds the unit to a value where it differs from the column's, and to a heading where it differs from the
 * corner's, the unit of the first column. Returns whether a value has a mark. */
static bool add_column(struct grid *grid, const struct keys *columns, const struct answer *const *at,
                       size_t column, const char **corner)
{
    const char *unit = NULL, *name = columns->value[column].text;
    bool marked = false;
    for (size_t row = 0; row < grid->row_count; row++) {
        const struct answer *answer = at[row * columns->count + column];
        unit = unit || !answer ? unit : answers_unit(answer->unit);
        marked |= answer && answer->trust != TRUST_HIGH;
    }
    *corner = *corner ? *corner : unit;
    const bool is_said = strcmp(unit, *corner) == 0 || strcmp(unit, name) == 0;
    grid->column[column + 1] =
        (struct grid_column){.heading = spell_heading(name, is_said ? NULL : unit), .number = true};
    for (size_t row = 0; row < grid->row_count; row++) {
        const struct answer *answer = at[row * columns->count + column];
        const char *own = answer ? answers_unit(answer->unit) : "", *value = answers_value(answer, marked);
        if (column == 0 && answer && answer->remark && !cell_has_value(&answer->value))
            value = answer->remark;
        else if (*own && strcmp(own, unit) != 0)
            value = spell("%s%s%s", value, value[strlen(value) - 1] == ' ' ? "" : " ", own);
        grid->cell[row * (columns->count + 2) + column + 1].text = value;
    }
    return marked;
}

/* What others have published of the first two columns, which a table is about, in the unit of the answer:
 * a wider table would not fit. */
static const char *row_published(const struct answer *const *at)
{
    for (size_t i = 0; i < 2; i++)
        if (at[i] && cell_has_value(&at[i]->published.value) &&
            strcmp(answers_unit(at[i]->published.unit), answers_unit(at[i]->unit)) == 0)
            return spell("%s %s", answers_published(at[i]), answers_unit(at[i]->unit));
    return "";
}

struct grid answers_matrix(const struct answer **of, size_t *count, bool *any_marked)
{
    enum { TRIED = 16 };
    struct matrix matrix = {0};
    bool found = false, used[MEMBERS_MOST + 2];
    for (size_t i = 0, tried = 0; i < *count && tried < TRIED && !found; i++) {
        found = of[i]->sheet_cell && collect(&matrix, of[i]->sheet_cell, of, *count);
        tried += matrix.count > 0;
    }
    if (!found)
        return (struct grid){0};
    const size_t columns = matrix.columns.count, width = columns + 2, rows = matrix.rows.count;
    const struct answer **at = scratch_new(rows * columns, sizeof(*at));
    struct grid grid = grid_new(width, rows);
    const char *corner = NULL;
    size_t left = 0;
    for (size_t i = 0; i < *count; i++) {
        const struct member *member = &matrix.member[i - left];
        if (i - left == matrix.count || of[i] != member->answer) {
            of[left++] = of[i];
            continue;
        }
        const struct answer **place = &at[member->row * columns + member->column];
        *place = *place && rank_of(*place) >= rank_of(of[i]) ? *place : of[i];
    }
    *count = left;
    memset(used, true, sizeof used);
    used[width - 1] = false;
    for (size_t row = 0; row < rows; row++) {
        struct grid_cell *cell = &grid.cell[row * width];
        cell->text = matrix.rows.value[row].text;
        cell[width - 1].text = row_published(at + row * columns);
        used[width - 1] |= *cell[width - 1].text != '\0';
    }
    for (size_t column = 0; column < columns; column++)
        *any_marked |= add_column(&grid, &matrix.columns, at, column, &corner);
    grid.column[0].heading = corner;
    grid.column[width - 1] = (struct grid_column){.heading = "published", .number = true};
    grid.label_columns = 1;
    grid_keep(&grid, used);
    return grid;
}
