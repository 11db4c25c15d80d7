/* SPDX-License-Identifier: MIT */
#include "output/lines.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

const char *const line_words[] = {"ind", "AVG", "MIN", "MED", "MAX"};

size_t line_samples(const struct record_table *table, size_t row)
{
    const struct samples *samples = record_samples_at(table, row, table->spec->view.value);
    return samples ? samples->count : 0;
}

/* NaN where the core clock of a sample was thrown away. */
static double average_of(const struct samples *samples, const struct samples *weight)
{
    double sum = 0, weights = 0;
    for (size_t i = 0; i < samples->count; i++) {
        if (isnan(samples->value[i]))
            continue;
        sum += samples->value[i] * (weight ? weight->value[i] : 1);
        weights += weight ? weight->value[i] : 1;
    }
    return sum / weights;
}

/* The sample of the least or greatest value. */
static size_t extreme_of(const struct record_table *table, size_t row, bool most)
{
    const struct samples *samples = record_samples_at(table, row, table->spec->view.value);
    size_t at = 0;
    for (size_t i = 1; i < samples->count; i++)
        at =
            (most ? samples->value[i] > samples->value[at] : samples->value[i] < samples->value[at]) ? i : at;
    return at;
}

struct cell line_cell(const struct record_table *table, size_t row, int column, enum line line, size_t sample)
{
    const struct view *view = &table->spec->view;
    const struct samples *samples = record_samples_at(table, row, column);
    if (!samples || line == LINE_MEDIAN)
        return *record_cell(table, row, column);
    if (line == LINE_AVERAGE)
        return REAL_CELL(average_of(samples, view->duration > 0 && view->duration != column
                                                 ? record_samples_at(table, row, view->duration)
                                                 : NULL));
    if (line != LINE_SAMPLE && table->spec->columns[column].is_clocked)
        return NO_CELL;
    return REAL_CELL(
        samples->value[line == LINE_SAMPLE ? sample : extreme_of(table, row, line == LINE_MOST)]);
}

/* Fills a line; its word stands in front of the column `lines`. */
static void fill(struct grid_cell *to, const struct record_table *table, size_t row, enum line line,
                 size_t sample)
{
    for (int i = 0; i <= table->spec->view.value; i++) {
        const struct cell cell = line_cell(table, row, i, line, sample);
        if (i == table->spec->view.lines)
            (to++)->text = text_copy_valid(line_words[line]);
        struct text bytes = {0};
        if (table->spec->columns[i].type == CELL_SIZE)
            text_add_cell(&bytes, &cell);
        else
            bytes.data = plot_cell_text(table->spec, i, &cell);
        (to++)->text = bytes.data;
    }
}

struct grid lines_grid(const struct record_table *table)
{
    const struct table_spec *spec = table->spec;
    const int columns = spec->view.value + 2;
    size_t rows = 1, at = 1;
    for (size_t row = 0; row < table->row_count; row++)
        rows += line_samples(table, row) + LINE_MOST;
    struct grid grid = grid_new((size_t)columns, rows);
    for (int i = 0; i < columns; i++) {
        const int of = i < spec->view.lines ? i : i - 1;
        const struct column *column = i == spec->view.lines ? NULL : &spec->columns[of];
        struct text unit = {0};
        if (column && column->unit)
            text_printf(&unit, "[%s]", column->unit);
        grid.column[i] = (struct grid_column){text_copy_valid(column ? column->title : "ind/AVG"),
                                              column && type_is_number(column->type), false};
        grid.cell[i].text = text_take(&unit);
    }
    for (size_t row = 0; row < table->row_count; row++) {
        const struct cell *shown = record_cell(table, row, spec->view.shown);
        const size_t samples = line_samples(table, row);
        if (samples == 0 || (spec->view.shown > 0 && !cell_has_value(shown)))
            continue;
        for (size_t i = 0; i < samples; i++)
            fill(&grid.cell[at++ * (size_t)columns], table, row, LINE_SAMPLE, i);
        for (enum line line = LINE_AVERAGE; line <= LINE_MOST; line++)
            fill(&grid.cell[at++ * (size_t)columns], table, row, line, 0);
    }
    grid.row_count = at;
    return grid;
}
