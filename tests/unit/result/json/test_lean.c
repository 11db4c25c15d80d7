/* SPDX-License-Identifier: MIT */

#include "result/json/lean.h"

#include "test.h"

static void becomes(const char *from, const char *to)
{
    struct text out = {0};
    json_lean(from, strlen(from), &out);
    text_add(&out, "");
    assert_string_equal(out.data, to);
    text_free(&out);
}

TEST(what_answers_need_stays)
{
    becomes("{\"a\": 1, \"b\": [\"text\", {\"c\": \"parts\"}]}",
            "{\"a\": 1, \"b\": [\"text\", {\"c\": \"parts\"}]}");
    becomes("[1, 2]", "[1, 2]");
}

TEST(members_go_with_one_comma)
{
    becomes("{\"text\": \"a, \\\"b\\\"}\", \"key\": \"k\"}", "{ \"key\": \"k\"}");
    becomes("{\"key\": \"k\" , \"text\" : null }", "{\"key\": \"k\" }");
    becomes("{\"key\": 1, \"parts\": [1, [2], \"]\"], \"value\": 2}", "{\"key\": 1,  \"value\": 2}");
    becomes("{\"parts\": [1], \"text\": null}", "{}");
}

TEST(tables_are_empty)
{
    becomes("{\"tables\": [{\"rows\": {\"x\": [1, \"}]\"]}}], \"findings\": []}",
            "{\"tables\":[], \"findings\": []}");
}

TEST(what_is_cut_remains_cut)
{
    static const char whole[] = "{\"a\": \"\\\\\", \"text\": [1, \"\\\"\"], \"tables\": [{}], \"b\": 1}";
    for (size_t length = 1; length < sizeof(whole) - 1; length++) {
        struct text out = {0};
        json_lean(whole, length, &out);
        assert_true(out.length > 0 && out.length <= length + 2);
        assert_int_equal(out.data[0], '{');
        text_free(&out);
    }
}
