/* SPDX-License-Identifier: MIT */
/* Sleds of one instruction each. cost_*: rdi = a, 8 bytes; rdx = n units; rcx = m iterations. See OPERATION_COST in kernel.h. */
#include "../asm.h"

    .macro COST name, bytes, body:vararg
FUNCTION \name
    mov esi, 1
    SLED_TARGET \name, rdx, \bytes, r8
    .p2align 6
2:
    SLED_GO r8
    SLED \name, 128, \bytes, \body
    dec rcx
    jnz 2b
    xor eax, eax
    ret
ENDFUNC \name
    .endm

    COST cost_atomic_add, 4, lock add [rdi], rsi
    COST cost_atomic_cas, 5, lock cmpxchg [rdi], rsi
    COST cost_atomic_swap, 3, xchg [rdi], rsi
    COST cost_full_fence, 3, mfence
    COST cost_store_fence, 3, sfence
    COST cost_timer, 2, rdtsc
