/* SPDX-License-Identifier: MIT */
/* Kernels with one fault each, which the contract test must find. Entry as in kernel.h; one pass will do. */
#include "kernels/asm.h"

    .arch armv8-a

    /* Stores n bytes; `before` and `after` are what is wrong. */
    .macro BAD_STORES name, before, after
FUNCTION \name
    cbz x3, 1f
    \before
    cbz x2, 8f
7:
    strb w1, [x0], #1
    subs x2, x2, #1
    b.ne 7b
8:
    \after
1:
    mov x0, #0
    ret
ENDFUNC \name
    .endm

    /* Goes through all bytes but the last. */
    .macro BAD_LOADS name, load
FUNCTION \name
    mov x5, #0
    cbz x3, 2f
    subs x2, x2, #1
    b.le 2f
1:
    ldrb w4, [x0], #1
    \load
    subs x2, x2, #1
    b.ne 1b
2:
    mov x0, x5
    ret
ENDFUNC \name
    .endm

    BAD_STORES bad_clobber, , "mov x19, #1"
    BAD_STORES bad_vector_state, , "movi v8.2d, #0"
    BAD_STORES bad_overrun, "add x2, x2, #1"
    BAD_STORES bad_underrun, "sturb w1, [x0, #-1]"
    BAD_STORES bad_short_write, "cbz x2, 1f; sub x2, x2, #1"
    BAD_LOADS bad_short_read
    BAD_LOADS bad_short_or, "orr x5, x5, x4"

FUNCTION bad_compare
    mov x0, #0
    ret
ENDFUNC bad_compare

FUNCTION bad_illegal
    udf #0
ENDFUNC bad_illegal
