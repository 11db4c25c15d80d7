/* SPDX-License-Identifier: MIT */
#include "../output/fixture.h"
#include "result/table.h"

TEST(a_name_has_one_index)
{
    struct record_table table = table_new(NULL, &typed_spec);
    char name[16];
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof(name), "class %d", i % 100);
        assert_int_equal(names_index(&table.names[3], name), i % 100);
    }
    assert_int_equal(table.names[3].count, 100);
    assert_string_equal(table.names[3].name[42], "class 42");
    table_free(&table);
}

TEST(rows_are_forgotten_and_classes_stay)
{
    struct record_table table = table_new(NULL, &typed_spec);
    struct cell cells[32] = {[3] = TEXT_CELL("class 1")};
    for (int i = 0; i < 20; i++)
        table_row(&table, cells);
    table_clear(&table);
    assert_int_equal(table.row_count, 0);
    table_row(&table, cells);
    assert_int_equal(table.row_count, 1);
    assert_int_equal(table.names[3].count, 1);
    table_free(&table);
}
