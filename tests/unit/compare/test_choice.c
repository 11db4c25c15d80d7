/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "compare/choice.h"

static void patterns_choose(void **state)
{
    struct choice choice = {0};
    assert_true(choice_takes(&choice, "ram.L1.read"));
    choice.only = (struct name_list){.count = 2, .name = {"ram.*.read", "store_buffer.entries"}};
    assert_true(choice_takes(&choice, "ram.L1.read"));
    assert_false(choice_takes(&choice, "ram.L1.write"));
}

static void no_threshold_is_unknown(void **state)
{
    assert_true(isnan(choice_threshold(&(struct choice){0})));
    assert_true(choice_threshold(&(struct choice){.threshold = 20}) == 0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_choose),
        cmocka_unit_test(no_threshold_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
