/* SPDX-License-Identifier: MIT */
/* Branches whose ways both lead to the next instruction. branch_*: x0 = a, words of 32 bits; x3 = m words. See
 * OPERATION_BRANCH in kernel.h. */
#include "../asm.h"

    .arch armv8-a
    .set BITS, 32

    /* By a bit of the word in w5. */
    .macro READY
    tbz w5, #bit, .+4
    .set bit, bit + 1
    .endm

    /* By that of w6, made by the instructions before. */
    .macro LOADED
    ldr w6, [x0]
    tbz w6, #bit, .+4
    .set bit, bit + 1
    .endm

    .macro MULTIPLIED
    mul w6, w5, w7
    mul w6, w6, w7
    mul w6, w6, w7
    tbz w6, #bit, .+4
    .set bit, bit + 1
    .endm

    /* The next word comes early: it would delay the first branches behind a mispredicted one. */
    .macro WORD
    mov w5, w8
    ldr w8, [x0, #4]
    .endm

    .macro BRANCHES name, body:vararg
FUNCTION \name
    mov w7, #1
    ldr w8, [x0]
    .p2align 6
2:
    WORD
    .set bit, 0
    .rept BITS
    \body
    .endr
    add x0, x0, #4
    subs x3, x3, #1
    b.ne 2b
    mov x0, #0
    ret
ENDFUNC \name
    .endm

    BRANCHES branch_ready, READY
    BRANCHES branch_loaded, LOADED
    BRANCHES branch_multiplied, MULTIPLIED

    /* One place for all bits, and no second branch that a predictor must know but the loop's. */
FUNCTION branch_loop
    lsl x3, x3, #5
    mov x4, #0
    .p2align 6
2:
    lsr x6, x4, #5
    ldr w5, [x0, x6, lsl #2]
    lsr w5, w5, w4
    tbz w5, #0, .+4
    add x4, x4, #1
    cmp x4, x3
    b.lo 2b
    mov x0, #0
    ret
ENDFUNC branch_loop

    /* A line each, with two places to call the next unit from: odd iterations take one, even ones the other. */
    .macro NEST_TWICE
    str x30, [sp, #-16]!
    tbz w3, #0, .+16
    bl .+56
    ldr x30, [sp], #16
    ret
    bl .+44
    ldr x30, [sp], #16
    ret
    .rept 8
    nop
    .endr
    .endm

    /* x2 = n calls within each other, x3 = m iterations. The end of the sled is the innermost of them. */
FUNCTION call_depth_twice
    str x30, [sp, #-16]!
    sub x2, x2, #1
    SLED_TARGET call_depth_twice, x2, 64, x9
    .p2align 6
2:
    blr x9
    subs x3, x3, #1
    b.ne 2b
    ldr x30, [sp], #16
    mov x0, #0
    ret
    .p2align 6
    SLED call_depth_twice, 128, 64, NEST_TWICE
    ret
ENDFUNC call_depth_twice
