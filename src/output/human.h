/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_HUMAN_H
#define OUTPUT_HUMAN_H

#include "output/format.h"
#include "output/view.h"

/* Aligned columns; a matrix wider than the terminal goes on in further blocks of columns. */
void human_grid(const struct style *style, const struct grid *grid, struct text *out);
/* The facts that have a title, grouped by the second component of their path. */
void human_facts(const struct style *style, const struct record *record, struct text *out);
/* Text without its control characters, in bold where colour is welcome. */
void human_bold(const struct style *style, const char *text, struct text *out);

#endif
