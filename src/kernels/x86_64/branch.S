/* SPDX-License-Identifier: MIT */
/* Branches whose ways both lead to the next instruction. branch_*: rdi = a, words of 32 bits; rcx = m words. See
 * OPERATION_BRANCH in kernel.h. No comparison and jump cross or end on 32 bytes: cores from Skylake to
 * Cascade Lake would fetch that jump anew each time. */
#include "../asm.h"

    .set BITS, 32

    /* By a bit of the word in eax. */
    .macro READY
    .byte 0xa9 /* test eax, 1 << bit, for any bit with four bytes */
    .long 1 << bit
    .byte 0x74, 0
    nop
    .set bit, bit + 1
    .endm

    /* By that of edx, made by the instructions before. */
    .macro MADE
    .byte 0xf7, 0xc2
    .long 1 << bit
    .byte 0x74, 0
    .set bit, bit + 1
    .endm

    .macro LOADED
    mov edx, [rdi]
    MADE
    .byte 0x66, 0x0f, 0x1f, 0x44, 0, 0 /* a no-operation */
    .endm

    .macro MULTIPLIED
    imul edx, eax, 1
    imul edx, edx, 1
    imul edx, edx, 1
    MADE
    .byte 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
    .byte 0x0f, 0x1f, 0x80, 0, 0, 0, 0
    .endm

    /* The next word comes early: it would delay the first branches behind a mispredicted one. */
    .macro WORD
    mov eax, r8d
    mov r8d, [rdi + 4]
    nop
    .endm

    .macro BRANCHES name, body:vararg
FUNCTION \name
    mov r8d, [rdi]
    .p2align 6
2:
    WORD
    .set bit, 0
    .rept BITS
    \body
    .endr
    add rdi, 4
    dec rcx
    jnz 2b
    xor eax, eax
    ret
ENDFUNC \name
    .endm

    BRANCHES branch_ready, READY
    BRANCHES branch_loaded, LOADED
    BRANCHES branch_multiplied, MULTIPLIED

    /* One place for all bits, and no second branch that a predictor must know but the loop's. */
FUNCTION branch_loop
    shl rcx, 5
    xor esi, esi
    .p2align 6
2:
    mov edx, esi
    shr edx, 5
    mov eax, [rdi + 4 * rdx]
    bt eax, esi
    .byte 0x73, 0 /* jnc */
    inc rsi
    cmp rsi, rcx
    jb 2b
    xor eax, eax
    ret
ENDFUNC branch_loop

    /* A line each, with two places to call the next unit from: odd iterations take one, even ones the other. */
    .macro NEST_TWICE
    test cl, 1
    .byte 0x74, 6
    .byte 0xe8 /* call */
    .long 54
    ret
    .byte 0xe8
    .long 48
    ret
    .rept 47
    nop
    .endr
    .endm

    /* rdx = n calls within each other, rcx = m iterations. The end of the sled is the innermost of them. */
FUNCTION call_depth_twice
    dec rdx
    SLED_TARGET call_depth_twice, rdx, 64, rax
    .p2align 6
2:
    notrack call rax
    dec rcx
    jnz 2b
    xor eax, eax
    ret
    .p2align 6
    SLED call_depth_twice, 128, 64, NEST_TWICE
    ret
ENDFUNC call_depth_twice
