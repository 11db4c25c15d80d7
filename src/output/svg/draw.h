/* SPDX-License-Identifier: MIT */
/* Plots as elements of SVG on SVG_WIDTH x what is returned, from (0, 0). */
#pragma once

#include "base/text.h"
#include "output/plot/plot.h"
#include "uarchprobe/record.h"

enum { SVG_LEGEND = 250 }; /* width of that of a heat map */

/* Where the cells of a heat map are. */
struct svg_map {
    double right, top, bottom;
    bool large; /* its labels have room to be so, too */
};

/* The pictures of a table as a document of their own; nothing where it has none. */
void svg_document(const struct record_table *table, struct text *out);

/* The drawer of the plot's kind. Returns the height. */
double svg_plot(const struct plot *plot, struct text *out);

double svg_curve(const struct plot *plot, struct text *out);
double svg_heat_map(const struct plot *plot, struct text *out);
/* Without its legend. */
struct svg_map svg_heat_cells(const struct plot *plot, struct text *out);
double svg_bars(const struct plot *plot, struct text *out);
/* What the colours of a heat map mean, from (x, y) down. Returns where it ends. */
double svg_heat_legend(const struct plot *plot, double x, double y, struct text *out);

/* The core sheet, a block diagram of this CPU, each block with what was measured of it, on SHEET_WIDTH x SHEET_HEIGHT from (0, 0): what
 * previews of links take. */
enum { SHEET_WIDTH = 1200, SHEET_HEIGHT = 630 };
void svg_sheet(const struct record *record, struct text *out);
