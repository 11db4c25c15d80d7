/* SPDX-License-Identifier: MIT */
/* Dependent chains: memory latency, and the core clock by operations of a known latency.
 * Entry: rdi = a, rdx = n. Unrolled by 16, so that the loop's own instructions fit next to the chain. */
#include "../asm.h"

    /* Runs `link` n times. */
    .macro CHAIN link:vararg
    mov r8, rdx
    shr r8, 4
    jz 2f
    .p2align 6
1:
    .rept 16
    \link
    .endr
    dec r8
    jnz 1b
2:
    and edx, 15
    jz 4f
    .p2align 4
3:
    \link
    dec edx
    jnz 3b
4:
    .endm

FUNCTION latency_chase
    CHAIN mov rdi, [rdi]
    mov rax, rdi
    ret
ENDFUNC latency_chase

    /* Returns n. Register to register: newer Intel cores execute an add of an immediate at rename, several a cycle, which would
     * make the clock too fast. */
FUNCTION chain_add
    xor eax, eax
    mov ecx, 1
    CHAIN add rax, rcx
    ret
ENDFUNC chain_add

    /* Returns rcx to the power of n. */
FUNCTION chain_mul
    mov eax, 1
    movabs rcx, 0x9e3779b97f4a7c15
    CHAIN imul rax, rcx
    ret
ENDFUNC chain_mul
