/* SPDX-License-Identifier: MIT */
/* Memory bandwidth with general registers of 8, 16, 32 and 64 bits.
 *
 * Entry: x0 = a, x1 = b, x2 = n (bytes, a multiple of the element), x3 = m (passes). Any address will do.
 * load and store: the instructions of this width; part: x16 at this width. */
#include "../asm.h"
#include "passes.h"

    .arch armv8-a

    .macro COPY_ELEMENT i, bytes, load, store, part
    \load \part, [x1, #\i * \bytes]
    \store \part, [x0, #\i * \bytes]
    .endm

    .macro WRITE_ELEMENT i, bytes, store, part
    \store \part, [x0, #\i * \bytes]
    .endm

    /* x12 to x15 accumulate in turn. */
    .macro OR_INTO_ONE_OF_FOUR i
    .if (\i & 3) == 0
    orr x12, x12, x16
    .elseif (\i & 3) == 1
    orr x13, x13, x16
    .elseif (\i & 3) == 2
    orr x14, x14, x16
    .else
    orr x15, x15, x16
    .endif
    .endm

    .macro COMPARE_ELEMENT i, bytes, load, part, other
    \load \part, [x0, #\i * \bytes]
    \load \other, [x1, #\i * \bytes]
    eor x16, x16, x17
    OR_INTO_ONE_OF_FOUR \i
    .endm

    .macro AGG_OR_ELEMENT i, bytes, load, part
    \load \part, [x0, #\i * \bytes]
    OR_INTO_ONE_OF_FOUR \i
    .endm

    .macro READ_ELEMENT i, bytes, load, part
    \load \part, [x0, #\i * \bytes]
    .endm

    .macro ZERO_FOUR
    mov x12, #0
    mov x13, #0
    mov x14, #0
    mov x15, #0
    .endm

    .macro FOLD_FOUR
    orr x12, x12, x13
    orr x14, x14, x15
    orr x0, x12, x14
    .endm

    /* The kernels of one width. suffix: of its loads and stores; r: letter of its registers. */
    .macro SCALARS bits, bytes, suffix, r
FUNCTION copy_scalar\bits
    mov x9, #\bytes
    PASSES 2, COPY_ELEMENT, COPY_ELEMENT, \bytes, ldr\suffix, str\suffix, \r\()16
    mov x0, #0
    ret
ENDFUNC copy_scalar\bits

FUNCTION write_scalar\bits
    mov x9, #\bytes
    and x1, x1, #0xff
    mov x16, #0x0101010101010101
    mul x16, x16, x1
    PASSES 1, WRITE_ELEMENT, WRITE_ELEMENT, \bytes, str\suffix, \r\()16
    mov x0, #0
    ret
ENDFUNC write_scalar\bits

FUNCTION compare_scalar\bits
    mov x9, #\bytes
    ZERO_FOUR
    PASSES 2, COMPARE_ELEMENT, COMPARE_ELEMENT, \bytes, ldr\suffix, \r\()16, \r\()17
    FOLD_FOUR
    ret
ENDFUNC compare_scalar\bits

FUNCTION agg_or_scalar\bits
    mov x9, #\bytes
    ZERO_FOUR
    PASSES 1, AGG_OR_ELEMENT, AGG_OR_ELEMENT, \bytes, ldr\suffix, \r\()16
    FOLD_FOUR
    ret
ENDFUNC agg_or_scalar\bits

FUNCTION read_scalar\bits
    mov x9, #\bytes
    PASSES 1, READ_ELEMENT, READ_ELEMENT, \bytes, ldr\suffix, \r\()16
    mov x0, #0
    ret
ENDFUNC read_scalar\bits
    .endm

FUNCTION store_zero_line
    add x2, x2, x0
    cbz x3, 3f
1:
    mov x9, x0
    cmp x9, x2
    b.hs 3f
    .p2align 6
2:
    dc zva, x9
    add x9, x9, #64
    cmp x9, x2
    b.lo 2b
    subs x3, x3, #1
    b.ne 1b
3:
    mov x0, #0
    ret
ENDFUNC store_zero_line

    SCALARS 8, 1, b, w
    SCALARS 16, 2, h, w
    SCALARS 32, 4, , w
    SCALARS 64, 8, , x
