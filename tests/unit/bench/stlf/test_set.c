/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/stlf/lab.h"

static const struct clock clock_of_test = {.ns_per_tick = 1};
static const struct run run = {.clock = &clock_of_test};

static void without_a_budget_no_share_ends(void **state)
{
    const struct stlf_lab lab = {.run = &run, .deadline_ticks = UINT64_MAX};
    assert_false(stlf_share_is_over(&lab));
}

static void a_share_ends_at_its_time(void **state)
{
    struct stlf_lab lab = {.run = &run, .deadline_ticks = UINT64_MAX, .share_ends_ns = 1};
    assert_true(stlf_share_is_over(&lab));
    lab.share_ends_ns = UINT64_MAX;
    assert_false(stlf_share_is_over(&lab));
}

static void a_limit_is_in_the_future(void **state)
{
    struct stlf_lab lab = {.run = &run, .deadline_ticks = UINT64_MAX};
    const uint64_t before = clock_ticks();
    stlf_lab_limit(&lab, 3600, 7);
    assert_true(lab.deadline_ticks >= before + UINT64_C(3600000000000));
    assert_true(lab.deadline_ticks != UINT64_MAX);
    assert_int_equal(lab.sets_left, 7);
    stlf_lab_limit(&lab, -1, 7); /* spent before anything was measured */
    assert_true(lab.deadline_ticks >= before && lab.deadline_ticks <= clock_ticks());
}

/* A set without points takes its share and no time. */
static void every_set_takes_a_share(void **state)
{
    const struct stlf_effort effort = {.first = 2, .most = 4, .samples = 1, .agreement = 1};
    struct stlf_lab lab = {.run = &run, .deadline_ticks = UINT64_MAX};
    struct fault fault = {0};
    struct stlf_set set;
    assert_true(stlf_set_init(&set, 1));
    set.count = 0;
    stlf_lab_limit(&lab, 3600, 2);
    for (size_t left = 2; left-- > 0;) {
        assert_int_equal(stlf_measure(&lab, &set, &effort, &fault), STATUS_OK);
        assert_int_equal(lab.sets_left, left);
        assert_false(stlf_share_is_over(&lab));
    }
    assert_int_equal(lab.thin_sets, 0);
    stlf_set_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_budget_no_share_ends),
        cmocka_unit_test(a_share_ends_at_its_time),
        cmocka_unit_test(a_limit_is_in_the_future),
        cmocka_unit_test(every_set_takes_a_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
