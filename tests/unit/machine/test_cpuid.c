/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "dump.h"
#include "machine/cpu_internal.h"
#include "machine/cpuid.h"

/* An AMD guest: family 0x1a from base 15 and extension 11, model 0x12, stepping 1. */
static void scripted(uint32_t leaf, uint32_t subleaf, uint32_t answer[CPUID_REGISTERS])
{
    memset(answer, 0, CPUID_REGISTERS * sizeof(*answer));
    switch (leaf) {
    case 0:
        answer[CPUID_EAX] = 7;
        memcpy(&answer[CPUID_EBX], "Auth", 4);
        memcpy(&answer[CPUID_EDX], "enti", 4);
        memcpy(&answer[CPUID_ECX], "cAMD", 4);
        break;
    case 1:
        answer[CPUID_EAX] = 0x00b10f21;
        answer[CPUID_ECX] = 1u << 31;
        break;
    case 4:
        answer[CPUID_EBX] = 100 + subleaf;
        break;
    case 0x80000000:
        answer[CPUID_EAX] = 0x80000004;
        break;
    case 0x80000002:
        memcpy(answer, "  A brand       ", 16);
        break;
    }
}

TEST(test_each_leaf_is_asked_once_and_kept_in_its_place)
{
    struct cpuid_dump dump;

    cpuid_read(&dump, scripted);
    assert_int_equal(dump.basic[0][CPUID_EAX], 7);
    assert_int_equal(dump.extended[0][CPUID_EAX], 0x80000004);
    assert_int_equal(dump.basic[4][CPUID_EBX], 100);
    assert_int_equal(dump.caches[3][CPUID_EBX], 103);
}

TEST(test_identity_by_the_answers)
{
    struct cpuid_dump dump;
    struct cpu cpu = {.hypervisor = "KVM"};

    cpuid_read(&dump, scripted);
    cpu_identify_cpuid(&dump, &cpu);
    assert_true(cpuid_in_guest(&dump));
    assert_string_equal(cpu.vendor, "AuthenticAMD");
    assert_string_equal(cpu.brand, "A brand");
    assert_string_equal(cpu.hypervisor, "KVM");
    assert_int_equal(cpu.family, 0x1a);
    assert_int_equal(cpu.model, 0x12);
    assert_int_equal(cpu.stepping, 1);
}

TEST(test_an_old_cpu_has_no_brand_and_no_hypervisor)
{
    struct cpuid_dump dump = {0};
    struct cpu cpu = {0};

    cpu_identify_cpuid(&dump, &cpu);
    assert_string_equal(cpu.brand, "");
    assert_string_equal(cpu.hypervisor, "none");
}

TEST(test_each_answer_is_named_as_in_a_dump)
{
    struct cpuid_dump dump;
    char *text = NULL;
    size_t bytes, lines = 0;

    cpuid_read(&dump, scripted);
    FILE *stream = open_memstream(&text, &bytes);
    assert_non_null(stream);
    cpuid_answers(&dump, dump_write, stream);
    fclose(stream);
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, sizeof(dump) / sizeof(dump.basic[0]));
    stream = fmemopen(text, bytes, "r");
    const struct cpuid_dump again = dump_read(stream);
    assert_memory_equal(&again.basic, &dump.basic, sizeof(dump.basic));
    assert_memory_equal(&again.extended, &dump.extended, sizeof(dump.extended));
    assert_non_null(strstr(text, "\nintel_fn4[3]=00000000 00000067 00000000 00000000\n"));
    fclose(stream);
    free(text);
}
