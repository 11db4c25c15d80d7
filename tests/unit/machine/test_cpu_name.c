/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "machine/cpu_internal.h"

static const struct cpu rocket_lake = {
    .vendor = "GenuineIntel", .hypervisor = "none", .family = 6, .model = 167, .stepping = 1};

TEST(test_number_on_bare_metal_needs_no_note)
{
    struct cpu cpu = rocket_lake;

    cpu_name_x86(&cpu, TRAIT_AVX512F);
    assert_string_equal(cpu.codename, "Rocket Lake");
    assert_string_equal(cpu.codename_note, "");
}

TEST(test_masked_number_gives_no_name_and_says_why)
{
    struct cpu cpu = rocket_lake;

    cpu_name_x86(&cpu, TRAIT_AVX512F | TRAIT_AMX);
    assert_string_equal(cpu.codename, "");
    assert_non_null(strstr(cpu.codename_note, "masked"));
    assert_non_null(strstr(cpu.codename_note, "167"));
}

TEST(test_name_in_a_guest_says_whence_it_is)
{
    struct cpu cpu = rocket_lake;

    strcpy(cpu.hypervisor, "KVM");
    cpu_name_x86(&cpu, 0);
    assert_string_equal(cpu.codename, "Rocket Lake");
    assert_non_null(strstr(cpu.codename_note, "hypervisor"));
}

TEST(test_unknown_number_stays_unknown)
{
    struct cpu cpu = {.vendor = "GenuineIntel", .family = 6, .model = 0xfe, .stepping = 1};

    cpu_name_x86(&cpu, TRAIT_AMX);
    assert_string_equal(cpu.codename, "");
    assert_string_equal(cpu.codename_note, "");
}

TEST(test_midr_is_split)
{
    struct cpu cpu = {.family = -1, .model = -1, .stepping = -1};

    cpu_name_arm(&cpu, 0x413fd0c1); /* Neoverse N1 r3p1 */
    assert_int_equal(cpu.family, 0x41);
    assert_int_equal(cpu.model, 0xd0c);
    assert_int_equal(cpu.stepping, 0x31);
    assert_string_equal(cpu.vendor, "ARM");
    assert_string_equal(cpu.codename, "Neoverse N1");
}

TEST(test_masked_midr_is_unknown)
{
    struct cpu cpu = {.family = -1, .model = -1, .stepping = -1};

    cpu_name_arm(&cpu, 0x000f0510); /* an emulator's own: no implementer */
    assert_int_equal(cpu.family, -1);
    assert_int_equal(cpu.model, -1);
    assert_int_equal(cpu.stepping, -1);
    assert_string_equal(cpu.vendor, "");
    assert_string_equal(cpu.codename, "");
}

/* X-Gene's part is 0; Apple's guests show none. */
TEST(test_part_zero_is_a_part)
{
    struct cpu cpu = {.family = -1, .model = -1, .stepping = -1};

    cpu_name_arm(&cpu, 0x501f0000);
    assert_int_equal(cpu.model, 0);
    assert_string_equal(cpu.codename, "X-Gene");
    cpu = (struct cpu){.family = -1, .model = -1, .stepping = -1};
    cpu_name_arm(&cpu, 0x610f0000);
    assert_string_equal(cpu.vendor, "Apple");
    assert_int_equal(cpu.model, -1);
}

TEST(test_core_is_that_of_a_true_number)
{
    struct cpu cpu = rocket_lake;

    cpu_name_x86(&cpu, TRAIT_AVX512F);
    assert_string_equal(cpu.core, "Cypress Cove");
    cpu_name_x86(&cpu, TRAIT_AMX);
    assert_string_equal(cpu.core, CPU_CORE_AMX);
    cpu.model = 0x3f;
    cpu_name_x86(&cpu, TRAIT_AVX512F);
    assert_null(cpu.core);
    cpu.family = 19; /* Diamond Rapids has AMX and is none of those cores */
    cpu.model = 1;
    cpu_name_x86(&cpu, TRAIT_AMX);
    assert_null(cpu.core);
}
