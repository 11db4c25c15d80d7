/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/stlf/cores.h"

static void test_each_core_is_closest_to_itself(void **state)
{
    for (size_t i = 0; i < stlf_core_count; i++) {
        struct stlf_match match[3];
        const int count = stlf_closest(&stlf_cores[i], match, 3);
        if (isnan(stlf_cores[i].contained) && stlf_cores[i].forwards == CONTAINED_NOT_SAID)
            continue; /* too little is known of it */
        assert_int_equal(count, 3);
        assert_true(match[0].distance <= 0.1 / 3);
        assert_true(match[0].distance <= match[1].distance && match[1].distance <= match[2].distance);
    }
}

static void test_a_renaming_core_is_not_taken_for_one_that_forwards(void **state)
{
    const struct stlf_core golden = {"x86_64", "", 5, 0.57, NAN, NAN, CONTAINED_ALL, 5.0, 19.5, "", ""};
    const struct stlf_core haswell = {"x86_64", "", 4, 5.1, 12.2, 11.6, CONTAINED_ALL, 5.1, 14.8, "", ""};
    struct stlf_match match[2];
    stlf_closest(&golden, match, 2);
    assert_string_equal(match[0].core->name, "Golden Cove");
    stlf_closest(&haswell, match, 2);
    assert_string_equal(match[0].core->name, "Haswell");
}

/* Skylake forwards in less than the 5 cycles of Golden Cove's L1, but not in less than its own 4. */
static void test_whether_a_core_renames_is_held_against_its_own_l1(void **state)
{
    const struct stlf_core golden = {"x86_64", "", 4.99, 0.51, 0.51, 0.51, CONTAINED_ALL, 5.0, 19, "", ""};
    struct stlf_match match[3];
    assert_int_equal(stlf_closest(&golden, match, 3), 3);
    for (int i = 0; i < 3; i++)
        assert_string_not_equal(match[i].core->name, "Skylake");
}

/* However alike they are. */
static void test_only_cores_of_one_isa_are_compared(void **state)
{
    const struct stlf_core arm = {"aarch64", "", 4, 5.1, 12.2, 11.6, CONTAINED_ALL, 5.1, 14.8, "", ""};
    struct stlf_match match[3];
    const int count = stlf_closest(&arm, match, 3);

    for (int i = 0; i < count; i++)
        assert_string_equal(match[i].core->arch, "aarch64");
    assert_int_equal(count, 3);
}

static void test_too_little_known_matches_nothing(void **state)
{
    const struct stlf_core unknown = {"x86_64", "", 4, 5, NAN, NAN, CONTAINED_NOT_SAID, NAN, NAN, "", ""};
    struct stlf_match match[2];
    assert_int_equal(stlf_closest(&unknown, match, 2), 0);
}

static void test_every_core_names_its_source_and_date(void **state)
{
    for (size_t i = 0; i < stlf_core_count; i++) {
        assert_true(strlen(stlf_cores[i].name) > 2);
        assert_true(strlen(stlf_cores[i].source) > 5);
        assert_true(strlen(stlf_cores[i].date) >= 4);
        for (int digit = 0; digit < 4; digit++)
            assert_true(isdigit((unsigned char)stlf_cores[i].date[digit]));
        assert_false(isnan(stlf_cores[i].same) && isnan(stlf_cores[i].partial));
        assert_false(stlf_cores[i].partial < stlf_cores[i].same);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_core_is_closest_to_itself),
        cmocka_unit_test(test_a_renaming_core_is_not_taken_for_one_that_forwards),
        cmocka_unit_test(test_whether_a_core_renames_is_held_against_its_own_l1),
        cmocka_unit_test(test_only_cores_of_one_isa_are_compared),
        cmocka_unit_test(test_too_little_known_matches_nothing),
        cmocka_unit_test(test_every_core_names_its_source_and_date),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
