/* SPDX-License-Identifier: MIT */
/* Memory bandwidth with vector registers: 128 bits (SSE2), 256 (AVX2), 512 (AVX-512F).
 *
 * Entry: rdi = a, rsi = b, rdx = n (bytes, a multiple of the vector), rcx = m (passes), r8 = x, r9 = y.
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

    /* d = d op s: of bits, which only zmm has by lanes, and of doubles */
    .macro BITS op, v, d, s
    .ifc \v, zmm
    vp\op\()q zmm\d, zmm\d, zmm\s
    .else
    DOUBLES p\op, \v, \d, \s
    .endif
    .endm
    .macro DOUBLES op, v, d, s
    .ifc \v, xmm
    \op xmm\d, xmm\s
    .else
    v\op \v\d, \v\d, \v\s
    .endif
    .endm

    /* Takes in registers 8 and 9. With 512 bits there are two vector ports: one operation per load fills
     * them, and loads then fall to 80 B/cycle where 117 can be had; an OR of three takes half as many. */
    .macro OR_PAIR v, c, d
    .ifc \v, zmm
    vpternlogq zmm\d, zmm8, zmm9, 0xfe
    .else
    BITS or, \v, \c, 8
    BITS or, \v, \d, 9
    .endif
    .endm

    /* d |= x ^ y; x is lost */
    .macro DIFFER v, d, x, y
    .ifc \v, zmm
    vpternlogq zmm\d, zmm\x, zmm\y, 0xf6
    .else
    BITS xor, \v, \x, \y
    BITS or, \v, \d, \x
    .endif
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

    /* register d = `from` in every 64-bit lane */
    .macro SPREAD v, d, from
    .ifc \v, xmm
    movq xmm\d, \from
    punpcklqdq xmm\d, xmm\d
    .else
    vmovq xmm\d, \from
    vpbroadcastq \v\d, xmm\d
    .endif
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
    .irp streaming, movntdq, vmovntdq
    .ifc \store, \streaming
    sfence
    .endif
    .endr
    .endm

    /* The work on one element, for the loops of passes.h. */

    .macro COPY_ELEMENT i, bytes, v, load, store, more
    \load \v\()0, [rsi + \i * \bytes]
    \store [rdi + \i * \bytes], \v\()0
    .endm

    .macro WRITE_ELEMENT i, bytes, v, store
    \store [rdi + \i * \bytes], \v\()0
    .endm

    .macro COMPARE_ELEMENT i, bytes, v, load
    \load \v\()8, [rdi + \i * \bytes]
    \load \v\()9, [rsi + \i * \bytes]
    DIFFER \v, \i, 8, 9
    .endm

    .macro AGG_OR_ELEMENT i, bytes, v, load
    .if \i & 1
    \load \v\()9, [rdi + \i * \bytes]
    .if \i == 1
    OR_PAIR \v, 0, 1
    .elseif \i == 3
    OR_PAIR \v, 2, 3
    .elseif \i == 5
    OR_PAIR \v, 4, 5
    .else
    OR_PAIR \v, 6, 7
    .endif
    .else
    \load \v\()8, [rdi + \i * \bytes]
    .endif
    .endm
    .macro AGG_OR_LAST i, bytes, v, load
    \load \v\()8, [rdi]
    BITS or, \v, 0, 8
    .endm

    .macro READ_ELEMENT i, bytes, v, load, more:vararg
    \load \v\()0, [rdi + \i * \bytes]
    .endm

    /* Of doubles; register 15 is y in each. */
    .macro SCALE_ELEMENT i, bytes, v, load, store, from
    \load \v\()0, [\from + \i * \bytes]
    DOUBLES mulpd, \v, 0, 15
    \store [rdi + \i * \bytes], \v\()0
    .endm
    .macro ADD_ELEMENT i, bytes, v, load, store, scaled
    \load \v\()0, [rax + \i * \bytes]
    \load \v\()1, [rsi + \i * \bytes]
    .ifnb \scaled
    DOUBLES mulpd, \v, 0, 15
    .endif
    DOUBLES addpd, \v, 0, 1
    \store [rdi + \i * \bytes], \v\()0
    .endm

    .macro ZERO_EIGHT v
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7
    ZERO \v, \i
    .endr
    .endm

    .macro FOLD_EIGHT v
    .irp i, 1, 2, 3, 4, 5, 6, 7
    BITS or, \v, 0, \i
    .endr
    LANES_\v
    .endm

    /* The kernels. */

    .macro VECTOR_MOVE name, buffers, element, v, bytes, load, store, more
    FUNCTION \name
    SPREAD \v, 15, r9
    mov rax, r8
    PASSES \buffers, \element, \element, \bytes, \v, \load, \store, \more
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
    SPREAD \v, 0, rax
    PASSES 1, WRITE_ELEMENT, WRITE_ELEMENT, \bytes, \v, \store
    FENCE_AFTER \store
    xor eax, eax
    LEAVE \v
    ENDFUNC \name
    .endm

    .macro VECTOR_FOLD name, buffers, element, last, v, bytes, load
    FUNCTION \name
    ZERO_EIGHT \v
    PASSES \buffers, \element, \last, \bytes, \v, \load
    FOLD_EIGHT \v
    LEAVE \v
    ENDFUNC \name
    .endm

    /* The kernels whose loads are of one mode, with the stores of all modes. */
    .macro LOADING mode, isa, v, bytes, load, aligned, unaligned, streaming
    VECTOR_MOVE copy_\isa\()_\mode\()_aligned, 2, COPY_ELEMENT, \v, \bytes, \load, \aligned
    VECTOR_MOVE copy_\isa\()_\mode\()_unaligned, 2, COPY_ELEMENT, \v, \bytes, \load, \unaligned
    VECTOR_MOVE copy_\isa\()_\mode\()_streaming, 2, COPY_ELEMENT, \v, \bytes, \load, \streaming
    VECTOR_FOLD compare_\isa\()_\mode, 2, COMPARE_ELEMENT, COMPARE_ELEMENT, \v, \bytes, \load
    VECTOR_FOLD agg_or_\isa\()_\mode, 1, AGG_OR_ELEMENT, AGG_OR_LAST, \v, \bytes, \load
    VECTOR_MOVE read_\isa\()_\mode, 1, READ_ELEMENT, \v, \bytes, \load
    .endm

    /* The kernels whose stores are of one mode. */
    .macro STORING mode, isa, v, bytes, load, store
    VECTOR_WRITE write_\isa\()_\mode, \v, \bytes, \store
    .ifnc \mode, unaligned
    VECTOR_MOVE mix_scale_\isa\()_\mode, 2, SCALE_ELEMENT, \v, \bytes, \load, \store, rsi
    VECTOR_MOVE mix_add_\isa\()_\mode, 3, ADD_ELEMENT, \v, \bytes, \load, \store
    VECTOR_MOVE mix_triad_\isa\()_\mode, 3, ADD_ELEMENT, \v, \bytes, \load, \store, 1
    .endif
    .endm

    /* All modes of a width: the instructions of aligned and of unaligned accesses, of streaming loads and stores. */
    .macro FAMILY isa, v, bytes, aligned, unaligned, load, store
    LOADING aligned, \isa, \v, \bytes, \aligned, \aligned, \unaligned, \store
    LOADING unaligned, \isa, \v, \bytes, \unaligned, \aligned, \unaligned, \store
    LOADING streaming, \isa, \v, \bytes, \load, \aligned, \unaligned, \store
    STORING aligned, \isa, \v, \bytes, \aligned, \aligned
    STORING unaligned, \isa, \v, \bytes, \aligned, \unaligned
    STORING streaming, \isa, \v, \bytes, \aligned, \store
    VECTOR_MOVE mix_update_\isa\()_aligned, 1, SCALE_ELEMENT, \v, \bytes, \aligned, \aligned, rdi
    .endm

    FAMILY sse2, xmm, 16, movdqa, movdqu, movntdqa, movntdq
    FAMILY avx2, ymm, 32, vmovdqa, vmovdqu, vmovntdqa, vmovntdq
    FAMILY avx512, zmm, 64, vmovdqa64, vmovdqu64, vmovntdqa, vmovntdq
