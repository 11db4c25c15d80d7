/* SPDX-License-Identifier: MIT */
/* Store-to-load forwarding: pairs of a store and a load that form one dependent chain.
 *
 * Entry: x0 = a (store), x1 = b (load), x2 = n (pairs a pass), x3 = m (passes), x4 = x, x5 = y.
 * x6 carries the chain. x7 = 0, not known to be so by the CPU: `and` with it makes a chain through the address
 * whose value is always 0. */
#include "../forwarding.h"

    .arch armv8-a

    .macro FORWARD_BEGIN
    mov x6, x5
    .endm
    .macro FORWARD_END
    mov x0, x6
    ret
    .endm

    .macro WIDTH width, part, suffix
    .macro ST\width at
    str\suffix \part\()6, [\at]
    .endm
    .macro LD\width at
    ldr\suffix \part\()6, [\at]
    .endm
    .endm
    WIDTH 8, x
    WIDTH 4, w
    WIDTH 2, w, h
    WIDTH 1, w, b

    /* The article's fast address: the data is late, both addresses are known long before. */
    .macro FA st, ld
    ST\st x0
    LD\ld x1
    .endm
    /* Both through the same base register, so that the text shows the CPU that the addresses agree. */
    .macro SAME_BASE st, ld
    ST\st x0
    LD\ld x0
    .endm
    /* The same with a load that begins `bytes` above the store: a CPU that goes by the text may take it for a copy of the stored
     * value. */
    .macro DISPLACED bytes
    str x6, [x0]
    ldur w6, [x0, #\bytes]
    .endm
    /* With an addition in the chain: with 0 every store writes the value that is there already, with 1 another. */
    .macro ADDED
    ST8 x0
    LD4 x1
    add x6, x6, x4
    .endm
    /* With multiplications in the chain: the forward then shows as a whole number of cycles, as the chain cannot fall out of step
     * with the load's own rhythm. */
    .macro SLACK slack, st, ld
    ST\st x0
    LD\ld x1
    .rept \slack
    mul x6, x6, x4
    .endr
    .endm
    /* With loads that nothing waits for */
    .macro MORE loads, st, ld
    ST\st x0
    LD\ld x1
    .rept \loads
    ldr w7, [x4]
    .endr
    .endm
    /* All of the store is known early, and the load's address waits for the load before. */
    .macro LA
    str x5, [x0]
    ldr w6, [x1, x6]
    and x6, x6, x7
    .endm
    /* The same with multiplications in place of the mask */
    .macro LA_SLACK slack
    str x5, [x0]
    ldrb w6, [x1, x6]
    .rept \slack
    mul x6, x6, x7
    .endr
    .endm
    /* The article's fast data, with one address and with one for each pair: the pointer is stored and loaded. */
    .macro FD_POINTER
    str x0, [x6]
    ldr x6, [x0]
    .endm
    .macro FD_POINTER_APART
    str x0, [x6, 8 * pair]
    ldr x6, [x0, 8 * pair]
    .endm

    .irp st, 8, 4, 2, 1
    .irp ld, 8, 4, 2, 1
FORWARD forward_fa_\st\()_\ld, 64, 8, FA \st, \ld
    .endr
    .endr

FORWARD forward_same_base_8_8, 64, 8, SAME_BASE 8, 8
FORWARD forward_same_base_8_4, 64, 8, SAME_BASE 8, 4
FORWARD forward_same_base_8_2, 64, 8, SAME_BASE 8, 2
FORWARD forward_same_base_8_1, 64, 8, SAME_BASE 8, 1
FORWARD forward_same_base_4_4, 64, 8, SAME_BASE 4, 4
FORWARD forward_same_base_2_2, 64, 8, SAME_BASE 2, 2
FORWARD forward_same_base_1_1, 64, 8, SAME_BASE 1, 1

    .irp bytes, 1, 2, 4, 6
FORWARD forward_displaced_\bytes, 64, 8, DISPLACED \bytes
    .endr

FORWARD forward_add_8_4, 64, 12, ADDED

    .irp slack, 1, 2, 3
FORWARD forward_slack_\slack\()_8_1, 64, (8+4*\slack), SLACK \slack, 8, 1
FORWARD forward_slack_\slack\()_8_4, 64, (8+4*\slack), SLACK \slack, 8, 4
    .endr

    .irp loads, 0, 4, 8, 16
FORWARD forward_more_\loads\()_8_4, 64, (8+4*\loads), MORE \loads, 8, 4
    .endr

    /* In these x6 is an offset, 0. */
    .purgem FORWARD_BEGIN
    .macro FORWARD_BEGIN
    mov x6, #0
    mov x7, #0
    .endm

FORWARD forward_la_8_4, 64, 12, LA
    .irp slack, 1, 2
FORWARD forward_la_slack_\slack\()_8_1, 64, (8+4*\slack), LA_SLACK \slack
    .endr

    /* In these x6 is the pointer, and y is ignored. */
    .purgem FORWARD_BEGIN
    .macro FORWARD_BEGIN
    mov x6, x0
    .endm

FORWARD forward_fd_pointer, 64, 8, FD_POINTER
FORWARD forward_fd_pointer_apart, 64, 8, FD_POINTER_APART
