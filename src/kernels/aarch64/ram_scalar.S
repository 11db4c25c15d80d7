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

    .macro SCALAR_COPY name, bytes, load, store, part
    FUNCTION \name
    mov x9, #\bytes
    PASSES 2, COPY_ELEMENT, COPY_ELEMENT, \bytes, \load, \store, \part
    mov x0, #0
    ret
    ENDFUNC \name
    .endm

    .macro SCALAR_WRITE name, bytes, store, part
    FUNCTION \name
    mov x9, #\bytes
    and x1, x1, #0xff
    mov x16, #0x0101010101010101
    mul x16, x16, x1
    PASSES 1, WRITE_ELEMENT, WRITE_ELEMENT, \bytes, \store, \part
    mov x0, #0
    ret
    ENDFUNC \name
    .endm

    .macro SCALAR_COMPARE name, bytes, load, part, other
    FUNCTION \name
    mov x9, #\bytes
    ZERO_FOUR
    PASSES 2, COMPARE_ELEMENT, COMPARE_ELEMENT, \bytes, \load, \part, \other
    FOLD_FOUR
    ret
    ENDFUNC \name
    .endm

    .macro SCALAR_AGG_OR name, bytes, load, part
    FUNCTION \name
    mov x9, #\bytes
    ZERO_FOUR
    PASSES 1, AGG_OR_ELEMENT, AGG_OR_ELEMENT, \bytes, \load, \part
    FOLD_FOUR
    ret
    ENDFUNC \name
    .endm

    .macro SCALAR_READ name, bytes, load, part
    FUNCTION \name
    mov x9, #\bytes
    PASSES 1, READ_ELEMENT, READ_ELEMENT, \bytes, \load, \part
    mov x0, #0
    ret
    ENDFUNC \name
    .endm

    SCALAR_COPY copy_scalar8, 1, ldrb, strb, w16
    SCALAR_COPY copy_scalar16, 2, ldrh, strh, w16
    SCALAR_COPY copy_scalar32, 4, ldr, str, w16
    SCALAR_COPY copy_scalar64, 8, ldr, str, x16

    SCALAR_WRITE write_scalar8, 1, strb, w16
    SCALAR_WRITE write_scalar16, 2, strh, w16
    SCALAR_WRITE write_scalar32, 4, str, w16
    SCALAR_WRITE write_scalar64, 8, str, x16

    SCALAR_COMPARE compare_scalar8, 1, ldrb, w16, w17
    SCALAR_COMPARE compare_scalar16, 2, ldrh, w16, w17
    SCALAR_COMPARE compare_scalar32, 4, ldr, w16, w17
    SCALAR_COMPARE compare_scalar64, 8, ldr, x16, x17

    SCALAR_AGG_OR agg_or_scalar8, 1, ldrb, w16
    SCALAR_AGG_OR agg_or_scalar16, 2, ldrh, w16
    SCALAR_AGG_OR agg_or_scalar32, 4, ldr, w16
    SCALAR_AGG_OR agg_or_scalar64, 8, ldr, x16

    SCALAR_READ read_scalar8, 1, ldrb, w16
    SCALAR_READ read_scalar16, 2, ldrh, w16
    SCALAR_READ read_scalar32, 4, ldr, w16
    SCALAR_READ read_scalar64, 8, ldr, x16
