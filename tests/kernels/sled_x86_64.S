/* SPDX-License-Identifier: MIT */
/* A sled that counts the units it runs: rdx = n. */
#include "kernels/asm.h"

    .macro COUNT_UNIT
    inc rax
    nop
    .endm

FUNCTION count_units
    xor eax, eax
    SLED_TARGET count_units, rdx, 4, r11
    SLED_GO r11
    SLED count_units, 100, 4, COUNT_UNIT
    ret
ENDFUNC count_units
