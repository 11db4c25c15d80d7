/* SPDX-License-Identifier: MIT */
/* The hwcaps say what the CPU has and the operating system supports, both at once. */
#include "machine/aarch64/features.h"

#include <asm/hwcap.h>
#include <stddef.h>
#include <sys/auxv.h>

#define LEVEL_NEON (FEATURE_BIT(ASIMD) | FEATURE_BIT(LSE) | FEATURE_BIT(LRCPC))
#define LEVEL_SVE (LEVEL_NEON | FEATURE_BIT(SVE))

const struct isa_level isa_levels[] = {
    {"neon", LEVEL_NEON},
    {"sve", LEVEL_SVE},
    {NULL, 0},
};

static feature_set if_set(unsigned long word, unsigned long mask, feature_set feature)
{
    return word & mask ? feature : 0;
}

feature_set features_of(unsigned long hwcap)
{
    return if_set(hwcap, HWCAP_ASIMD, FEATURE_BIT(ASIMD)) | if_set(hwcap, HWCAP_SVE, FEATURE_BIT(SVE)) |
           if_set(hwcap, HWCAP_ATOMICS, FEATURE_BIT(LSE)) | if_set(hwcap, HWCAP_LRCPC, FEATURE_BIT(LRCPC));
}

feature_set features_usable(void)
{
    return features_of(getauxval(AT_HWCAP));
}
