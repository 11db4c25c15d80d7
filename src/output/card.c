/* SPDX-License-Identifier: MIT */
#include "output/card.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/rows.h"

enum { ROWS_MOST = 5, COLUMNS_MOST = 14 };

/* Answers that make a table: "ram.L1.read" is of row L1 and column read, "cas.one_l3" of row cas and column one L3. */
static const struct layout {
    const char *prefix, *corner; /* of the keys; the unit of what has none in its heading */
    const char *rows[ROWS_MOST + 1], *columns[COLUMNS_MOST + 1];
    size_t columns_least;
    bool is_picture; /* of a result, enough of one */
} layouts[] = {
    {.prefix = "ram.",
     .corner = "GiB/s",
     .rows = {"L1", "L2", "L3", "L4", "DRAM"},
     .columns = {"read", "agg-or", "write", "copy", "compare", "latency"},
     .columns_least = 2,
     .is_picture = true},
    {.prefix = "",
     .corner = "ns",
     .rows = {"cas", "readwrite", "transfer", "transfer_rmw", "message"},
     .columns = {"one core", "one core 2", "one core 3", "one core 4", "one L3", "one L3 2", "one L3 3",
                 "one L3 4", "beyond one L3", "beyond one L3 2", "beyond one L3 3", "beyond one L3 4"},
     .columns_least = 1}};

static const struct answer *find(const struct record *record, const struct layout *layout, const char *row,
                                 const char *column)
{
    char key[64];
    const size_t prefix = strlen(layout->prefix);
    snprintf(key, sizeof(key), "%s%s.%s", layout->prefix, row, column);
    for (char *c = key; !prefix && *c; c++)
        *c = (char)(*c == ' ' ? '_' : *c == 'L' ? 'l' : *c);
    const struct answer *found = record_answer_find(record, key, NULL);
    return found && type_is_number(found->value.type) ? found : NULL;
}

static void add_value(struct text *text, const struct cell *cell, const char *own_unit, bool roughly)
{
    const char *unit;
    const double value = value_shown(cell_number(cell), own_unit, &unit);
    text_add_cell_human(text, &REAL_CELL(value), roughly ? value < 9.95 : text_decimals(value));
}

/* Of a value that no later run is expected to repeat, its interval. */
static char *value_text(const struct answer *answer)
{
    const double low = cell_number(&answer->low), high = cell_number(&answer->high);
    struct text text = {0}, least = {0}, most = {0};
    add_value(&least, &answer->low, answer->unit, true);
    add_value(&most, &answer->high, answer->unit, true);
    if (answer->trust == TRUST_LOW && low < high && strcmp(least.data, most.data) != 0)
        text_printf(&text, "%s-%s", least.data, most.data);
    else
        add_value(&text, &answer->value, answer->unit, false);
    text_add(&text, rows_trust(answer->trust));
    text_free(&least);
    text_free(&most);
    return text_take(&text);
}

static char *heading_of(const struct layout *layout, const char *column, const struct answer *answer)
{
    const char *unit;
    struct text text = {0};
    value_shown(NAN, answer->unit, &unit);
    text_add_heading(&text, column, strcmp(unit, layout->corner) == 0 ? NULL : unit);
    return text_take(&text);
}

/* What there is of a layout. */
struct found {
    const struct answer *of[ROWS_MOST][COLUMNS_MOST], *in_row[ROWS_MOST],
        *in_column[COLUMNS_MOST]; /* the latter two: any */
    size_t rows, columns;
};

static struct found find_all(const struct record *record, const struct layout *layout)
{
    struct found found = {0};
    for (int row = 0; layout->rows[row]; row++) {
        for (int column = 0; layout->columns[column]; column++) {
            const struct answer *answer = find(record, layout, layout->rows[row], layout->columns[column]);
            if (!answer)
                continue;
            found.rows += !found.in_row[row];
            found.columns += !found.in_column[column];
            found.of[row][column] = found.in_row[row] = found.in_column[column] = answer;
        }
    }
    return found;
}

static void fill_row(struct card *card, const struct record *record, const struct found *found, int row,
                     struct grid_cell *cell)
{
    for (int column = 0; column < COLUMNS_MOST; column++) {
        const struct answer *answer = found->of[row][column];
        if (!found->in_column[column])
            continue;
        (cell++)->text = answer ? value_text(answer) : text_copy_valid("");
        if (answer)
            card->in_grid[answer - record->answers.of] = true;
        card->marked |= answer && answer->trust != TRUST_HIGH;
    }
}

static void make_grid(struct card *card, const struct record *record, const struct layout *layout,
                      const struct found *found)
{
    card->grid = memory_zeroed(1, sizeof(*card->grid));
    *card->grid = grid_new(found->columns + 1, found->rows);
    card->grid->label_columns = 1;
    card->is_picture = layout->is_picture;
    struct grid_column *heading = card->grid->column;
    struct grid_cell *cell = card->grid->cell;
    (heading++)->heading = text_copy_valid(layout->corner);
    for (int i = 0; layout->columns[i]; i++) {
        if (found->in_column[i])
            *heading++ =
                (struct grid_column){heading_of(layout, layout->columns[i], found->in_column[i]), true};
    }
    for (int row = 0; layout->rows[row]; row++) {
        if (!found->in_row[row])
            continue;
        cell->text = text_copy_valid(layout->rows[row]);
        fill_row(card, record, found, row, cell + 1);
        cell += found->columns + 1;
    }
}

struct card card_of(const struct record *record)
{
    const size_t count = record->answers.count;
    struct card card = {.in_grid = memory_zeroed(count, sizeof(*card.in_grid))};
    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]) && !card.grid; i++) {
        const struct found found = find_all(record, &layouts[i]);
        if (found.rows > 1 && found.columns >= layouts[i].columns_least)
            make_grid(&card, record, &layouts[i], &found);
    }
    for (size_t i = 0; i < count; i++)
        card.sentences += !card.in_grid[i] && card_is_sentence(&record->answers.of[i]);
    return card;
}

void card_free(struct card *card)
{
    if (card->grid)
        grids_free(card->grid, 1);
    free(card->in_grid);
    *card = (struct card){0};
}

bool card_is_sentence(const struct answer *answer)
{
    return answer->text && !answer->label;
}

static void add_in_words(const struct answer *answer, struct text *out)
{
    const char *unit;
    const double value = value_shown(cell_number(&answer->value), answer->unit, &unit);
    text_printf(out, "%s: ", answer->label);
    if (answer->value.type == CELL_REAL && !isnan(value))
        text_add_rounded(out, value);
    else
        text_add_cell_human(out, &answer->value, 0);
    text_printf(out, "%s%s%s%s%s", *unit ? " " : "", unit,
                answer_is_busy(answer) ? " while the sibling is busy" : "", answer->remark ? ", " : "",
                answer->remark ? answer->remark : "");
}

void card_sentence(const struct answer *answer, bool source, struct text *out)
{
    const struct quote *quote = &answer->published;
    if (answer->text)
        text_add(out, answer->text);
    else
        add_in_words(answer, out);
    if (!cell_has_value(&quote->value))
        return;
    text_printf(out, "; published %g", cell_number(&quote->value));
    if (quote->unit && (!answer->unit || strcmp(quote->unit, answer->unit) != 0))
        text_printf(out, " %s", quote->unit);
    if (source && quote->source)
        text_printf(out, " (%s)", quote->source);
}

const char *card_trust(enum trust trust)
{
    static const char *const names[] = {
        [TRUST_LOW] = " (low trust)", [TRUST_MEDIUM] = " (medium trust)", [TRUST_HIGH] = ""};
    return names[trust];
}
