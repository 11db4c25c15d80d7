/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/os.h"

TEST(test_all_is_known)
{
    char text[32];
    bool turbo = true;

    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/v2", 1);
    assert_true(os_governor(2, text, sizeof(text)));
    assert_string_equal(text, "performance");
    assert_true(os_turbo(&turbo));
    assert_false(turbo);
    assert_true(os_huge_pages(text, sizeof(text)));
    assert_string_equal(text, "madvise");
    assert_true(os_isolated_cpus(text, sizeof(text)));
    assert_string_equal(text, "6-7");
    assert_int_equal(os_memory("MemAvailable", UINT64_MAX), 8000000ull * 1024);
    assert_int_equal(os_memory("MemTotal", 0), 16000000ull * 1024);
}

TEST(test_nothing_is_known)
{
    char text[32];
    bool turbo;

    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/bare", 1);
    assert_false(os_governor(2, text, sizeof(text)));
    assert_false(os_turbo(&turbo));
    assert_false(os_huge_pages(text, sizeof(text)));
    assert_false(os_isolated_cpus(text, sizeof(text)));
    assert_true(os_memory("MemAvailable", UINT64_MAX) == UINT64_MAX);
    assert_int_equal(os_memory("MemTotal", 0), 0);
}

/* Writes the file below root and asks; text NULL: there is no such file. */
static void put(const char *root, const char *folder, const char *name, const char *text)
{
    char path[256];

    snprintf(path, sizeof(path), "%s/%s", root, folder);
    mkdir(path, 0700);
    snprintf(path, sizeof(path), "%s/%s/%s", root, folder, name);
    remove(path);
    FILE *file = text ? fopen(path, "w") : NULL;
    if (file) {
        fputs(text, file);
        fclose(file);
    }
}

TEST(test_a_foreign_kernel_means_emulation)
{
    static const struct {
        const char *arch, *cpuinfo, *program;
        bool emulated;
    } rows[] = {
        {"x86_64\n", NULL, "x86_64", false},
        {"x86_64\n", "CPU implementer\t: 0x41\n", "aarch64", true},
        {"aarch64\n", NULL, "x86_64", true},
        {NULL, "processor\t: 0\nvendor_id\t: GenuineIntel\n", "aarch64", true},
        {NULL, "processor\t: 0\nvendor_id\t: GenuineIntel\n", "x86_64", false},
        {NULL, "processor\t: 0\nCPU implementer\t: 0x41\n", "aarch64", false},
        {NULL, "processor\t: 0\nCPU implementer\t: 0x41\n", "x86_64", true},
        {NULL, NULL, "aarch64", false},
    };
    char root[] = "/tmp/uarchprobe-os-XXXXXX", command[64];

    assert_non_null(mkdtemp(root));
    put(root, "proc", "none", NULL);
    put(root, "proc/sys", "none", NULL);
    setenv("UARCHPROBE_SYSROOT", root, 1);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        put(root, "proc/sys/kernel", "arch", rows[i].arch);
        put(root, "proc", "cpuinfo", rows[i].cpuinfo);
        assert_int_equal(os_emulated(rows[i].program), rows[i].emulated);
    }
    snprintf(command, sizeof(command), "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

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
    assert_false(sys_field(text, sizeof(text), "Mem", "/proc/meminfo")); /* keys are whole */
    assert_true(sys_field(text, sizeof(text), "cpu0", "/proc/stat"));
    assert_string_equal(text, "500 10 150 20000 25 0 30 4711 0 0");
    assert_true(sys_line(text, 4, "/sys/devices/system/cpu/online"));
    assert_string_equal(text, "0-2"); /* as much as there is room for */
}

TEST(test_what_is_no_number_is_unknown)
{
    uint64_t value = 42;

    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/v2", 1);
    assert_false(sys_number(&value, "/sys/fs/cgroup/app.slice/memory.high"));
    assert_false(sys_number(&value, "/sys/no/such/file"));
    unsetenv("UARCHPROBE_SYSROOT");
    static const char *const others[] = {"-1\n", "\n", "99999999999999999999999\n"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const int file = memfd_create("number", 0);
        assert_int_equal(write(file, others[i], strlen(others[i])), strlen(others[i]));
        assert_false(sys_number(&value, "/proc/self/fd/%d", file));
        close(file);
    }
    assert_int_equal(value, 42);
}
