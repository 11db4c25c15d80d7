/* SPDX-License-Identifier: MIT */
/* What is concluded from CPUID and MIDR_EL1, where no dump shows it. */
#include "test.h"

#include "machine/cpu_internal.h"

TEST(every_feature_has_a_name)
{
    for (int i = 0; i < FEATURE_COUNT; i++) {
        assert_non_null(feature_name((enum feature)i));
        for (int j = 0; j < i; j++)
            assert_string_not_equal(feature_name((enum feature)i), feature_name((enum feature)j));
    }
}

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

/* A CPU with all that is asked about. */
static const struct cpu_raw_data_t all = {
    .basic_cpuid = {[0][EAX] = 7,
                    [1][ECX] = 1u << 19 | 1u << 27 | 1u << 28,
                    [1][EDX] = 1u << 26,
                    [7][EBX] = 1u << 5 | 1u << 16},
    .ext_cpuid = {[0][EAX] = 0x80000008u, [7][EDX] = 1u << 8},
};

TEST(all_is_seen_when_all_is_saved)
{
    const feature_set rest = FEATURE_BIT(SSE2) | FEATURE_BIT(SSE4_1) | FEATURE_BIT(INVARIANT_TSC);
    assert_int_equal(cpuid_features(&all, 0xe7), ymm | zmm | rest);
}

TEST(what_the_system_does_not_save_is_not_usable)
{
    assert_int_equal(cpuid_features(&all, 0x07) & (ymm | zmm), ymm); /* no AVX-512 state */
    assert_int_equal(cpuid_features(&all, 0x67) & zmm, 0);           /* registers 16 to 31 missing */
    assert_int_equal(cpuid_features(&all, 0x03) & (ymm | zmm), 0);
    assert_int_equal(cpuid_features(&all, 0) & (ymm | zmm), 0);
    assert_int_not_equal(cpuid_features(&all, 0) & FEATURE_BIT(SSE4_1), 0);
}

TEST(what_the_cpu_lacks_is_not_usable)
{
    struct cpu_raw_data_t answers = all;
    answers.basic_cpuid[7][EBX] &= ~(1u << 5); /* AVX2 masked by a hypervisor, AVX-512 left standing */
    assert_int_equal(cpuid_features(&answers, 0xe7) & (ymm | zmm), FEATURE_BIT(AVX));
    answers = all;
    answers.basic_cpuid[1][ECX] &= ~(1u << 28);
    assert_int_equal(cpuid_features(&answers, 0xe7) & (ymm | zmm), 0);
    answers = all;
    answers.basic_cpuid[0][EAX] = 1; /* what a CPU answers beyond its highest leaf is of another */
    assert_int_equal(cpuid_features(&answers, 0xe7) & (ymm | zmm), FEATURE_BIT(AVX));
}

static void keep_line(void *lines, const char *name, const char *registers)
{
    fprintf(lines, "%s=%s\n", name, registers);
}

TEST(what_is_listed_is_read_back)
{
    struct cpu_raw_data_t raw = all, again = {0};
    char *text = NULL, *rest = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);

    raw.intel_fn4[3][EBX] = 103;
    raw.amd_fn8000001dh[3][EDX] = UINT32_MAX;
    cpuid_list(&raw, keep_line, stream);
    fclose(stream);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        assert_true(cpuid_scan(&again, line));
    assert_memory_equal(again.basic_cpuid, raw.basic_cpuid, sizeof(raw.basic_cpuid));
    assert_memory_equal(again.ext_cpuid, raw.ext_cpuid, sizeof(raw.ext_cpuid));
    assert_int_equal(again.intel_fn4[3][EBX], 103);
    assert_int_equal(again.amd_fn8000001dh[3][EDX], UINT32_MAX);
    free(text);
}

TEST(collections_write_an_answer_in_several_ways)
{
    static const char *const lines[] = {"CPUID 00000001: 00A00F11-00020800-7EF8320B-178BFBFF",
                                        "CPUID 00000001  \t00A00F11-00020800-7EF8320B-178BFBFF",
                                        "CPUID 00000001 :00A00F11-00020800-7EF8320B-178BFBFF",
                                        "CPUID 00000001 : 00A00F11 00020800 7EF8320B 178BFBFF"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct cpu_raw_data_t raw = {0};
        assert_true(cpuid_scan(&raw, lines[i]));
        assert_int_equal(raw.basic_cpuid[1][EAX], 0xa00f11);
        assert_int_equal(raw.basic_cpuid[1][EDX], 0x178bfbff);
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
