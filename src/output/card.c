/* SPDX-License-Identifier: MIT */
#include "output/card.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/keys.h"

const char card_trust_note[] = "~ medium trust, ? low trust";

/* "ram", "L1" and "read" of "ram.L1.read". */
struct key_parts {
    char *part[3];
};

/* False, and nothing to be freed, where the key has not three parts. */
static bool split_key(const char *key, struct key_parts *parts)
{
    const char *first = strchr(key, '.'), *second = first ? strchr(first + 1, '.') : NULL;
    if (!second || strchr(second + 1, '.'))
        return false;
    parts->part[0] = strndup(key, (size_t)(first - key));
    parts->part[1] = strndup(first + 1, (size_t)(second - first) - 1);
    parts->part[2] = strdup(second + 1);
    return parts->part[0] && parts->part[1] && parts->part[2];
}

/* The findings whose keys have three parts with the same first one. */
struct table {
    const struct record *record;
    size_t count;
    struct key_parts *key; /* per finding; part[0] NULL: not of this table */
    struct keys rows, columns;
};

static void table_read(struct table *table, const struct record *record)
{
    const char *prefix = NULL;
    table->record = record;
    table->count = record_finding_count(record);
    table->key = memory_zeroed(table->count + 1, sizeof(*table->key));
    for (size_t i = 0; i < table->count; i++) {
        struct key_parts parts = {0};
        const struct finding *finding = record_finding_at(record, i);
        if (!type_is_number(finding->value.type) || !split_key(finding->key, &parts))
            continue;
        prefix = prefix ? prefix : parts.part[0];
        if (strcmp(prefix, parts.part[0]) != 0) {
            for (int j = 0; j < 3; j++)
                free(parts.part[j]);
            continue;
        }
        table->key[i] = parts;
        keys_index(&table->rows, TEXT_CELL(parts.part[1]));
        keys_index(&table->columns, TEXT_CELL(parts.part[2]));
    }
}

static void table_free(struct table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        for (int j = 0; j < 3; j++)
            free(table->key[i].part[j]);
    }
    free(table->key);
    keys_free(&table->rows);
    keys_free(&table->columns);
}

static bool is_rate(const char *unit)
{
    return unit && strcmp(unit, "Byte/s") == 0;
}

static char *value_text(const struct finding *finding)
{
    static const char *const marks[] = {[TRUST_LOW] = "?", [TRUST_MEDIUM] = "~", [TRUST_HIGH] = ""};
    struct text text = {0};
    struct cell shown = finding->value;
    if (is_rate(finding->unit))
        shown = REAL_CELL(cell_number(&shown) / (1 << 30));
    text_add_cell_human(&text, &shown, 1);
    text_add(&text, marks[finding->trust]);
    return text_take(&text);
}

static char *column_heading(const struct table *table, size_t column)
{
    struct text text = {0};
    const char *unit = NULL;
    for (size_t i = 0; i < table->count && !unit; i++) {
        if (table->key[i].part[0] && strcmp(table->key[i].part[2], table->columns.value[column].text) == 0)
            unit = record_finding_at(table->record, i)->unit;
    }
    text_add_heading(&text, table->columns.value[column].text, is_rate(unit) ? "GiB/s" : unit);
    return text_take(&text);
}

static char *copy_of(const char *text)
{
    struct text copy = {0};
    text_add_printable(&copy, text);
    return text_take(&copy);
}

static struct grid *table_grid(struct table *table)
{
    struct grid *grid = memory_zeroed(1, sizeof(*grid));
    const size_t columns = table->columns.count + 1, rows = table->rows.count;
    *grid = (struct grid){.column_count = (int)columns,
                          .column = memory_zeroed(columns, sizeof(*grid->column)),
                          .row_count = rows,
                          .cell = memory_zeroed(rows * columns, sizeof(*grid->cell)),
                          .label_columns = 1};
    grid->column[0].heading = copy_of("");
    for (size_t i = 1; i < columns; i++)
        grid->column[i] = (struct grid_column){.heading = column_heading(table, i - 1), .number = true};
    for (size_t i = 0; i < rows; i++)
        grid->cell[i * columns].text = copy_of(table->rows.value[i].text);
    for (size_t i = 0; i < table->count; i++) {
        if (!table->key[i].part[0])
            continue;
        size_t row = keys_index(&table->rows, TEXT_CELL(table->key[i].part[1]));
        size_t column = keys_index(&table->columns, TEXT_CELL(table->key[i].part[2])) + 1;
        free(grid->cell[row * columns + column].text);
        grid->cell[row * columns + column].text = value_text(record_finding_at(table->record, i));
    }
    for (size_t i = 0; i < rows * columns; i++) {
        if (!grid->cell[i].text)
            grid->cell[i].text = copy_of("");
    }
    return grid;
}

struct card card_of(const struct record *record)
{
    struct table table = {0};
    struct card card = {0};
    table_read(&table, record);
    card.in_grid = memory_zeroed(table.count + 1, sizeof(*card.in_grid));
    if (table.rows.count >= 2 && table.columns.count >= 2) {
        card.grid = table_grid(&table);
        for (size_t i = 0; i < table.count; i++)
            card.in_grid[i] = table.key[i].part[0] != NULL;
    }
    for (size_t i = 0; i < table.count; i++)
        card.sentences += !card.in_grid[i] && record_finding_at(record, i)->text;
    table_free(&table);
    return card;
}

void card_free(struct card *card)
{
    if (card->grid)
        grids_free(card->grid, 1);
    free(card->in_grid);
    *card = (struct card){0};
}

const char *card_trust(enum trust trust)
{
    static const char *const names[] = {
        [TRUST_LOW] = " (low trust)", [TRUST_MEDIUM] = " (medium trust)", [TRUST_HIGH] = ""};
    return names[trust];
}
