/* SPDX-License-Identifier: MIT */
/* Bursts of stores that fill the store buffer while a chain of slow operations, or nothing but the drain, holds them
 * there; and the two-CPU trial that shows how many stores a later load can pass.
 *
 * store_burst_*: rdi = a, four addresses that the stores take in turn; rsi = b; rdx = n stores; rcx = m iterations;
 * r8 = x chain operations; r9 = y no-operations. See OPERATION_STORE_BURST in kernel.h. */
#include "../asm.h"

    /* Every store has a displacement of one byte, which makes all encodings of a width equally long. */
    .set SHIFT, 64
    .set STORES, 512
    .set CHAIN, 64
    .set NOPS, 8192

    .macro UNIT operation, value
    .if turn == 0
    \operation [r8 + SHIFT], \value
    .elseif turn == 1
    \operation [r9 + SHIFT], \value
    .elseif turn == 2
    \operation [r10 + SHIFT], \value
    .else
    \operation [r11 + SHIFT], \value
    .endif
    .set turn, (turn + 1) % 4
    .endm

    .macro LOAD_ADDRESSES from
    mov r8, [\from]
    mov r9, [\from + 8]
    mov r10, [\from + 16]
    mov r11, [\from + 24]
    sub r8, SHIFT
    sub r9, SHIFT
    sub r10, SHIFT
    sub r11, SHIFT
    .endm

    /* One sled for all kernels: it ends with a jump back to r15. */
    SLED store_nops, NOPS, 1, nop
    notrack jmp r15

    .macro LINKS label, link:vararg
    .rept CHAIN
    \link
    .endr
\label:
    .endm

    /* Entered backwards from 1 (roots), 2 (quotients), 3 (products of fractions) or 4 (of whole numbers) behind `side`. */
    .macro CHAINS side, whole, fraction, past
    LINKS \side\()4, imul \whole, \whole
    jmp \past
    LINKS \side\()3, mulsd \fraction, xmm3
    jmp \past
    LINKS \side\()2, divsd \fraction, xmm3
    jmp \past
    LINKS \side\()1, sqrtsd \fraction, \fraction
    .endm

    /* rbx, r12, r13 and rbp are where each iteration enters the stores, the chain before, the chain after and the
     * no-operations. Each chain of fractions begins with xmm2 anew in each iteration, so that roots stay far from 1,
     * which some dividers finish early, and nothing overflows. */
    .macro STORE_BURST name, bytes, operation, value
FUNCTION \name
    push rbx
    push rbp
    push r12
    push r13
    push r14
    push r15
    mov r14, rcx
    lea rbx, [rip + \name\()_end]
    imul rdx, rdx, \bytes
    sub rbx, rdx
    lea rbp, [rip + store_nops_end]
    sub rbp, r9
    lea r12, [rip + 11f]
    lea r13, [rip + 21f]
    cmp rsi, 1
    jb 1f
    lea r12, [rip + 12f]
    lea r13, [rip + 22f]
    je 1f
    lea r12, [rip + 13f]
    lea r13, [rip + 23f]
    cmp rsi, 2
    je 1f
    lea r12, [rip + 14f]
    lea r13, [rip + 24f]
1:
    mov rdx, r8
    shl r8, 2
    sub r12, r8
    sub r13, r8
    lea r15, [rip + 5f]
    LOAD_ADDRESSES rdi
    movabs rax, 0x7e37e43c8800759c /* about 1e300 */
    movq xmm2, rax
    movabs rax, 0x3fedc28f5c28f5c3 /* 0.93: its 64th power and the inverse of that are still numbers */
    movq xmm3, rax
    movabs rdi, 0x9e3779b97f4a7c15
    mov rsi, rdi
    .p2align 6
2:
    test rdx, rdx
    jz 3f
    movapd xmm0, xmm2
    movapd xmm1, xmm2
    mfence /* drains the store buffer, but lets younger operations begin on some cores */
    lfence
    notrack jmp r12
    CHAINS 1, rdi, xmm0, 3f
3:
    notrack jmp rbx
    .set turn, 0
    SLED \name, STORES, \bytes, UNIT \operation, \value
    notrack jmp r13
    CHAINS 2, rsi, xmm1, 4f
4:
    notrack jmp rbp
5:
    dec r14
    jnz 2b
    xor eax, eax
    pop r15
    pop r14
    pop r13
    pop r12
    pop rbp
    pop rbx
    .ifc \value, ymm2
    vzeroupper
    .endif
    .ifc \value, zmm2
    vzeroupper
    .endif
    ret
ENDFUNC \name
    .endm

    STORE_BURST store_burst_scalar8, 4, mov, al
    STORE_BURST store_burst_scalar16, 5, mov, ax
    STORE_BURST store_burst_scalar32, 4, mov, eax
    STORE_BURST store_burst_scalar64, 4, mov, rax
    STORE_BURST store_burst_sse2, 5, movups, xmm2
    STORE_BURST store_burst_avx, 6, vmovups, ymm2
    STORE_BURST store_burst_avx512, 7, vmovups, zmm2
    STORE_BURST store_burst_scalar32_streaming, 5, movnti, eax
    STORE_BURST store_burst_scalar64_streaming, 5, movnti, rax
    STORE_BURST store_burst_sse2_streaming, 6, movntdq, xmm2
    STORE_BURST store_burst_avx_streaming, 6, vmovntdq, ymm2
    STORE_BURST store_burst_avx512_streaming, 7, vmovntdq, zmm2

    /* Store i of the sled to line i of the first address. */
    .macro UNIT_APART
    {disp32} mov [r8 + 64 * turn], rax
    .set turn, turn + 1
    .endm

    /* rdi = a: own location, the other's location, four addresses; rsi = b: a set of enum store_load_trial; rdx = n stores, with
     * that to the own location; rcx = m, the value; r8 = x, the tick at which to begin; r9 = y square roots before the first
     * store, which hold back its retirement. Returns the other's location as it was read. */
    .macro STORE_LOAD name, bytes, shift, unit:vararg
FUNCTION \name
    push rbx
    push rbp
    push r12
    push r13
    push r14
    mov r12, r8
    mov r13, rsi
    mov r14, rcx
    mov rsi, rdi
    dec rdx
    imul rdx, rdx, \bytes
    lea rbx, [rip + \name\()_end]
    sub rbx, rdx
    lea rcx, [rip + 3f]
    shl r9, 2
    sub rcx, r9
    LOAD_ADDRESSES rsi + 16
    add r8, SHIFT - \shift
    mov rbp, [rsi + 8]
    mov rsi, [rsi]
    movabs rax, 0x7e37e43c8800759c /* about 1e300 */
    movq xmm0, rax
    mfence
1:
    rdtsc
    shl rdx, 32
    or rax, rdx
    cmp rax, r12
    jb 1b
    lfence
    notrack jmp rcx
    .rept CHAIN
    sqrtsd xmm0, xmm0
    .endr
3:
    test r13d, 1
    jz 4f
    movq rax, xmm0 /* 0, but not before the last root is known */
    and eax, 0
    add rsi, rax
4:
    mov rax, r14
    mov [rsi], rax
    notrack jmp rbx
    .set turn, 0
    SLED \name, STORES, \bytes, \unit
    test r13d, 2
    jz 5f
    mfence
5:
    mov rax, [rbp]
    pop r14
    pop r13
    pop r12
    pop rbp
    pop rbx
    ret
ENDFUNC \name
    .endm

    STORE_LOAD store_load_scalar64, 4, SHIFT, UNIT mov, rax
    STORE_LOAD store_load_apart_scalar64, 7, 0, UNIT_APART
