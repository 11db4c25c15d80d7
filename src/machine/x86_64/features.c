/* SPDX-License-Identifier: MIT */
/* CPUID is read here and not through libcpuid: 0.6.2 misses AVX-512 on AMD, and no version looks at XCR0. */
#include "machine/x86_64/features.h"

#include <cpuid.h>
#include <stdbool.h>
#include <stddef.h>

#define BASE                                                                                                 \
    (FEATURE_BIT(ERMS) | FEATURE_BIT(FSRM) | FEATURE_BIT(CLZERO) | FEATURE_BIT(RDTSCP) |                     \
     FEATURE_BIT(INVARIANT_TSC))
#define LEVEL_SSE2 (BASE | FEATURE_BIT(SSE2) | FEATURE_BIT(SSE4_1))
#define LEVEL_AVX2 (LEVEL_SSE2 | FEATURE_BIT(AVX) | FEATURE_BIT(AVX2))
#define LEVEL_AVX512 (LEVEL_AVX2 | FEATURE_BIT(AVX512F) | FEATURE_BIT(AVX512BW) | FEATURE_BIT(AVX512VL))

const struct isa_level isa_levels[] = {
    {"sse2", LEVEL_SSE2},
    {"avx2", LEVEL_AVX2},
    {"avx512", LEVEL_AVX512},
    {NULL, 0},
};

/* XCR0: SSE and AVX state; for AVX-512 also mask registers, upper halves of zmm0-15, all of zmm16-31. */
enum { XCR0_AVX = 0x06, XCR0_AVX512 = 0xe6, OSXSAVE = 1 << 27 };

static feature_set if_bit(uint32_t word, int bit, feature_set feature)
{
    return word >> bit & 1 ? feature : 0;
}

feature_set features_of(const struct cpuid_answers *answers, uint64_t xcr0)
{
    feature_set set = if_bit(answers->leaf1_edx, 26, FEATURE_BIT(SSE2)) |
                      if_bit(answers->leaf1_ecx, 19, FEATURE_BIT(SSE4_1)) |
                      if_bit(answers->leaf7_ebx, 9, FEATURE_BIT(ERMS)) |
                      if_bit(answers->leaf7_edx, 4, FEATURE_BIT(FSRM)) |
                      if_bit(answers->extended1_edx, 27, FEATURE_BIT(RDTSCP)) |
                      if_bit(answers->extended7_edx, 8, FEATURE_BIT(INVARIANT_TSC)) |
                      if_bit(answers->extended8_ebx, 0, FEATURE_BIT(CLZERO));
    bool saves_ymm = (xcr0 & XCR0_AVX) == XCR0_AVX;
    if (!saves_ymm || !(answers->leaf1_ecx >> 28 & 1))
        return set;
    set |= FEATURE_BIT(AVX) | if_bit(answers->leaf7_ebx, 5, FEATURE_BIT(AVX2));
    /* Without AVX2 there is no AVX-512 that software may rely on. */
    if ((xcr0 & XCR0_AVX512) != XCR0_AVX512 || !(set & FEATURE_BIT(AVX2)) || !(answers->leaf7_ebx >> 16 & 1))
        return set;
    return set | FEATURE_BIT(AVX512F) | if_bit(answers->leaf7_ebx, 30, FEATURE_BIT(AVX512BW)) |
           if_bit(answers->leaf7_ebx, 31, FEATURE_BIT(AVX512VL));
}

static uint64_t read_xcr0(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static struct cpuid_answers ask(void)
{
    /* __get_cpuid checks the highest leaf and leaves its results alone where there is none. */
    struct cpuid_answers answers = {0};
    unsigned eax, ebx, ecx, edx;
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx)) {
        answers.leaf1_ecx = ecx;
        answers.leaf1_edx = edx;
    }
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) {
        answers.leaf7_ebx = ebx;
        answers.leaf7_edx = edx;
    }
    if (__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx))
        answers.extended1_edx = edx;
    if (__get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx))
        answers.extended7_edx = edx;
    if (__get_cpuid(0x80000008, &eax, &ebx, &ecx, &edx))
        answers.extended8_ebx = ebx;
    return answers;
}

feature_set features_usable(void)
{
    struct cpuid_answers answers = ask();
    return features_of(&answers, answers.leaf1_ecx & OSXSAVE ? read_xcr0() : 0);
}
