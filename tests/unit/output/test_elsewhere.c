/* SPDX-License-Identifier: MIT */
#include "output/elsewhere.h"

#include <sys/stat.h>

#include "fixture.h"

static char folder[64];

static void a_file_of_its_own_that_nobody_else_reads(void **state)
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

static void or_a_folder(void **state)
{
    char *path = elsewhere_folder();
    assert_int_equal(rmdir(path), 0);
    free(path);
}

static void or_nothing(void **state)
{
    setenv("TMPDIR", "/nowhere/at/all", 1);
    int descriptor;
    assert_null(elsewhere_file(".json", &descriptor));
    assert_null(elsewhere_folder());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_its_own_that_nobody_else_reads),
        cmocka_unit_test(or_a_folder),
        cmocka_unit_test(or_nothing),
    };
    folder_make(folder);
    setenv("TMPDIR", folder, 1);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
