/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/embedded.h"

TEST(lines_of_so_many_fields_are_rows)
{
    size_t rows;
    char **field =
        embedded_rows("# a\tcomment\none\ttwo\nshort\n\nthree\tfour\nfar\ttoo\tlong\n\tfive", 2, &rows);
    assert_int_equal(rows, 3);
    assert_string_equal(field[1], "two");
    assert_string_equal(field[2], "three");
    assert_string_equal(field[4], "");
    assert_string_equal(field[5], "five");
    free(field);
}
