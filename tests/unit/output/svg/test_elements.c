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
    assert_true(height >= 4 * SVG_LINE && height <= 6 * SVG_LINE);
    memset(words, 'x', sizeof(words) - 1);
    words[sizeof(words) - 1] = '\0';
    assert_true(svg_paragraph(&out, 0, 0, 960, "t", words) == SVG_LINE);
    assert_true(svg_paragraph(&out, 0, 0, 960, "t", "") == 0);
    text_free(&out);
}
