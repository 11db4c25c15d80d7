/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "uarchprobe/trust.h"

static struct evidence quiet(void)
{
    const double value[] = {100, 101, 100, 99, 100};
    return (struct evidence){.summary = summary_of(value, 5), .wide = 0.1, .enough = 5, .complete = true};
}

static void a_quiet_complete_run_is_trusted(void **state)
{
    const struct evidence evidence = quiet();
    assert_int_equal(trust_of(&evidence), TRUST_HIGH);
}

static void each_disturbance_lowers_trust_by_its_size(void **state)
{
    struct evidence evidence = quiet();
    evidence.preempted_share = 0.3;
    assert_int_equal(trust_of(&evidence), TRUST_MEDIUM);
    evidence.preempted_share = 0.6;
    assert_int_equal(trust_of(&evidence), TRUST_LOW);
    evidence = quiet();
    evidence.clock_drift = 0.15;
    assert_int_equal(trust_of(&evidence), TRUST_MEDIUM);
    evidence = quiet();
    evidence.wide = 0.005;
    assert_int_equal(trust_of(&evidence), TRUST_LOW);
}

static void few_samples_or_an_interruption_cap_it_at_medium(void **state)
{
    struct evidence evidence = quiet();
    evidence.enough = 6;
    assert_int_equal(trust_of(&evidence), TRUST_MEDIUM);
    evidence = quiet();
    evidence.complete = false;
    assert_int_equal(trust_of(&evidence), TRUST_MEDIUM);
}

static void nothing_and_not_a_number_are_never_trusted(void **state)
{
    struct evidence evidence = quiet();
    evidence.summary = summary_of(NULL, 0);
    assert_int_equal(trust_of(&evidence), TRUST_LOW);
    const double zero[] = {0, 0, 0};
    evidence.summary = summary_of(zero, 3); /* 0/0 */
    assert_int_equal(trust_of(&evidence), TRUST_LOW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quiet_complete_run_is_trusted),
        cmocka_unit_test(each_disturbance_lowers_trust_by_its_size),
        cmocka_unit_test(few_samples_or_an_interruption_cap_it_at_medium),
        cmocka_unit_test(nothing_and_not_a_number_are_never_trusted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
