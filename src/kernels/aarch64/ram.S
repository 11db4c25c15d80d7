/* SPDX-License-Identifier: MIT */
/* Memory bandwidth with vector registers: 128 bits (NEON), and SVE at the length that the CPU has.
 *
 * Entry: x0 = a, x1 = b, x2 = n (bytes, a multiple of the vector), x3 = m (passes), x4 = x, x5 = y.
 * There is no instruction that wants alignment: aligned and unaligned kernels are the same code, given other
 * addresses. Streaming is the non-temporal hint. Vector registers 8 to 15 belong to the caller. */
#include "../asm.h"
#include "passes.h"

    .arch armv8-a

    /* NEON works on two elements an instruction, as only pairs can be non-temporal. r: q or, for the last element, which is a
     * pair of halves, d. load: ldp or ldnp, store: stp or stnp. */

    .macro COPY_neon r, i, load, store
    .if (\i & 1) == 0
    \load \r\()16, \r\()17, [x1, #\i * 16]
    \store \r\()16, \r\()17, [x0, #\i * 16]
    .endif
    .endm

    .macro WRITE_neon r, i, store
    .if (\i & 1) == 0
    \store \r\()0, \r\()0, [x0, #\i * 16]
    .endif
    .endm

    .macro SPREAD_neon
    dup v0.16b, w1
    .endm

    .macro NEON_TAKE_DIFFERENCE c, d
    eor v16.16b, v16.16b, v18.16b
    eor v17.16b, v17.16b, v19.16b
    NEON_TAKE_OR \c, \d
    .endm
    .macro COMPARE_neon r, i, load
    .if (\i & 1) == 0
    \load \r\()16, \r\()17, [x0, #\i * 16]
    \load \r\()18, \r\()19, [x1, #\i * 16]
    .endif
    NEON_AT_PAIR \i, NEON_TAKE_DIFFERENCE
    .endm

    .macro NEON_TAKE_OR c, d
    orr v\c\().16b, v\c\().16b, v16.16b
    orr v\d\().16b, v\d\().16b, v17.16b
    .endm
    .macro AGG_OR_neon r, i, load
    READ_neon \r, \i, \load
    NEON_AT_PAIR \i, NEON_TAKE_OR
    .endm

    .macro READ_neon r, i, load, store
    .if (\i & 1) == 0
    \load \r\()16, \r\()17, [x0, #\i * 16]
    .endif
    .endm

    /* Of doubles; v20 is y in each. */
    .macro TIMES_Y_neon
    fmul v16.2d, v16.2d, v20.2d
    fmul v17.2d, v17.2d, v20.2d
    .endm
    .macro SCALE_neon r, i, load, store, from
    .if (\i & 1) == 0
    \load \r\()16, \r\()17, [\from, #\i * 16]
    TIMES_Y_neon
    \store \r\()16, \r\()17, [x0, #\i * 16]
    .endif
    .endm
    .macro ADD_neon r, i, load, store, times_y
    .if (\i & 1) == 0
    \load \r\()16, \r\()17, [x12, #\i * 16]
    \load \r\()18, \r\()19, [x1, #\i * 16]
    \times_y
    fadd v16.2d, v16.2d, v18.2d
    fadd v17.2d, v17.2d, v19.2d
    \store \r\()16, \r\()17, [x0, #\i * 16]
    .endif
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

    .macro COPY_sve r, i, load, store
    \load {z16.d}, p0/z, [x1, #\i, mul vl]
    \store {z16.d}, p0, [x0, #\i, mul vl]
    .endm
    .macro WRITE_sve r, i, store
    \store {z0.d}, p0, [x0, #\i, mul vl]
    .endm
    .macro SPREAD_sve
    dup z0.b, w1
    .endm
    .macro COMPARE_sve r, i, load
    \load {z16.d}, p0/z, [x0, #\i, mul vl]
    \load {z17.d}, p0/z, [x1, #\i, mul vl]
    eor z16.d, z16.d, z17.d
    orr z\i\().d, z\i\().d, z16.d
    .endm
    .macro AGG_OR_sve r, i, load
    READ_sve \r, \i, \load
    orr z\i\().d, z\i\().d, z16.d
    .endm
    .macro READ_sve r, i, load, store
    \load {z16.d}, p0/z, [x0, #\i, mul vl]
    .endm
    .macro TIMES_Y_sve
    fmul z16.d, z16.d, z20.d
    .endm
    .macro SCALE_sve r, i, load, store, from
    \load {z16.d}, p0/z, [\from, #\i, mul vl]
    TIMES_Y_sve
    \store {z16.d}, p0, [x0, #\i, mul vl]
    .endm
    .macro ADD_sve r, i, load, store, times_y
    \load {z16.d}, p0/z, [x12, #\i, mul vl]
    \load {z17.d}, p0/z, [x1, #\i, mul vl]
    \times_y
    fadd z16.d, z16.d, z17.d
    \store {z16.d}, p0, [x0, #\i, mul vl]
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
    /* x9 = the size of an element */
    .macro SIZE_neon
    mov x9, #16
    dup v20.2d, x5
    .endm
    .macro SIZE_sve
    rdvl x9, #1
    ptrue p0.d
    dup z20.d, x5
    .endm

    /* Stores with the hint may wait in buffers: the call ends when they are performed, as on x86_64. */
    .macro FENCE_AFTER load, store, more
    .irp streaming, stnp, stnt1d
    .ifc \store, \streaming
    dsb ishst
    .endif
    .endr
    .endm

    /* The kernels. isa: neon or sve. */

    .macro VECTOR_MOVE name, buffers, task, isa, arguments:vararg
    FUNCTION \name
    SIZE_\isa
    mov x12, x4
    PASSES \buffers, "\task\()_\isa q,", "\task\()_\isa d,", \arguments
    FENCE_AFTER \arguments
    mov x0, #0
    ret
    ENDFUNC \name
    .endm

    .macro VECTOR_WRITE name, isa, store
    FUNCTION \name
    SIZE_\isa
    SPREAD_\isa
    PASSES 1, "WRITE_\isa q,", "WRITE_\isa d,", \store
    FENCE_AFTER , \store
    mov x0, #0
    ret
    ENDFUNC \name
    .endm

    .macro VECTOR_FOLD name, buffers, task, isa, load
    FUNCTION \name
    SIZE_\isa
    ZERO_EIGHT
    PASSES \buffers, "\task\()_\isa q,", "\task\()_\isa d,", \load
    FOLD_\isa
    ret
    ENDFUNC \name
    .endm

    /* The kernels whose loads are of one mode, with the stores of all modes. */
    .macro LOADING mode, isa, load, plain, streaming
    VECTOR_MOVE copy_\isa\()_\mode\()_aligned, 2, COPY, \isa, \load, \plain
    VECTOR_MOVE copy_\isa\()_\mode\()_unaligned, 2, COPY, \isa, \load, \plain
    VECTOR_MOVE copy_\isa\()_\mode\()_streaming, 2, COPY, \isa, \load, \streaming
    VECTOR_FOLD compare_\isa\()_\mode, 2, COMPARE, \isa, \load
    VECTOR_FOLD agg_or_\isa\()_\mode, 1, AGG_OR, \isa, \load
    VECTOR_MOVE read_\isa\()_\mode, 1, READ, \isa, \load
    .endm

    /* The kernels whose stores are of one mode. */
    .macro STORING mode, isa, load, store
    VECTOR_WRITE write_\isa\()_\mode, \isa, \store
    .ifnc \mode, unaligned
    VECTOR_MOVE mix_scale_\isa\()_\mode, 2, SCALE, \isa, \load, \store, x1
    VECTOR_MOVE mix_add_\isa\()_\mode, 3, ADD, \isa, \load, \store
    VECTOR_MOVE mix_triad_\isa\()_\mode, 3, ADD, \isa, \load, \store, TIMES_Y_\isa
    .endif
    .endm

    /* All modes: the instructions of plain loads and stores and of those with the non-temporal hint. */
    .macro FAMILY isa, load, store, load_hint, store_hint
    LOADING aligned, \isa, \load, \store, \store_hint
    LOADING unaligned, \isa, \load, \store, \store_hint
    LOADING streaming, \isa, \load_hint, \store, \store_hint
    STORING aligned, \isa, \load, \store
    STORING unaligned, \isa, \load, \store
    STORING streaming, \isa, \load, \store_hint
    VECTOR_MOVE mix_update_\isa\()_aligned, 1, SCALE, \isa, \load, \store, x0
    .endm

    FAMILY neon, ldp, stp, ldnp, stnp
    .arch armv8-a+sve
    FAMILY sve, ld1d, st1d, ldnt1d, stnt1d
