/* SPDX-License-Identifier: MIT */

#include "machine/cgroup.h"

#include "test.h"

/* Version 2: the limit is the parent's, its page cache of 100 MiB can be dropped. Version 1 in a container: the mount's root is a part of
 * the path, and "no limit" is a large number. No limits, and no /proc at all. */
TEST(limits_are_those_of_the_group)
{
    static const struct {
        const char *root;
        uint64_t room;
        double quota;
        uint64_t throttled;
    } rows[] = {{TEST_DATA "/sysroot/v2", 1073741824 - (805306368 - 104857600), 1.5, 12},
                {TEST_DATA "/sysroot/v1", 268435456 - (201326592 - 67108864), 0.5, 3},
                {TEST_DATA "/sysroot/bare", UINT64_MAX, 0, 0},
                {TEST_DATA "/sysroot/nowhere", UINT64_MAX, 0, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        setenv("UARCHPROBE_SYSROOT", rows[i].root, 1);
        assert_true(cgroup_memory_room() == rows[i].room);
        assert_true(cgroup_cpu_quota() == rows[i].quota);
        assert_int_equal(cgroup_throttled(), rows[i].throttled);
    }
}
