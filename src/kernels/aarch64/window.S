/* SPDX-License-Identifier: MIT */
/* How far execution runs ahead of a load that misses: a sled of fillers between two chains of loads, independent of each
 * other. While all of it fits into the core, both chains wait for memory at the same time.
 *
 * window_*: x0 = a, two pointers; x1 = b, a place to load from; x2 = n fillers; x3 = m iterations; x4 = x links of each
 * chain. See OPERATION_WINDOW in kernel.h. Between the first load and the first of the second chain stand n fillers, x - 1
 * loads and two jumps. The barrier stands behind the second chain, so that cores that take instructions in groups have no
 * others to take with its last load. window_*_2, window_*_3: another instruction that takes the same. */
#include "../asm.h"

    .arch armv8-a
    .set FILLERS, 1024
    .set SHARERS, 1400 /* of which four may share an entry */
    .set LINKS_MOST, 16

    /* A third of each. */
    .macro MIXED third:vararg
    .if turn == 0
    add x9, x14, x15
    .elseif turn == 1
    dup v2.4s, v1.s[0]
    .else
    \third
    .endif
    .set turn, (turn + 1) % 3
    .endm

    /* Flags, and an instruction that writes none: neighbours that both write flags may share a register of
     * these. */
    .macro APART body:vararg
    cmp x14, x15
    \body
    .endm

    /* To the next unit of 16 bytes, so that predictors have few jumps in a line. */
    .macro JUMP body:vararg
    \body
    .rept 3
    nop
    .endr
    .endm

    /* A branch, and an instruction that takes nothing but an entry of the reorder buffer. */
    .macro SPACED
    b.ne .+4
    mov x9, #0
    .endm

    /* x14 and x15 are 0, Z is set, x7 is where the first chain loads. */
    .macro WINDOW name, bytes, body:vararg
    WINDOW_OF \name, FILLERS, \bytes, \body
    .endm

    .macro WINDOW_OF name, units, bytes, body:vararg
FUNCTION \name
    cbz x3, 9f
    SLED_TARGET \name, x2, \bytes, x8
    adr x16, 3f
    adr x17, 4f
    sub x16, x16, x4, lsl #2
    sub x17, x17, x4, lsl #2
    ldp x5, x6, [x0]
    movi v1.4s, #0
    mov x14, #0
    mov x15, #0
    isb
    .p2align 6
2:
    mov x7, x5
    tst x14, x15
    br x16
    .rept LINKS_MOST
    ldr x5, [x5]
    .endr
3:
    br x8
    .set turn, 0
    SLED \name, \units, \bytes, \body
    br x17
    .rept LINKS_MOST
    ldr x6, [x6]
    .endr
4:
    isb
    subs x3, x3, #1
    b.ne 2b
    stp x5, x6, [x0]
9:
    mov x0, #0
    ret
ENDFUNC \name
    .endm

    WINDOW_OF window_nops, SHARERS, 4, nop
    WINDOW_OF window_zeros, SHARERS, 4, mov x9, #0
    WINDOW window_mixed, 4, MIXED tst x14, x15
    WINDOW window_mixed_2, 4, MIXED b.ne .+4
    WINDOW window_branches, 4, b.ne .+4
    WINDOW window_branches_2, 8, SPACED
    WINDOW window_jumps, 16, JUMP b .+16
    WINDOW window_jumps_2, 16, JUMP b.eq .+16
    WINDOW window_integers, 4, add x9, x14, x15
    WINDOW window_integers_2, 4, eor x9, x14, x15
    WINDOW window_vectors, 4, dup v2.4s, v1.s[0]
    WINDOW window_vectors_2, 4, scvtf v2.4s, v1.4s
    WINDOW window_flags, 4, tst x14, x15
    WINDOW window_flags_2, 4, cmp x14, x15
    WINDOW window_flags_apart, 8, APART dup v2.4s, v1.s[0]
    WINDOW window_flags_apart_2, 8, APART add x9, x14, x15
    WINDOW window_loads, 4, ldr x9, [x1]
    WINDOW window_loads_2, 4, ldr xzr, [x1]
    WINDOW window_loads_3, 4, ldr d2, [x1]
    WINDOW window_waiting, 4, ldr x9, [x7, #8]
    WINDOW window_waiting_2, 4, ldr xzr, [x7, #8]
    WINDOW window_waiting_3, 4, ldr d2, [x7, #8]

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
