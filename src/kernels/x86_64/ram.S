/* SPDX-License-Identifier: MIT */
/* Memory bandwidth with vector registers: 128 bits (SSE2), 256 (AVX2), 512 (AVX-512F).
 *
 * Entry: rdi = a, rsi = b, rdx = n (bytes, a multiple of the vector), rcx = m (passes).
 * Aligned instructions are really the aligned ones: a misplaced buffer faults instead of being measured under
 * a wrong name. One temporary register serves all loads of a step, because register renaming gives each its
 * own; accumulators are renamed too but form chains, so there are eight of them. */
#include "../asm.h"
#include "passes.h"

    /* What differs between the families beyond the register's name. */

    .macro ZERO_xmm d
    pxor xmm\d, xmm\d
    .endm
    .macro ZERO_ymm d
    vpxor xmm\d, xmm\d, xmm\d
    .endm
    .macro ZERO_zmm d
    vpxor xmm\d, xmm\d, xmm\d
    .endm

    .macro OR_xmm d, s
    por xmm\d, xmm\s
    .endm
    .macro OR_ymm d, s
    vpor ymm\d, ymm\d, ymm\s
    .endm
    .macro OR_zmm d, s
    vporq zmm\d, zmm\d, zmm\s
    .endm

    /* Takes in registers 8 and 9. With 512 bits there are two vector ports: one operation per load fills
     * them, and loads then fall to 80 B/cycle where 117 can be had; an OR of three takes half as many. */
    .macro OR_PAIR_xmm c, d
    por xmm\c, xmm8
    por xmm\d, xmm9
    .endm
    .macro OR_PAIR_ymm c, d
    vpor ymm\c, ymm\c, ymm8
    vpor ymm\d, ymm\d, ymm9
    .endm
    .macro OR_PAIR_zmm c, d
    vpternlogq zmm\d, zmm8, zmm9, 0xfe
    .endm

    /* d |= x ^ y; x is lost */
    .macro DIFFER_xmm d, x, y
    pxor xmm\x, xmm\y
    por xmm\d, xmm\x
    .endm
    .macro DIFFER_ymm d, x, y
    vpxor ymm\x, ymm\x, ymm\y
    vpor ymm\d, ymm\d, ymm\x
    .endm
    .macro DIFFER_zmm d, x, y
    vpternlogq zmm\d, zmm\x, zmm\y, 0xf6
    .endm

    /* rax = OR of the 64-bit lanes of register 0; registers 0 and 1 are lost */
    .macro LANES_xmm
    pshufd xmm1, xmm0, 0x4e
    por xmm0, xmm1
    movq rax, xmm0
    .endm
    .macro LANES_ymm
    vextracti128 xmm1, ymm0, 1
    vpor xmm0, xmm0, xmm1
    vpshufd xmm1, xmm0, 0x4e
    vpor xmm0, xmm0, xmm1
    vmovq rax, xmm0
    .endm
    .macro LANES_zmm
    vextracti64x4 ymm1, zmm0, 1
    vpor ymm0, ymm0, ymm1
    LANES_ymm
    .endm

    /* register 0 = rax in every 64-bit lane */
    .macro SPREAD_xmm
    movq xmm0, rax
    punpcklqdq xmm0, xmm0
    .endm
    .macro SPREAD_ymm
    vmovq xmm0, rax
    vpbroadcastq ymm0, xmm0
    .endm
    .macro SPREAD_zmm
    vmovq xmm0, rax
    vpbroadcastq zmm0, xmm0
    .endm

    /* Dirty upper halves would slow down the SSE code of the caller. */
    .macro LEAVE_xmm
    ret
    .endm
    .macro LEAVE_ymm
    vzeroupper
    ret
    .endm
    .macro LEAVE_zmm
    vzeroupper
    ret
    .endm

    /* Streaming stores are weakly ordered: the call ends when they have left the write-combining buffers. */
    .macro FENCE_AFTER store
    .ifc \store, movntdq
    sfence
    .endif
    .ifc \store, vmovntdq
    sfence
    .endif
    .endm

    /* The work on one element, for the loops of passes.h. */

    .macro COPY_ELEMENT i, bytes, v, load, store
    \load \v\()0, [rsi + \i * \bytes]
    \store [rdi + \i * \bytes], \v\()0
    .endm

    .macro WRITE_ELEMENT i, bytes, v, store
    \store [rdi + \i * \bytes], \v\()0
    .endm

    .macro COMPARE_ELEMENT i, bytes, v, load
    \load \v\()8, [rdi + \i * \bytes]
    \load \v\()9, [rsi + \i * \bytes]
    DIFFER_\v \i, 8, 9
    .endm

    .macro AGG_OR_ELEMENT i, bytes, v, load
    .if \i & 1
    \load \v\()9, [rdi + \i * \bytes]
    .if \i == 1
    OR_PAIR_\v 0, 1
    .elseif \i == 3
    OR_PAIR_\v 2, 3
    .elseif \i == 5
    OR_PAIR_\v 4, 5
    .else
    OR_PAIR_\v 6, 7
    .endif
    .else
    \load \v\()8, [rdi + \i * \bytes]
    .endif
    .endm
    .macro AGG_OR_LAST i, bytes, v, load
    \load \v\()8, [rdi]
    OR_\v 0, 8
    .endm

    .macro READ_ELEMENT i, bytes, v, load
    \load \v\()0, [rdi + \i * \bytes]
    .endm

    .macro ZERO_EIGHT v
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7
    ZERO_\v \i
    .endr
    .endm

    .macro FOLD_EIGHT v
    .irp i, 1, 2, 3, 4, 5, 6, 7
    OR_\v 0, \i
    .endr
    LANES_\v
    .endm

    /* The kernels. */

    .macro VECTOR_COPY name, v, bytes, load, store
    FUNCTION \name
    PASSES_OVER_TWO COPY_ELEMENT, \bytes, \v, \load, \store
    FENCE_AFTER \store
    xor eax, eax
    LEAVE_\v
    ENDFUNC \name
    .endm

    .macro VECTOR_WRITE name, v, bytes, store
    FUNCTION \name
    movzx esi, sil
    movabs rax, 0x0101010101010101
    imul rax, rsi
    SPREAD_\v
    PASSES_OVER_ONE WRITE_ELEMENT, WRITE_ELEMENT, \bytes, \v, \store
    FENCE_AFTER \store
    xor eax, eax
    LEAVE_\v
    ENDFUNC \name
    .endm

    .macro VECTOR_COMPARE name, v, bytes, load
    FUNCTION \name
    ZERO_EIGHT \v
    PASSES_OVER_TWO COMPARE_ELEMENT, \bytes, \v, \load
    FOLD_EIGHT \v
    LEAVE_\v
    ENDFUNC \name
    .endm

    .macro VECTOR_AGG_OR name, v, bytes, load
    FUNCTION \name
    ZERO_EIGHT \v
    PASSES_OVER_ONE AGG_OR_ELEMENT, AGG_OR_LAST, \bytes, \v, \load
    FOLD_EIGHT \v
    LEAVE_\v
    ENDFUNC \name
    .endm

    .macro VECTOR_READ name, v, bytes, load
    FUNCTION \name
    PASSES_OVER_ONE READ_ELEMENT, READ_ELEMENT, \bytes, \v, \load
    xor eax, eax
    LEAVE_\v
    ENDFUNC \name
    .endm

    VECTOR_COPY copy_sse2_aligned_aligned, xmm, 16, movdqa, movdqa
    VECTOR_COPY copy_sse2_aligned_unaligned, xmm, 16, movdqa, movdqu
    VECTOR_COPY copy_sse2_aligned_streaming, xmm, 16, movdqa, movntdq
    VECTOR_COPY copy_sse2_unaligned_aligned, xmm, 16, movdqu, movdqa
    VECTOR_COPY copy_sse2_unaligned_unaligned, xmm, 16, movdqu, movdqu
    VECTOR_COPY copy_sse2_unaligned_streaming, xmm, 16, movdqu, movntdq
    VECTOR_COPY copy_sse2_streaming_aligned, xmm, 16, movntdqa, movdqa
    VECTOR_COPY copy_sse2_streaming_unaligned, xmm, 16, movntdqa, movdqu
    VECTOR_COPY copy_sse2_streaming_streaming, xmm, 16, movntdqa, movntdq
    VECTOR_COPY copy_avx2_aligned_aligned, ymm, 32, vmovdqa, vmovdqa
    VECTOR_COPY copy_avx2_aligned_unaligned, ymm, 32, vmovdqa, vmovdqu
    VECTOR_COPY copy_avx2_aligned_streaming, ymm, 32, vmovdqa, vmovntdq
    VECTOR_COPY copy_avx2_unaligned_aligned, ymm, 32, vmovdqu, vmovdqa
    VECTOR_COPY copy_avx2_unaligned_unaligned, ymm, 32, vmovdqu, vmovdqu
    VECTOR_COPY copy_avx2_unaligned_streaming, ymm, 32, vmovdqu, vmovntdq
    VECTOR_COPY copy_avx2_streaming_aligned, ymm, 32, vmovntdqa, vmovdqa
    VECTOR_COPY copy_avx2_streaming_unaligned, ymm, 32, vmovntdqa, vmovdqu
    VECTOR_COPY copy_avx2_streaming_streaming, ymm, 32, vmovntdqa, vmovntdq
    VECTOR_COPY copy_avx512_aligned_aligned, zmm, 64, vmovdqa64, vmovdqa64
    VECTOR_COPY copy_avx512_aligned_unaligned, zmm, 64, vmovdqa64, vmovdqu64
    VECTOR_COPY copy_avx512_aligned_streaming, zmm, 64, vmovdqa64, vmovntdq
    VECTOR_COPY copy_avx512_unaligned_aligned, zmm, 64, vmovdqu64, vmovdqa64
    VECTOR_COPY copy_avx512_unaligned_unaligned, zmm, 64, vmovdqu64, vmovdqu64
    VECTOR_COPY copy_avx512_unaligned_streaming, zmm, 64, vmovdqu64, vmovntdq
    VECTOR_COPY copy_avx512_streaming_aligned, zmm, 64, vmovntdqa, vmovdqa64
    VECTOR_COPY copy_avx512_streaming_unaligned, zmm, 64, vmovntdqa, vmovdqu64
    VECTOR_COPY copy_avx512_streaming_streaming, zmm, 64, vmovntdqa, vmovntdq

    VECTOR_WRITE write_sse2_aligned, xmm, 16, movdqa
    VECTOR_WRITE write_sse2_unaligned, xmm, 16, movdqu
    VECTOR_WRITE write_sse2_streaming, xmm, 16, movntdq
    VECTOR_WRITE write_avx2_aligned, ymm, 32, vmovdqa
    VECTOR_WRITE write_avx2_unaligned, ymm, 32, vmovdqu
    VECTOR_WRITE write_avx2_streaming, ymm, 32, vmovntdq
    VECTOR_WRITE write_avx512_aligned, zmm, 64, vmovdqa64
    VECTOR_WRITE write_avx512_unaligned, zmm, 64, vmovdqu64
    VECTOR_WRITE write_avx512_streaming, zmm, 64, vmovntdq

    VECTOR_COMPARE compare_sse2_aligned, xmm, 16, movdqa
    VECTOR_COMPARE compare_sse2_unaligned, xmm, 16, movdqu
    VECTOR_COMPARE compare_sse2_streaming, xmm, 16, movntdqa
    VECTOR_COMPARE compare_avx2_aligned, ymm, 32, vmovdqa
    VECTOR_COMPARE compare_avx2_unaligned, ymm, 32, vmovdqu
    VECTOR_COMPARE compare_avx2_streaming, ymm, 32, vmovntdqa
    VECTOR_COMPARE compare_avx512_aligned, zmm, 64, vmovdqa64
    VECTOR_COMPARE compare_avx512_unaligned, zmm, 64, vmovdqu64
    VECTOR_COMPARE compare_avx512_streaming, zmm, 64, vmovntdqa

    VECTOR_AGG_OR agg_or_sse2_aligned, xmm, 16, movdqa
    VECTOR_AGG_OR agg_or_sse2_unaligned, xmm, 16, movdqu
    VECTOR_AGG_OR agg_or_sse2_streaming, xmm, 16, movntdqa
    VECTOR_AGG_OR agg_or_avx2_aligned, ymm, 32, vmovdqa
    VECTOR_AGG_OR agg_or_avx2_unaligned, ymm, 32, vmovdqu
    VECTOR_AGG_OR agg_or_avx2_streaming, ymm, 32, vmovntdqa
    VECTOR_AGG_OR agg_or_avx512_aligned, zmm, 64, vmovdqa64
    VECTOR_AGG_OR agg_or_avx512_unaligned, zmm, 64, vmovdqu64
    VECTOR_AGG_OR agg_or_avx512_streaming, zmm, 64, vmovntdqa

    VECTOR_READ read_sse2_aligned, xmm, 16, movdqa
    VECTOR_READ read_sse2_unaligned, xmm, 16, movdqu
    VECTOR_READ read_sse2_streaming, xmm, 16, movntdqa
    VECTOR_READ read_avx2_aligned, ymm, 32, vmovdqa
    VECTOR_READ read_avx2_unaligned, ymm, 32, vmovdqu
    VECTOR_READ read_avx2_streaming, ymm, 32, vmovntdqa
    VECTOR_READ read_avx512_aligned, zmm, 64, vmovdqa64
    VECTOR_READ read_avx512_unaligned, zmm, 64, vmovdqu64
    VECTOR_READ read_avx512_streaming, zmm, 64, vmovntdqa
