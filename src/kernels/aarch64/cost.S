/* SPDX-License-Identifier: MIT */
/* Sleds of one instruction each, or of a few that belong together. cost_*: x0 = a, COST_BYTES; x2 = n units;
 * x3 = m iterations. See OPERATION_COST in kernel.h. */
#include "../asm.h"

    .arch armv8-a
    .arch_extension lse

    /* x1 is 1, as x6 is at first; x4 and x5 belong to the unit. */
    .macro COST name, units, bytes, body:vararg
FUNCTION \name
    mov x1, #1
    mov x4, #0
    mov x5, #0
    mov x6, #1
    SLED_TARGET \name, x2, \bytes, x9
    .p2align 6
2:
    SLED_GO x9
    SLED \name, \units, \bytes, \body
    subs x3, x3, #1
    b.ne 2b
    mov x0, #0
    ret
ENDFUNC \name
    .endm

    .macro STORES
    .irp line, 1, 2, 3, 4, 5, 6, 7, 8
    str x1, [x0, #64 * \line + 64]
    .endr
    .endm
    .macro STORES_THEN body:vararg
    STORES
    \body
    .endm
    .macro STORE_THEN body:vararg
    str x1, [x0, #256]
    \body
    .endm
    /* Expects a value that memory never has. */
    .macro CAS_FAILS
    mov x5, #2
    casal x5, x1, [x0]
    .endm
    .macro FLUSHED
    dc civac, x0
    dsb ish
    ldr x4, [x0]
    .endm
    .macro ORDERED
    isb
    mrs x4, cntvct_el0
    .endm
    .macro FENCED
    ORDERED
    isb
    .endm

    /* getppid: x0, the result, is no longer a. */
    .macro SYSTEM_CALL
    mov x8, #173
    svc #0
    .endm

    COST cost_multiply, 128, 4, mul x6, x6, x1
    COST cost_atomic_add, 128, 4, ldaddal x1, x4, [x0]
    COST cost_atomic_cas, 128, 4, casal x5, x1, [x0]
    COST cost_atomic_cas_fails, 128, 8, CAS_FAILS
    COST cost_atomic_swap, 128, 4, swpal x6, x6, [x0]
    COST cost_full_fence, 128, 4, dmb ish
    COST cost_load_fence, 128, 4, dmb ishld
    COST cost_store_fence, 128, 4, dmb ishst
    COST cost_stores_full_fence, 64, 36, STORES_THEN dmb ish
    COST cost_stores_load_fence, 64, 36, STORES_THEN dmb ishld
    COST cost_stores_store_fence, 64, 36, STORES_THEN dmb ishst
    COST cost_barrier_fence, 128, 8, STORE_THEN dmb ish
    COST cost_barrier_stack, 128, 8, STORE_THEN ldaddal x5, x4, [sp]
    COST cost_barrier_swap, 128, 8, STORE_THEN swpal x6, x6, [x0]
    COST cost_pause, 128, 4, yield
    COST cost_instruction_barrier, 128, 4, isb
    COST cost_timer, 128, 4, mrs x4, cntvct_el0
    COST cost_timer_ordered, 128, 8, ORDERED
    COST cost_timer_fenced, 128, 12, FENCED
    COST cost_flush, 128, 12, FLUSHED
    COST cost_system_call, 8, 8, SYSTEM_CALL
