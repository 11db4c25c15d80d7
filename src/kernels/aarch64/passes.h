/* SPDX-License-Identifier: MIT */
/* clang-format off */
/* The loop around the kernels of ram.S and ram_scalar.S.
 *
 * It runs `element` over n = x2 bytes, x3 times: eight elements a step, then the rest one by one, with `last`. It is
 * inside the kernels because a call per pass would cost a 4 KiB buffer tens of percent. The head of a pass stands below
 * the loop, so that the loop can be aligned without padding on the path of every pass. The element's size comes in x9,
 * since SVE has it at run time only. x2 to x11 are its own, and x13 with three buffers. */
#pragma once

    /* buffers: 1 to 3; element i, ...: works on the i-th element from x0, and the i-th from x1 and x12 where there are more */
    .macro PASSES buffers, element, last, arguments:vararg
    cbz x3, 9f
    mov x5, x1
    .if \buffers > 2
    mov x13, x12
    .endif
    lsl x10, x9, #3
    udiv x6, x2, x10
    madd x6, x6, x10, x0
    add x7, x0, x2
    mov x4, x0
    b 1f
    .p2align 6
2:
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7
    \element \i, \arguments
    .endr
    ADVANCE \buffers, x10
    cmp x0, x6
    b.lo 2b
3:
    cmp x0, x7
    b.hs 5f
4:
    \last 0, \arguments
    ADVANCE \buffers, x9
    cmp x0, x7
    b.lo 4b
5:
    subs x3, x3, #1
    b.eq 9f
1:
    mov x0, x4
    .if \buffers > 1
    mov x1, x5
    .endif
    .if \buffers > 2
    mov x12, x13
    .endif
    cmp x0, x6
    b.lo 2b
    b 3b
9:
    .endm

    .macro ADVANCE buffers, bytes
    add x0, x0, \bytes
    .if \buffers > 1
    add x1, x1, \bytes
    .endif
    .if \buffers > 2
    add x12, x12, \bytes
    .endif
    .endm
