/* SPDX-License-Identifier: MIT */
/* How far execution runs ahead of a load that misses: a sled of fillers between two chains of loads, independent of each
 * other. While all of it fits into the core, both chains wait for memory at the same time.
 *
 * window_*: x0 = a, two pointers; x1 = b, a place to load from; x2 = n fillers; x3 = m iterations; x4 = x links of each
 * chain. See OPERATION_WINDOW in kernel.h. Between the first load and the first of the second chain stand n fillers, x - 1
 * loads and two jumps. */
#include "../asm.h"

    .arch armv8-a
    .set FILLERS, 1024
    .set LINKS_MOST, 16

    /* Registers in turn, so that none waits for the one before. x14 and x15 are 0, Z is set. */
    .macro TURN of
    .set turn, (turn + 1) % \of
    .endm

    .macro INTEGER
    .if turn == 0
    add x9, x14, x15
    .elseif turn == 1
    add x10, x14, x15
    .elseif turn == 2
    add x11, x14, x15
    .else
    add x12, x14, x15
    .endif
    TURN 4
    .endm

    .macro VECTOR
    .if turn == 0
    dup v2.4s, v1.s[0]
    .elseif turn == 1
    dup v3.4s, v1.s[0]
    .elseif turn == 2
    dup v4.4s, v1.s[0]
    .else
    dup v5.4s, v1.s[0]
    .endif
    TURN 4
    .endm

    /* A third of each. */
    .macro MIXED
    .if turn == 0
    add x9, x14, x15
    .elseif turn == 1
    dup v2.4s, v1.s[0]
    .else
    tst x14, x15
    .endif
    TURN 3
    .endm

    .macro WINDOW name, body:vararg
FUNCTION \name
    cbz x3, 9f
    SLED_TARGET \name, x2, 4, x8
    adr x16, 3f
    adr x17, 4f
    sub x16, x16, x4, lsl #2
    sub x17, x17, x4, lsl #2
    ldp x5, x6, [x0]
    movi v1.4s, #0
    mov x14, #0
    mov x15, #0
    .p2align 6
2:
    isb
    tst x14, x15
    br x16
    .rept LINKS_MOST
    ldr x5, [x5]
    .endr
3:
    br x8
    .set turn, 0
    SLED \name, FILLERS, 4, \body
    br x17
    .rept LINKS_MOST
    ldr x6, [x6]
    .endr
4:
    subs x3, x3, #1
    b.ne 2b
    stp x5, x6, [x0]
9:
    mov x0, #0
    ret
ENDFUNC \name
    .endm

    WINDOW window_nops, nop
    WINDOW window_integers, INTEGER
    WINDOW window_vectors, VECTOR
    WINDOW window_flags, tst x14, x15
    WINDOW window_loads, ldr xzr, [x1]
    WINDOW window_branches, b.ne .+4
    WINDOW window_mixed, MIXED

    /* A line each: calls the next unit, returns. */
    .macro NEST
    str x30, [sp, #-16]!
    bl .+60
    ldr x30, [sp], #16
    ret
    .rept 12
    nop
    .endr
    .endm

    /* x2 = n calls within each other, x3 = m iterations. The end of the sled is the innermost of them. */
FUNCTION call_depth
    str x30, [sp, #-16]!
    sub x2, x2, #1
    SLED_TARGET call_depth, x2, 64, x9
    .p2align 6
2:
    blr x9
    subs x3, x3, #1
    b.ne 2b
    ldr x30, [sp], #16
    mov x0, #0
    ret
    .p2align 6
    SLED call_depth, 128, 64, NEST
    ret
ENDFUNC call_depth
