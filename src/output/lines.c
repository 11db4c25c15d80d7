/* SPDX-License-Identifier: MIT */
#include "output/lines.h"

#include <math.h>

#include "output/scratch.h"

const char *const line_words[] = {"ind", "AVG", "MIN", "MED", "MAX"};

size_t line_samples(const struct record_table *table, size_t row)
{
    const struct view *view = &table->spec->view;
    const struct samples *samples = view->lines > 0 ? record_samples_at(table, row, view->value) : NULL;
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

/* Fills a line of the view's columns; its word stands in front of the column `lines`, the spread behind
 * the last one. */
static void fill(struct grid_cell *to, const struct record_table *table, size_t row, enum line line,
                 size_t sample)
{
    const int value = table->spec->view.value;
    to[value + 2].text = "";
    for (int i = 0; i <= value; i++) {
        const struct cell cell = line_cell(table, row, i, line, sample);
        struct text size = {0};
        if (i == table->spec->view.lines)
            (to++)->text = line_words[line];
        if (table->spec->columns[i].type == CELL_SIZE)
            text_add_cell(&size, &cell);
        (to++)->text = size.data ? scratch_text(&size) : plot_cell_text(table->spec, i, &cell);
    }
    if (line == LINE_AVERAGE) {
        const struct cell least = line_cell(table, row, value, LINE_LEAST, 0);
        const struct cell most = line_cell(table, row, value, LINE_MOST, 0);
        const struct cell median = line_cell(table, row, value, LINE_MEDIAN, 0);
        to->text = spell("%.1f", 100 * (most.real - least.real) / cell_number(&median));
    }
}

struct grid lines_grid(const struct record_table *table)
{
    static const struct column word = {.title = "ind/AVG"},
                               spread = {.title = "spread", .unit = "%", .type = CELL_REAL};
    const struct table_spec *spec = table->spec;
    const int columns = spec->view.value + 3;
    size_t rows = 1, at = 1;
    for (size_t row = 0; row < table->row_count; row++)
        rows += line_samples(table, row) + 1;
    struct grid grid = grid_new((size_t)columns, rows);
    for (int i = 0; i < columns; i++) {
        const struct column *column = i == spec->view.lines ? &word
                                      : i == columns - 1    ? &spread
                                                            : &spec->columns[i - (i > spec->view.lines)];
        grid.column[i] = (struct grid_column){column->title, type_is_number(column->type), false};
        grid.cell[i].text = column->unit ? spell("[%s]", column->unit) : "";
    }
    for (size_t row = 0; row < table->row_count; row++) {
        const size_t samples = line_samples(table, row);
        const bool shown = spec->view.shown <= 0 || cell_has_value(record_cell(table, row, spec->view.shown));
        for (size_t i = 0; shown && samples > 0 && i <= samples; i++)
            fill(&grid.cell[at++ * (size_t)columns], table, row, i < samples ? LINE_SAMPLE : LINE_AVERAGE, i);
    }
    grid.row_count = at;
    return grid;
}
