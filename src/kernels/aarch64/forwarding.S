/* SPDX-License-Identifier: MIT */
/* Store-to-load forwarding: pairs of a store and a load that form one dependent chain.
 *
 * Entry: x0 = a (store), x1 = b (load), x2 = n (pairs a pass), x3 = m (passes), x4 = x, x5 = y.
 * x6 carries the chain. x7 = 0, not known to be so by the CPU: `and` with it makes a chain through the address
 * whose value is always 0. */
#define PAIRS x2
#define TARGET x8
#include "../forwarding.h"

    .arch armv8-a

    .macro FORWARD_BEGIN
    mov x6, x5
    .endm
    .macro BRANCH_UNLESS_PAIRS pairs, label
    cmp x2, #\pairs
    b.ne \label
    .endm
    .macro BRANCH label
    b \label
    .endm
    .macro NEXT_PASS label
    subs x3, x3, #1
    b.ne \label
    .endm
    .macro FORWARD_END
    mov x0, x6
    ret
    .endm

    .macro ST8 data, at:vararg
    str x\data, [\at]
    .endm
    .macro ST4 data, at:vararg
    str w\data, [\at]
    .endm
    .macro ST2 data, at:vararg
    strh w\data, [\at]
    .endm
    .macro ST1 data, at:vararg
    strb w\data, [\at]
    .endm
    .macro LD8 at:vararg
    ldr x6, [\at]
    .endm
    .macro LD4 at:vararg
    ldr w6, [\at]
    .endm
    .macro LD2 at:vararg
    ldrh w6, [\at]
    .endm
    .macro LD1 at:vararg
    ldrb w6, [\at]
    .endm

    /* The article's fast address: the data is late, both addresses are known long before. */
    .macro FA st, ld
    ST\st 6, x0
    LD\ld x1
    .endm
    /* Both through the same base register, so that the CPU can tell from the text that the addresses agree. */
    .macro SAME_BASE st, ld
    ST\st 6, x0
    LD\ld x0
    .endm
    /* With an addition in the chain: of 0 every store writes what is there already, of 1 something new. */
    .macro ADDED st, ld
    ST\st 6, x0
    LD\ld x1
    add x6, x6, x4
    .endm
    /* Fast data at any pair of addresses: the store's address waits for the load. */
    .macro FD st, ld
    ST\st 5, x0, x6
    LD\ld x1
    and x6, x6, x7
    .endm
    /* The same with addresses of its own for each pair, 128 bytes apart. A store with an immediate offset takes
     * no index, so an addition more than on x86_64 is part of the chain. */
    .macro FD_APART st, ld
    add x6, x0, x6
    ST\st 5, x6, 128 * pair
    LD\ld x1, 128 * pair
    and x6, x6, x7
    .endm
    /* The article's own chains: what is stored and loaded is the pointer. */
    .macro FD_POINTER
    str x0, [x6]
    ldr x6, [x0]
    .endm
    .macro FD_POINTER_APART
    str x0, [x6, 8 * pair]
    ldr x6, [x0, 8 * pair]
    .endm

    .macro DISTANT gap
    str x6, [x0]
    .rept \gap
    add x9, x5, x5
    .endr
    ldr w6, [x1]
    .endm
    /* `pad` bytes of no-operations */
    .macro SPACED pad
    str x6, [x0]
    ldr w6, [x1]
    .rept \pad / 4
    nop
    .endr
    .endm

FORWARD forward_fa_8_8, 64, 8, FA 8, 8
FORWARD forward_fa_8_4, 64, 8, FA 8, 4
FORWARD forward_fa_8_2, 64, 8, FA 8, 2
FORWARD forward_fa_8_1, 64, 8, FA 8, 1
FORWARD forward_fa_4_8, 64, 8, FA 4, 8
FORWARD forward_fa_4_4, 64, 8, FA 4, 4
FORWARD forward_fa_4_2, 64, 8, FA 4, 2
FORWARD forward_fa_4_1, 64, 8, FA 4, 1
FORWARD forward_fa_2_8, 64, 8, FA 2, 8
FORWARD forward_fa_2_4, 64, 8, FA 2, 4
FORWARD forward_fa_2_2, 64, 8, FA 2, 2
FORWARD forward_fa_2_1, 64, 8, FA 2, 1
FORWARD forward_fa_1_8, 64, 8, FA 1, 8
FORWARD forward_fa_1_4, 64, 8, FA 1, 4
FORWARD forward_fa_1_2, 64, 8, FA 1, 2
FORWARD forward_fa_1_1, 64, 8, FA 1, 1

FORWARD forward_same_base_8_8, 64, 8, SAME_BASE 8, 8
FORWARD forward_same_base_8_4, 64, 8, SAME_BASE 8, 4
FORWARD forward_same_base_8_2, 64, 8, SAME_BASE 8, 2
FORWARD forward_same_base_8_1, 64, 8, SAME_BASE 8, 1
FORWARD forward_same_base_4_4, 64, 8, SAME_BASE 4, 4
FORWARD forward_same_base_2_2, 64, 8, SAME_BASE 2, 2
FORWARD forward_same_base_1_1, 64, 8, SAME_BASE 1, 1

FORWARD forward_add_8_8, 64, 12, ADDED 8, 8
FORWARD forward_add_8_4, 64, 12, ADDED 8, 4

    /* In these x6 is an offset, 0. */
    .purgem FORWARD_BEGIN
    .macro FORWARD_BEGIN
    mov x6, #0
    mov x7, #0
    .endm

FORWARD forward_fd_8_8, 64, 12, FD 8, 8
FORWARD forward_fd_8_4, 64, 12, FD 8, 4
FORWARD forward_fd_4_4, 64, 12, FD 4, 4
FORWARD forward_fd_2_2, 64, 12, FD 2, 2
FORWARD forward_fd_1_1, 64, 12, FD 1, 1

FORWARD forward_fd_apart_8_8, 64, 16, FD_APART 8, 8
FORWARD forward_fd_apart_8_4, 64, 16, FD_APART 8, 4
FORWARD forward_fd_apart_4_4, 64, 16, FD_APART 4, 4

    /* In these x6 is the pointer, and y is ignored. */
    .purgem FORWARD_BEGIN
    .macro FORWARD_BEGIN
    mov x6, x0
    .endm

FORWARD forward_fd_pointer, 64, 8, FD_POINTER
FORWARD forward_fd_pointer_apart, 64, 8, FD_POINTER_APART

    .purgem FORWARD_BEGIN
    .macro FORWARD_BEGIN
    mov x6, x5
    .endm

FORWARD forward_distance_0, 8, 8, DISTANT 0
FORWARD forward_distance_1, 8, 12, DISTANT 1
FORWARD forward_distance_2, 8, 16, DISTANT 2
FORWARD forward_distance_4, 8, 24, DISTANT 4
FORWARD forward_distance_8, 8, 40, DISTANT 8
FORWARD forward_distance_12, 8, 56, DISTANT 12
FORWARD forward_distance_16, 8, 72, DISTANT 16
FORWARD forward_distance_24, 8, 104, DISTANT 24
FORWARD forward_distance_32, 8, 136, DISTANT 32
FORWARD forward_distance_48, 8, 200, DISTANT 48
FORWARD forward_distance_64, 8, 264, DISTANT 64
FORWARD forward_distance_96, 8, 392, DISTANT 96
FORWARD forward_distance_128, 8, 520, DISTANT 128

FORWARD forward_spacing_0, 64, 8, SPACED 0
FORWARD forward_spacing_4, 64, 12, SPACED 4
FORWARD forward_spacing_8, 64, 16, SPACED 8
FORWARD forward_spacing_12, 64, 20, SPACED 12
FORWARD forward_spacing_16, 64, 24, SPACED 16
FORWARD forward_spacing_24, 64, 32, SPACED 24
FORWARD forward_spacing_32, 64, 40, SPACED 32
FORWARD forward_spacing_56, 64, 64, SPACED 56
