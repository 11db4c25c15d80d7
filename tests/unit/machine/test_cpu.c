/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "dump.h"
#include "machine/cpu_internal.h"

static void identify(const char *path, struct cpu *cpu)
{
    FILE *file = fopen(path, "re");

    assert_non_null(file);
    const struct cpuid_dump dump = dump_read(file);
    fclose(file);
    *cpu = (struct cpu){.family = -1, .model = -1, .stepping = -1};
    cpu_identify_cpuid(&dump, cpu);
}

/* A guest of which the hypervisor shows model 167 and AMX at once. */
TEST(test_masked_guest)
{
    struct cpu cpu;

    identify(TEST_DATA "/cpuid/guest_model_167_amx.txt", &cpu);
    assert_string_equal(cpu.vendor, "GenuineIntel");
    assert_int_equal(cpu.family, 6);
    assert_int_equal(cpu.model, 167);
    assert_int_equal(cpu.stepping, 1);
    assert_string_equal(cpu.codename, "");
    assert_non_null(strstr(cpu.codename_note, "masked"));
}

/* The same dump without the AMX bits and the hypervisor bit: then the number may be believed. */
TEST(test_number_that_nothing_contradicts)
{
    struct cpu cpu;

    identify(TEST_DATA "/cpuid/model_167_plain.txt", &cpu);
    assert_int_equal(cpu.model, 167);
    assert_string_equal(cpu.codename, "Rocket Lake");
    assert_string_equal(cpu.codename_note, "");
    assert_string_equal(cpu.hypervisor, "none");
}

TEST(test_this_host_has_no_pretended_values)
{
    struct cpu cpu;

    cpu_identify_host(&cpu);
    assert_true(strcmp(cpu.arch, "x86_64") == 0 || strcmp(cpu.arch, "aarch64") == 0);
    assert_true(cpu.family == -1 || cpu.family > 0);
    assert_null(strcasestr(cpu.brand, "unknown"));
    assert_null(strcasestr(cpu.libcpuid_codename, "unknown"));
    assert_int_equal(cpu.features, features_usable());
    /* A hint next to a name that is known can only contradict it. */
    assert_true(!*cpu.codename || !*cpu.libcpuid_codename);
}

/* Needs no CPU of a certain kind: what the dump says comes back from the dump. */
TEST(test_dump_can_be_read_back)
{
    struct fault fault = {0};
    struct cpu here, again;
    char path[] = "/tmp/uarchprobe-dump-XXXXXX";
    const int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");

    assert_non_null(file);
    const enum status status = cpu_dump_raw(dump_write, file, &fault);
    fclose(file);
    if (status == STATUS_OK) {
        cpu_identify_host(&here);
        identify(path, &again);
        assert_string_equal(again.vendor, here.vendor);
        assert_string_equal(again.brand, here.brand);
        assert_int_equal(again.model, here.model);
    }
    remove(path);
    if (status != STATUS_OK)
        assert_int_equal(status, STATUS_UNSUPPORTED);
}
