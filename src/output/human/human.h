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
/* Aligns the columns behind `indent` blanks; a matrix wider than the terminal continues in further blocks
 * of columns. */
void human_grid(const struct style *style, size_t indent, const struct grid *grid, struct text *out);
/* Draw a plot in `lines` lines where characters can show it. False: its table says more, and nothing was
 * drawn. */
bool human_curve(const struct style *style, const struct plot *plot, size_t lines, struct text *out);
/* Of classes, with its legend: one character a cell or, in colour, two cells; groups of CPUs
 * where all have no room. */
bool human_heat_map(const struct style *style, const struct plot *plot, size_t lines, struct text *out);
/* For CPUs, a number for each pair with the sign of its place, where a matrix fits into the width and the
 * lines. False: nothing was drawn. */
bool human_cpus(const struct style *style, const struct plot *plot, size_t lines, struct text *out);
/* "least 23.1 ns, CPUs 0 and 3; greatest ...; mean ..."; "": there are not two pairs. */
const char *human_cpus_summary(const struct plot *plot);
/* For a map of CPUs: lowest, median and highest value from each group of CPUs to each. */
void human_groups(const struct style *style, const struct plot *plot, struct text *out);
/* The SGR sequence of a shade, 0 to GRID_SHADES, and what ends it. */
const char *human_shade(int shade);
/* Text without its control characters, in bold where colour is welcome. */
void human_bold(const struct style *style, const char *text, struct text *out);
