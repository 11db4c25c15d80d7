/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "result/json/lean.h"

static void becomes(const char *from, const char *to)
{
    struct text out = {0};
    json_lean(from, strlen(from), &out);
    text_add(&out, "");
    assert_string_equal(out.data, to);
    text_free(&out);
}

static void what_answers_need_stays(void **state)
{
    becomes("{\"a\": 1, \"b\": [\"text\", {\"c\": \"parts\"}]}",
            "{\"a\": 1, \"b\": [\"text\", {\"c\": \"parts\"}]}");
    becomes("[1, 2]", "[1, 2]");
}

static void members_go_with_one_comma(void **state)
{
    becomes("{\"text\": \"a, \\\"b\\\"}\", \"key\": \"k\"}", "{ \"key\": \"k\"}");
    becomes("{\"key\": \"k\" , \"text\" : null }", "{\"key\": \"k\" }");
    becomes("{\"key\": 1, \"parts\": [1, [2], \"]\"], \"value\": 2}", "{\"key\": 1,  \"value\": 2}");
    becomes("{\"parts\": [1], \"text\": null}", "{}");
}

static void tables_are_empty(void **state)
{
    becomes("{\"tables\": [{\"rows\": {\"x\": [1, \"}]\"]}}], \"findings\": []}",
            "{\"tables\":[], \"findings\": []}");
}

static void what_is_cut_remains_cut(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_answers_need_stays),
        cmocka_unit_test(members_go_with_one_comma),
        cmocka_unit_test(tables_are_empty),
        cmocka_unit_test(what_is_cut_remains_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
