/* SPDX-License-Identifier: MIT */
/* Elements of SVG. Everything that comes from a record is escaped here. */
#pragma once

#include "base/text.h"
#include "output/plot/scale.h"

/* Characters of the usual size are taken to be this wide; a line of them. */
enum { SVG_CHARACTER = 8, SVG_LINE = 18 };
/* Classes s0, s1, ... of lines; each has a dash pattern of its own as well. */
enum { SVG_SERIES = 8 };

/* The rules for all classes that pictures use, for light and dark pages. */
void svg_style(struct text *out);
/* What XML or HTML would act upon is escaped, and what they do not allow is left out. */
void svg_escape(struct text *out, const char *text);
/* anchor: "start", "middle", "end". */
void svg_text(struct text *out, double x, double y, const char *class, const char *anchor, const char *format,
              ...) __attribute__((format(printf, 6, 7)));
/* Read from bottom to top, its middle at (x, y). */
void svg_text_upwards(struct text *out, double x, double y, const char *class, const char *text);
void svg_line(struct text *out, double x1, double y1, double x2, double y2, const char *class);
/* class: with what else stands between the attributes' quotes; title: what is shown at the pointer, or NULL. */
void svg_rect(struct text *out, double x, double y, double width, double height, const char *class,
              const char *title);
void svg_circle(struct text *out, double x, double y, double radius, const char *class, const char *title);
/* Broken at blanks into lines of that width; returns the height. */
double svg_paragraph(struct text *out, double x, double y, double width, const char *class, const char *text);
/* Roughly, in pixels. */
double svg_text_width(const char *text);
