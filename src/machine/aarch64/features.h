/* SPDX-License-Identifier: MIT */
/* What features_usable draws its conclusions from, apart from the conclusions, so that tests can replay other
 * CPUs. */
#ifndef UARCHPROBE_AARCH64_FEATURES_H
#define UARCHPROBE_AARCH64_FEATURES_H

#include "uarchprobe/feature.h"

/* AT_HWCAP and AT_HWCAP2 of the auxiliary vector. */
feature_set features_of(unsigned long hwcap);

#endif
