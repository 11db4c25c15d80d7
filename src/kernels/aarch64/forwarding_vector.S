/* SPDX-License-Identifier: MIT */
/* Store-to-load forwarding with vector registers and pairs of registers, and between kinds of registers.
 * Entry as in forwarding.S; the chain begins with y in the lowest 64 bits and zeros above. Where the store and
 * the load are of different kinds, the move that joins them is part of the chain. */
#include "../forwarding.h"

    .arch armv8-a

    .macro FORWARD_BEGIN
    fmov d0, x5
    movi v1.2d, #0
    mov x6, x5
    mov x7, #0
    .endm
    .macro FORWARD_END
    fmov x0, d0
    ret
    .endm

    .macro FA_16_16
    str q0, [x0]
    ldr q0, [x1]
    .endm
    .macro SAME_BASE_16_16
    str q0, [x0]
    ldr q0, [x0]
    .endm
    .macro FA_16_8
    str q0, [x0]
    ldr x6, [x1]
    fmov d0, x6
    .endm
    .macro FA_32_16
    stp q0, q1, [x0]
    ldr q0, [x1]
    .endm
    .macro FA_32_32
    stp q0, q1, [x0]
    ldp q0, q1, [x1]
    .endm

FORWARD forward_fa_16_16, 64, 8, FA_16_16
FORWARD forward_same_base_16_16, 64, 8, SAME_BASE_16_16
FORWARD forward_fa_16_8, 64, 12, FA_16_8
FORWARD forward_fa_32_16, 64, 8, FA_32_16
FORWARD forward_fa_32_32, 64, 8, FA_32_32

    .purgem FORWARD_END
    .macro FORWARD_END
    mov x0, x6
    ret
    .endm

    .macro FA_8_16
    str x6, [x0]
    ldr q0, [x1]
    fmov x6, d0
    .endm
    .macro SPLIT_16
    str x6, [x0]
    str x6, [x0, #8]
    ldr q0, [x1]
    fmov x6, d0
    .endm
    /* A pair of general registers, one instruction each way */
    .macro PAIR_16
    stp x6, x7, [x0]
    ldp x6, x7, [x1]
    .endm

FORWARD forward_fa_8_16, 64, 12, FA_8_16
FORWARD forward_split_8_16, 64, 16, SPLIT_16
FORWARD forward_pair_16_16, 64, 8, PAIR_16
