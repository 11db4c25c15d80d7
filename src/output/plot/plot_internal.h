/* SPDX-License-Identifier: MIT */
/* Parts of making a plot that lie in files of their own. */
#pragma once

#include "output/pivot.h"
#include "output/plot/plot.h"

/* Everything of the value's axis but its scale. */
struct plot_axis plot_axis_of(const struct table_spec *spec, int column);
/* A heat map or bars. False: no cell has a value. */
bool plot_matrix(struct plot *plot, const struct pivot *pivot);
/* The cell of the pivot that a cell of the plot shows; NULL: none. */
const struct pivot_cell *plot_source(const struct plot *plot, const struct pivot *pivot, size_t index);
/* Whether both axes are of CPUs: then each CPU is on both, and a pair has the value of its reverse. */
bool plot_is_of_cpus(const struct table_spec *spec);
/* Gives the cells of the heat maps of a table their classes.
 * Without classes, or with too many to look different, their value gives the shade. */
void plot_classify(struct plot *plots, const struct pivot *pivots, size_t count);
/* What the CPUs on the axes share (host.topology.places). */
void plot_group_cpus(struct plot *plot, const struct record *record);
/* Where caches end (host.caches), on an axis of bytes. */
void plot_mark_caches(struct plot *plot, const struct record *record);
