/* SPDX-License-Identifier: MIT */
#include "output/answers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const char answers_note[] = "~ medium trust, ? low trust";

enum { LABEL, IDLE, BUSY, PUBLISHED, NS, UNIT, REMARK, COLUMNS };

/* A key, and its answers in the two columns of values; idle is that of any state but the busy one. */
struct row {
    const struct answer *idle, *busy;
};

static const struct answer *any_of(const struct row *row)
{
    return row->idle ? row->idle : row->busy;
}

/* The row in which an answer belongs: one of its key where its column is free, or a new one. */
static struct row *row_for(struct row *row, size_t *count, const struct answer *answer)
{
    for (size_t i = 0; i < *count; i++) {
        const bool taken = answer_is_busy(answer) ? row[i].busy : row[i].idle;
        if (!taken && strcmp(any_of(&row[i])->key, answer->key) == 0)
            return &row[i];
    }
    return &row[(*count)++];
}

/* Bytes are spelt with their unit. */
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

/* "45 to 53": with the fewest decimals that tell both ends apart, a tenth at least below ten. False: none of them does. */
static bool add_range(struct text *text, const struct answer *answer, const char *between)
{
    const char *unit;
    const double low = value_shown(cell_number(&answer->low), answer->unit, &unit),
                 high = value_shown(cell_number(&answer->high), answer->unit, &unit);
    for (int digits = high < 10; digits < 3 && low < high; digits++) {
        char least[48], most[48];
        snprintf(least, sizeof least, "%.*f", digits, low);
        snprintf(most, sizeof most, "%.*f", digits, high);
        if (strcmp(least, most) != 0) {
            text_printf(text, "%s%s%s", least, between, most);
            return true;
        }
    }
    return false;
}

/* Of a value that no later run is expected to repeat, its interval. padded: another of its column has a mark, so one without gets a blank,
 * which keeps digits below each other. */
static char *value_text(const struct answer *answer, const char *between, bool padded)
{
    struct text text = {0};
    if (!answer)
        return text_copy_valid("");
    if (answer->trust != TRUST_LOW || !add_range(&text, answer, between))
        add_number(&text, &answer->value, answer->unit);
    static const char *const marks[] = {[TRUST_LOW] = "?", [TRUST_MEDIUM] = "~", [TRUST_HIGH] = ""};
    const char *mark = cell_has_value(&answer->value) ? marks[answer->trust] : "";
    text_add(&text, padded && !*mark ? " " : mark);
    return text_take(&text);
}

char *answers_value(const struct answer *answer)
{
    return value_text(answer, "-", false);
}

char *answers_published(const struct answer *answer)
{
    const struct quote *quote = &answer->published;
    struct text text = {0};
    if (!cell_has_value(&quote->value))
        return text_copy_valid("");
    add_number(&text, &quote->value, quote->unit);
    if (quote->unit && strcmp(answers_unit(quote->unit), answers_unit(answer->unit)) != 0)
        text_printf(&text, " %s", answers_unit(quote->unit));
    return text_take(&text);
}

/* Of cycles whose clock is known. */
static char *ns_text(const struct row *row)
{
    const struct answer *answer = row->idle && cell_has_value(&row->idle->value) ? row->idle : row->busy;
    struct text text = {0};
    text_add(&text, "");
    if (answer && answer->ghz > 0 && strcmp(answers_unit(answer->unit), "cycles") == 0)
        text_add_rounded(&text, cell_number(&answer->value) / answer->ghz);
    return text_take(&text);
}

static char *remark_text(const struct row *row, bool sources)
{
    const struct answer *answer = any_of(row);
    const char *quoted =
        sources && cell_has_value(&answer->published.value) ? answer->published.source : NULL;
    const char *remark = answer->remark || !row->busy ? answer->remark : row->busy->remark;
    struct text text = {0};
    text_add_printable(&text, remark ? remark : "");
    text_add(&text, remark && quoted ? "; " : "");
    text_add_printable(&text, quoted ? quoted : "");
    return text_take(&text);
}

/* The unit of most rows, which stands above the labels; "": no two have one. */
static const char *common_unit(const struct row *row, size_t count)
{
    enum { ROWS_TRIED = 64 };
    const char *unit = "";
    for (size_t i = 0, most = 1; i < count && i < ROWS_TRIED; i++) {
        const char *own = answers_unit(any_of(&row[i])->unit);
        size_t same = 0;
        for (size_t j = i; j < count && j < ROWS_TRIED; j++)
            same += strcmp(answers_unit(any_of(&row[j])->unit), own) == 0;
        if (same > most) {
            unit = own;
            most = same;
        }
    }
    return unit;
}

static struct grid grid_of(const struct row *row, size_t count, const bool *marked, bool sources)
{
    const char *common = common_unit(row, count);
    bool idle = false, used[COLUMNS] = {[LABEL] = true, [IDLE] = true};
    struct grid grid = grid_new(COLUMNS, count);
    for (size_t i = 0; i < count; i++) {
        const struct answer *any = any_of(&row[i]);
        struct grid_cell *cell = &grid.cell[i * COLUMNS];
        struct text label = {0};
        text_add_printable(&label, any->label);
        cell[LABEL].text = text_take(&label);
        cell[IDLE].text = value_text(row[i].idle, " to ", marked[IDLE]);
        cell[BUSY].text = value_text(row[i].busy, " to ", marked[BUSY]);
        cell[PUBLISHED].text = answers_published(any);
        cell[NS].text = ns_text(&row[i]);
        cell[UNIT].text =
            text_copy_valid(strcmp(answers_unit(any->unit), common) == 0 ? "" : answers_unit(any->unit));
        cell[REMARK].text = remark_text(&row[i], sources);
        for (int column = 0; column < COLUMNS; column++)
            used[column] |= *cell[column].text != '\0';
        idle |= row[i].idle && row[i].idle->state && strcmp(row[i].idle->state, state_names[STATE_IDLE]) == 0;
    }
    const char *const headings[] = {common, idle ? "idle" : "value", "busy", "published", "ns", "", ""};
    for (int i = 0; i < COLUMNS; i++)
        grid.column[i] =
            (struct grid_column){.heading = text_copy_valid(headings[i]), .number = i > LABEL && i < UNIT};
    grid.label_columns = 1;
    grid.remarks = used[REMARK];
    grid_keep(&grid, used);
    return grid;
}

struct grid answers_rows(const struct answer *const *of, size_t count, bool sources, bool *any_marked)
{
    struct row *row = memory_zeroed(count, sizeof(*row));
    bool marked[COLUMNS] = {false};
    size_t rows = 0;
    for (size_t i = 0; i < count; i++) {
        if (!of[i]->label)
            continue;
        const bool busy = answer_is_busy(of[i]);
        struct row *own = row_for(row, &rows, of[i]);
        *(busy ? &own->busy : &own->idle) = of[i];
        marked[busy ? BUSY : IDLE] |= of[i]->trust != TRUST_HIGH;
    }
    *any_marked |= marked[IDLE] || marked[BUSY];
    const struct grid grid = rows ? grid_of(row, rows, marked, sources) : (struct grid){0};
    free(row);
    return grid;
}

/* A part of a slot. */
struct span {
    const char *at;
    size_t length;
};

char *answers_part(const char *part, size_t length)
{
    struct text text = {0};
    text_add_bytes(&text, part, length);
    char *shown = text_take(&text);
    for (char *at = shown; (at = strchr(at, '_'));)
        *at = ' ';
    return shown;
}

static size_t span_index(struct span *known, size_t *count, struct span span)
{
    size_t i = 0;
    while (i < *count && (known[i].length != span.length || strncmp(known[i].at, span.at, span.length) != 0))
        i++;
    if (i == *count)
        known[(*count)++] = span;
    return i;
}

/* "memory/L1/read" in its parts; false: it is no slot of a matrix, or of another one than that of `other` (NULL: any). */
static bool split(const struct answer *answer, const struct answer *other, struct span *row,
                  struct span *column)
{
    const char *first = answer->slot ? strchr(answer->slot, '/') : NULL;
    const char *second = first ? strchr(first + 1, '/') : NULL;
    if (!second || (other && strncmp(answer->slot, other->slot, (size_t)(first - answer->slot) + 1) != 0))
        return false;
    *row = (struct span){first + 1, (size_t)(second - first) - 1};
    *column = (struct span){second + 1, strlen(second + 1)};
    return true;
}

/* Idle before unknown before busy. */
static int rank_of(const struct answer *answer)
{
    const bool idle = answer->state && strcmp(answer->state, state_names[STATE_IDLE]) == 0;
    return answer_is_busy(answer) ? 0 : idle ? 2 : 1;
}

const struct answer *answers_find(const struct record *record, const char *slot, bool busy)
{
    const struct answer *found = NULL;
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        const bool fits = answer->slot && strcmp(answer->slot, slot) == 0 && cell_has_value(&answer->value);
        if (fits && (!busy || answer_is_busy(answer)) && (!found || rank_of(answer) > rank_of(found)))
            found = answer;
    }
    for (size_t i = 0; i < record->children.count && !found; i++)
        found = answers_find(record->children.of[i], slot, busy);
    return found;
}

struct matrix {
    size_t rows, columns, places; /* places: a row has room for so many columns */
    struct span *row, *column;
    const struct answer **at;
};

static struct grid matrix_grid(const struct matrix *matrix, bool *any_marked)
{
    struct grid grid = grid_new(matrix->columns + 1, matrix->rows);
    const char *corner = NULL;
    grid.label_columns = 1;
    for (size_t column = 0; column < matrix->columns; column++) {
        const char *unit = NULL;
        bool marked = false;
        for (size_t row = 0; row < matrix->rows; row++) {
            const struct answer *answer = matrix->at[row * matrix->places + column];
            unit = answer ? answers_unit(answer->unit) : unit;
            marked |= answer && answer->trust != TRUST_HIGH;
        }
        corner = corner ? corner : unit;
        struct text heading = {0};
        char *name = answers_part(matrix->column[column].at, matrix->column[column].length);
        text_add_heading(&heading, name, strcmp(unit, corner) == 0 || strcmp(unit, name) == 0 ? NULL : unit);
        free(name);
        grid.column[column + 1] = (struct grid_column){.heading = text_take(&heading), .number = true};
        for (size_t row = 0; row < matrix->rows; row++)
            grid.cell[row * (matrix->columns + 1) + column + 1].text =
                value_text(matrix->at[row * matrix->places + column], "-", marked);
        *any_marked |= marked;
    }
    grid.column[0].heading = text_copy_valid(corner);
    for (size_t row = 0; row < matrix->rows; row++)
        grid.cell[row * (matrix->columns + 1)].text =
            answers_part(matrix->row[row].at, matrix->row[row].length);
    return grid;
}

/* The first answer of a matrix of at least two keys, and how many answers have places in it; NULL: there is none. */
static const struct answer *matrix_of(const struct answer *const *of, size_t count, size_t *members)
{
    enum { TRIED = 16, MEMBERS_MOST = 400 };
    struct span row, column;
    for (size_t i = 0, tried = 0; i < count && tried < TRIED; i++) {
        if (!split(of[i], NULL, &row, &column))
            continue;
        bool several = false;
        *members = 0;
        for (size_t j = i; j < count; j++) {
            if (!split(of[j], of[i], &row, &column))
                continue;
            ++*members;
            several |= strcmp(of[j]->key, of[i]->key) != 0;
        }
        if (several && *members <= MEMBERS_MOST)
            return of[i];
        tried++;
    }
    return NULL;
}

struct grid answers_matrix(const struct answer **of, size_t *count, bool *marked)
{
    size_t members, left = 0;
    const struct answer *first = matrix_of(of, *count, &members);
    if (!first)
        return (struct grid){0};
    struct matrix matrix = {.places = members,
                            .row = memory_zeroed(members, sizeof(*matrix.row)),
                            .column = memory_zeroed(members, sizeof(*matrix.column)),
                            .at = memory_zeroed(members * members, sizeof(*matrix.at))};
    for (size_t i = 0; i < *count; i++) {
        struct span row, column;
        if (!split(of[i], first, &row, &column)) {
            of[left++] = of[i];
            continue;
        }
        const size_t at = span_index(matrix.row, &matrix.rows, row) * members +
                          span_index(matrix.column, &matrix.columns, column);
        if (!matrix.at[at] || rank_of(of[i]) > rank_of(matrix.at[at]))
            matrix.at[at] = of[i];
    }
    const struct grid grid = matrix_grid(&matrix, marked);
    *count = left;
    free(matrix.row);
    free(matrix.column);
    free(matrix.at);
    return grid;
}
