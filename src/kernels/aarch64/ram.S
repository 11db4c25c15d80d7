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

    .macro NEON_COPY i, load, store
    .if (\i & 1) == 0
    \load q16, q17, [x1, #\i * 16]
    \store q16, q17, [x0, #\i * 16]
    .endif
    .endm
    .macro NEON_COPY_LAST i, load, store
    \load d16, d17, [x1]
    \store d16, d17, [x0]
    .endm

    .macro NEON_WRITE i, store
    .if (\i & 1) == 0
    \store q0, q0, [x0, #\i * 16]
    .endif
    .endm
    .macro NEON_WRITE_LAST i, store
    \store d0, d0, [x0]
    .endm

    .macro NEON_TAKE_DIFFERENCE c, d
    eor v16.16b, v16.16b, v18.16b
    eor v17.16b, v17.16b, v19.16b
    orr v\c\().16b, v\c\().16b, v16.16b
    orr v\d\().16b, v\d\().16b, v17.16b
    .endm
    .macro NEON_COMPARE i, load
    .if (\i & 1) == 0
    \load q16, q17, [x0, #\i * 16]
    \load q18, q19, [x1, #\i * 16]
    .endif
    NEON_AT_PAIR \i, NEON_TAKE_DIFFERENCE
    .endm
    .macro NEON_COMPARE_LAST i, load
    \load d16, d17, [x0]
    \load d18, d19, [x1]
    NEON_TAKE_DIFFERENCE 0, 1
    .endm

    .macro NEON_TAKE_OR c, d
    orr v\c\().16b, v\c\().16b, v16.16b
    orr v\d\().16b, v\d\().16b, v17.16b
    .endm
    .macro NEON_AGG_OR i, load
    .if (\i & 1) == 0
    \load q16, q17, [x0, #\i * 16]
    .endif
    NEON_AT_PAIR \i, NEON_TAKE_OR
    .endm
    .macro NEON_AGG_OR_LAST i, load
    \load d16, d17, [x0]
    NEON_TAKE_OR 0, 1
    .endm

    .macro NEON_READ i, load
    .if (\i & 1) == 0
    \load q16, q17, [x0, #\i * 16]
    .endif
    .endm
    .macro NEON_READ_LAST i, load
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
    .macro NEON_OR_INTO_0 i
    orr v0.16b, v0.16b, v\i\().16b
    .endm
    .macro NEON_FOLD
    .irp i, 1, 2, 3, 4, 5, 6, 7
    NEON_OR_INTO_0 \i
    .endr
    ext v1.16b, v0.16b, v0.16b, #8
    orr v0.16b, v0.16b, v1.16b
    fmov x0, d0
    .endm

    /* SVE: writing to v registers clears the rest of z, so ZERO_EIGHT serves here too. */

    .macro SVE_COPY i, load, store
    \load {z16.d}, p0/z, [x1, #\i, mul vl]
    \store {z16.d}, p0, [x0, #\i, mul vl]
    .endm
    .macro SVE_WRITE i, store
    \store {z0.d}, p0, [x0, #\i, mul vl]
    .endm
    .macro SVE_COMPARE i, load
    \load {z16.d}, p0/z, [x0, #\i, mul vl]
    \load {z17.d}, p0/z, [x1, #\i, mul vl]
    eor z16.d, z16.d, z17.d
    orr z\i\().d, z\i\().d, z16.d
    .endm
    .macro SVE_AGG_OR i, load
    \load {z16.d}, p0/z, [x0, #\i, mul vl]
    orr z\i\().d, z\i\().d, z16.d
    .endm
    .macro SVE_READ i, load
    \load {z16.d}, p0/z, [x0, #\i, mul vl]
    .endm
    .macro SVE_OR_INTO_0 i
    orr z0.d, z0.d, z\i\().d
    .endm
    .macro SVE_FOLD
    .irp i, 1, 2, 3, 4, 5, 6, 7
    SVE_OR_INTO_0 \i
    .endr
    orv d0, p0, z0.d
    fmov x0, d0
    .endm
    .macro SVE_SIZE
    rdvl x9, #1
    ptrue p0.d
    .endm

    /* The kernels. */

    .macro KERNEL_NEON_COPY name, load, store
    FUNCTION \name
    mov x9, #16
    PASSES_OVER_TWO NEON_COPY, NEON_COPY_LAST, \load, \store
    mov x0, #0
    ret
    ENDFUNC \name
    .endm
    .macro KERNEL_SVE_COPY name, load, store
    FUNCTION \name
    SVE_SIZE
    PASSES_OVER_TWO SVE_COPY, SVE_COPY, \load, \store
    mov x0, #0
    ret
    ENDFUNC \name
    .endm

    .macro KERNEL_NEON_WRITE name, store
    FUNCTION \name
    mov x9, #16
    dup v0.16b, w1
    PASSES_OVER_ONE NEON_WRITE, NEON_WRITE_LAST, \store
    mov x0, #0
    ret
    ENDFUNC \name
    .endm
    .macro KERNEL_SVE_WRITE name, store
    FUNCTION \name
    SVE_SIZE
    dup z0.b, w1
    PASSES_OVER_ONE SVE_WRITE, SVE_WRITE, \store
    mov x0, #0
    ret
    ENDFUNC \name
    .endm

    .macro KERNEL_NEON_COMPARE name, load
    FUNCTION \name
    mov x9, #16
    ZERO_EIGHT
    PASSES_OVER_TWO NEON_COMPARE, NEON_COMPARE_LAST, \load
    NEON_FOLD
    ret
    ENDFUNC \name
    .endm
    .macro KERNEL_SVE_COMPARE name, load
    FUNCTION \name
    SVE_SIZE
    ZERO_EIGHT
    PASSES_OVER_TWO SVE_COMPARE, SVE_COMPARE, \load
    SVE_FOLD
    ret
    ENDFUNC \name
    .endm

    .macro KERNEL_NEON_AGG_OR name, load
    FUNCTION \name
    mov x9, #16
    ZERO_EIGHT
    PASSES_OVER_ONE NEON_AGG_OR, NEON_AGG_OR_LAST, \load
    NEON_FOLD
    ret
    ENDFUNC \name
    .endm
    .macro KERNEL_SVE_AGG_OR name, load
    FUNCTION \name
    SVE_SIZE
    ZERO_EIGHT
    PASSES_OVER_ONE SVE_AGG_OR, SVE_AGG_OR, \load
    SVE_FOLD
    ret
    ENDFUNC \name
    .endm

    .macro KERNEL_NEON_READ name, load
    FUNCTION \name
    mov x9, #16
    PASSES_OVER_ONE NEON_READ, NEON_READ_LAST, \load
    mov x0, #0
    ret
    ENDFUNC \name
    .endm
    .macro KERNEL_SVE_READ name, load
    FUNCTION \name
    SVE_SIZE
    PASSES_OVER_ONE SVE_READ, SVE_READ, \load
    mov x0, #0
    ret
    ENDFUNC \name
    .endm

    KERNEL_NEON_COPY copy_neon_aligned_aligned, ldp, stp
    KERNEL_NEON_COPY copy_neon_aligned_unaligned, ldp, stp
    KERNEL_NEON_COPY copy_neon_aligned_streaming, ldp, stnp
    KERNEL_NEON_COPY copy_neon_unaligned_aligned, ldp, stp
    KERNEL_NEON_COPY copy_neon_unaligned_unaligned, ldp, stp
    KERNEL_NEON_COPY copy_neon_unaligned_streaming, ldp, stnp
    KERNEL_NEON_COPY copy_neon_streaming_aligned, ldnp, stp
    KERNEL_NEON_COPY copy_neon_streaming_unaligned, ldnp, stp
    KERNEL_NEON_COPY copy_neon_streaming_streaming, ldnp, stnp
    .arch armv8-a+sve
    KERNEL_SVE_COPY copy_sve_aligned_aligned, ld1d, st1d
    KERNEL_SVE_COPY copy_sve_aligned_unaligned, ld1d, st1d
    KERNEL_SVE_COPY copy_sve_aligned_streaming, ld1d, stnt1d
    KERNEL_SVE_COPY copy_sve_unaligned_aligned, ld1d, st1d
    KERNEL_SVE_COPY copy_sve_unaligned_unaligned, ld1d, st1d
    KERNEL_SVE_COPY copy_sve_unaligned_streaming, ld1d, stnt1d
    KERNEL_SVE_COPY copy_sve_streaming_aligned, ldnt1d, st1d
    KERNEL_SVE_COPY copy_sve_streaming_unaligned, ldnt1d, st1d
    KERNEL_SVE_COPY copy_sve_streaming_streaming, ldnt1d, stnt1d
    .arch armv8-a

    KERNEL_NEON_WRITE write_neon_aligned, stp
    KERNEL_NEON_WRITE write_neon_unaligned, stp
    KERNEL_NEON_WRITE write_neon_streaming, stnp
    .arch armv8-a+sve
    KERNEL_SVE_WRITE write_sve_aligned, st1d
    KERNEL_SVE_WRITE write_sve_unaligned, st1d
    KERNEL_SVE_WRITE write_sve_streaming, stnt1d
    .arch armv8-a

    KERNEL_NEON_COMPARE compare_neon_aligned, ldp
    KERNEL_NEON_COMPARE compare_neon_unaligned, ldp
    KERNEL_NEON_COMPARE compare_neon_streaming, ldnp
    .arch armv8-a+sve
    KERNEL_SVE_COMPARE compare_sve_aligned, ld1d
    KERNEL_SVE_COMPARE compare_sve_unaligned, ld1d
    KERNEL_SVE_COMPARE compare_sve_streaming, ldnt1d
    .arch armv8-a

    KERNEL_NEON_AGG_OR agg_or_neon_aligned, ldp
    KERNEL_NEON_AGG_OR agg_or_neon_unaligned, ldp
    KERNEL_NEON_AGG_OR agg_or_neon_streaming, ldnp
    .arch armv8-a+sve
    KERNEL_SVE_AGG_OR agg_or_sve_aligned, ld1d
    KERNEL_SVE_AGG_OR agg_or_sve_unaligned, ld1d
    KERNEL_SVE_AGG_OR agg_or_sve_streaming, ldnt1d
    .arch armv8-a

    KERNEL_NEON_READ read_neon_aligned, ldp
    KERNEL_NEON_READ read_neon_unaligned, ldp
    KERNEL_NEON_READ read_neon_streaming, ldnp
    .arch armv8-a+sve
    KERNEL_SVE_READ read_sve_aligned, ld1d
    KERNEL_SVE_READ read_sve_unaligned, ld1d
    KERNEL_SVE_READ read_sve_streaming, ldnt1d
    .arch armv8-a
