/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <sched.h>

#include "uarchprobe/pin.h"
#include "uarchprobe/topology.h"

TEST(test_runs_where_it_was_put)
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

TEST(test_cpu_that_is_not_there)
{
    const int numbers[] = {-1, 100000};

    for (int i = 0; i < 2; i++) {
        struct fault fault = {0};
        assert_int_equal(pin_self(numbers[i], &fault), STATUS_NO_RESOURCE);
        assert_non_null(strstr(fault.text, i ? "100000" : "-1"));
    }
}

TEST(test_disturbance_is_a_difference)
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

TEST(test_steal_and_throttling_are_read)
{
    struct disturbance now;

    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/v2", 1);
    disturbance_read(&now);
    assert_true(now.counts_steal && disturbance_since(&now).counts_steal);
    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/none", 1);
    assert_false(disturbance_since(&now).counts_steal);
    unsetenv("UARCHPROBE_SYSROOT");
    assert_int_equal(now.steal_ticks, 4711);
    assert_int_equal(now.throttled, 12);
}
