/* SPDX-License-Identifier: MIT */
/* How far execution runs ahead of a load that misses: a sled of fillers between two chains of loads, independent of each
 * other. While all of it fits into the core, both chains wait for memory at the same time.
 *
 * window_*: rdi = a, two pointers; rsi = b, a place to load from; rdx = n fillers; rcx = m iterations; r8 = x links of each
 * chain. See OPERATION_WINDOW in kernel.h. Between the first load and the first of the second chain stand n fillers, x - 1
 * loads and two jumps. */
#include "../asm.h"

    .set FILLERS, 1024
    .set LINKS_MOST, 16

    /* Registers in turn, so that none waits for the one before. r14 and r15 are 0, CF is clear. */
    .macro TURN of
    .set turn, (turn + 1) % \of
    .endm

    .macro INTEGER
    .if turn == 0
    lea r8, [r14 + r15]
    .elseif turn == 1
    lea r9, [r14 + r15]
    .elseif turn == 2
    lea r10, [r14 + r15]
    .else
    lea r11, [r14 + r15]
    .endif
    TURN 4
    .endm

    .macro VECTOR
    .if turn == 0
    pshufd xmm2, xmm1, 0
    .elseif turn == 1
    pshufd xmm3, xmm1, 0
    .elseif turn == 2
    pshufd xmm4, xmm1, 0
    .else
    pshufd xmm5, xmm1, 0
    .endif
    TURN 4
    .endm

    /* A third of each, all of four bytes. */
    .macro MIXED
    .if turn == 0
    lea r8, [r14 + r15]
    .elseif turn == 1
    paddd xmm2, xmm1
    .else
    cmp r14, 0
    .endif
    TURN 3
    .endm

    .macro WINDOW name, bytes, body:vararg
FUNCTION \name
    test rcx, rcx
    jz 9f
    push rbx
    push rbp
    push r12
    push r13
    push r14
    push r15
    mov rbx, rdi
    mov rbp, rcx
    mov rcx, rsi
    SLED_TARGET \name, rdx, \bytes, rax
    lea r8, [r8 + 2 * r8]
    lea r12, [rip + 3f]
    lea r13, [rip + 4f]
    sub r12, r8
    sub r13, r8
    mov rdi, [rbx]
    mov rsi, [rbx + 8]
    pxor xmm1, xmm1
    xor r14d, r14d
    xor r15d, r15d
    .p2align 6
2:
    lfence
    notrack jmp r12
    .rept LINKS_MOST
    mov rdi, [rdi]
    .endr
3:
    notrack jmp rax
    .set turn, 0
    SLED \name, FILLERS, \bytes, \body
    notrack jmp r13
    .rept LINKS_MOST
    mov rsi, [rsi]
    .endr
4:
    dec rbp
    jnz 2b
    mov [rbx], rdi
    mov [rbx + 8], rsi
    pop r15
    pop r14
    pop r13
    pop r12
    pop rbp
    pop rbx
9:
    xor eax, eax
    ret
ENDFUNC \name
    .endm

    WINDOW window_nops, 1, nop
    WINDOW window_integers, 4, INTEGER
    WINDOW window_vectors, 5, VECTOR
    WINDOW window_flags, 3, test r14, r15
    WINDOW window_loads, 3, cmp [rcx], r14
    WINDOW window_branches, 2, .byte 0x72, 0
    WINDOW window_mixed, 4, MIXED

    /* A line each: calls the next unit, returns. */
    .macro NEST
    .byte 0xe8
    .long 59
    ret
    .rept 58
    nop
    .endr
    .endm

    /* rdx = n calls within each other, rcx = m iterations. The end of the sled is the innermost of them. */
FUNCTION call_depth
    dec rdx
    SLED_TARGET call_depth, rdx, 64, rax
    .p2align 6
2:
    notrack call rax
    dec rcx
    jnz 2b
    xor eax, eax
    ret
    .p2align 6
    SLED call_depth, 128, 64, NEST
    ret
ENDFUNC call_depth
