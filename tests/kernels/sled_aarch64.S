/* SPDX-License-Identifier: MIT */
/* A sled that counts the units it runs: x2 = n. */
#include "kernels/asm.h"

    .macro COUNT_UNIT
    add x0, x0, #1
    .endm

FUNCTION count_units
    mov x0, #0
    SLED_TARGET count_units, x2, 4, x16
    SLED_GO x16
    SLED count_units, 100, 4, COUNT_UNIT
    ret
ENDFUNC count_units
