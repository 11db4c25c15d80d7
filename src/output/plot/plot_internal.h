/* SPDX-License-Identifier: MIT */
/* Parts of making a plot that lie in files of their own. */
#pragma once

#include "output/plot/plot.h"

/* Everything of an axis but its scale and labels. */
struct plot_axis plot_axis_of(const struct table_spec *spec, int column);
/* Labels and cells of the rows in its list, none where they would be too sparse. row_column, column_column (-1: one column for the value):
 * the parameters that name rows and columns. */
void plot_make_cells(struct plot *plot, int row_column, int column_column);
/* Gives the cells of the heat maps of a table their classes. */
void plot_classify(struct plot *plots, size_t count);
/* Names CPUs that are slow by themselves. */
void plot_find_outliers(struct plot *plot);
/* What the CPUs on the axes share (host.topology.places). */
void plot_group_cpus(struct plot *plot, const struct record *record);
/* Where caches end (host.caches), on an axis of bytes. */
void plot_mark_caches(struct plot *plot, const struct record *record);
