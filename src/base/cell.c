/* SPDX-License-Identifier: MIT */
#include "uarchprobe/cell.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

bool cell_has_value(const struct cell *cell)
{
    switch (cell->type) {
    case CELL_TEXT:
        return cell->text != NULL;
    case CELL_REAL:
    case CELL_SUMMARY:
        return isfinite(cell_number(cell));
    default:
        return cell->type != CELL_NULL;
    }
}

bool cell_is(const struct cell *cell, bool value)
{
    return cell->type == CELL_BOOL && cell->boolean == value;
}

bool type_is_number(enum cell_type type)
{
    return type == CELL_INTEGER || type == CELL_REAL || type == CELL_SIZE || type == CELL_CPU ||
           type == CELL_SUMMARY;
}

double cell_number(const struct cell *cell)
{
    switch (cell->type) {
    case CELL_INTEGER:
    case CELL_SIZE:
    case CELL_CPU:
        return (double)cell->integer;
    case CELL_REAL:
        return cell->real;
    case CELL_SUMMARY:
        return cell->summary->median;
    default:
        return NAN;
    }
}

const char *cell_text(const struct cell *cell)
{
    if (cell->type == CELL_CLASS)
        return cell->names->name[cell->integer];
    return cell->type == CELL_TEXT ? cell->text : NULL;
}

bool cell_equal(const struct cell *a, const struct cell *b)
{
    const char *text = cell_text(a), *other = cell_text(b);
    const double number = cell_number(a);
    if (a->type != b->type || a->type == CELL_NULL)
        return a->type == b->type;
    if (a->type == CELL_REAL || a->type == CELL_SUMMARY)
        return number == cell_number(b) || (isnan(number) && isnan(cell_number(b)));
    if (a->type == CELL_BOOL)
        return a->boolean == b->boolean;
    return text && other ? strcmp(text, other) == 0 : a->integer == b->integer;
}

void text_add_cell(struct text *text, const struct cell *cell)
{
    if (!cell_has_value(cell))
        return;
    if (cell_text(cell))
        text_add(text, cell_text(cell));
    else if (cell->type == CELL_REAL || cell->type == CELL_SUMMARY)
        text_printf(text, "%.15g", cell_number(cell)); /* as JSON: no measurement has more digits */
    else if (cell->type == CELL_BOOL)
        text_add(text, cell->boolean ? "true" : "false");
    else if (cell->type == CELL_FLAGS) {
        const char *between = "";
        for (size_t i = 0; i < cell->names->count; i++)
            if (cell->integer >> i & 1) {
                text_printf(text, "%s%s", between, cell->names->name[i]);
                between = ",";
            }
    } else
        text_printf(text, "%lld", (long long)cell->integer);
}

void text_add_cell_human(struct text *text, const struct cell *cell, int digits)
{
    const double number = cell_number(cell);
    if (!cell_has_value(cell) || (cell->type == CELL_FLAGS && cell->integer == 0))
        text_add(text, "-");
    else if (cell_text(cell))
        text_add_printable(text, cell_text(cell));
    else if (cell->type == CELL_REAL || cell->type == CELL_SUMMARY)
        text_printf(text, fabs(number) < 1e15 ? "%.*f" : "%.*e", digits, number);
    else if (cell->type == CELL_BOOL)
        text_add(text, cell->boolean ? "yes" : "no");
    else if (cell->type == CELL_SIZE)
        text_add_size(text, cell->integer);
    else
        text_add_cell(text, cell);
}

/* One unit has one name: cycles are those of the core clock, ticks those of the time stamp counter. */
static const char *const known_units[] = {"",
                                          "%",
                                          "s",
                                          "ms",
                                          "us",
                                          "ns",
                                          "cycles",
                                          "ticks",
                                          "Hz",
                                          "MHz",
                                          "GHz",
                                          "Bit",
                                          "B",
                                          "Byte",
                                          "KiB",
                                          "MiB",
                                          "GiB",
                                          "Byte/s",
                                          "MiByte/s",
                                          "GiByte/s",
                                          "MiB/s",
                                          "GiB/s",
                                          "GB/s",
                                          "bytes/cycle",
                                          "branches",
                                          "cells",
                                          "entries",
                                          "lines",
                                          "loads",
                                          "mis",
                                          "nops",
                                          "pages",
                                          "pairs",
                                          "registers",
                                          "threads",
                                          "times",
                                          "times the time"};

bool unit_is_known(const char *unit)
{
    for (size_t i = 0; i < sizeof known_units / sizeof *known_units; i++)
        if (strcmp(known_units[i], unit) == 0)
            return true;
    return false;
}

double value_shown(double value, const char *unit, const char **shown)
{
    const bool rate = unit && strcmp(unit, "Byte/s") == 0;
    *shown = rate ? "GiB/s" : unit ? unit : "";
    return value / (rate ? 1 << 30 : 1);
}

void text_add_value(struct text *text, const struct cell *cell, const char *unit)
{
    const bool number = cell->type == CELL_INTEGER || cell->type == CELL_REAL;
    if (!cell_has_value(cell))
        text_add(text, "unknown");
    else if (cell->type == CELL_INTEGER && unit && strcmp(unit, "Byte") == 0)
        text_add_size_rounded(text, cell->integer);
    else if (number && unit && strcmp(unit, "Hz") == 0)
        text_add_rate(text, cell_number(cell));
    else {
        if (cell->type == CELL_REAL)
            text_add_rounded(text, cell->real);
        else
            text_add_cell_human(text, cell, 0);
        text_add(text, unit && *unit ? " " : "");
        text_add_printable(text, unit ? unit : "");
    }
}
