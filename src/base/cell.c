/* SPDX-License-Identifier: MIT */
#include "uarchprobe/cell.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

bool cell_has_value(const struct cell *cell)
{
    if (cell->type == CELL_TEXT)
        return cell->text != NULL;
    return cell->type == CELL_REAL ? isfinite(cell->real) : cell->type != CELL_NULL;
}

bool cell_equal(const struct cell *a, const struct cell *b)
{
    if (a->type != b->type)
        return false;
    switch (a->type) {
    case CELL_TEXT:
        return strcmp(a->text, b->text) == 0;
    case CELL_INTEGER:
        return a->integer == b->integer;
    case CELL_REAL:
        return a->real == b->real || (isnan(a->real) && isnan(b->real));
    case CELL_BOOL:
        return a->boolean == b->boolean;
    case CELL_NULL:
        break;
    }
    return true;
}

void text_add_cell(struct text *text, const struct cell *cell)
{
    if (!cell_has_value(cell))
        return;
    if (cell->type == CELL_TEXT)
        text_add(text, cell->text);
    else if (cell->type == CELL_INTEGER)
        text_printf(text, "%lld", (long long)cell->integer);
    else if (cell->type == CELL_REAL)
        text_add_real(text, cell->real);
    else
        text_add(text, cell->boolean ? "true" : "false");
}

void text_add_cell_human(struct text *text, const struct cell *cell, int digits)
{
    if (!cell_has_value(cell))
        text_add(text, "-");
    else if (cell->type == CELL_TEXT)
        text_add_printable(text, cell->text);
    else if (cell->type == CELL_REAL)
        text_printf(text, fabs(cell->real) < 1e15 ? "%.*f" : "%.*e", digits, cell->real);
    else if (cell->type == CELL_BOOL)
        text_add(text, cell->boolean ? "yes" : "no");
    else
        text_add_cell(text, cell);
}

bool unit_is_bytes(const char *unit)
{
    return unit && (strcmp(unit, "Byte") == 0 || strcmp(unit, "byte") == 0 || strcmp(unit, "B") == 0 ||
                    strcmp(unit, "bytes") == 0);
}

static double number_of(const struct cell *cell)
{
    return cell->type == CELL_INTEGER ? (double)cell->integer : cell->real;
}

void text_add_value(struct text *text, const struct cell *cell, const char *unit)
{
    bool number = cell->type == CELL_INTEGER || cell->type == CELL_REAL;
    if (!cell_has_value(cell)) {
        text_add(text, "unknown");
        return;
    }
    if (cell->type == CELL_INTEGER && unit_is_bytes(unit)) {
        text_add_size_rounded(text, cell->integer);
        return;
    }
    if (number && unit && strcmp(unit, "Hz") == 0) {
        text_add_rate(text, number_of(cell));
        return;
    }
    if (cell->type == CELL_REAL)
        text_printf(text, "%.6g", cell->real);
    else
        text_add_cell_human(text, cell, 0);
    if (unit && *unit) {
        text_add(text, " ");
        text_add_printable(text, unit);
    }
}
