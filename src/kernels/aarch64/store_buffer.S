/* SPDX-License-Identifier: MIT */
/* Bursts of stores that fill the store buffer while a chain of slow operations, or nothing but the drain, holds them
 * there; and the two-CPU trial that shows how many stores a later load can pass.
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

    .macro LINKS label, link:vararg
    .rept CHAIN
    \link
    .endr
\label:
    .endm

    /* Entered backwards from 1 (roots), 2 (quotients), 3 (products of fractions) or 4 (of whole numbers) behind `side`.
     * Products of fractions with an addition are pipelined where a divider is not. */
    .macro CHAINS side, whole, fraction, past
    LINKS \side\()4, mul \whole, \whole, \whole
    b \past
    LINKS \side\()3, fmadd \fraction, \fraction, d3, d2
    b \past
    LINKS \side\()2, fdiv \fraction, \fraction, d3
    b \past
    LINKS \side\()1, fsqrt \fraction, \fraction
    .endm

    /* x13, x14, x15 and x16 are where each iteration enters the stores, the chain before, the chain after and the
     * no-operations. Each chain of fractions begins with d2 anew in each iteration, so that roots stay far from 1,
     * which some dividers finish early, and nothing overflows. */
    .macro STORE_BURST name, operation, value:vararg
FUNCTION \name
    adrp x13, \name\()_end
    add x13, x13, :lo12:\name\()_end
    sub x13, x13, x2, lsl #2
    adrp x16, store_nops_end
    add x16, x16, :lo12:store_nops_end
    sub x16, x16, x5, lsl #2
    adr x14, 11f
    adr x15, 21f
    cmp x1, #1
    b.lo 1f
    adr x14, 12f
    adr x15, 22f
    b.eq 1f
    adr x14, 13f
    adr x15, 23f
    cmp x1, #2
    b.eq 1f
    adr x14, 14f
    adr x15, 24f
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
    orr x7, x6, #1 /* an even number would be 0 after a few squares */
    mov x8, x7
    movz x6, #0xf5c3 /* 0.93: its 64th power and the inverse of that are still numbers */
    movk x6, #0x5c28, lsl #16
    movk x6, #0xc28f, lsl #32
    movk x6, #0x3fed, lsl #48
    fmov d3, x6
    .p2align 6
2:
    cbz x4, 3f
    fmov d0, d2
    fmov d1, d2
    dsb ish
    isb
    br x14
    CHAINS 1, x7, d0, 3f
3:
    br x13
    .set turn, 0
    SLED \name, STORES, 4, UNIT \operation, \value
    br x15
    CHAINS 2, x8, d1, 4f
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

    /* Store i of the sled 64 i bytes from the first address. */
    .macro UNIT_APART
    str x3, [x9, #64 * turn]
    .set turn, turn + 1
    .endm

    /* x0 = a: own location, the other's location, four addresses; x1 = b: a set of enum store_load_trial; x2 = n stores, with
     * that to the own location; x3 = m, the value; x4 = x, the tick at which to begin; x5 = y square roots before the first
     * store, which hold back its retirement. Returns the other's location as it was read. */
    .macro STORE_LOAD name, unit:vararg
FUNCTION \name
    sub x2, x2, #1
    adrp x13, \name\()_end
    add x13, x13, :lo12:\name\()_end
    sub x13, x13, x2, lsl #2
    adr x14, 3f
    sub x14, x14, x5, lsl #2
    ldp x7, x8, [x0]
    ldp x9, x10, [x0, #16]
    ldp x11, x12, [x0, #32]
    movz x6, #0x759c /* about 1e300 */
    movk x6, #0x8800, lsl #16
    movk x6, #0xe43c, lsl #32
    movk x6, #0x7e37, lsl #48
    fmov d0, x6
    dsb ish
1:
    isb
    mrs x6, cntvct_el0
    cmp x6, x4
    b.lo 1b
    isb
    br x14
    .rept CHAIN
    fsqrt d0, d0
    .endr
3:
    tbz x1, #0, 4f
    fmov x6, d0 /* 0, but not before the last root is known */
    and x6, x6, xzr
    add x7, x7, x6
4:
    str x3, [x7]
    br x13
    .set turn, 0
    SLED \name, STORES, 4, \unit
    tbz x1, #1, 5f
    dmb ish
5:
    ldr x0, [x8]
    ret
ENDFUNC \name
    .endm

    STORE_LOAD store_load_scalar64, UNIT str, x3
    STORE_LOAD store_load_apart_scalar64, UNIT_APART
