/* SPDX-License-Identifier: MIT */
#include "result/json/emit.h"

#include "../../output/fixture.h"

static char *emitted(bool indent)
{
    struct text out = {0};
    struct emitter emitter = {.out = &out, .indent = indent, .first = true};
    emit_open(&emitter, NULL, '{');
    emit_text(&emitter, "text", "\"\\\n\x01/\xc3\xa4");
    emit_open_flat(&emitter, "flat", '[');
    emit_cell(&emitter, NULL, REAL_CELL(3));
    emit_open(&emitter, NULL, '{');
    emit_cell(&emitter, "none", REAL_CELL(NAN));
    emit_close(&emitter, '}');
    emit_close(&emitter, ']');
    emit_open(&emitter, "empty", '[');
    emit_close(&emitter, ']');
    emit_open(&emitter, "deep", '{');
    emit_cell(&emitter, "yes", BOOL_CELL(true));
    emit_cell(&emitter, "n", INTEGER_CELL(INT64_MIN));
    emit_close(&emitter, '}');
    emit_close(&emitter, '}');
    return text_take(&out);
}

static void indents(void **state)
{
    char *got = emitted(true);
    assert_string_equal(got,
                        "{\n"
                        "  \"text\": \"\\\"\\\\\\n\\u0001/\xc3\xa4\",\n"
                        "  \"flat\": [3.0, {\"none\": null}],\n"
                        "  \"empty\": [],\n"
                        "  \"deep\": {\n"
                        "    \"yes\": true,\n"
                        "    \"n\": -9223372036854775808\n"
                        "  }\n"
                        "}");
    free(got);
}

static void stays_on_one_line(void **state)
{
    char *got = emitted(false);
    assert_string_equal(got,
                        "{\"text\":\"\\\"\\\\\\n\\u0001/\xc3\xa4\",\"flat\":[3.0,{\"none\":null}],"
                        "\"empty\":[],\"deep\":{\"yes\":true,\"n\":-9223372036854775808}}");
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(indents), cmocka_unit_test(stays_on_one_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
