/* SPDX-License-Identifier: MIT */
/* A picture is a row of panels, each with its own size. A page places pictures side by side as far as they
 * fit and shrinks one that is wider than the page; a drawing has two to a row. */
#pragma once

#include <stdbool.h>

#include "base/text.h"
#include "output/plot/plot.h"
#include "uarchprobe/record.h"

/* Two panels and their gap are as wide as a page; a telephone shrinks a panel by a third. */
enum { PANEL_WIDTH = 520, PANEL_BARS = 345, PANEL_LEGEND = 240 };

struct panel {
    const char *name; /* for readers who cannot see it; borrowed */
    double width, height;
    struct text body;
};

/* Zero-initialise. */
struct picture {
    size_t count;
    struct panel *panel;
};

/* Adds an empty panel; the caller fills in its body and height before it adds another. */
struct panel *picture_panel(struct picture *picture, const char *name, double width);

/* Add all panels of a plot, of a map with its legend. */
void svg_curve(const struct plot *plot, struct picture *picture);
void svg_heat_map(const struct plot *plot, struct picture *picture);
void svg_bars(const struct plot *plot, struct picture *picture);
/* Draws answers with labels as dots with their ranges; family: those whose sheet_cell begins so, NULL:
 * all. */
void svg_dots(const struct record *record, const char *family, struct picture *picture);
/* The core sheet: a panel for each unit of a core, each cache level, and memory, with the answers about
 * it. */
void svg_sheet(const struct record *record, struct picture *picture);

/* Adds the pictures of a table's plots, each as a figure of a page. */
void svg_figures(const struct plot *plots, size_t count, struct text *out);
void svg_figure(struct picture *picture, const char *class, struct text *out);
