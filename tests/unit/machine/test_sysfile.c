/* SPDX-License-Identifier: MIT */

#include "machine/sysfile.h"

#include "test.h"

TEST(test_line_number_field)
{
    char text[64];
    uint64_t value = 0;

    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/v2", 1);
    assert_true(sys_line(text, sizeof(text), "/sys/devices/system/cpu/%s", "online"));
    assert_string_equal(text, "0-2,4-7");
    assert_true(sys_number(&value, "/sys/fs/cgroup/app.slice/memory.max"));
    assert_int_equal(value, 1073741824);
    assert_true(sys_field(text, sizeof(text), "MemAvailable", "/proc/meminfo"));
    assert_string_equal(text, "8000000 kB");
}

TEST(test_what_is_no_number_is_unknown)
{
    uint64_t value = 42;

    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/v2", 1);
    assert_false(sys_number(&value, "/sys/fs/cgroup/app.slice/memory.high"));
    assert_false(sys_number(&value, "/sys/no/such/file"));
    assert_false(text_number("-1", &value));
    assert_false(text_number("", &value));
    assert_false(text_number("99999999999999999999999", &value));
    assert_int_equal(value, 42);
}

/* "cpu" must not be found in "cpu0", nor "Mem" in "MemTotal". */
TEST(test_field_matches_whole_keys)
{
    char text[64];

    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/v2", 1);
    assert_false(sys_field(text, sizeof(text), "Mem", "/proc/meminfo"));
    assert_true(sys_field(text, sizeof(text), "cpu0", "/proc/stat"));
    assert_string_equal(text, "500 10 150 20000 25 0 30 4711 0 0");
}

TEST(test_long_text_is_cut)
{
    char text[4];

    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/v2", 1);
    assert_true(sys_line(text, sizeof(text), "/sys/devices/system/cpu/online"));
    assert_string_equal(text, "0-2");
}
