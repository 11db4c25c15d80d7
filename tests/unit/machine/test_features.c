/* SPDX-License-Identifier: MIT */
/* What can be used, concluded from the replayed answers of other CPUs. */
#include "test.h"

#include "uarchprobe/feature.h"

TEST(test_every_feature_has_a_name)
{
    for (int i = 0; i < FEATURE_COUNT; i++) {
        assert_non_null(feature_name((enum feature)i));
        for (int j = 0; j < i; j++)
            assert_string_not_equal(feature_name((enum feature)i), feature_name((enum feature)j));
    }
}

TEST(test_levels_grow)
{
    assert_non_null(isa_levels[0].name);
    for (const struct isa_level *level = isa_levels + 1; level->name; level++) {
        assert_int_equal(level[-1].features & ~level->features, 0);
        assert_int_not_equal(level[-1].features, level->features);
    }
}

#if defined(__x86_64__)
#include "machine/x86_64/features.h"

static const feature_set ymm = FEATURE_BIT(AVX) | FEATURE_BIT(AVX2);
static const feature_set zmm = FEATURE_BIT(AVX512F);

/* A CPU with all that is asked about. */
static const struct cpuid_dump all = {
    .basic = {[0][CPUID_EAX] = 7,
              [1][CPUID_ECX] = 1u << 19 | 1u << 27 | 1u << 28,
              [1][CPUID_EDX] = 1u << 26,
              [7][CPUID_EBX] = 1u << 5 | 1u << 16},
    .extended = {[0][CPUID_EAX] = 0x80000008u, [7][CPUID_EDX] = 1u << 8},
};

TEST(test_all_is_seen_when_all_is_saved)
{
    feature_set set = features_of(&all, 0xe7);
    assert_int_equal(set & (ymm | zmm), ymm | zmm);
    const feature_set rest = FEATURE_BIT(SSE2) | FEATURE_BIT(SSE4_1) | FEATURE_BIT(INVARIANT_TSC);
    assert_int_equal(set & ~(ymm | zmm), rest);
}

TEST(test_what_the_system_does_not_save_is_not_usable)
{
    assert_int_equal(features_of(&all, 0x07) & (ymm | zmm), ymm); /* no AVX-512 state */
    assert_int_equal(features_of(&all, 0x67) & zmm, 0);           /* registers 16 to 31 missing */
    assert_int_equal(features_of(&all, 0x03) & (ymm | zmm), 0);
    assert_int_equal(features_of(&all, 0) & (ymm | zmm), 0); /* no OSXSAVE */
    assert_int_not_equal(features_of(&all, 0) & FEATURE_BIT(SSE4_1), 0);
}

TEST(test_what_the_cpu_lacks_is_not_usable)
{
    struct cpuid_dump answers = all;
    answers.basic[7][CPUID_EBX] &= ~(1u << 5); /* AVX2 masked by a hypervisor, AVX-512 left standing */
    assert_int_equal(features_of(&answers, 0xe7) & (ymm | zmm), FEATURE_BIT(AVX));
    answers = all;
    answers.basic[1][CPUID_ECX] &= ~(1u << 28);
    assert_int_equal(features_of(&answers, 0xe7) & (ymm | zmm), 0);
    const struct cpuid_dump none = {0};
    assert_int_equal(features_of(&none, 0xe7), 0);
    answers = all;
    answers.basic[0][CPUID_EAX] = 1; /* what a CPU answers beyond its highest leaf is of another */
    assert_int_equal(features_of(&answers, 0xe7) & (ymm | zmm), FEATURE_BIT(AVX));
}
#elif defined(__aarch64__)
#include "machine/aarch64/features.h"

#include <asm/hwcap.h>

TEST(test_all_is_seen_when_all_is_saved)
{
    const feature_set every = FEATURE_BIT(ASIMD) | FEATURE_BIT(SVE) | FEATURE_BIT(LSE) | FEATURE_BIT(LRCPC);
    assert_int_equal(features_of(HWCAP_ASIMD | HWCAP_SVE | HWCAP_ATOMICS | HWCAP_LRCPC), every);
}

TEST(test_what_the_system_does_not_save_is_not_usable)
{
    assert_int_equal(features_of(HWCAP_ASIMD), FEATURE_BIT(ASIMD));
}

TEST(test_what_the_cpu_lacks_is_not_usable)
{
    assert_int_equal(features_of(0), 0);
    assert_int_equal(features_of(~(unsigned long)HWCAP_SVE) & FEATURE_BIT(SVE), 0);
}
#endif

TEST(test_this_machine_has_its_baseline)
{
    const feature_set baseline = FEATURE_BIT(SSE2) | FEATURE_BIT(ASIMD);
    assert_int_not_equal(features_usable() & baseline, 0);
}
