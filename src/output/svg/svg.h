/* SPDX-License-Identifier: MIT */
/* A picture is a row of panels, each with its own size. A page places them side by side as far as it has room, and shrinks what is still
 * wider than itself; a drawing has two to a row. */
#pragma once

#include <stdbool.h>

#include "base/text.h"
#include "output/plot/plot.h"
#include "uarchprobe/record.h"

/* Two panels and what is between them are as wide as a page; on a telephone one of them is shrunk by a third. */
enum { PANEL_WIDTH = 520, PANEL_BARS = 345, PANEL_LEGEND = 240, PANELS_MOST = 64 };

struct panel {
    const char *name; /* for who cannot see it; borrowed */
    double width, height;
    struct text body;
};

/* Zero-initialise. */
struct picture {
    size_t count;
    struct panel panel[PANELS_MOST];
};

/* An empty panel, whose body and height the caller fills in. */
struct panel *picture_panel(struct picture *picture, const char *name, double width);
void picture_free(struct picture *picture);

/* All panels of a plot, a map and its legend; nothing of a plot without a picture. */
void svg_plot(const struct plot *plot, struct picture *picture);
void svg_curve(const struct plot *plot, struct picture *picture);
void svg_heat_map(const struct plot *plot, struct picture *picture);
void svg_bars(const struct plot *plot, struct picture *picture);
/* The core sheet: a panel for each unit of a core, each cache level, and memory, with what was measured of it. */
void svg_sheet(const struct record *record, struct picture *picture);

/* The pictures of a table's plots, each a figure of a page. */
void svg_figures(const struct plot *plots, size_t count, struct text *out);
void svg_figure(const struct picture *picture, const char *class, struct text *out);
/* The pictures of a table as a document of their own; nothing where it has none. */
void svg_document(const struct record_table *table, struct text *out);
