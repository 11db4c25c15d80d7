/* SPDX-License-Identifier: MIT */
#include "draw.h"

double svg_plot(const struct plot *plot, struct text *out)
{
    static double (*const draw[])(const struct plot *, struct text *) = {
        [PLOT_CURVE] = svg_curve, [PLOT_HEAT_MAP] = svg_heat_map, [PLOT_BARS] = svg_bars};
    return draw[plot->kind](plot, out);
}
