/* SPDX-License-Identifier: MIT */
#include "kernels/asm.h"

    .arch armv8-a

    /* Offsets into struct checked_call. */
    .set RESULT, 56
    .set LOST, 64

    /* The value that register number n is given: n in every byte, and never what a kernel computes. */
    .macro VALUE into, n
    mov \into, #0x0101010101010101
    mov x17, #(\n + 0x80)
    mul \into, \into, x17
    .endm

    .macro SET n
    VALUE x\n, \n
    .endm
    .macro SET_D n
    VALUE x16, \n
    fmov d\n, x16
    .endm

    .macro COMPARE register, n, bit
    VALUE x16, \n
    cmp \register, x16
    b.eq 1f
    orr x15, x15, #(1 << \bit)
1:
    .endm
    .macro CHECK n, bit
    COMPARE x\n, \n, \bit
    .endm
    .macro CHECK_D n, bit
    fmov x14, d\n
    COMPARE x14, \n, \bit
    .endm

FUNCTION checked_call
    stp x29, x30, [sp, #-192]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    stp x0, x18, [sp, #160]
    .irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28
    SET \n
    .endr
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15
    SET_D \n
    .endr
    mov x8, x0
    ldr x9, [x8]
    ldp x0, x1, [x8, #8]
    ldp x2, x3, [x8, #24]
    ldp x4, x5, [x8, #40]
    blr x9
    ldp x13, x12, [sp, #160]
    str x0, [x13, #RESULT]
    mov x15, #0
    .irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28
    CHECK \n, (\n-19)
    .endr
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15
    CHECK_D \n, (\n+2)
    .endr
    cmp x12, x18
    b.eq 2f
    orr x15, x15, #(1 << 18)
2:
    str x15, [x13, #LOST]
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    ldp x29, x30, [sp], #192
    ret
ENDFUNC checked_call
