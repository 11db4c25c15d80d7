/* SPDX-License-Identifier: MIT */
#include "output/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const char rows_trust_note[] = "~ medium trust, ? low trust";

enum { LABEL, IDLE, BUSY, UNIT, PUBLISHED, REMARK, COLUMNS };

const char *rows_trust(enum trust trust)
{
    return (const char *const[]){[TRUST_LOW] = "?", [TRUST_MEDIUM] = "~", [TRUST_HIGH] = ""}[trust];
}

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
static const char *unit_shown(const char *unit)
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

/* Of a value that no later run is expected to repeat, its interval. marked: another of its column has a mark, so one without gets a blank,
 * which keeps digits below each other. */
static char *value_text(const struct answer *answer, bool marked)
{
    struct text text = {0}, low = {0}, high = {0};
    if (!answer)
        return text_copy_valid("");
    if (answer->trust == TRUST_LOW && cell_number(&answer->low) < cell_number(&answer->high)) {
        add_number(&low, &answer->low, answer->unit);
        add_number(&high, &answer->high, answer->unit);
    }
    if (low.data && strcmp(low.data, high.data) != 0)
        text_printf(&text, "%s-%s", low.data, high.data);
    else
        add_number(&text, &answer->value, answer->unit);
    text_add(&text, marked && answer->trust == TRUST_HIGH ? " " : rows_trust(answer->trust));
    text_free(&low);
    text_free(&high);
    return text_take(&text);
}

static char *published_text(const struct row *row)
{
    const struct answer *answer = any_of(row);
    const struct quote *quote = &answer->published;
    struct text text = {0};
    if (!cell_has_value(&quote->value))
        return text_copy_valid("");
    add_number(&text, &quote->value, quote->unit);
    if (quote->unit && strcmp(unit_shown(quote->unit), unit_shown(answer->unit)) != 0)
        text_printf(&text, " %s", unit_shown(quote->unit));
    return text_take(&text);
}

static char *remark_text(const struct row *row, bool source)
{
    const struct answer *answer = any_of(row);
    const char *quoted = source && cell_has_value(&answer->published.value) ? answer->published.source : NULL;
    const char *remark = answer->remark || !row->busy ? answer->remark : row->busy->remark;
    struct text text = {0};
    text_add_printable(&text, remark ? remark : "");
    text_add(&text, remark && quoted ? "; " : "");
    text_add_printable(&text, quoted ? quoted : "");
    return text_take(&text);
}

static char *cell_spelt(int column, const struct row *row, const bool *marked, bool source)
{
    struct text text = {0};
    switch (column) {
    case LABEL:
        text_add_printable(&text, any_of(row)->label);
        return text_take(&text);
    case IDLE:
        return value_text(row->idle, marked[IDLE]);
    case BUSY:
        return value_text(row->busy, marked[BUSY]);
    case UNIT:
        return text_copy_valid(unit_shown(any_of(row)->unit));
    case PUBLISHED:
        return published_text(row);
    default:
        return remark_text(row, source);
    }
}

/* Columns without a text in any row are left out, but for the first two. */
static struct grid grid_of(const struct row *row, size_t count, const bool *marked, bool source)
{
    char *(*text)[COLUMNS] = memory_zeroed(count, sizeof(*text));
    bool used[COLUMNS] = {[LABEL] = true, [IDLE] = true};
    bool idle = false;
    size_t columns = 0;
    for (size_t i = 0; i < count; i++)
        idle |= row[i].idle && row[i].idle->state && strcmp(row[i].idle->state, state_names[STATE_IDLE]) == 0;
    for (size_t i = 0; i < count * COLUMNS; i++) {
        char *spelt = cell_spelt((int)(i % COLUMNS), &row[i / COLUMNS], marked, source);
        text[i / COLUMNS][i % COLUMNS] = spelt;
        used[i % COLUMNS] |= *spelt != '\0';
    }
    for (int i = 0; i < COLUMNS; i++)
        columns += used[i];
    const char *const headings[] = {"", idle ? "idle" : "value", "busy", "", "published", ""};
    struct grid grid = grid_new(columns, count);
    grid.label_columns = 1;
    grid.remarks = used[REMARK];
    for (int i = 0, at = 0; i < COLUMNS; i++) {
        for (size_t k = 0; k < count; k++) {
            if (used[i])
                grid.cell[k * columns + (size_t)at].text = text[k][i];
            else
                free(text[k][i]);
        }
        if (used[i])
            grid.column[at++] = (struct grid_column){.heading = text_copy_valid(headings[i]),
                                                     .number = i == IDLE || i == BUSY || i == PUBLISHED};
    }
    free(text);
    return grid;
}

struct grid rows_of(const struct record *record, const bool *skipped, bool source, bool *any_marked)
{
    const size_t most = record->answers.count;
    struct row *row = memory_zeroed(most, sizeof(*row));
    bool marked[COLUMNS] = {false};
    size_t count = 0;
    for (size_t i = 0; i < most; i++) {
        const struct answer *answer = &record->answers.of[i];
        if (!answer->label || (skipped && skipped[i]))
            continue;
        const bool busy = answer_is_busy(answer);
        struct row *own = row_for(row, &count, answer);
        *(busy ? &own->busy : &own->idle) = answer;
        marked[busy ? BUSY : IDLE] |= answer->trust != TRUST_HIGH;
    }
    *any_marked |= marked[IDLE] || marked[BUSY];
    const struct grid grid = count ? grid_of(row, count, marked, source) : (struct grid){0};
    free(row);
    return grid;
}
