/* SPDX-License-Identifier: MIT */
#include "../output/fixture.h"

static void assert_takes(struct text *text, const char *expected)
{
    char *got = text_take(text);
    assert_string_equal(got, expected);
    free(got);
}

TEST(sizes_are_exact)
{
    static const struct {
        int64_t bytes;
        const char *text;
    } cases[] = {{0, "0 B"},           {1000, "1000 B"},         {1024, "1 KiB"},
                 {1536, "1.5 KiB"},    {49152, "48 KiB"},        {64 << 20, "64 MiB"},
                 {1LL << 40, "1 TiB"}, {1000000, "1 MB"},        {1000001, "1000001 B"},
                 {-5, "-5 B"},         {1024 + 256, "1.25 KiB"}, {INT64_MAX, "9223372036854775807 B"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct text text = {0};
        text_add_size(&text, cases[i].bytes);
        assert_takes(&text, cases[i].text);
    }
    struct text text = {0};
    text_add_size_rounded(&text, 6805467136);
    assert_takes(&text, "6.34 GiB");
    text_add_size_rounded(&text, 1023 << 10);
    assert_takes(&text, "0.999 MiB");
    text_add_size_rounded(&text, 999 << 10);
    assert_takes(&text, "999 KiB");
    text_add_size_rounded(&text, 100);
    assert_takes(&text, "100 B");
    text_add_rounded(&text, 0.952);
    assert_takes(&text, "0.952");
    text_add_rounded(&text, 0.0015);
    assert_takes(&text, "0.0015");
    text_add_rounded(&text, 0.04567);
    assert_takes(&text, "0.0457");
}

TEST(utf8_is_mended)
{
    static const struct {
        const char *from, *to;
    } cases[] = {{"abc", "abc"},
                 {"\xc3\xa4", "\xc3\xa4"},
                 {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
                 {"\xc3", "\xef\xbf\xbd"},
                 {"\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"},
                 {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
                 {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
                 {"a\tb\n\r", "a\tb\n\r"},
                 {"\033]0;x\a\177", "\xef\xbf\xbd]0;x\xef\xbf\xbd\xef\xbf\xbd"},
                 {"\xc2\x9b|\xc2\xa0", "\xef\xbf\xbd|\xc2\xa0"},
                 {"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"},
                 /* U+202A and E, the characters before and behind them, and so for U+2066 and 9 */
                 {"\xe2\x80\xaa|\xe2\x80\xae", "\xef\xbf\xbd|\xef\xbf\xbd"},
                 {"\xe2\x80\xa9|\xe2\x80\xaf", "\xe2\x80\xa9|\xe2\x80\xaf"},
                 {"\xe2\x81\xa6|\xe2\x81\xa9", "\xef\xbf\xbd|\xef\xbf\xbd"},
                 {"\xe2\x81\xa5|\xe2\x81\xaa", "\xe2\x81\xa5|\xe2\x81\xaa"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *got = text_copy_valid(cases[i].from);
        assert_string_equal(got, cases[i].to);
        free(got);
    }
    assert_null(text_copy_valid(NULL));
}

TEST(control_characters_go)
{
    struct text text = {0};
    text_add_printable(&text,
                       "a\tb\nc\033[1md\x7f\xc2\x9b"
                       "e\xc2\xa0\xe2\x80\xae\xe2\x81\xa6\xc3\xa4");
    assert_takes(&text, "a b c[1mde\xc2\xa0\xc3\xa4");
    assert_int_equal(text_width("\xc3\xa4\xe2\x82\xac"
                                "x"),
                     3);
}

TEST(rates_have_units)
{
    struct text text = {0};
    text_add_rate(&text, 2.6e9);
    assert_takes(&text, "2.6 GHz");
    text_add_rate(&text, 50);
    assert_takes(&text, "50 Hz");
}

TEST(words_fit_a_width)
{
    assert_int_equal(text_fit("", 10), 0);
    assert_int_equal(text_fit("one two three", 13), 13);
    assert_int_equal(text_fit("one two three", 12), 7);
    assert_int_equal(text_fit("one two three", 7), 7);
    assert_int_equal(text_fit("one two three", 1), 3);
    assert_int_equal(text_fit("in 12 % of", 6), 2);
    assert_int_equal(text_fit("in 12 % of", 7), 7);
    assert_int_equal(text_fit("took 3.5 s.", 9), 4);
    assert_int_equal(text_fit("CPU 3 sees", 6), 5);
    assert_int_equal(text_fit("M\xc3\xb6hre und", 5), 6);
}
