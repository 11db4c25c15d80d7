/* SPDX-License-Identifier: MIT */
#include "../output/fixture.h"

TEST(a_name_has_one_index)
{
    struct record *record = record_of(NULL);
    const size_t at = record_table_add(record, &typed_spec);
    const struct names *names = &record->tables.of[at].names[3];
    char name[16];
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof(name), "class %d", i % 100);
        assert_int_equal(record_class(record, at, 3, name), i % 100);
    }
    assert_int_equal(names->count, 100);
    assert_string_equal(names->name[42], "class 42");
}
