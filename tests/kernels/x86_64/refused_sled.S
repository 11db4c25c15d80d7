/* SPDX-License-Identifier: MIT */
/* Must not assemble: the unit is five bytes long and declared as four. */
#include "kernels/asm.h"

    .macro UNIT
    mov [rdi + 8], rsi
    nop
    .endm

    SLED refused, 16, 4, UNIT
