/* SPDX-License-Identifier: MIT */
/* Parts of making a plot, each in a file of its own. */
#pragma once

#include "output/plot/plot.h"

/* Describes an axis without its scale and labels. */
struct plot_axis plot_axis_of(const struct table_spec *spec, int column);
/* Makes labels and cells for the rows in the list; none where cells would be too sparse. row_column,
 * column_column (-1: one column for the value): the parameters that name rows and columns. */
void plot_make_cells(struct plot *plot, int row_column, int column_column);
/* Assigns classes to the cells of a table's heat maps. */
void plot_classify(struct plot *plots, size_t count);
/* Names CPUs that are slow with most other CPUs. */
void plot_find_outliers(struct plot *plot);
/* Groups the CPUs on the axes by what they share (host.topology.places). */
void plot_group_cpus(struct plot *plot, const struct record *record);
/* Marks sizes on an axis of bytes: those that answers have found (their keys end in .bytes), else the
 * caches' (host.caches). */
void plot_mark_sizes(struct plot *plot, const struct record *record);
