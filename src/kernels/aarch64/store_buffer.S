/* SPDX-License-Identifier: MIT */
/* Bursts of stores that fill the store buffer while a chain of slow operations, or nothing but the drain, holds them
 * there; and the two-CPU trial that shows how many stores a later load can overtake.
 *
 * store_burst_*: x0 = a, four addresses that the stores take in turn; x1 = b; x2 = n stores; x3 = m iterations;
 * x4 = x chain operations; x5 = y no-operations. See OPERATION_STORE_BURST in kernel.h. */
#include "../asm.h"

    .set STORES, 512
    .set CHAIN, 64
    .set NOPS, 8192

    /* x9 to x12 are the four addresses. */
    .macro UNIT operation, value:vararg
    .if turn == 0
    \operation \value, [x9]
    .elseif turn == 1
    \operation \value, [x10]
    .elseif turn == 2
    \operation \value, [x11]
    .else
    \operation \value, [x12]
    .endif
    .set turn, (turn + 1) % 4
    .endm

    /* One sled for all kernels: it ends with a jump back to x17. */
    SLED store_nops, NOPS, 4, nop
    br x17

    /* x13, x14, x15 and x16 are where each iteration enters the stores, the chain before, the chain after and the
     * no-operations. The root of each chain is taken from d2 anew in each iteration, so that it stays far from 1,
     * which some dividers finish early. */
    .macro STORE_BURST name, operation, value:vararg
FUNCTION \name
    adrp x13, \name\()_end
    add x13, x13, :lo12:\name\()_end
    sub x13, x13, x2, lsl #2
    adrp x16, store_nops_end
    add x16, x16, :lo12:store_nops_end
    sub x16, x16, x5, lsl #2
    adr x14, 11f
    adr x15, 13f
    cbz x1, 1f
    adr x14, 12f
    adr x15, 14f
1:
    sub x14, x14, x4, lsl #2
    sub x15, x15, x4, lsl #2
    adr x17, 5f
    ldp x9, x10, [x0]
    ldp x11, x12, [x0, #16]
    movz x6, #0x759c /* about 1e300 */
    movk x6, #0x8800, lsl #16
    movk x6, #0xe43c, lsl #32
    movk x6, #0x7e37, lsl #48
    fmov d2, x6
    mov x7, x6
    mov x8, x6
    .p2align 6
2:
    cbz x4, 3f
    fmov d0, d2
    fmov d1, d2
    dsb sy
    isb
    br x14
    .rept CHAIN
    mul x7, x7, x7
    .endr
12:
    b 3f
    .rept CHAIN
    fsqrt d0, d0
    .endr
11:
3:
    br x13
    .set turn, 0
    SLED \name, STORES, 4, UNIT \operation, \value
    br x15
    .rept CHAIN
    mul x8, x8, x8
    .endr
14:
    b 4f
    .rept CHAIN
    fsqrt d1, d1
    .endr
13:
4:
    br x16
5:
    subs x3, x3, #1
    b.ne 2b
    mov x0, #0
    ret
ENDFUNC \name
    .endm

    STORE_BURST store_burst_scalar8, strb, w6
    STORE_BURST store_burst_scalar16, strh, w6
    STORE_BURST store_burst_scalar32, str, w6
    STORE_BURST store_burst_scalar64, str, x6
    STORE_BURST store_burst_neon, str, q2
    STORE_BURST store_burst_scalar64_streaming, stnp, w6, w6
    STORE_BURST store_burst_neon_streaming, stnp, d2, d2

    /* x0 = a: own location, the other's location, four addresses; x2 = n stores, the one to the own location
     * included; x3 = m, the value; x4 = x, the tick at which to begin. Returns the other's location as it was read. */
FUNCTION store_load_scalar64
    sub x2, x2, #1
    adrp x13, store_load_scalar64_end
    add x13, x13, :lo12:store_load_scalar64_end
    sub x13, x13, x2, lsl #2
    ldp x1, x5, [x0]
    ldp x9, x10, [x0, #16]
    ldp x11, x12, [x0, #32]
    dsb sy
1:
    isb
    mrs x6, cntvct_el0
    cmp x6, x4
    b.lo 1b
    isb
    str x3, [x1]
    br x13
    .set turn, 0
    SLED store_load_scalar64, STORES, 4, UNIT str, x3
    ldr x0, [x5]
    ret
ENDFUNC store_load_scalar64
