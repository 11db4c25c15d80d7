/* SPDX-License-Identifier: MIT */
/* Bursts of accesses to lines that no prefetcher foresees, so that as many wait at once as the core allows.
 *
 * misses_*: x0 = a, addresses; x2 = n lines; x3 = m bursts; x4 = x roots. See OPERATION_MISSES in kernel.h. A
 * line costs two or three instructions and one register, so that nothing else of the core runs out before. */
#include "../asm.h"

    .arch armv8-a
    .set LINES, 512

    /* To the next line: its pages are those of no other line, and any 64 lines in a row have different
     * places in them, hence sets of L1: a second line of a set waits for the first in some cores. */
    .macro NEXT_LINE
    .set pages, (5 * pages + 3) % LINES
    .set unit, unit - 1
    add x9, x5, #(2 * pages), lsl #12
    .endm

    .macro ACCESS instruction:vararg
    NEXT_LINE
    \instruction [x9, #((29 * unit % 64) * 64)]
    .endm

    .macro FLUSH
    NEXT_LINE
    add x9, x9, #((29 * unit % 64) * 64)
    dc civac, x9
    .endm

    /* Begins when the roots are known, after all lines before it, and is followed by one that waits for it: longer than the
     * slowest of these. */
    .macro LAST_LOADED
    ldr x6, [x5, x10]
    add x9, x5, #4096
    ldr w6, [x9, x6]
    .endm

    .macro LAST_FLUSHED
    add x9, x5, #4096
    dc civac, x5
    dc civac, x9
    .endm

    .macro MISSES name, bytes, last, body:vararg
FUNCTION \name
    cbz x3, 9f
    fmov d1, #2.0
    mov x10, #0
    mov x11, #0
    sub x2, x2, #1
    SLED_TARGET \name, x2, \bytes, x8
    .p2align 6
2:
    ldr x5, [x0], #8
    cbz x4, 3f
    dsb ish
    isb
    fmov d0, d1
    mov x7, x4
4:
    fsqrt d0, d0
    subs x7, x7, #1
    b.ne 4b
    fmov x10, d0
    and x10, x10, x11
3:
    SLED_GO x8
    .set pages, 0
    .set unit, LINES
    SLED \name, 511, \bytes, \body
    \last
    subs x3, x3, #1
    b.ne 2b
    dsb ish
    isb
9:
    mov x0, #0
    ret
ENDFUNC \name
    .endm

    MISSES misses_load, 8, LAST_LOADED, ACCESS ldr wzr,
    MISSES misses_prefetch, 8, LAST_LOADED, ACCESS prfm pldl1keep,
    MISSES misses_prefetch_far, 8, LAST_LOADED, ACCESS prfm pldl2keep,
    MISSES misses_flush, 12, LAST_FLUSHED, FLUSH
