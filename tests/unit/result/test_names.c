/* SPDX-License-Identifier: MIT */
#include "result/names.h"

#include "../output/fixture.h"

static void a_name_has_one_index(void **state)
{
    struct names names = {0};
    char name[16];
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof(name), "class %d", i % 100);
        assert_int_equal(names_index(&names, name), i % 100);
    }
    assert_int_equal(names.count, 100);
    assert_string_equal(names.name[42], "class 42");
    names_free(&names);
    assert_int_equal(names.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_name_has_one_index)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
