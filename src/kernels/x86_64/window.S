/* SPDX-License-Identifier: MIT */
/* How far execution runs ahead of a load that misses: a sled of fillers between two chains of loads, independent of each
 * other. While all of it fits into the core, both chains wait for memory at the same time.
 *
 * window_*: rdi = a, two pointers; rsi = b, a place to load from; rdx = n fillers; rcx = m iterations; r8 = x links of each
 * chain. See OPERATION_WINDOW in kernel.h. Between the first load and the first of the second chain stand n fillers, x - 1
 * loads and two jumps. The fence stands behind the second chain, so that cores that take instructions in groups have no
 * others to take with its last load. window_*_2, window_*_3: another instruction that takes the same. */
#include "../asm.h"

    .set FILLERS, 1024
    .set SHARERS, 1400 /* of which four may share an entry */
    .set LINKS_MOST, 16

    /* A third of each, all of four bytes; registers in turn, so that none waits for the one before. */
    .macro MIXED third:vararg
    .if turn == 0
    lea r8, [r14 + r15]
    .elseif turn == 1
    paddd xmm2, xmm1
    .else
    \third
    .endif
    .set turn, (turn + 1) % 3
    .endm

    /* Flags, and an instruction that writes none: neighbours that both write flags may share a register of
     * these. */
    .macro APART body:vararg
    cmp r14, r15
    \body
    .endm

    /* To the next unit of 16 bytes, so that predictors have few jumps in a line. */
    .macro JUMP opcode
    .byte \opcode, 14
    .rept 14
    nop
    .endr
    .endm

    /* A branch, and an instruction that takes nothing but an entry of the reorder buffer. */
    .macro SPACED
    .byte 0x72, 0
    xor r8d, r8d
    .endm

    /* r14 and r15 are 0, CF is clear, rdx is where the first chain loads. */
    .macro WINDOW name, bytes, body:vararg
    WINDOW_OF \name, FILLERS, \bytes, \body
    .endm

    .macro WINDOW_OF name, units, bytes, body:vararg
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
    lfence
    .p2align 6
2:
    mov rdx, rdi
    notrack jmp r12
    .rept LINKS_MOST
    mov rdi, [rdi]
    .endr
3:
    notrack jmp rax
    .set turn, 0
    SLED \name, \units, \bytes, \body
    notrack jmp r13
    .rept LINKS_MOST
    mov rsi, [rsi]
    .endr
4:
    lfence
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

    WINDOW_OF window_nops, SHARERS, 1, nop
    WINDOW_OF window_zeros, SHARERS, 3, xor r8d, r8d
    WINDOW window_mixed, 4, MIXED cmp r14, 0
    WINDOW window_mixed_2, 4, MIXED .byte 0x2e, 0x2e, 0x72, 0
    WINDOW window_branches, 2, .byte 0x72, 0
    WINDOW window_branches_2, 5, SPACED
    WINDOW window_jumps, 16, JUMP 0xeb
    WINDOW window_jumps_2, 16, JUMP 0x73
    WINDOW window_integers, 4, lea r8, [r14 + r15]
    WINDOW window_integers_2, 4, movsx r8, r14w
    WINDOW window_vectors, 5, pshufd xmm2, xmm1, 0
    WINDOW window_vectors_2, 3, cvtdq2ps xmm2, xmm1
    WINDOW window_flags, 3, test r14, r15
    WINDOW window_flags_2, 3, cmp r14, r15
    WINDOW window_flags_apart, 7, APART paddd xmm2, xmm1
    WINDOW window_flags_apart_2, 7, APART lea r8, [r14 + r15]
    WINDOW window_loads, 3, mov r8, [rcx]
    WINDOW window_loads_2, 3, cmp [rcx], r14
    WINDOW window_loads_3, 4, movq xmm2, [rcx]
    WINDOW window_waiting, 4, mov r8, [rdx + 8]
    WINDOW window_waiting_2, 4, cmp [rdx + 8], r14
    WINDOW window_waiting_3, 5, movq xmm2, [rdx + 8]

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
