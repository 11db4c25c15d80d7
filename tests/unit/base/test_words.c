/* SPDX-License-Identifier: MIT */

#include "base/words.h"

#include "test.h"

static const char *suggest(const char *word)
{
    static const char *const names[] = {"ram", "info", "core-latency", "stlf"};
    struct suggestion suggestion = {.word = word, .length = strlen(word)};
    for (int i = 0; i < 4; i++)
        suggestion_offer(&suggestion, names[i]);
    return suggestion.best ? suggestion.best : "";
}

TEST(near_words_are_suggested)
{
    assert_string_equal(suggest("ramm"), "ram");
    assert_string_equal(suggest("rma"), "ram");
    assert_string_equal(suggest("ifno"), "info");
    assert_string_equal(suggest("core"), "core-latency");
    assert_string_equal(suggest("core_latency"), "core-latency");
}

TEST(far_words_are_not)
{
    assert_string_equal(suggest(""), "");
    assert_string_equal(suggest("x"), "");
    assert_string_equal(suggest("bandwidth"), "");
    assert_string_equal(suggest("0123456789012345678901234567890123456789"), "");
}

TEST(quotes_are_bounded)
{
    char text[100];
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    assert_string_equal(quote("a").text, "'a'");
    assert_string_equal(quote_span("abc", 2).text, "'ab'");
    assert_int_equal(strlen(quote(text).text), QUOTE_LENGTH + 5);
    assert_non_null(strstr(quote(text).text, "x...'"));
    memcpy(text + QUOTE_LENGTH - 1, "\xe2\x82\xac", 3);
    assert_int_equal(strlen(quote(text).text), QUOTE_LENGTH - 1 + 5);
    assert_non_null(strstr(quote(text).text, "x...'"));
}

TEST(joined_words_are_cut)
{
    static const char *const words[] = {"one", "two", "three", NULL};
    char text[32], narrow[6];
    join_words(words, text, sizeof(text));
    assert_string_equal(text, "one, two, three");
    join_words(words, narrow, sizeof(narrow));
    assert_string_equal(narrow, "one, ");
}
