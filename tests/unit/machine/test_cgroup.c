/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "machine/cgroup.h"

/* The limit is the parent's, its page cache of 100 MiB can be dropped. */
static void test_v2_limit_of_an_ancestor(void **state)
{
    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/v2", 1);
    assert_int_equal(cgroup_memory_room(), 1073741824 - (805306368 - 104857600));
    assert_true(cgroup_cpu_quota() == 1.5);
    assert_int_equal(cgroup_throttled(), 12);
}

/* In a container the mount's root is a part of the path, and "no limit" is a large number. */
static void test_v1_in_a_container(void **state)
{
    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/v1", 1);
    assert_int_equal(cgroup_memory_room(), 268435456 - (201326592 - 67108864));
    assert_true(cgroup_cpu_quota() == 0.5);
    assert_int_equal(cgroup_throttled(), 3);
}

static void test_no_limits(void **state)
{
    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/bare", 1);
    assert_true(cgroup_memory_room() == UINT64_MAX);
    assert_true(cgroup_cpu_quota() == 0);
    assert_int_equal(cgroup_throttled(), 0);
}

static void test_no_proc_at_all(void **state)
{
    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/nowhere", 1);
    assert_true(cgroup_memory_room() == UINT64_MAX);
    assert_true(cgroup_cpu_quota() == 0);
    assert_int_equal(cgroup_throttled(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_v2_limit_of_an_ancestor),
        cmocka_unit_test(test_v1_in_a_container),
        cmocka_unit_test(test_no_limits),
        cmocka_unit_test(test_no_proc_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
