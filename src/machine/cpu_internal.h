/* SPDX-License-Identifier: MIT */
/* Identity and features of a CPU, from CPUID's leaves or MIDR_EL1. Pure, so that the dump of another CPU
 * replays on any host. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uarchprobe/cpu.h"
#include "uarchprobe/topology.h"

#ifdef WITH_LIBCPUID
#include <libcpuid.h>
#else
/* The table of libcpuid, which has no version for this ISA here. */
enum { EAX, EBX, ECX, EDX, NUM_REGS };
struct cpu_raw_data_t {
    uint32_t basic_cpuid[32][NUM_REGS], ext_cpuid[32][NUM_REGS]; /* from leaf 0 and 0x80000000 */
    uint32_t intel_fn4[8][NUM_REGS], intel_fn11[4][NUM_REGS], intel_fn12h[4][NUM_REGS],
        intel_fn14h[4][NUM_REGS], amd_fn8000001dh[4][NUM_REGS]; /* by subleaf */
};
#endif

/* Calls `add` with each answer, named as in libcpuid's dumps. */
void cpuid_list(const struct cpu_raw_data_t *raw, cpu_answer *add, void *context);
/* One CPU of a dump, as far as its lines were read. */
struct dumped_cpu {
    int id;
    struct cpu_raw_data_t raw;
    uint32_t amd_core[NUM_REGS]; /* leaf 0x80000026, subleaf 0, which libcpuid keeps from 0.7.0 on only */
    uint64_t leaves;             /* bit n: leaf n was read, bit 32 + n: leaf 0x80000000 + n */
    unsigned char rows[8];       /* of each leaf by subleaf, so many were read */
};
/* Puts the answer that a line of a dump holds in its place: "basic_cpuid[1]=000a0671 00020800 7ffa3203
 * 1f8bfbff", the same in a table or JSON of `info --raw`, or "CPUID 00000001: 000A0671-... [SL 00]". Of
 * rows without a number the nth of a leaf is subleaf n. False: the line holds none. */
bool cpuid_scan(struct dumped_cpu *cpu, const char *line);
/* CPUID says that a hypervisor is there. */
bool cpuid_in_guest(const struct cpu_raw_data_t *raw);
/* Features usable where the operating system saves the register states of xcr0. */
feature_set cpuid_features(const struct cpu_raw_data_t *raw, uint64_t xcr0);
/* The operating system saves register states: XCR0 can be read. */
bool cpuid_saves_state(const struct cpu_raw_data_t *raw);

/* CPUID shows features, usable or not, and this trait. Hypervisors mask model numbers, but cannot add a
 * feature that the core lacks: a row of data/codenames.def names those, and a CPU that shows one of them is
 * not that core. */
#define TRAIT_AMX ((feature_set)1 << FEATURE_COUNT)
struct codename {
    const char *name, *core; /* core: NULL where the number does not say */
};
/* Names by number; NULL: not in the table. *contradicted: the CPU shows a feature that the core of this
 * name does not have. */
const struct codename *codename_x86(const struct cpu *cpu, feature_set traits, bool *contradicted);
const struct codename *codename_arm(int implementer, int part);
/* The core of an Intel CPU whose model number has several: by the hybrid bit and by type and number (EAX
 * of CPUID leaf 0x1a). */
const char *codename_core(const struct cpu *cpu, bool hybrid, uint32_t kind);
const char *implementer_name(int number);
/* By the twelve bytes of CPUID 0x40000000. */
const char *hypervisor_name(const char *signature);

/* Vendor, brand, numbers, code name and "none" for the hypervisor where CPUID says that there is none. A
 * name that *cpu has for the hypervisor already is kept, and counts. */
void cpu_identify_cpuid(const struct cpu_raw_data_t *raw, struct cpu *cpu);
/* Code name and its note from the numbers in *cpu and from the features shown. */
void cpu_name_x86(struct cpu *cpu, feature_set traits);
/* The core that answered `raw`: *cpu's, or one of those that share its model number. NULL: unknown. */
const char *cpu_core_of(const struct cpu *cpu, const struct cpu_raw_data_t *raw);
/* By what cores of one kind are equal and others are not: EAX of leaf 0x1a (Intel), type and model of leaf
 * 0x80000026 (AMD), beyond 32 bits. 0: the CPU does not say, as all but hybrids. */
uint64_t cpuid_core_number(const struct cpu_raw_data_t *raw, const uint32_t *amd_core);
/* The name of such a core of *cpu; NULL: unknown. */
const char *cpu_number_name(const struct cpu *cpu, uint64_t number);
/* Splits MIDR_EL1; an implementer of 0 is a mask, not a number, and so is the part that Apple's guests
 * show. */
void cpu_identify_midr(uint64_t midr, struct cpu *cpu);
/* The CPUs of a dump, their caches and kinds, all of which another system may number otherwise; freed by
 * topology_free. */
struct topology *dump_topology(const struct cpu *cpu, const struct dumped_cpu *dumped, int count);
