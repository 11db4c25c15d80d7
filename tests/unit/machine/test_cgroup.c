/* SPDX-License-Identifier: MIT */

#include "machine/cgroup.h"

#include "test.h"

/* The limit is the parent's, its page cache of 100 MiB can be dropped. */
TEST(test_v2_limit_of_an_ancestor)
{
    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/v2", 1);
    assert_int_equal(cgroup_memory_room(), 1073741824 - (805306368 - 104857600));
    assert_true(cgroup_cpu_quota() == 1.5);
    assert_int_equal(cgroup_throttled(), 12);
}

/* In a container the mount's root is a part of the path, and "no limit" is a large number. */
TEST(test_v1_in_a_container)
{
    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/v1", 1);
    assert_int_equal(cgroup_memory_room(), 268435456 - (201326592 - 67108864));
    assert_true(cgroup_cpu_quota() == 0.5);
    assert_int_equal(cgroup_throttled(), 3);
}

TEST(test_no_limits)
{
    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/bare", 1);
    assert_true(cgroup_memory_room() == UINT64_MAX);
    assert_true(cgroup_cpu_quota() == 0);
    assert_int_equal(cgroup_throttled(), 0);
}

TEST(test_no_proc_at_all)
{
    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/nowhere", 1);
    assert_true(cgroup_memory_room() == UINT64_MAX);
    assert_true(cgroup_cpu_quota() == 0);
    assert_int_equal(cgroup_throttled(), 0);
}
