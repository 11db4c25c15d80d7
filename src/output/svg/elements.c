/* SPDX-License-Identifier: MIT */
#include "elements.h"

#include <stdarg.h>
#include <string.h>

#include "output/scratch.h"

/* Light pages come first, because some readers ignore media queries. Contrast is at least 4.5:1 for text on
 * both backgrounds (tests/pages) and 3:1 for lines. */
static const char style[] =
    "<style>"
    ".b{fill:#fff}.t,.h,.m,.s,.p,.v{font:13px "
    "system-ui,sans-serif;fill:#1b1f24}.m{fill:#57606a}.p{fill:#6a737d}"
    ".h{font-size:17px;font-weight:600}.s{font-weight:600}.v{font-size:12px;pointer-events:none}"
    ".g{stroke:#d8dee4;fill:none}.a{stroke:#57606a;fill:none}.k{stroke:#57606a;stroke-dasharray:4 "
    "3;fill:none}"
    ".n{fill:#eceff2}.w{fill:none;pointer-events:all}.d{stroke:#1b1f24;stroke-width:2;fill:#fff}"
    ".r{fill:#7f9fc4}.f{fill:#1f5f9e}.q{fill:#1b1f24;stroke:#fff;stroke-width:.08}.l{fill:none;stroke-width:"
    "2}"
    ".z{font-size:23px;font-weight:600}.p.z{font-size:19px;font-weight:400}.o{fill:none;stroke:#8aa0b8}"
    ".s0{stroke:#0a62a9}.s1{stroke:#b84300}.s2{stroke:#00735a}.s3{stroke:#a33c7c}.s4{stroke:#7a6000}"
    ".s5{stroke:#4b4fc4}.s6{stroke:#5d5d5d}.s7{stroke:#a3161a}"
    ".s1,.s5{stroke-dasharray:7 3}.s2,.s6{stroke-dasharray:2 3}.s3,.s7{stroke-dasharray:8 3 2 3}"
    "circle.l{stroke-dasharray:none}"
    "@media(prefers-color-scheme:dark){"
    ".b{fill:#11161c}.t,.h,.s,.v{fill:#e6edf3}.m{fill:#a3adb8}.p{fill:#8b949e}"
    ".g{stroke:#30363d}.a{stroke:#a3adb8}.k{stroke:#a3adb8}.n{fill:#232a32}.d{stroke:#e6edf3;fill:#11161c}"
    ".r{fill:#4f7299}.f{fill:#79b8ff}.o{stroke:#4a5f76}"
    ".s0{stroke:#62b0f4}.s1{stroke:#ff9a52}.s2{stroke:#3fd0ad}.s3{stroke:#ef93cb}.s4{stroke:#e3c84f}"
    ".s5{stroke:#a9acff}.s6{stroke:#b9b9b9}.s7{stroke:#ff8a8a}"
    "}.vb{fill:#000}.vw{fill:#fff}</style>";

void svg_style(struct text *out)
{
    text_add(out, style);
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
