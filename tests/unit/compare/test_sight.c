/* SPDX-License-Identifier: MIT */

#include "compare/sight.h"

#include "test.h"

TEST(families_are_two_words_of_a_key)
{
    assert_int_equal(sight_family("ram.L1.read"), strlen("ram.L1"));
    assert_int_equal(sight_family("stlf.forwarded"), strlen("stlf"));
    assert_int_equal(sight_family("stlf.grid.fa.8_4.granule"), strlen("stlf.grid"));
    assert_int_equal(sight_family("queue"), strlen("queue"));
}

static void add_four(struct sight *sight, const char *key, double a, double b, double c, double d)
{
    const double from[] = {a, b, c, d};
    for (int i = 0; i < 4; i++)
        sight_add(sight, key, from[i]);
}

/* The greatest counts; half may be blind, not more; more than all there is is blind. */
TEST(the_greatest_of_a_family_counts)
{
    struct sight sight = {0};
    struct text text = {0};
    add_four(&sight, "ram.L1.read", 0.06, 0.15, NAN, NAN);
    add_four(&sight, "ram.L3.read", 0.06, NAN, NAN, NAN);
    add_four(&sight, "ram.DRAM.read", 1, 1, 2, 0.99);
    add_four(&sight, "cas.one_l3", 0.02, 0.051, 0.02, 0.02);
    add_four(&sight, "stlf.forwarded", 0.06, 0.06, 0.06, 0.06);
    sight_write(&sight, &text);
    assert_string_equal(text.data, "6 % in cas, stlf; 15 % in ram.L1; nothing in ram.DRAM, ram.L3");
    text_free(&text);
    sight_free(&sight);
    sight_write(&sight, &text);
    assert_int_equal(text.length, 0);
}
