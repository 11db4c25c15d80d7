/* SPDX-License-Identifier: MIT */
/* Names by number. Pure. Hypervisors mask model numbers, but they cannot add what the core lacks: a row names
 * features that its core does not have, and a CPU that shows one of them is not that core. */
#ifndef MACHINE_CODENAME_H
#define MACHINE_CODENAME_H

#include <stdbool.h>

enum trait {
    TRAIT_AVX = 1,
    TRAIT_AVX2 = 2,
    TRAIT_AVX512F = 4,
    TRAIT_AMX = 8,
};

struct identity {
    const char *vendor; /* "GenuineIntel"; aarch64: implementer's name */
    int family, model, stepping;
    unsigned traits; /* what CPUID shows, usable or not */
};

/* NULL: not in the table. *contradicted: the CPU shows a feature that the core of this name does not have. */
const char *codename_x86(const struct identity *identity, bool *contradicted);
/* Implementer and part of MIDR_EL1; NULL: not in the table. */
const char *codename_arm(int implementer, int part);
const char *implementer_name(int implementer);
/* By the twelve bytes of CPUID 0x40000000; NULL: not in the table. */
const char *hypervisor_name(const char *signature);

#endif
