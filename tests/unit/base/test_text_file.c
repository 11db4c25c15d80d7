/* SPDX-License-Identifier: MIT */
#include "base/text_file.h"

#include <string.h>
#include <unistd.h>

#include "test.h"

/* What is read from a file of these bytes; NULL: it is refused. */
static const char *read_back(const char *bytes, size_t length, struct fault *fault)
{
    static char text[64];
    char path[] = "text-file-XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0 && write(descriptor, bytes, length) == (ssize_t)length);
    close(descriptor);
    FILE *file = text_file_open(path, fault);
    unlink(path);
    if (!file)
        return NULL;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

TEST(a_mark_is_dropped_and_nothing_else)
{
    static const struct {
        const char *bytes, *text;
    } files[] = {{"\xef\xbb\xbf{}", "{}"},
                 {"\xef\xbb\xbf", ""},
                 {"", ""},
                 {"a", "a"},
                 {"ab", "ab"},
                 {"abcd", "abcd"},
                 {"\xef\xbb", "\xef\xbb"},
                 {"\xef\xbb\xbe", "\xef\xbb\xbe"},
                 {"\xef", "\xef"},
                 {"\xff\xffx", "\xff\xffx"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct fault fault = {0};
        assert_string_equal(read_back(files[i].bytes, strlen(files[i].bytes), &fault), files[i].text);
        assert_int_equal(fault.status, STATUS_OK);
    }
}

TEST(utf_16_is_named)
{
    static const char *const files[] = {"\xff\xfe{\0", "\xfe\xff\0{", "{\0}\0", "\0{\0}"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct fault fault = {0};
        assert_null(read_back(files[i], 4, &fault));
        assert_int_equal(fault.status, STATUS_USAGE);
        assert_non_null(strstr(fault.text, "UTF-16"));
    }
}

TEST(a_file_that_is_missing_is_refused)
{
    struct fault fault = {0};
    assert_null(text_file_open("no-such-file", &fault));
    assert_int_equal(fault.status, STATUS_USAGE);
}
