/* SPDX-License-Identifier: MIT */
/* Identity and features of the CPU. Family and model (x86) or implementer and part (aarch64) are the key
 * to its code name: libcpuid gives the name of the nearest of its rows, and does not say how near. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uarchprobe/status.h"

/* A feature is usable when the CPU has it AND the operating system saves its registers (x86: OSXSAVE and
 * XCR0; aarch64: hwcaps say both). */

/* One row a feature that a kernel or the clock needs: identifier, name in output and for --isa. Both ISAs
 * share one list, so that a set of features is one word everywhere; a feature of the other ISA is simply
 * never usable. */
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
    X(LRCPC, "lrcpc")                                                                                        \
    X(RDPID, "rdpid")                                                                                        \
    X(RDTSCP, "rdtscp")                                                                                      \
    X(ZERO_LINE, "zero_line") /* clzero, or dc zva of 64 bytes */

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

/* Features usable here, by CPU and operating system directly. */
feature_set features_usable(void);
const char *feature_name(enum feature feature);

/* An empty text is unknown. */
struct cpu {
    char arch[16];               /* "x86_64", "aarch64" */
    char vendor[32];             /* "GenuineIntel", "AuthenticAMD", "ARM", ... */
    char brand[96];              /* as the CPU or the kernel names it */
    char codename[64];           /* own table by vendor, family and model */
    char codename_note[160];     /* why there is none, or where it is from; or empty */
    char microcode[24];          /* "0xb00211a" */
    char hypervisor[32];         /* "KVM", "none" */
    int family, model, stepping; /* aarch64: implementer, part, variant << 4 | revision; -1: unknown */
    const char *core;            /* by which other tables know it: "Zen 4", or CPU_CORE_AMX; NULL: unknown, or
                                    cores of two kinds share the number (cpu_core knows) */
    bool emulated;               /* instructions are translated by a program, so no time is a CPU's */
    feature_set features;        /* usable ones */
};

/* Of a masked number in a CPU that shows AMX. */
#define CPU_CORE_AMX "Golden, Raptor or Redwood Cove"

/* True too where it is unknown. */
bool cpu_may_be_guest(const struct cpu *cpu);
/* Values that cannot be found out stay unknown. */
void cpu_identify_host(struct cpu *cpu);
/* The core of the CPU that the calling thread runs on, where *cpu is this machine's and its cores differ;
 * else *cpu's. */
const char *cpu_core(const struct cpu *cpu);
/* Core n, from 0, of those that the x86 model numbers of a vendor name. A core of several numbers comes
 * several times. NULL: no more. */
const char *cpu_vendor_core(const char *vendor, size_t n);
/* One answer of CPUID, named as in libcpuid's dumps: "basic_cpuid[0]", "00000024 756e6547 6c65746e
 * 49656e69". */
typedef void cpu_answer(void *context, const char *name, const char *registers);
/* All of them; fault where there is no CPUID. */
enum status cpu_dump_raw(cpu_answer *add, void *context, struct fault *fault);
struct topology;
/* The first CPU of a dump, and all of them in *topology, freed by topology_free; features: where the
 * system saves all registers. Fault: STATUS_USAGE. */
enum status cpu_replay(const char *path, struct cpu *cpu, struct topology **topology, struct fault *fault);
/* Version of libcpuid built against, or NULL. */
const char *cpu_library_version(void);
