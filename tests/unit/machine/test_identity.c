/* SPDX-License-Identifier: MIT */
/* Conclusions from CPUID and MIDR_EL1 that no dump shows. */
#include "test.h"

#include "machine/cpu_internal.h"

TEST(levels_grow)
{
    const struct isa_level *const both[] = {isa_levels_x86, isa_levels_arm};
    for (int i = 0; i < 2; i++)
        for (const struct isa_level *level = both[i] + 1; level->name; level++) {
            assert_int_equal(level[-1].features & ~level->features, 0);
            assert_int_not_equal(level[-1].features, level->features);
        }
}

static const feature_set ymm = FEATURE_BIT(AVX) | FEATURE_BIT(AVX2), zmm = FEATURE_BIT(AVX512F);
static const feature_set rest = FEATURE_BIT(SSE2) | FEATURE_BIT(SSE4_1) | FEATURE_BIT(INVARIANT_TSC);

/* Usable features are those that the CPU has and the system saves. Answers beyond the highest leaf are another's; a hypervisor may mask
 * AVX2 and leave AVX-512. */
TEST(usable_is_what_is_there_and_saved)
{
    const struct {
        uint64_t saved;
        uint32_t highest, lacks_1_ecx, lacks_7_ebx;
        feature_set usable;
    } rows[] = {{0xe7, 7, 0, 0, ymm | zmm | rest},
                {0x07, 7, 0, 0, ymm | rest},
                {0x67, 7, 0, 0, ymm | rest},
                {0x03, 7, 0, 0, rest},
                {0, 7, 0, 0, rest},
                {0xe7, 7, 0, 1u << 5, FEATURE_BIT(AVX) | rest},
                {0xe7, 7, 1u << 28, 0, rest},
                {0xe7, 1, 0, 0, FEATURE_BIT(AVX) | rest}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct cpu_raw_data_t raw = {
            .basic_cpuid = {[0][EAX] = rows[i].highest,
                            [1][ECX] = (1u << 19 | 1u << 27 | 1u << 28) & ~rows[i].lacks_1_ecx,
                            [1][EDX] = 1u << 26,
                            [7][EBX] = (1u << 5 | 1u << 16) & ~rows[i].lacks_7_ebx},
            .ext_cpuid = {[0][EAX] = 0x80000008u, [7][EDX] = 1u << 8},
        };
        assert_int_equal(cpuid_features(&raw, rows[i].saved), rows[i].usable);
    }
}

TEST(masked_number_gives_no_name_and_says_why)
{
    struct cpu cpu = {.vendor = "GenuineIntel", .family = 6, .model = 0x3f, .hypervisor = "KVM"};

    cpu_name_x86(&cpu, FEATURE_BIT(AVX512F));
    assert_null(cpu.core);
    assert_string_equal(cpu.codename, "");
    assert_non_null(strstr(cpu.codename_note, "63"));
    cpu.family = 19; /* Diamond Rapids has AMX and is none of those cores */
    cpu.model = 1;
    cpu_name_x86(&cpu, TRAIT_AMX);
    assert_null(cpu.core);
}

TEST(name_in_a_guest_says_whence_it_is)
{
    struct cpu cpu = {.vendor = "GenuineIntel", .family = 6, .model = 0x8f, .hypervisor = "KVM"};

    cpu_name_x86(&cpu, TRAIT_AMX);
    assert_string_equal(cpu.codename, "Sapphire Rapids");
    assert_true(*cpu.codename_note);
}

/* Alder Lake. KVM hides from its guests that the host is a hybrid. */
TEST(a_guest_without_the_hybrid_bit_may_be_on_either_core)
{
    enum { HYBRID = 1 << 15, GUEST = 1u << 31 };
    static const struct {
        uint32_t last, guest, hybrid, kind;
        const char *core;
    } rows[] = {
        {0x20, 0, 0, 0, "Golden Cove"},
        {0x16, 0, 0, 0x20000001, "Golden Cove"}, /* beyond the highest leaf */
        {0x20, GUEST, 0, 0, NULL},
        {0x20, GUEST, HYBRID, 0x20000001, "Gracemont"},
        {0x20, 0, HYBRID, 0x20000001, "Gracemont"},
        {0x20, 0, 0, 0x20000001, "Gracemont"},
        {0x20, 0, HYBRID, 0, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct cpu_raw_data_t raw = {.basic_cpuid = {[0][EAX] = rows[i].last,
                                                           [1][ECX] = rows[i].guest,
                                                           [7][EDX] = rows[i].hybrid,
                                                           [0x1a][EAX] = rows[i].kind}};
        struct cpu cpu = {.vendor = "GenuineIntel", .family = 6, .model = 0x97};
        cpu_name_x86(&cpu, 0);
        const char *core = cpu_core_of(&cpu, &raw);
        if (strcmp(core ? core : "unknown", rows[i].core ? rows[i].core : "unknown") != 0)
            fail_msg("row %zu is %s", i, core ? core : "unknown");
    }
}

TEST(midr_is_split)
{
    struct cpu cpu = {.family = -1, .model = -1, .stepping = -1};

    cpu_identify_midr(0x000f0510, &cpu); /* an emulator's own: no implementer */
    assert_int_equal(cpu.family, -1);
    cpu_identify_midr(0x413fd0c1, &cpu); /* Neoverse N1 r3p1 */
    assert_string_equal(cpu.vendor, "ARM");
    assert_int_equal(cpu.model, 0xd0c);
    assert_int_equal(cpu.stepping, 0x31);
    assert_string_equal(cpu.codename, "Neoverse N1");
    assert_string_equal(cpu.core, "Neoverse N1");
}

/* X-Gene's part is 0; Apple's guests show none. */
TEST(part_zero_is_a_part)
{
    struct cpu cpu = {.family = -1, .model = -1, .stepping = -1}, apple = cpu;

    cpu_identify_midr(0x501f0000, &cpu);
    assert_int_equal(cpu.model, 0);
    assert_string_equal(cpu.codename, "X-Gene");
    cpu_identify_midr(0x610f0000, &apple);
    assert_string_equal(apple.vendor, "Apple");
    assert_int_equal(apple.model, -1);
}
