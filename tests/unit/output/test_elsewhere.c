/* SPDX-License-Identifier: MIT */
#include "output/elsewhere.h"

#include <sys/stat.h>

#include "fixture.h"

static char folder[64];

TEST(a_file_of_its_own_that_nobody_else_reads)
{
    struct stat made;
    int first, second;
    char *one = elsewhere_file(".json", &first), *other = elsewhere_file(".json", &second);
    assert_int_equal(strncmp(one, folder, strlen(folder)), 0);
    assert_string_equal(one + strlen(one) - 5, ".json");
    assert_string_not_equal(one, other);
    assert_int_equal(fstat(first, &made), 0);
    assert_int_equal(made.st_mode & 07777, 0600);
    assert_int_equal(close(first) + close(second), 0);
    assert_int_equal(unlink(one) + unlink(other), 0);
    free(one);
    free(other);
}

TEST(or_a_folder)
{
    char *path = elsewhere_folder();
    assert_int_equal(rmdir(path), 0);
    free(path);
}

TEST(or_nothing)
{
    setenv("TMPDIR", "/nowhere/at/all", 1);
    int descriptor;
    assert_null(elsewhere_file(".json", &descriptor));
    assert_null(elsewhere_folder());
}

static int set_up(void **state)
{
    folder_make(folder);
    return setenv("TMPDIR", folder, 1);
}

static int tear_down(void **state)
{
    return rmdir(folder);
}

AROUND_ALL(set_up, tear_down)
