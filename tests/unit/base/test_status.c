/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "uarchprobe/status.h"

static void the_first_fault_is_kept(void **state)
{
    struct fault fault = {0};
    assert_int_equal(fault_set(&fault, STATUS_USAGE, "first %d", 1), STATUS_USAGE);
    assert_int_equal(fault_set(&fault, STATUS_FAILED, "second"), STATUS_FAILED);
    assert_int_equal(fault.status, STATUS_USAGE);
    assert_string_equal(fault.text, "first 1");
}

static void a_fault_is_one_line(void **state)
{
    struct fault fault = {0};
    fault_set(&fault, STATUS_USAGE, "%s", "a\nb\r\033[31mc\177");
    assert_string_equal(fault.text, "a?b?\xef\xbf\xbd[31mc\xef\xbf\xbd");
}

static void a_long_fault_is_cut(void **state)
{
    char text[2 * FAULT_TEXT];
    struct fault fault = {0};
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    fault_set(&fault, STATUS_FAILED, "%s", text);
    assert_int_equal(strlen(fault.text), FAULT_TEXT - 1);
}

/* What is put in the place of one byte has three. */
static void no_character_is_cut(void **state)
{
    char text[FAULT_TEXT];
    for (size_t before = 0; before < 3; before++) {
        struct fault fault = {0};
        memset(text, '\033', sizeof(text));
        memset(text, 'x', before);
        text[sizeof(text) - 1] = '\0';
        fault_set(&fault, STATUS_FAILED, "%s", text);
        char *valid = text_copy_valid(fault.text);
        assert_string_equal(fault.text, valid);
        free(valid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_fault_is_kept),
        cmocka_unit_test(a_fault_is_one_line),
        cmocka_unit_test(a_long_fault_is_cut),
        cmocka_unit_test(no_character_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
