/* SPDX-License-Identifier: MIT */
/* What each operation does, in plain C. */
#pragma once

#include <stddef.h>

#include "uarchprobe/kernel.h"

/* OR of the elements, as kernel.h has it: elements wider than 64 bits fold to 64, narrower ones to
 * themselves. width: bytes of an element. */
uint64_t reference_or(const unsigned char *data, size_t bytes, size_t width);
uint64_t reference_power(uint64_t base, uint64_t exponent);
