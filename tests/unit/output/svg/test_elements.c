/* SPDX-License-Identifier: MIT */

#include "output/svg/elements.h"

#include "test.h"

TEST(markup_is_escaped)
{
    struct text out = {0};
    svg_escape(&out, "<a b=\"c\" d='e'>&amp;\n\x7F\xC2\x85\xEF\xBF\xBE\xC3\xA9");
    assert_string_equal(own_text(out.data), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp; \xC3\xA9");
}

TEST(paragraphs_are_broken_at_blanks)
{
    char words[1000] = "";
    for (int i = 0; i < 90; i++)
        strcat(words, i % 7 ? "word " : "somewhat-longer ");
    struct text out = {0};
    double height = svg_paragraph(&out, 0, 0, 960, "t", words);
    assert_true(height == 4 * SVG_LINE || height == 5 * SVG_LINE);
    memset(words, 'x', sizeof(words) - 1);
    words[sizeof(words) - 1] = '\0';
    assert_true(svg_paragraph(&out, 0, 0, 960, "t", words) == SVG_LINE);
    assert_true(svg_paragraph(&out, 0, 0, 960, "t", "") == 0);
    text_free(&out);
}

/* The colour that a rule gives to a property of a class, within a part of the style sheet. */
static struct rgb color_of(const char *part, const char *end, const char *class, const char *property)
{
    unsigned red = 0, green = 0, blue = 0;
    char name[16];
    snprintf(name, sizeof(name), ".%s", class);
    for (const char *at = part; at && at < end; at = strchr(at + 1, '}')) {
        const char *open = strchr(at, '{');
        const char *found = open ? strstr(at, name) : NULL;
        const char *value = open ? strstr(open, property) : NULL;
        const char *close = open ? strchr(open, '}') : NULL;
        if (!found || !value || found > open || value > close)
            continue;
        const char after = found[strlen(name)];
        if (after != '{' && after != ',')
            continue;
        value += strlen(property) + 1;
        if (*value != '#')
            continue;
        if (strspn(value + 1, "0123456789abcdef") == 3) {
            assert_int_equal(sscanf(value, "#%1x%1x%1x", &red, &green, &blue), 3);
            red *= 17, green *= 17, blue *= 17;
        } else {
            assert_int_equal(sscanf(value, "#%2x%2x%2x", &red, &green, &blue), 3);
        }
        return (struct rgb){(unsigned char)red, (unsigned char)green, (unsigned char)blue};
    }
    fail_msg("no %s of .%s", property, class);
    return (struct rgb){0, 0, 0};
}

/* Text at least 4.5:1, lines and bars 3:1, on light and on dark pages. */
TEST(contrasts_are_enough)
{
    static const char *const texts[] = {"t", "h", "m", "s", "v", "p"}, *const bars[] = {"r", "f"};
    struct text out = {0};
    svg_style(&out);
    const char *dark = strstr(out.data, "@media"), *end = out.data + out.length;
    assert_non_null(dark);
    for (int theme = 0; theme < 2; theme++) {
        const char *from = theme ? strchr(dark, '{') + 1 : out.data, *to = theme ? end : dark;
        struct rgb page = color_of(from, to, "b", "fill");
        for (int i = 0; i < 6; i++) {
            /* The weight of .s alone has no colour of its own in the first rule of light pages. */
            struct rgb text = color_of(from, to, texts[i], "fill");
            assert_true(color_contrast(page, text) >= 4.5);
        }
        for (int i = 0; i < SVG_SERIES; i++) {
            char class[8];
            snprintf(class, sizeof(class), "s%d", i);
            assert_true(color_contrast(page, color_of(from, to, class, "stroke")) >= 3);
        }
        assert_true(color_contrast(page, color_of(from, to, bars[1], "fill")) >= 3);
        assert_true(
            color_contrast(color_of(from, to, bars[0], "fill"), color_of(from, to, bars[1], "fill")) >= 1.8);
    }
    text_free(&out);
}
