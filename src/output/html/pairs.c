/* SPDX-License-Identifier: MIT */
/* Bars of two machines in pairs. They are no drawing, so that on a phone they are narrower, not smaller. */
#include <math.h>

#include "output/svg/elements.h"
#include "parts.h"

enum { WIDEST = 80, COLORS = 2 }; /* percent of the room, which the number behind the bar shares */

void html_pairs_style(struct text *out)
{
    text_add(out,
             "<style>.verdict{clear:both;font-size:17px;font-weight:600}"
             ".pairs{max-width:960px;display:grid;grid-template-columns:minmax(90px,max-content) 1fr;"
             "gap:5px 10px;font-size:13px}.pairs p{margin:0;overflow-wrap:anywhere}.pairs .x{font-weight:700}"
             ".bar{display:flex;align-items:center;gap:6px;line-height:1.25;white-space:nowrap}"
             ".bar i{height:11px;min-width:1px;print-color-adjust:exact}"
             ".p0{background:#1f5f9e}.p1{background:#d9822b}"
             ".k{display:inline-block;width:11px;height:11px;margin:0 4px 0 12px}"
             "@media(max-width:600px){.pairs{grid-template-columns:1fr;gap:2px}.pairs p{margin-top:5px}}"
             "@media(prefers-color-scheme:dark){.p0{background:#4d94d8}}</style>\n");
}

static void add_row(const struct plot *plot, size_t row, struct text *out)
{
    double most = 0;
    for (size_t i = 0; i < plot->x.count; i++)
        most = fmax(most, plot_at(plot, row, i)->value);
    text_printf(out, "<p%s>", plot_at(plot, row, 0)->flagged ? " class=\"x\"" : "");
    svg_escape(out, plot->y.label[row].name);
    text_add(out, "</p><div>");
    for (size_t i = 0; i < plot->x.count; i++) {
        const double value = plot_at(plot, row, i)->value;
        if (isnan(value))
            continue;
        text_printf(out, "<div class=\"bar\"><i class=\"p%zu\" style=\"width:%.1f%%\"></i>", i % COLORS,
                    most > 0 ? WIDEST * fmax(value, 0) / most : 0);
        const int digits = value == floor(value) || value >= 1000 ? 0 : text_decimals(value);
        text_add_cell_human(out, &REAL_CELL(value), digits);
        text_add(out, "</div>");
    }
    text_add(out, "</div>\n");
}

void html_pairs(struct text *out, const struct plot *plot)
{
    text_add(out, "<div class=\"pairs\">\n");
    text_add(out, "<p></p><p>");
    for (size_t i = 0; i < plot->x.count; i++) {
        text_printf(out, "<i class=\"k p%zu\"></i>", i % COLORS);
        svg_escape(out, plot->x.label[i].name);
    }
    text_add(out, "</p>\n");
    for (size_t row = 0; row < plot->y.count; row++)
        add_row(plot, row, out);
    text_add(out, "</div>\n");
}
