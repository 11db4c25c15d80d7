/* SPDX-License-Identifier: MIT */
/* CPUID as a table of answers: read through any function that answers, named as in libcpuid's
 * dumps. Pure, and the same on every ISA, so that tests can replay a dump anywhere. */
#ifndef MACHINE_CPUID_H
#define MACHINE_CPUID_H

#include <stdbool.h>
#include <stdint.h>

enum { CPUID_EAX, CPUID_EBX, CPUID_ECX, CPUID_EDX, CPUID_REGISTERS };

struct cpuid_dump {
    uint32_t basic[32][CPUID_REGISTERS], extended[32][CPUID_REGISTERS]; /* from leaf 0 and 0x80000000 */
    /* Leaves that answer by subleaf. */
    uint32_t caches[8][CPUID_REGISTERS], topology[4][CPUID_REGISTERS], sgx[4][CPUID_REGISTERS],
        trace[4][CPUID_REGISTERS], amd_caches[4][CPUID_REGISTERS];
};

typedef void cpuid_ask(uint32_t leaf, uint32_t subleaf, uint32_t answer[CPUID_REGISTERS]);

void cpuid_read(struct cpuid_dump *dump, cpuid_ask *ask);
void cpuid_answers(const struct cpuid_dump *dump,
                   void (*add)(void *context, const char *name, const char *registers), void *context);
/* CPUID says that a hypervisor is there. */
bool cpuid_in_guest(const struct cpuid_dump *dump);

#endif
