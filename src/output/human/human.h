/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_HUMAN_H
#define OUTPUT_HUMAN_H

#include "output/format.h"
#include "output/plot/plot.h"
#include "output/view.h"

/* Aligned columns; a matrix wider than the terminal goes on in further blocks of columns. */
void human_grid(const struct style *style, const struct grid *grid, struct text *out);
/* The picture of a plot where characters can show it. False: its table says more, and nothing was drawn. */
bool human_plot(const struct style *style, const struct plot *plot, struct text *out);
/* A curve, of many points only. */
bool human_curve(const struct style *style, const struct plot *plot, struct text *out);
/* A heat map of classes, one character a cell or, in colour, two cells a character, with its legend. */
bool human_heat_map(const struct style *style, const struct plot *plot, struct text *out);
/* The facts that have a title, grouped by the second component of their path. */
void human_facts(const struct style *style, const struct record *record, struct text *out);
/* Text without its control characters, in bold where colour is welcome. */
void human_bold(const struct style *style, const char *text, struct text *out);

/* The result of a command that ran others. */
void human_card(const struct style *style, const struct record *record, struct text *out);

#endif
