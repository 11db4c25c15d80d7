/* SPDX-License-Identifier: MIT */
#ifndef UARCHPROBE_X86_64_FEATURES_H
#define UARCHPROBE_X86_64_FEATURES_H

#include "machine/cpuid.h"
#include "uarchprobe/feature.h"

/* xcr0: register states that the operating system saves; 0 where OSXSAVE is not set. Pure, so that tests can replay other
 * CPUs. */
feature_set features_of(const struct cpuid_dump *dump, uint64_t xcr0);

#endif
