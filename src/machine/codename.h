/* SPDX-License-Identifier: MIT */
/* Names by number. Pure. Hypervisors mask model numbers, but they cannot add what the core lacks: a row names
 * features that its core does not have, and a CPU that shows one of them is not that core. */
#ifndef MACHINE_CODENAME_H
#define MACHINE_CODENAME_H

#include <stdbool.h>
#include <stdint.h>

enum trait {
    TRAIT_AVX = 1,
    TRAIT_AVX2 = 2,
    TRAIT_AVX512F = 4,
    TRAIT_AMX = 8,
};

struct identity {
    const char *vendor; /* "GenuineIntel" */
    int family, model, stepping;
    unsigned traits; /* what CPUID shows, usable or not */
};

struct codename {
    const char *name, *core; /* core: NULL where the number does not say */
};

/* NULL: not in the table. *contradicted: the CPU shows a feature that the core of this name does not have. */
const struct codename *codename_x86(const struct identity *identity, bool *contradicted);
/* Implementer and part of MIDR_EL1; NULL: not in the table. */
const struct codename *codename_arm(int implementer, int part);
/* By EAX of CPUID leaf 0x1a, where cores of two kinds share a model number; NULL: not in the table. */
const char *codename_hybrid(uint32_t kind);
const char *implementer_name(int implementer);
/* By the twelve bytes of CPUID 0x40000000; NULL: not in the table. */
const char *hypervisor_name(const char *signature);

#endif
