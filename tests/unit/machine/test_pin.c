/* SPDX-License-Identifier: MIT */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uarchprobe/pin.h"
#include "uarchprobe/topology.h"

static void test_runs_where_it_was_put(void **state)
{
    struct fault fault = {0};
    cpu_set_t before;
    struct topology *topology = topology_load(&fault);

    assert_non_null(topology);
    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    for (int i = topology->place_count - 1; i >= 0; i--) {
        assert_int_equal(pin_self(topology->place[i].id, &fault), STATUS_OK);
        assert_int_equal(sched_getcpu(), topology->place[i].id);
    }
    sched_setaffinity(0, sizeof(before), &before);
    topology_free(topology);
}

static void test_cpu_that_is_not_there(void **state)
{
    const int numbers[] = {-1, 100000};

    for (int i = 0; i < 2; i++) {
        struct fault fault = {0};
        assert_int_equal(pin_self(numbers[i], &fault), STATUS_NO_RESOURCE);
        assert_non_null(strstr(fault.text, i ? "100000" : "-1"));
    }
}

static void test_disturbance_is_a_difference(void **state)
{
    struct disturbance start;

    disturbance_read(&start);
    struct disturbance since = disturbance_since(&start);
    assert_true(since.involuntary_switches <= start.involuntary_switches + 1000);
    start.involuntary_switches = start.steal_ticks = start.throttled = UINT64_MAX;
    since = disturbance_since(&start);
    assert_int_equal(since.involuntary_switches, 0);
    assert_int_equal(since.steal_ticks, 0);
    assert_int_equal(since.throttled, 0);
}

static void test_steal_and_throttling_are_read(void **state)
{
    struct disturbance now;

    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/v2", 1);
    disturbance_read(&now);
    unsetenv("UARCHPROBE_SYSROOT");
    assert_int_equal(now.steal_ticks, 4711);
    assert_int_equal(now.throttled, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_where_it_was_put),
        cmocka_unit_test(test_cpu_that_is_not_there),
        cmocka_unit_test(test_disturbance_is_a_difference),
        cmocka_unit_test(test_steal_and_throttling_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
