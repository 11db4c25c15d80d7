/* SPDX-License-Identifier: MIT */
/* Names of the features and levels of both ISAs. */
#include "uarchprobe/cpu.h"

#include <stddef.h>

#define LEVEL_SSE2                                                                                           \
    (FEATURE_BIT(SSE2) | FEATURE_BIT(SSE4_1) | FEATURE_BIT(INVARIANT_TSC) | FEATURE_BIT(RDPID) |             \
     FEATURE_BIT(RDTSCP) | FEATURE_BIT(ZERO_LINE))
#define LEVEL_AVX2 (LEVEL_SSE2 | FEATURE_BIT(AVX) | FEATURE_BIT(AVX2))
#define LEVEL_AVX512 (LEVEL_AVX2 | FEATURE_BIT(AVX512F))
#define LEVEL_NEON (FEATURE_BIT(ASIMD) | FEATURE_BIT(LSE) | FEATURE_BIT(LRCPC) | FEATURE_BIT(ZERO_LINE))
#define LEVEL_SVE (LEVEL_NEON | FEATURE_BIT(SVE))

const struct isa_level isa_levels_x86[] = {
    {"sse2", LEVEL_SSE2}, {"avx2", LEVEL_AVX2}, {"avx512", LEVEL_AVX512}, {NULL, 0}};

const struct isa_level isa_levels_arm[] = {{"neon", LEVEL_NEON}, {"sve", LEVEL_SVE}, {NULL, 0}};

const char *feature_name(enum feature feature)
{
    static const char *const names[] = {
#define X(id, name) [FEATURE_##id] = (name),
        FEATURE_LIST(X)
#undef X
    };
    return names[feature];
}
