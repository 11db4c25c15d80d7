/* SPDX-License-Identifier: MIT */

#include "compare/choice.h"

#include "test.h"

TEST(patterns_choose)
{
    struct choice choice = {0};
    assert_true(choice_takes(&choice, "ram.L1.read"));
    choice.only = (struct name_list){.count = 2, .name = {"ram.*.read", "store_buffer.entries"}};
    assert_true(choice_takes(&choice, "ram.L1.read"));
    assert_false(choice_takes(&choice, "ram.L1.write"));
}

TEST(no_threshold_is_unknown)
{
    assert_true(isnan(choice_threshold(&(struct choice){0})));
    assert_true(choice_threshold(&(struct choice){.threshold = 20}) == 0.2);
}
