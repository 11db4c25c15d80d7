/* SPDX-License-Identifier: MIT */
/* Kernels with one fault each, which the contract test must find. Entry as in kernel.h; one pass will do. */
#include "kernels/asm.h"

    .arch armv8-a

    .macro STORE_BYTES
    cbz x2, 8f
7:
    strb w1, [x0], #1
    subs x2, x2, #1
    b.ne 7b
8:
    mov x0, #0
    .endm

FUNCTION bad_clobber
    cbz x3, 1f
    STORE_BYTES
    mov x19, #1
1:
    mov x0, #0
    ret
ENDFUNC bad_clobber

FUNCTION bad_vector_state
    cbz x3, 1f
    STORE_BYTES
    movi v8.2d, #0
1:
    mov x0, #0
    ret
ENDFUNC bad_vector_state

FUNCTION bad_overrun
    cbz x3, 1f
    add x2, x2, #1
    STORE_BYTES
1:
    mov x0, #0
    ret
ENDFUNC bad_overrun

FUNCTION bad_underrun
    cbz x3, 1f
    sturb w1, [x0, #-1]
    STORE_BYTES
1:
    mov x0, #0
    ret
ENDFUNC bad_underrun

FUNCTION bad_short_write
    cbz x3, 1f
    cbz x2, 1f
    sub x2, x2, #1
    STORE_BYTES
1:
    mov x0, #0
    ret
ENDFUNC bad_short_write

    /* Loads all bytes but the last. */
FUNCTION bad_short_read
    cbz x3, 2f
    subs x2, x2, #1
    b.le 2f
1:
    ldrb w4, [x0], #1
    subs x2, x2, #1
    b.ne 1b
2:
    mov x0, #0
    ret
ENDFUNC bad_short_read

    /* Takes in all bytes but the last. */
FUNCTION bad_short_or
    mov x5, #0
    cbz x3, 2f
    subs x2, x2, #1
    b.le 2f
1:
    ldrb w4, [x0], #1
    orr x5, x5, x4
    subs x2, x2, #1
    b.ne 1b
2:
    mov x0, x5
    ret
ENDFUNC bad_short_or

FUNCTION bad_compare
    mov x0, #0
    ret
ENDFUNC bad_compare

FUNCTION bad_illegal
    udf #0
ENDFUNC bad_illegal
