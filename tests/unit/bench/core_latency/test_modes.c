/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/core_latency/modes.h"

static void test_switch_in_time(void **state)
{
    (void)state;
    const double moved[] = {4.1, 4.2, 4.1, 23, 24, 23.5, 23, 23};
    const double one_way[] = {4.1, 23, 4.2, 23, 4.1, 24, 4.2, 23};
    const double burst[] = {23, 23, 24, 80, 81, 23, 23, 23};
    const double late[] = {23, 23, 24, 23, 23, 23, 23, 80};
    const double plain[] = {23, 23, 24, 23};

    assert_true(modes_switched(moved, 8));
    assert_false(modes_switched(one_way, 8)); /* directions differ: no switch */
    assert_false(modes_switched(burst, 8));
    assert_false(modes_switched(late, 8));
    assert_false(modes_switched(plain, 4));
    assert_false(modes_switched(plain, 0));
}

static void test_counts_fit_their_fields(void **state)
{
    (void)state;
    struct cell_round round = {0};

    cell_round_count(&round, 64, 3);
    assert_int_equal(round.samples, 64);
    assert_int_equal(round.dropped, 3);
    cell_round_count(&round, 1000000, 100000);
    assert_int_equal(round.samples, 62500);
    assert_int_equal(round.dropped, 6250);
}

static void test_flag_words(void **state)
{
    (void)state;
    char text[64];

    assert_string_equal(cell_flags_text(0, text, sizeof text), "");
    assert_string_equal(cell_flags_text(FLAG_NOISY, text, sizeof text), "noisy");
    assert_string_equal(cell_flags_text(FLAG_REGIME | FLAG_PREEMPTED | FLAG_PLACEMENT, text, sizeof text),
                        "regime,preempted,placement");
    assert_int_equal(strlen(cell_flags_text(15, text, 8)), 7);
    for (unsigned i = 0; i < 4; i++)
        assert_string_equal(cell_flags_text(1u << i, text, sizeof text), cell_flag_names[i]);
    assert_null(cell_flag_names[4]);
}

static void test_drop_disturbed(void **state)
{
    (void)state;
    double value[] = {10, 11, 80000, 12, 10, 41, 50};

    assert_int_equal(drop_disturbed(value, 7), 5); /* the median is 12 */
    const double kept[] = {10, 11, 12, 10, 41};
    assert_memory_equal(value, kept, sizeof kept);
    assert_int_equal(drop_disturbed(value, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_switch_in_time),
        cmocka_unit_test(test_counts_fit_their_fields),
        cmocka_unit_test(test_flag_words),
        cmocka_unit_test(test_drop_disturbed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
