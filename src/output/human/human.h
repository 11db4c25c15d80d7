/* SPDX-License-Identifier: MIT */
#pragma once

#include "output/format.h"
#include "output/grid.h"
#include "output/plot/plot.h"

/* Columns of the terminal, or those of the usual one. */
size_t human_width(const struct style *style);
/* A sentence, broken at blanks where the terminal ends; its further lines are indented by two more. */
void human_sentence(const struct style *style, size_t indent, const char *sentence, struct text *out);
/* Aligned columns behind so many blanks; a matrix wider than the terminal goes on in further blocks of columns. */
void human_grid(const struct style *style, size_t indent, const struct grid *grid, struct text *out);
/* The picture of a plot where characters can show it, in that many lines. False: its table says more, and nothing was
 * drawn. */
bool human_plot(const struct style *style, const struct plot *plot, size_t lines, struct text *out);
/* A curve, of many points only. */
bool human_curve(const struct style *style, const struct plot *plot, size_t lines, struct text *out);
/* A heat map of classes, one character a cell or, in colour, two cells a character, with its legend; of so many CPUs
 * that a matrix does not fit, their groups. */
bool human_heat_map(const struct style *style, const struct plot *plot, size_t lines, struct text *out);
/* Of a map of CPUs: lowest, median and highest from each group of CPUs to each. */
void human_groups(const struct style *style, const struct plot *plot, struct text *out);
/* Text without its control characters, in bold where colour is welcome. */
void human_bold(const struct style *style, const char *text, struct text *out);
