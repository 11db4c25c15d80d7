/* SPDX-License-Identifier: MIT */
#include "output/elsewhere.h"

#include "fixture.h"

TEST(a_file_of_its_own_that_nobody_else_reads)
{
    const char *folder = a_folder();
    struct stat made;
    int first, second;
    setenv("TMPDIR", folder, 1);
    const char *one = own_text(elsewhere_file(".json", &first)),
               *other = own_text(elsewhere_file(".json", &second));
    assert_int_equal(strncmp(one, folder, strlen(folder)), 0);
    assert_string_equal(one + strlen(one) - 5, ".json");
    assert_string_not_equal(one, other);
    assert_int_equal(fstat(first, &made), 0);
    assert_int_equal(made.st_mode & 07777, 0600);
    assert_int_equal(close(first) + close(second), 0);
    assert_int_equal(rmdir(own_text(elsewhere_folder())), 0);
    assert_int_equal(files_in(folder), 2);
}

TEST(or_nothing)
{
    int descriptor;
    setenv("TMPDIR", "/nowhere/at/all", 1);
    assert_null(elsewhere_file(".json", &descriptor));
    assert_null(elsewhere_folder());
}
