/* SPDX-License-Identifier: MIT */
/* Memory bandwidth with vector registers: 128 bits (NEON), and SVE at the length that the CPU has.
 *
 * Entry: x0 = a, x1 = b, x2 = n (bytes, a multiple of the vector), x3 = m (passes).
 * There is no instruction that wants alignment: aligned and unaligned kernels are the same code, given other
 * addresses. Streaming is the non-temporal hint. Vector registers 8 to 15 belong to the caller. */
#include "../asm.h"
#include "passes.h"

    .arch armv8-a

    /* NEON works on two elements an instruction, as only pairs can be non-temporal. The last element is a
     * pair of halves. load: ldp or ldnp, store: stp or stnp. */

    .macro COPY_neon i, load, store
    .if (\i & 1) == 0
    \load q16, q17, [x1, #\i * 16]
    \store q16, q17, [x0, #\i * 16]
    .endif
    .endm
    .macro COPY_neon_last i, load, store
    \load d16, d17, [x1]
    \store d16, d17, [x0]
    .endm

    .macro WRITE_neon i, store
    .if (\i & 1) == 0
    \store q0, q0, [x0, #\i * 16]
    .endif
    .endm
    .macro WRITE_neon_last i, store
    \store d0, d0, [x0]
    .endm

    .macro SPREAD_neon
    dup v0.16b, w1
    .endm

    .macro NEON_TAKE_DIFFERENCE c, d
    eor v16.16b, v16.16b, v18.16b
    eor v17.16b, v17.16b, v19.16b
    orr v\c\().16b, v\c\().16b, v16.16b
    orr v\d\().16b, v\d\().16b, v17.16b
    .endm
    .macro COMPARE_neon i, load
    .if (\i & 1) == 0
    \load q16, q17, [x0, #\i * 16]
    \load q18, q19, [x1, #\i * 16]
    .endif
    NEON_AT_PAIR \i, NEON_TAKE_DIFFERENCE
    .endm
    .macro COMPARE_neon_last i, load
    \load d16, d17, [x0]
    \load d18, d19, [x1]
    NEON_TAKE_DIFFERENCE 0, 1
    .endm

    .macro NEON_TAKE_OR c, d
    orr v\c\().16b, v\c\().16b, v16.16b
    orr v\d\().16b, v\d\().16b, v17.16b
    .endm
    .macro AGG_OR_neon i, load
    .if (\i & 1) == 0
    \load q16, q17, [x0, #\i * 16]
    .endif
    NEON_AT_PAIR \i, NEON_TAKE_OR
    .endm
    .macro AGG_OR_neon_last i, load
    \load d16, d17, [x0]
    NEON_TAKE_OR 0, 1
    .endm

    .macro READ_neon i, load
    .if (\i & 1) == 0
    \load q16, q17, [x0, #\i * 16]
    .endif
    .endm
    .macro READ_neon_last i, load
    \load d16, d17, [x0]
    .endm

    /* Each of the four pairs of a step has its own two accumulators. */
    .macro NEON_AT_PAIR i, take
    .if \i == 0
    \take 0, 1
    .elseif \i == 2
    \take 2, 3
    .elseif \i == 4
    \take 4, 5
    .elseif \i == 6
    \take 6, 7
    .endif
    .endm

    .macro ZERO i
    movi v\i\().2d, #0
    .endm
    .macro ZERO_EIGHT
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7
    ZERO \i
    .endr
    .endm

    /* x0 = OR of the 64-bit lanes of the accumulators */
    .macro OR_INTO_0_neon i
    orr v0.16b, v0.16b, v\i\().16b
    .endm
    .macro FOLD_neon
    .irp i, 1, 2, 3, 4, 5, 6, 7
    OR_INTO_0_neon \i
    .endr
    ext v1.16b, v0.16b, v0.16b, #8
    orr v0.16b, v0.16b, v1.16b
    fmov x0, d0
    .endm

    /* SVE: writing to v registers clears the rest of z, so ZERO_EIGHT serves here too. */

    .macro COPY_sve i, load, store
    \load {z16.d}, p0/z, [x1, #\i, mul vl]
    \store {z16.d}, p0, [x0, #\i, mul vl]
    .endm
    .macro WRITE_sve i, store
    \store {z0.d}, p0, [x0, #\i, mul vl]
    .endm
    .macro SPREAD_sve
    dup z0.b, w1
    .endm
    .macro COMPARE_sve i, load
    \load {z16.d}, p0/z, [x0, #\i, mul vl]
    \load {z17.d}, p0/z, [x1, #\i, mul vl]
    eor z16.d, z16.d, z17.d
    orr z\i\().d, z\i\().d, z16.d
    .endm
    .macro AGG_OR_sve i, load
    \load {z16.d}, p0/z, [x0, #\i, mul vl]
    orr z\i\().d, z\i\().d, z16.d
    .endm
    .macro READ_sve i, load
    \load {z16.d}, p0/z, [x0, #\i, mul vl]
    .endm
    .macro OR_INTO_0_sve i
    orr z0.d, z0.d, z\i\().d
    .endm
    .macro FOLD_sve
    .irp i, 1, 2, 3, 4, 5, 6, 7
    OR_INTO_0_sve \i
    .endr
    orv d0, p0, z0.d
    fmov x0, d0
    .endm
    .macro SIZE_neon
    mov x9, #16
    .endm
    .macro SIZE_sve
    rdvl x9, #1
    ptrue p0.d
    .endm

    /* Stores with the hint may wait in buffers: the call ends when they are performed, as on x86_64. */
    .macro FENCE_AFTER store
    .ifc \store, stnp
    dsb ishst
    .endif
    .ifc \store, stnt1d
    dsb ishst
    .endif
    .endm

    /* The kernels. isa: neon or sve; last: neon_last or, as the last element of SVE is like all others, sve. */

    .macro VECTOR_COPY name, isa, last, load, store
    FUNCTION \name
    SIZE_\isa
    PASSES 2, COPY_\isa, COPY_\last, \load, \store
    FENCE_AFTER \store
    mov x0, #0
    ret
    ENDFUNC \name
    .endm

    .macro VECTOR_WRITE name, isa, last, store
    FUNCTION \name
    SIZE_\isa
    SPREAD_\isa
    PASSES 1, WRITE_\isa, WRITE_\last, \store
    FENCE_AFTER \store
    mov x0, #0
    ret
    ENDFUNC \name
    .endm

    .macro VECTOR_COMPARE name, isa, last, load
    FUNCTION \name
    SIZE_\isa
    ZERO_EIGHT
    PASSES 2, COMPARE_\isa, COMPARE_\last, \load
    FOLD_\isa
    ret
    ENDFUNC \name
    .endm

    .macro VECTOR_AGG_OR name, isa, last, load
    FUNCTION \name
    SIZE_\isa
    ZERO_EIGHT
    PASSES 1, AGG_OR_\isa, AGG_OR_\last, \load
    FOLD_\isa
    ret
    ENDFUNC \name
    .endm

    .macro VECTOR_READ name, isa, last, load
    FUNCTION \name
    SIZE_\isa
    PASSES 1, READ_\isa, READ_\last, \load
    mov x0, #0
    ret
    ENDFUNC \name
    .endm

    /* The kernels whose loads are of one mode, with the stores of all modes. */
    .macro LOADING mode, isa, last, load, plain, streaming
    VECTOR_COPY copy_\isa\()_\mode\()_aligned, \isa, \last, \load, \plain
    VECTOR_COPY copy_\isa\()_\mode\()_unaligned, \isa, \last, \load, \plain
    VECTOR_COPY copy_\isa\()_\mode\()_streaming, \isa, \last, \load, \streaming
    VECTOR_COMPARE compare_\isa\()_\mode, \isa, \last, \load
    VECTOR_AGG_OR agg_or_\isa\()_\mode, \isa, \last, \load
    VECTOR_READ read_\isa\()_\mode, \isa, \last, \load
    .endm

    /* All modes: the instructions of plain loads and stores and of those with the non-temporal hint. */
    .macro FAMILY isa, last, load, store, load_hint, store_hint
    LOADING aligned, \isa, \last, \load, \store, \store_hint
    LOADING unaligned, \isa, \last, \load, \store, \store_hint
    LOADING streaming, \isa, \last, \load_hint, \store, \store_hint
    VECTOR_WRITE write_\isa\()_aligned, \isa, \last, \store
    VECTOR_WRITE write_\isa\()_unaligned, \isa, \last, \store
    VECTOR_WRITE write_\isa\()_streaming, \isa, \last, \store_hint
    .endm

    FAMILY neon, neon_last, ldp, stp, ldnp, stnp
    .arch armv8-a+sve
    FAMILY sve, sve, ld1d, st1d, ldnt1d, stnt1d
