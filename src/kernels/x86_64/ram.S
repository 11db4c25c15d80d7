/* SPDX-License-Identifier: MIT */
/* Memory bandwidth with vector registers: 128 bits (SSE2), 256 (AVX2), 512 (AVX-512F).
 *
 * Entry: rdi = a, rsi = b, rdx = n (bytes, a multiple of the vector), rcx = m (passes).
 * Aligned instructions are really the aligned ones: a misplaced buffer faults instead of being measured under
 * a wrong name. One temporary register serves all loads of a step, because register renaming gives each its
 * own; accumulators are renamed too but form chains, so there are eight of them. */
#include "../asm.h"
#include "passes.h"

    /* Differences between the families beyond the register's name. */

    .macro ZERO v, d
    .ifc \v, xmm
    pxor xmm\d, xmm\d
    .else
    vpxor xmm\d, xmm\d, xmm\d
    .endif
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
    .macro LEAVE v
    .ifnc \v, xmm
    vzeroupper
    .endif
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
    ZERO \v, \i
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
    PASSES 2, COPY_ELEMENT, COPY_ELEMENT, \bytes, \v, \load, \store
    FENCE_AFTER \store
    xor eax, eax
    LEAVE \v
    ENDFUNC \name
    .endm

    .macro VECTOR_WRITE name, v, bytes, store
    FUNCTION \name
    movzx esi, sil
    movabs rax, 0x0101010101010101
    imul rax, rsi
    SPREAD_\v
    PASSES 1, WRITE_ELEMENT, WRITE_ELEMENT, \bytes, \v, \store
    FENCE_AFTER \store
    xor eax, eax
    LEAVE \v
    ENDFUNC \name
    .endm

    .macro VECTOR_COMPARE name, v, bytes, load
    FUNCTION \name
    ZERO_EIGHT \v
    PASSES 2, COMPARE_ELEMENT, COMPARE_ELEMENT, \bytes, \v, \load
    FOLD_EIGHT \v
    LEAVE \v
    ENDFUNC \name
    .endm

    .macro VECTOR_AGG_OR name, v, bytes, load
    FUNCTION \name
    ZERO_EIGHT \v
    PASSES 1, AGG_OR_ELEMENT, AGG_OR_LAST, \bytes, \v, \load
    FOLD_EIGHT \v
    LEAVE \v
    ENDFUNC \name
    .endm

    .macro VECTOR_READ name, v, bytes, load
    FUNCTION \name
    PASSES 1, READ_ELEMENT, READ_ELEMENT, \bytes, \v, \load
    xor eax, eax
    LEAVE \v
    ENDFUNC \name
    .endm

    /* The kernels whose loads are of one mode, with the stores of all modes. */
    .macro LOADING mode, isa, v, bytes, load, aligned, unaligned, streaming
    VECTOR_COPY copy_\isa\()_\mode\()_aligned, \v, \bytes, \load, \aligned
    VECTOR_COPY copy_\isa\()_\mode\()_unaligned, \v, \bytes, \load, \unaligned
    VECTOR_COPY copy_\isa\()_\mode\()_streaming, \v, \bytes, \load, \streaming
    VECTOR_COMPARE compare_\isa\()_\mode, \v, \bytes, \load
    VECTOR_AGG_OR agg_or_\isa\()_\mode, \v, \bytes, \load
    VECTOR_READ read_\isa\()_\mode, \v, \bytes, \load
    .endm

    /* All modes of a width: the instructions of aligned and of unaligned accesses, of streaming loads and stores. */
    .macro FAMILY isa, v, bytes, aligned, unaligned, load, store
    LOADING aligned, \isa, \v, \bytes, \aligned, \aligned, \unaligned, \store
    LOADING unaligned, \isa, \v, \bytes, \unaligned, \aligned, \unaligned, \store
    LOADING streaming, \isa, \v, \bytes, \load, \aligned, \unaligned, \store
    VECTOR_WRITE write_\isa\()_aligned, \v, \bytes, \aligned
    VECTOR_WRITE write_\isa\()_unaligned, \v, \bytes, \unaligned
    VECTOR_WRITE write_\isa\()_streaming, \v, \bytes, \store
    .endm

    FAMILY sse2, xmm, 16, movdqa, movdqu, movntdqa, movntdq
    FAMILY avx2, ymm, 32, vmovdqa, vmovdqu, vmovntdqa, vmovntdq
    FAMILY avx512, zmm, 64, vmovdqa64, vmovdqu64, vmovntdqa, vmovntdq
