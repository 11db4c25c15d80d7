/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/text.h"
#include "uarchprobe/status.h"

TEST(the_first_fault_is_kept)
{
    struct fault fault = {0};
    assert_int_equal(fault_set(&fault, STATUS_USAGE, "first %d", 1), STATUS_USAGE);
    assert_int_equal(fault_set(&fault, STATUS_FAILED, "second"), STATUS_FAILED);
    assert_int_equal(fault.status, STATUS_USAGE);
    assert_string_equal(fault.text, "first 1");
}

TEST(a_fault_is_one_line)
{
    struct fault fault = {0};
    fault_set(&fault, STATUS_USAGE, "%s", "a\nb\r\033[31mc\177");
    assert_string_equal(fault.text, "a?b?\xef\xbf\xbd[31mc\xef\xbf\xbd");
}

/* A long one is cut between characters: the replacement of one byte has three. */
TEST(no_character_is_cut)
{
    char text[2 * FAULT_TEXT];
    for (size_t before = 0; before < 3; before++) {
        struct fault fault = {0};
        memset(text, '\033', sizeof(text));
        memset(text, 'x', before);
        text[sizeof(text) - 1] = '\0';
        fault_set(&fault, STATUS_FAILED, "%s", text);
        char *valid = text_copy_valid(fault.text);
        assert_string_equal(fault.text, valid);
        assert_in_range(strlen(fault.text), FAULT_TEXT - 4, FAULT_TEXT - 1);
        free(valid);
    }
}
