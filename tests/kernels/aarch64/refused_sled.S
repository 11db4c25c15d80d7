/* SPDX-License-Identifier: MIT */
/* Must not assemble: the unit is eight bytes long and declared as four. */
#include "kernels/asm.h"

    .macro UNIT
    str x1, [x0, #8]
    nop
    .endm

    SLED refused, 16, 4, UNIT
