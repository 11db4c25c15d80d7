/* SPDX-License-Identifier: MIT */
#ifndef MACHINE_CPU_INTERNAL_H
#define MACHINE_CPU_INTERNAL_H

#include <stdint.h>

#include "machine/codename.h"
#include "uarchprobe/cpu.h"

struct cpuid_dump;
/* Vendor, brand, numbers, code name and "none" for the hypervisor where CPUID says that there is none. A name that *cpu
 * has for the hypervisor already is kept, and counts. */
void cpu_identify_cpuid(const struct cpuid_dump *dump, struct cpu *cpu);
/* Without the blanks at its ends. */
void cpu_set_text(char *out, size_t size, const char *text);
/* Code name and its note from the numbers in *cpu and from what the CPU shows. Pure. */
void cpu_name_x86(struct cpu *cpu, unsigned traits);
/* Splits MIDR_EL1; an implementer of 0 is a mask, not a number, and so is the part that Apple's guests show. Pure. */
void cpu_name_arm(struct cpu *cpu, uint64_t midr);

#endif
