/* SPDX-License-Identifier: MIT */
/* CPUID is read here and not through libcpuid: 0.6.2 misses AVX-512 on AMD, and no version looks at XCR0. */
#include "machine/x86_64/features.h"

#include <cpuid.h>
#include <stdbool.h>
#include <stddef.h>

#define LEVEL_SSE2 (FEATURE_BIT(SSE2) | FEATURE_BIT(SSE4_1) | FEATURE_BIT(INVARIANT_TSC))
#define LEVEL_AVX2 (LEVEL_SSE2 | FEATURE_BIT(AVX) | FEATURE_BIT(AVX2))
#define LEVEL_AVX512 (LEVEL_AVX2 | FEATURE_BIT(AVX512F))

const struct isa_level isa_levels[] = {
    {"sse2", LEVEL_SSE2},
    {"avx2", LEVEL_AVX2},
    {"avx512", LEVEL_AVX512},
    {NULL, 0},
};

/* XCR0: SSE and AVX state; for AVX-512 also mask registers, upper halves of zmm0-15, all of zmm16-31. */
enum { XCR0_AVX = 0x06, XCR0_AVX512 = 0xe6, OSXSAVE = 1 << 27 };

/* Where CPUID shows a feature. */
static const struct {
    feature_set feature;
    bool extended; /* leaf 0x80000000 + leaf */
    int leaf, word, bit;
} rows[] = {
    {FEATURE_BIT(SSE2), false, 1, CPUID_EDX, 26},    {FEATURE_BIT(SSE4_1), false, 1, CPUID_ECX, 19},
    {FEATURE_BIT(AVX), false, 1, CPUID_ECX, 28},     {FEATURE_BIT(AVX2), false, 7, CPUID_EBX, 5},
    {FEATURE_BIT(AVX512F), false, 7, CPUID_EBX, 16}, {FEATURE_BIT(INVARIANT_TSC), true, 7, CPUID_EDX, 8},
};

enum { ROWS = sizeof rows / sizeof *rows };

feature_set features_of(const struct cpuid_dump *dump, uint64_t xcr0)
{
    feature_set set = 0;
    for (int i = 0; i < ROWS; i++) {
        const uint32_t(*leaf)[CPUID_REGISTERS] = rows[i].extended ? dump->extended : dump->basic;
        const uint32_t highest = leaf[0][CPUID_EAX] & 0xffff;
        if (highest >= (uint32_t)rows[i].leaf && leaf[rows[i].leaf][rows[i].word] >> rows[i].bit & 1)
            set |= rows[i].feature;
    }
    if ((xcr0 & XCR0_AVX) != XCR0_AVX || !(set & FEATURE_BIT(AVX)))
        return set & ~(FEATURE_BIT(AVX) | FEATURE_BIT(AVX2) | FEATURE_BIT(AVX512F));
    /* Without AVX2 there is no AVX-512 that software may rely on. */
    if ((xcr0 & XCR0_AVX512) != XCR0_AVX512 || !(set & FEATURE_BIT(AVX2)))
        return set & ~FEATURE_BIT(AVX512F);
    return set;
}

static uint64_t read_xcr0(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static void ask(uint32_t answer[CPUID_REGISTERS], uint32_t leaf)
{
    __cpuid_count(leaf, 0, answer[CPUID_EAX], answer[CPUID_EBX], answer[CPUID_ECX], answer[CPUID_EDX]);
}

/* Each leaf costs a guest an exit, so that only those of the rows are asked. */
feature_set features_usable(void)
{
    struct cpuid_dump dump = {0};
    ask(dump.basic[0], 0);
    ask(dump.extended[0], 0x80000000u);
    for (int i = 0; i < ROWS; i++)
        if (rows[i].extended)
            ask(dump.extended[rows[i].leaf], 0x80000000u + (uint32_t)rows[i].leaf);
        else
            ask(dump.basic[rows[i].leaf], (uint32_t)rows[i].leaf);
    return features_of(&dump, dump.basic[1][CPUID_ECX] & OSXSAVE ? read_xcr0() : 0);
}
