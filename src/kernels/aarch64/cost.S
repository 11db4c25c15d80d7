/* SPDX-License-Identifier: MIT */
/* Sleds of one instruction each. cost_*: x0 = a, 8 bytes; x2 = n units; x3 = m iterations. See OPERATION_COST in kernel.h. */
#include "../asm.h"

    .arch armv8-a
    .arch_extension lse

    .macro COST name, body:vararg
FUNCTION \name
    mov x1, #1
    mov x5, #0
    SLED_TARGET \name, x2, 4, x9
    .p2align 6
2:
    SLED_GO x9
    SLED \name, 128, 4, \body
    subs x3, x3, #1
    b.ne 2b
    mov x0, #0
    ret
ENDFUNC \name
    .endm

    COST cost_atomic_add, ldaddal x1, x4, [x0]
    COST cost_atomic_cas, casal x5, x1, [x0]
    COST cost_atomic_swap, swpal x1, x1, [x0]
    COST cost_full_fence, dmb ish
    COST cost_store_fence, dmb ishst
    COST cost_timer, mrs x4, cntvct_el0
