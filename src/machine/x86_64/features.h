/* SPDX-License-Identifier: MIT */
/* What features_usable draws its conclusions from, apart from the conclusions, so that tests can replay other
 * CPUs. */
#ifndef UARCHPROBE_X86_64_FEATURES_H
#define UARCHPROBE_X86_64_FEATURES_H

#include <stdint.h>

#include "uarchprobe/feature.h"

/* Registers of the CPUID leaves, all zero where the CPU has no such leaf. */
struct cpuid_answers {
    uint32_t leaf1_ecx, leaf1_edx;
    uint32_t leaf7_ebx, leaf7_edx; /* subleaf 0 */
    uint32_t extended1_edx;        /* 0x80000001 */
    uint32_t extended7_edx;        /* 0x80000007 */
    uint32_t extended8_ebx;        /* 0x80000008 */
};

/* xcr0: register states that the operating system saves; 0 where OSXSAVE is not set. */
feature_set features_of(const struct cpuid_answers *answers, uint64_t xcr0);

#endif
