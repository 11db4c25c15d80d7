/* SPDX-License-Identifier: MIT */
#include "elements.h"

#include <stdarg.h>
#include <string.h>

#include "base/embedded.h"
#include "output/scratch.h"

/* Light pages come first, because some readers ignore media queries. Contrast is at least 4.5:1 for text on
 * both backgrounds (tests/pages) and 3:1 for lines. */
EMBED(pictures_style, PICTURES_CSS);

void svg_style(struct text *out)
{
    text_printf(out, "<style>\n%s</style>", pictures_style);
}

void svg_escape(struct text *out, const char *text)
{
    static const char special[] = "&<>\"'";
    static const char *const escaped[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (const char *at = spell_line(text); *at;) {
        const char *found = strchr(special, *at);
        /* XML forbids U+FFFE and U+FFFF. */
        const bool none = strncmp(at, "\xEF\xBF\xBE", 3) == 0 || strncmp(at, "\xEF\xBF\xBF", 3) == 0;
        const size_t plain = strcspn(at, "&<>\"'\xEF"), length = none ? 3 : plain > 0 ? plain : 1;
        if (found)
            text_add(out, escaped[found - special]);
        else
            text_add_bytes(out, at, none ? 0 : length);
        at += length;
    }
}

void svg_text(struct text *out, double x, double y, const char *class, const char *anchor, const char *format,
              ...)
{
    struct text text = {0};
    const bool start = strcmp(anchor, "start") == 0;
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    text_printf(out, "<text x=\"%.5g\" y=\"%.5g\" class=\"%s\"", x, y, class);
    text_printf(out, "%s%s%s>", start ? "" : " text-anchor=\"", start ? "" : anchor, start ? "" : "\"");
    svg_escape(out, scratch_text(&text));
    text_add(out, "</text>\n");
}

void svg_text_upwards(struct text *out, double x, double y, const char *class, const char *text)
{
    text_printf(out,
                "<text transform=\"translate(%.5g %.5g) rotate(-90)\" class=\"%s\" text-anchor=\"middle\">",
                x, y, class);
    svg_escape(out, text);
    text_add(out, "</text>\n");
}

void svg_line(struct text *out, double x1, double y1, double x2, double y2, const char *class)
{
    text_printf(out, "<line x1=\"%.5g\" y1=\"%.5g\" x2=\"%.5g\" y2=\"%.5g\" class=\"%s\"/>\n", x1, y1, x2, y2,
                class);
}

/* Ends an element; its name matters only where it has a title. */
static void add_end(struct text *out, const char *name, const char *title)
{
    text_add(out, title ? "><title>" : "/>\n");
    if (!title)
        return;
    svg_escape(out, title);
    text_printf(out, "</title></%s>\n", name);
}

void svg_rect(struct text *out, double x, double y, double width, double height, const char *class,
              const char *title)
{
    text_printf(out, "<rect x=\"%.5g\" y=\"%.5g\" width=\"%.5g\" height=\"%.5g\" class=\"%s\"", x, y, width,
                height, class);
    add_end(out, "rect", title);
}

void svg_circle(struct text *out, double x, double y, double radius, const char *class, const char *title)
{
    text_printf(out, "<circle cx=\"%.5g\" cy=\"%.5g\" r=\"%.5g\" class=\"%s\"", x, y, radius, class);
    add_end(out, "circle", title);
}

double svg_text_width(const char *text)
{
    return (double)text_width(text) * SVG_CHARACTER;
}

double svg_paragraph(struct text *out, double x, double y, double width, const char *class, const char *text)
{
    const double top = y;
    while (*text) {
        const size_t length = text_fit(text, (size_t)width / SVG_CHARACTER);
        y += SVG_LINE;
        svg_text(out, x, y - 5, class, "start", "%.*s", (int)length, text);
        text += length + (text[length] == ' ');
    }
    return y - top;
}
