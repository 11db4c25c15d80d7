/* SPDX-License-Identifier: MIT */
/* Who the CPU is. libcpuid's code name is wrong in guests, so it is a hint and never a key: family
 * and model (x86) or implementer and part (aarch64) are the key. */
#ifndef UARCHPROBE_CPU_H
#define UARCHPROBE_CPU_H

#include <stdbool.h>

#include "uarchprobe/feature.h"
#include "uarchprobe/status.h"

struct cpu {
    char arch[16];           /* "x86_64", "aarch64" */
    char vendor[32];         /* "GenuineIntel", "AuthenticAMD", "ARM", ...; empty: unknown */
    char brand[96];          /* as the CPU or the kernel names it; empty: unknown */
    char codename[64];       /* own table by vendor, family and model; empty: unknown */
    char codename_note[160]; /* why the code name is not to be had, or from where it is; empty: nothing to say
                              */
    char libcpuid_codename[64];  /* what libcpuid says, a hint where the own table has nothing; or empty */
    char microcode[24];          /* "0xb00211a"; empty: unknown */
    char hypervisor[32];         /* "KVM", "none"; empty: unknown */
    int family, model, stepping; /* aarch64: implementer, part, variant << 4 | revision; -1: unknown */
    const char
        *core; /* by which other tables know it: "Zen 4", or CPU_CORE_AMX; NULL: unknown, or several share
                                    the number (cpu_core knows) */
    bool model_masked;    /* x86: it shows features that the core of this model number lacks */
    bool shows_amx;       /* CPUID shows AMX, usable or not */
    bool emulated;        /* instructions are translated by a program, so no time is a CPU's */
    feature_set features; /* usable ones */
};

/* Of a masked number in a CPU that shows AMX. */
#define CPU_CORE_AMX "Golden, Raptor or Redwood Cove"

/* True too where it is unknown. */
bool cpu_may_be_guest(const struct cpu *cpu);
/* Fills *cpu. Call once, before any pinning (libcpuid may move the thread). What cannot be found out stays
 * unknown; it never fails for lack of information. */
void cpu_identify_host(struct cpu *cpu);
/* The core of the CPU that the calling thread runs on, where *cpu is of this machine and its cores differ; else that of *cpu. */
const char *cpu_core(const struct cpu *cpu);
/* One answer of CPUID, named as in libcpuid's dumps: "basic_cpuid[0]", "00000024 756e6547 6c65746e 49656e69". */
typedef void cpu_answer(void *context, const char *name, const char *registers);
/* All of them, for bug reports; fault where there is no CPUID. */
enum status cpu_dump_raw(cpu_answer *add, void *context, struct fault *fault);
/* Version of libcpuid built against, or NULL. */
const char *cpu_library_version(void);

#endif
