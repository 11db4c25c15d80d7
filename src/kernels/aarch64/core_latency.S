/* SPDX-License-Identifier: MIT */
/* Two cores and the lines between them: the two ends of each ping-pong are one kernel, distinguished by its
 * arguments.
 *
 * Entry: x0 = a, x1 = b, x2 = n, x3 = m, x4 = x, x5 = y; see enum operation. Every failed attempt takes one from
 * y, and at none left the kernel gives up, so that a partner who never comes costs a bounded time. That count stands
 * off the path of a successful attempt. Where the load-exclusive of LL/SC finds another value, it is
 * simply done again: the monitor needs no clearing. */
#include "../asm.h"
    .arch_extension lse

    /* After an attempt: `again` after a success while there are trips left, after a failure while there are attempts left. */
    .macro NEXT_TRIP again, failed
    subs x2, x2, #1
    b.ne \again
    mov x0, #0
    ret
\failed:
    subs x5, x5, #1
    b.ne \again
    mov x0, x2
    ret
    .endm

    /* Waits for the line to hold w3 and replaces it by w4. */
FUNCTION pingpong_cas_llsc
1:
    ldxr w6, [x0]
    cmp w6, w3
    b.ne 2f
    stxr w7, w4, [x0]
    cbnz w7, 2f
    NEXT_TRIP 1b, 2
ENDFUNC pingpong_cas_llsc

FUNCTION pingpong_cas_lse
1:
    mov w6, w3
    cas w6, w4, [x0]
    cmp w6, w3
    b.ne 2f
    NEXT_TRIP 1b, 2
ENDFUNC pingpong_cas_lse

    /* Waits for one word to hold w3 and stores it, or its opposite, to the other; the next time the opposite. The count stands
     * before the load and the loop ends with the branch back, as compilers translate it. */
    .macro PINGPONG_WORDS name, load
FUNCTION \name
    eor w7, w3, w4
    add x5, x5, #1
1:
    subs x5, x5, #1
    b.eq 2f
    \load w6, [x0]
    cmp w6, w3
    b.ne 1b
    stlr w7, [x1]
    eor w3, w3, #1
    eor w7, w7, #1
    add x5, x5, #1
    subs x2, x2, #1
    b.ne 1b
    mov x0, #0
    ret
2:
    mov x0, x2
    ret
ENDFUNC \name
    .endm

    PINGPONG_WORDS pingpong_words, ldar
    /* ldar waits for the own stlr to be performed, ldapr does not. */
    .arch_extension rcpc
    PINGPONG_WORDS pingpong_words_rcpc, ldapr

    /* Writing back the value read returns the pointer and takes the line for writing. */
FUNCTION chase_rmw_llsc
    cbz x2, 2f
1:
    ldxr x6, [x0]
    stxr w7, x6, [x0]
    cbnz w7, 1b
    mov x0, x6
    subs x2, x2, #1
    b.ne 1b
2:
    ret
ENDFUNC chase_rmw_llsc

FUNCTION chase_rmw_lse
    cbz x2, 2f
1:
    ldadd xzr, x6, [x0]
    mov x0, x6
    subs x2, x2, #1
    b.ne 1b
2:
    ret
ENDFUNC chase_rmw_lse
