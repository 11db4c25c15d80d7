/* SPDX-License-Identifier: MIT */
/* Elements of SVG. Everything that comes from a record is escaped here. */
#pragma once

#include "base/text.h"
#include "output/plot/scale.h"

/* Assumed width of a character of the usual size, and the height of a line. */
enum { SVG_CHARACTER = 8, SVG_LINE = 18 };
/* Lines have classes s0, s1, ..., each with a dash pattern of its own. */
enum { SVG_SERIES = 8 };

/* Adds the rules of all classes in pictures, for light and dark pages. */
void svg_style(struct text *out);
/* Escapes characters that XML or HTML would interpret, and drops those that they forbid. */
void svg_escape(struct text *out, const char *text);
/* anchor: "start", "middle", "end". */
void svg_text(struct text *out, double x, double y, const char *class, const char *anchor, const char *format,
              ...) __attribute__((format(printf, 6, 7)));
/* Reads from bottom to top, its middle at (x, y). */
void svg_text_upwards(struct text *out, double x, double y, const char *class, const char *text);
void svg_line(struct text *out, double x1, double y1, double x2, double y2, const char *class);
/* class: may carry further attributes behind its closing quote; title: shown at the pointer, or NULL. */
void svg_rect(struct text *out, double x, double y, double width, double height, const char *class,
              const char *title);
void svg_circle(struct text *out, double x, double y, double radius, const char *class, const char *title);
/* Breaks a text at blanks into lines of that width; returns the height. */
double svg_paragraph(struct text *out, double x, double y, double width, const char *class, const char *text);
/* An estimate in pixels. */
double svg_text_width(const char *text);
