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

    /* The product of the state, the place, its address, the load: the `and` with 0 is no idiom of any core, so that the next state
     * waits for the load. */
FUNCTION draw_load
    mov r9, rdx
    mov rax, r8
    test r9, r9
    jz 2f
    movabs r10, 0xd1342543de82ef95
    xor r11d, r11d
    .p2align 6
1:
    imul r8, r10
    mov rax, r8
    mul rcx
    imul rdx, rsi
    mov rdx, [rdi + rdx]
    and rdx, r11
    add r8, rdx
    dec r9
    jnz 1b
    mov rax, r8
2:
    ret
ENDFUNC draw_load

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
