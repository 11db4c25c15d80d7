/* SPDX-License-Identifier: MIT */
/* The lines of a table whose rows are measured again and again, in RAMOMETER's words: "ind" is one sample,
 * then a row's average, least, median and greatest. */
#pragma once

#include "output/grid.h"

enum line { LINE_SAMPLE, LINE_AVERAGE, LINE_LEAST, LINE_MEDIAN, LINE_MOST };
extern const char *const line_words[]; /* index: enum line */

/* How many samples a row has; 0: it is written as one line. */
size_t line_samples(const struct record_table *table, size_t row);
/* The cell of a line; sample: of LINE_SAMPLE. Rows without samples have medians alone. */
struct cell line_cell(const struct record_table *table, size_t row, int column, enum line line,
                      size_t sample);
/* Samples and average row by row, up to the column of the view's value, with the units below the headings;
 * the spread is the greatest less the least value, in percent of the median. */
struct grid lines_grid(const struct record_table *table);
