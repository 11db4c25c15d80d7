/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "machine/os.h"

static struct cpu_place places[] = {{.id = 2}, {.id = 4}, {.id = 6}};
static const struct topology three_cpus = {.place_count = 3, .place = places};

static struct record *record_of(const char *root)
{
    struct record *record = record_new();

    setenv("UARCHPROBE_SYSROOT", root, 1);
    os_record(&three_cpus, record);
    return record;
}

static const struct cell *value_of(const struct record *record, const char *path)
{
    const struct fact *fact = record_fact_find(record, path);

    assert_non_null(fact);
    return &fact->value;
}

static void test_all_is_known(void **state)
{
    struct record *record = record_of(TEST_DATA "/sysroot/v2");

    assert_string_equal(value_of(record, "host.governor")->text, "performance");
    assert_false(value_of(record, "host.turbo")->boolean);
    assert_string_equal(value_of(record, "host.thp")->text, "madvise");
    assert_true(value_of(record, "host.cpu_quota")->real == 1.5);
    assert_string_equal(value_of(record, "host.isolated_cpus")->text, "6-7");
    assert_int_equal(os_memory_available(), 8000000ull * 1024);
    assert_int_equal(os_memory_total(), 16000000ull * 1024);
    record_free(record);
}

static void test_governors_differ(void **state)
{
    struct record *record = record_of(TEST_DATA "/sysroot/v1");

    assert_string_equal(value_of(record, "host.governor")->text, "mixed");
    assert_true(value_of(record, "host.turbo")->boolean);
    assert_string_equal(value_of(record, "host.thp")->text, "never");
    record_free(record);
}

static void test_unknown_is_null(void **state)
{
    struct record *record = record_of(TEST_DATA "/sysroot/bare");
    const char *const paths[] = {"host.governor", "host.turbo", "host.thp", "host.cpu_quota",
                                 "host.isolated_cpus"};

    for (int i = 0; i < 5; i++)
        assert_int_equal(value_of(record, paths[i])->type, CELL_NULL);
    assert_true(os_memory_available() == UINT64_MAX);
    assert_int_equal(os_memory_total(), 0);
    record_free(record);
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

static void test_a_foreign_kernel_means_emulation(void **state)
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

static void test_bracketed(void **state)
{
    char word[16];

    assert_true(os_bracketed("a [b] c", word, sizeof(word)));
    assert_string_equal(word, "b");
    assert_false(os_bracketed("a b c", word, sizeof(word)));
    assert_false(os_bracketed("] [", word, sizeof(word)));
    assert_false(os_bracketed("[0123456789abcdef]", word, sizeof(word)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_is_known),    cmocka_unit_test(test_governors_differ),
        cmocka_unit_test(test_unknown_is_null), cmocka_unit_test(test_a_foreign_kernel_means_emulation),
        cmocka_unit_test(test_bracketed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
