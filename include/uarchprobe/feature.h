/* SPDX-License-Identifier: MIT */
/* CPU features. A feature is usable when the CPU has it AND the operating system saves
 * its registers (x86: OSXSAVE and XCR0; aarch64: hwcaps say both). */
#pragma once

#include <stdint.h>

/* One row a feature that a kernel or the clock needs: identifier, name in output and for --isa. Both ISAs share one list, so that a set of
 * features is one word everywhere; a feature of the other ISA is simply never usable. */
#define FEATURE_LIST(X)                                                                                      \
    X(SSE2, "sse2")                                                                                          \
    X(SSE4_1, "sse4.1")                                                                                      \
    X(AVX, "avx")                                                                                            \
    X(AVX2, "avx2")                                                                                          \
    X(AVX512F, "avx512f")                                                                                    \
    X(INVARIANT_TSC, "invariant_tsc")                                                                        \
    X(ASIMD, "asimd")                                                                                        \
    X(SVE, "sve")                                                                                            \
    X(LSE, "lse")                                                                                            \
    X(LRCPC, "lrcpc")

enum feature {
#define X(id, name) FEATURE_##id,
    FEATURE_LIST(X)
#undef X
        FEATURE_COUNT
};

typedef uint64_t feature_set;
#define FEATURE_BIT(id) ((feature_set)1 << FEATURE_##id)

/* A level that --isa caps at: every level includes those before it in its ISA's list. */
struct isa_level {
    const char *name;     /* "sse2", "avx2", "avx512", "neon", "sve" */
    feature_set features; /* all that a kernel of this level may need */
};

/* Ascending, ended by a NULL name; isa_levels: those of this ISA. */
extern const struct isa_level isa_levels_x86[], isa_levels_arm[], *const isa_levels;

/* What can be used here, asked of CPU and operating system directly. */
feature_set features_usable(void);
const char *feature_name(enum feature feature);
