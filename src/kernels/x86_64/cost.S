/* SPDX-License-Identifier: MIT */
/* Sleds of one instruction each, or of a few that belong together. cost_*: rdi = a, COST_BYTES; rdx = n units;
 * rcx = m iterations. See OPERATION_COST in kernel.h. */
#include "../asm.h"

    .set SPLIT, 60 /* the first of bytes on both sides of a line's end */

    /* rsi is 1, as r10 is at first, rax 0; rax, rbx, rcx and rdx belong to the unit. */
    .macro COST name, units, bytes, body:vararg
FUNCTION \name
    push rbx
    mov r9, rcx
    mov esi, 1
    mov r10, rsi
    xor eax, eax
    SLED_TARGET \name, rdx, \bytes, r8
    .p2align 6
2:
    SLED_GO r8
    SLED \name, \units, \bytes, \body
    dec r9
    jnz 2b
    xor eax, eax
    pop rbx
    ret
ENDFUNC \name
    .endm

    .macro STORES
    .irp line, 1, 2, 3, 4, 5, 6, 7, 8
    mov [rdi + 64 * \line + 64], rsi
    .endr
    .endm
    .macro STORES_THEN body:vararg
    STORES
    \body
    .endm
    .macro STORE_THEN body:vararg
    mov [rdi + 256], rsi
    \body
    .endm
    /* Expects a value that memory never has. */
    .macro CAS_FAILS
    mov eax, 2
    lock cmpxchg [rdi], rsi
    .endm
    .macro FLUSHED
    clflush [rdi]
    mfence
    mov rax, [rdi]
    .endm
    .macro ORDERED
    lfence
    rdtsc
    .endm
    .macro FENCED
    ORDERED
    lfence
    .endm
    .macro IDENTITY
    xor eax, eax
    cpuid
    .endm

    /* getppid: the kernel takes rcx and r11. */
    .macro SYSTEM_CALL
    mov eax, 110
    syscall
    .endm

    COST cost_multiply, 128, 4, imul r10, rsi
    COST cost_atomic_add, 128, 4, lock add [rdi], rsi
    COST cost_atomic_cas, 128, 5, lock cmpxchg [rdi], rsi
    COST cost_atomic_cas_fails, 128, 10, CAS_FAILS
    COST cost_atomic_swap, 128, 3, xchg [rdi], r10
    COST cost_full_fence, 128, 3, mfence
    COST cost_load_fence, 128, 3, lfence
    COST cost_store_fence, 128, 3, sfence
    COST cost_stores_full_fence, 64, 59, STORES_THEN mfence
    COST cost_stores_load_fence, 64, 59, STORES_THEN lfence
    COST cost_stores_store_fence, 64, 59, STORES_THEN sfence
    COST cost_barrier_fence, 128, 10, STORE_THEN mfence
    COST cost_barrier_stack, 128, 12, STORE_THEN lock or dword ptr [rsp], 0
    COST cost_barrier_swap, 128, 10, STORE_THEN xchg [rdi], r10
    COST cost_pause, 128, 2, pause
    COST cost_timer, 128, 2, rdtsc
    COST cost_timer_ordered, 128, 5, ORDERED
    COST cost_timer_fenced, 128, 8, FENCED
    COST cost_timer_after, 128, 3, rdtscp
    COST cost_cpu_number, 128, 4, rdpid rax
    COST cost_flush, 128, 9, FLUSHED
    COST cost_split_lock, 8, 5, lock add [rdi + SPLIT], rsi
    COST cost_cpuid, 8, 4, IDENTITY
    COST cost_system_call, 8, 7, SYSTEM_CALL
