/* SPDX-License-Identifier: MIT */
#pragma once

#include "output/format.h"
#include "output/grid.h"
#include "output/plot/plot.h"

/* Columns of the terminal, or the usual number where it is unknown. */
size_t human_width(const struct style *style);
size_t human_lines(const struct text *text);
/* Breaks a sentence at blanks where the terminal ends, and indents its further lines by two more. */
void human_sentence(const struct style *style, size_t indent, const char *sentence, struct text *out);
/* Aligns the columns behind `indent` blanks; a matrix wider than the terminal continues in further blocks of columns. */
void human_grid(const struct style *style, size_t indent, const struct grid *grid, struct text *out);
/* Draw a plot in `lines` lines where characters can show it. False: its table says more, and nothing was drawn. */
bool human_curve(const struct style *style, const struct plot *plot, size_t lines, struct text *out);
/* Of classes, with its legend: one character a cell or, in colour, two cells; groups of CPUs
 * where all have no room. */
bool human_heat_map(const struct style *style, const struct plot *plot, size_t lines, struct text *out);
/* For a map of CPUs: lowest, median and highest value from each group of CPUs to each. */
void human_groups(const struct style *style, const struct plot *plot, struct text *out);
/* Text without its control characters, in bold where colour is welcome. */
void human_bold(const struct style *style, const char *text, struct text *out);
