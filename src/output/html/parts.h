/* SPDX-License-Identifier: MIT */
/* Parts of the page that lie in a file of their own. */
#pragma once

#include "base/text.h"
#include "output/grid.h"
#include "output/plot/plot.h"
#include "uarchprobe/record.h"

enum { ROWS_MOST = 10000 }; /* of a table in the data of the page */

/* An element with text in it, which is escaped; class NULL: none. Nothing where the text is empty. */
void html_element(struct text *out, const char *name, const char *class, const char *text);
void html_grid(struct text *out, const struct grid *grid);
/* A table as people see it, folded; where it is too long for a page, a word about that. */
void html_table(struct text *out, const struct record_table *table);
/* The section about the machine and the run, made from facts. */
void html_machine(struct text *out, const struct record *record);
