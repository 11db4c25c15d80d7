/* SPDX-License-Identifier: MIT */
#include "output/keys.h"

#include "fixture.h"

TEST(numbers_in_order_of_appearance)
{
    struct keys keys = {0};
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 5000; i++)
            assert_int_equal(keys_index(&keys, INTEGER_CELL(7919LL * i)), i);
    }
    assert_int_equal(keys.count, 5000);
    keys_free(&keys);
}

TEST(tells_types_apart)
{
    struct keys keys = {0};
    const struct cell cells[] = {NO_CELL,        BOOL_CELL(true), BOOL_CELL(false), INTEGER_CELL(1),
                                 REAL_CELL(1.0), TEXT_CELL("1"),  REAL_CELL(NAN)};
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(keys_index(&keys, cells[i]), i);
    assert_int_equal(keys_index(&keys, REAL_CELL(-NAN)), 6);
    assert_int_equal(keys_index(&keys, REAL_CELL(0.0)), 7);
    assert_int_equal(keys_index(&keys, REAL_CELL(-0.0)), 7);
    keys_free(&keys);
}
